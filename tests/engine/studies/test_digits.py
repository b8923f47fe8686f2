"""Images of digits: what is read, what is refused, and the lines of Table 5.1 that are learned from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.model.errors import FormatError, PgmError
from engine.studies import digits, table_5_1
from engine.studies.digits import DIGITS, SIDE, make_grid, read_digits
from engine.studies.kept import Kept
from engine.studies.study import run_cells
from pgmgui.project.study_files import find_data
from tests.command_line import assert_refused, run
from tests.shared_data import DATA, needs_data

STUDY = table_5_1.STUDY
SMALL = replace(STUDY.quick, max_iter=2, max_seconds=60.0)


def write_image(digit, pixels, places=0):
    """A line of semeion's file."""
    marks = ["1" if name == digit else "0" for name in DIGITS]
    return " ".join([*(f"{pixel:.{places}f}" for pixel in pixels), *marks]) + " \n"


def draw_images(count, seed=0):
    return np.random.default_rng(seed).integers(2, size=(count, SIDE * SIDE))


@pytest.fixture
def file(tmp_path):
    """Three images of a one, two of a nine, in turn, and nothing else."""
    images = draw_images(5)
    path = tmp_path / "semeion.data"
    path.write_text("".join(write_image(("one", "nine")[i % 2], image) for i, image in enumerate(images)))
    return path


def test_images_are_read_by_digit(file):
    found = read_digits(file)
    assert list(found) == ["one", "nine"]
    assert np.array_equal(found["one"].codes.T, draw_images(5)[::2])
    assert np.array_equal(found["nine"].codes.T, draw_images(5)[1::2])
    assert found["one"].weights.tolist() == [1, 1, 1]
    assert found["one"].variables == make_grid().variables
    again = file.with_name("again.data")  # as UCI writes it, with other ends of lines and an empty one
    again.write_bytes((write_image("six", draw_images(1)[0], places=4) + "\n").replace("\n", "\r\n").encode())
    assert np.array_equal(read_digits(again)["six"].codes.T, draw_images(1))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda text: "", "semeion.data: no image in it"),
        (lambda text: "\n \n", "semeion.data: no image in it"),
        (lambda text: text[:-10], "line 5: expected 266 numbers, 256 pixels and 10 marks; got 262"),
        (lambda text: text.replace("\n", "", 1), "line 1: expected 266 numbers, 256 pixels and 10 marks; got 532"),
        (lambda text: f"{text}2{text[1:532]}", "line 6: expected 0 or 1; got '2'"),
        (lambda text: f"{'9' * 10**6}{text[1:]}", "line 1: expected 0 or 1; got '999999"),
        (lambda text: text + "0 " * 266, "line 6: expected one mark that is 1, that of the digit; got 0"),
        (lambda text: text + "1 " * 266, "line 6: expected one mark that is 1, that of the digit; got 10"),
    ],
)
def test_what_is_no_image_is_refused_by_its_line(damage, told, file):
    file.write_text(damage(file.read_text()))
    with pytest.raises(FormatError) as refused:
        read_digits(file)
    assert told in str(refused.value)
    assert str(refused.value).startswith(str(file))
    assert len(str(refused.value)) < len(str(file)) + 200, "a long cell is cut"


def test_a_file_that_is_too_large_is_not_read(file, monkeypatch):
    monkeypatch.setattr(digits, "MOST_BYTES", 2**10)
    with pytest.raises(FormatError, match="the file has"):
        read_digits(file)


def test_the_grid_joins_every_two_neighbours():
    """480 pairs: 15 in each of 16 rows, and in each of 16 columns."""
    pairs = make_grid().scopes
    assert len(pairs) == len(set(pairs)) == 2 * 15 * 16
    for one, other in pairs:
        (r, c), (s, d) = divmod(one, SIDE), divmod(other, SIDE)
        assert abs(r - s) + abs(c - d) == 1


def sum_states(tables):
    """The logarithm of a grid's partition function, pixel by pixel: the last sixteen are all one has to remember."""
    weights, log = np.ones((2,) * SIDE), 0.0
    for pixel in range(SIDE * SIDE):
        column = pixel % SIDE
        down = tables.get((pixel - SIDE, pixel), np.full((2, 2), 0.5))  # above the first row there is nothing
        weights = np.moveaxis(np.moveaxis(weights, column, -1) @ down, -1, column)
        if column:
            shape = [2 if axis in (column - 1, column) else 1 for axis in range(SIDE)]
            weights = weights * tables[pixel - 1, pixel].reshape(shape)
        log += np.log(weights.max())
        weights = weights / weights.max()
    return log + np.log(weights.sum())


def test_the_likelihood_of_images_is_that_of_another_way(file):
    problem = table_5_1.pose_digit("one", read_digits(file)["one"], SMALL)
    images = problem.dataset.codes
    *_, last = learn(
        problem.network, problem.dataset, "edml", random_state=problem.start, stopping=Stopping(max_iter=2)
    )
    tables = dict(zip(problem.network.scopes, last.network().tables, strict=True))
    seen = sum(np.log(table[images[one], images[other]]).sum() for (one, other), table in tables.items())
    assert last.objective.sum() == pytest.approx(seen - 3 * sum_states(tables), rel=1e-10)


def test_the_lines_of_digits_are_kept_and_tabulated(file, tmp_path):
    found = read_digits(file)
    cells = STUDY.list_all({}, found, SMALL)
    assert [cell.name for cell in cells] == [
        f"{name}, 0% hidden, dataset 1, {method}" for name in ("one", "nine") for method in ("cg", "lbfgs")
    ]
    kept = Kept(tmp_path / "cells.jsonl", "table-5.1", STUDY, SMALL, {}, found)
    for finished in run_cells(cells[:2]):
        kept.add(finished)
    assert Kept(kept.path, "table-5.1", STUDY, SMALL, {}, found).finished == kept.finished
    table = STUDY.table(kept.finished.values())
    (row,) = table.rows
    assert (row.category, row.problems) == ("one (semeion)", 1), "what stands in is named"
    assert list(row.thesis.values()) == pytest.approx([104, 73, 498, 13.3, 58, 42, 234, 8.1])
    other = {**found, "nine": found["nine"].take(np.array([1, 0]))}
    with pytest.raises(PgmError, match=r"another network \(nine: "):
        Kept(kept.path, "table-5.1", STUDY, SMALL, {}, other)
    assert table_5_1.pose_digit("one", found["one"], replace(SMALL, rows=2)).dataset.n_rows == 2


def test_the_command_learns_digits_only_where_there_is_a_file(file):
    words = ("experiment", "table-5.1", "--networks", file.parent, "--max-iter", 1, "--rows", 2, "--datasets", 1)
    result = run(*words, "--json").result
    assert [row["category"] for row in result["rows"]] == ["one (semeion)", "nine (semeion)", "grid-4x4"]
    assert f"not found in {file}, and left out: zero, two, three, four, five, six, seven, eight" in result["notes"]
    assert any("semeion.data (UCI)" in note and "stand in" in note for note in result["notes"])
    file.write_text("0 1\n")
    assert_refused(run(*words), f"{file}:line 1: expected 266 numbers")
    assert [row["category"] for row in run(*words, "--quick", "--json").result["rows"]] == ["grid-4x4"], "reads none"
    file.unlink()
    absent = run(*words, "--json").result
    assert [row["category"] for row in absent["rows"]] == ["grid-4x4"]
    assert any(f"{file.parent}" in note and "left out: zero, one" in note for note in absent["notes"])


@needs_data
def test_the_shared_images_are_found():
    found = read_digits(find_data(digits.FILE, [DATA / "networks"]))
    assert {name: images.n_rows for name, images in found.items()} == dict(
        zip(DIGITS, (161, 162, 159, 159, 161, 159, 161, 158, 155, 158), strict=True)
    )
