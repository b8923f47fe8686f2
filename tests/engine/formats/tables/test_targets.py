"""Targets for posteriors in data files: ``{0.3;0.7}``."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from engine.formats import DataDocument, read_dataset, write_dataset
from engine.model.dataset import TargetCell, make_dataset
from engine.model.errors import FormatError
from engine.model.variable import Variable
from tests.plain import plain_rows

A = Variable("A", ("yes", "no"))
B = Variable("B", ("0", "1", "2"))
ARFF = "@relation r\n@attribute A {yes,no}\n@attribute B {0,1,2}\n@data\n"


@pytest.fixture
def read(tmp_path: Path):
    def read_text(text: str, variables=(A, B), suffix=".csv") -> DataDocument:
        path = tmp_path / f"data{suffix}"
        path.write_text(text)
        return read_dataset(path, variables)

    return read_text


def test_targets_are_read_beside_likelihoods(read):
    document = read("A,B\n{0.3;0.7},0\n[0.3;0.7],{ .5; 5e-1;0}\n{0.30;.7},1\n")
    assert document.dataset.codes.tolist() == [[-2, -3, -2], [0, -2, 1]]
    assert plain_rows(document.dataset) == [
        [TargetCell((0.3, 0.7)), 0],
        [(0.3, 0.7), TargetCell((0.5, 0.5, 0.0))],
        [TargetCell((0.3, 0.7)), 1],
    ]
    assert not any("scaled" in note for note in document.notes)


def test_rounded_targets_are_scaled_with_a_note(read):
    document = read("A,B\nyes,{0.33;0.33;0.33}\nyes,{1.00;1e-3;0}\n{0.3333333;0.6666666},0\n")
    rows = plain_rows(document.dataset)
    assert rows[0][1].shares == pytest.approx((1 / 3, 1 / 3, 1 / 3), abs=1e-15)
    assert rows[1][1].shares == pytest.approx((1 / 1.001, 0.001 / 1.001, 0), abs=1e-15)
    assert rows[2][0].shares == pytest.approx((1 / 3, 2 / 3), abs=1e-7)
    assert "column 'B': the target '{0.33;0.33;0.33}' sums to 0.99 and is scaled to sum to 1 (and 1 like it)" in (
        document.notes
    )


@pytest.mark.parametrize(
    "cell",
    ["{0.3}", "{0.3;0.6}", "{0.5;0.52}", "{0.2;0.3;0.5}", "{0;0}", "{-0.5;1.5}", "{1;inf}", "{1;nan}", "{1;x}", "{}",
     "{0.3;0.7", "{;}", "{1e308;1e308}", "{1_0;0}", "{{0.3;0.7}}", "{0.3;0.7]", "{1e999;0}"],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_wrong_target_is_an_error_with_its_line_and_what_is_expected(read, cell, suffix):
    with pytest.raises(FormatError) as caught:
        read(
            "A,B\nyes,0\n{cell},1\n".replace("{cell}", cell).replace(",", "," if suffix == ".csv" else "\t"),
            (A, B),
            suffix,
        )
    said = str(caught.value)
    assert f"line 3: column 'A' has {cell!r}, which is not a target of 'A'" in said
    assert "2 numbers of 0 or more that sum to 1, for 'yes', 'no'" in said


@pytest.mark.parametrize(("cell", "meant"), [("{0.3,0.7}", "'{0.3;0.7}'"), ("[0.3,0.7]", "'[0.3;0.7]'")])
def test_commas_in_place_of_semicolons_are_an_error_with_a_hint(read, cell, meant):
    with pytest.raises(FormatError) as caught:
        read(f'A,B\n"{cell}",0\n', (A, B))
    assert str(caught.value).endswith(f"; write semicolons between the numbers: {meant}")


def test_a_target_without_a_model_is_refused(read):
    with pytest.raises(FormatError, match=r"line 2: column 'A' has the target '\{0.4;0.6\}', which needs the order of"):
        read("A,B\n{0.4;0.6},0\nyes,1\n", None)


def test_a_state_that_is_spelt_like_a_target_wins(read, tmp_path):
    odd = Variable("A", ("{0.3;0.7}", "{0.3;0.7 }"))
    assert plain_rows(read("A\n{0.3;0.7}\n{0.3; 0.7}\n", [odd]).dataset) == [[0], [TargetCell((0.3, 0.7))]]
    data = make_dataset([odd], [["{0.3;0.7}"], [TargetCell((0.3, 0.7))], ["{0.3;0.7 }"], [(0.3, 0.7)]])
    write_dataset(tmp_path / "out.csv", data)
    assert plain_rows(read_dataset(tmp_path / "out.csv", [odd]).dataset) == plain_rows(data)


def test_arff_tells_targets_from_weights_sparse_rows_and_nominal_states(read):
    rows = "{0.3;0.7},1\nyes,{0.5;0.25;0.25}\n'{0.3;0.7}', 2, {3}\n{0.3;0.7},{0;0;1},{2}\n"
    rows += "{1 2}\n{0 no, 1 1}, {4}\nno,1,{5}\n"
    data = read(ARFF + rows, None, ".arff").dataset
    target = TargetCell((0.3, 0.7))
    assert plain_rows(data) == [
        [target, 1],
        [0, TargetCell((0.5, 0.25, 0.25))],
        [target, 2],
        [target, TargetCell((0.0, 0.0, 1.0))],
        [0, 2],
        [1, 1],
        [1, 1],
    ]
    assert data.weights.tolist() == [1, 1, 3, 2, 1, 4, 5]


def test_arff_in_which_states_are_spelt_like_targets(read):
    text = "@relation r\n@attribute A {'{0.3;0.7}', \"{2}\", 'a;b'}\n@attribute B {p,q}\n@data\n"
    data = read(text + "'{0.3;0.7}',p\n{0.3;0.7},p\n'{2}',q,{2}\n{0 a;b}\n", None, ".arff").dataset
    assert plain_rows(data) == [[0, 0], [0, 0], [1, 1], [2, 0]]
    assert data.weights.tolist() == [1, 1, 2, 1]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("yes,{a;b}", "expected a weight ≥ 0 or a target such as {0.3;0.7} in braces, got '{a;b}'"),
        ("{a;b},1", "unexpected text after a sparse row"),
        ("{0 {0.3;0.7}, 1 1}", "expected a weight ≥ 0 or a target"),
        ("{0.3;0.7},{1", "expected a value and a comma, got '{1'"),
        ("{0.3;0.7;0},1", "column 'A' has '{0.3;0.7;0}', which is not a target of 'A'"),
    ],
)
def test_arff_errors_with_braces(read, row, said):
    with pytest.raises(FormatError) as caught:
        read(f"{ARFF}{row}\n", None, ".arff")
    assert f"line 5: {said}" in str(caught.value)


def test_netica_cases_have_targets_but_sets_of_states_are_none(read):
    text = "// ~->[CASE-1]->~\nIDnum\tA\tB\n1\t{0.3;0.7}\t#1\n2\tyes\t*\n"
    assert plain_rows(read(text, (A, B), ".cas").dataset) == [[TargetCell((0.3, 0.7)), 1], [0, None]]
    with pytest.raises(FormatError, match=r"line 3: column 'A' has '\{yes,no\}', which is not a target"):
        read(text.replace("{0.3;0.7}", "{yes,no}"), (A, B), ".cas")


@pytest.mark.parametrize("part", [";", "0;", "9", "{", " "])
@pytest.mark.parametrize("form", ["{%s}", "{%s"])
@pytest.mark.parametrize("suffix", [".csv", ".arff"])
def test_huge_cells_are_refused_soon(read, part, form, suffix):
    cell = form % (1_000_000 * part)
    start = time.process_time()
    with pytest.raises(FormatError) as caught:
        read(f"A,B\n{cell},1\n" if suffix == ".csv" else f"{ARFF}{cell},1\n", (A, B), suffix)
    assert time.process_time() - start < 5
    assert len(str(caught.value)) < 500
