"""Datasets in text files: delimiters, headers, missing and likelihood cells, weights, errors with their line."""

from pathlib import Path

import numpy as np
import pytest

from engine.formats import DataDocument, read_dataset, write_dataset
from engine.formats.tables.table import Numbering
from engine.model.dataset import MISSING, Role
from engine.model.errors import FormatError, ModelError, PgmError
from engine.model.variable import Variable

A = Variable("A", ("yes", "no"))
B = Variable("B", ("0", "1", "2"))


@pytest.fixture
def read(tmp_path: Path):
    def read_text(text: str | bytes, variables=None, suffix=".csv", **options) -> DataDocument:
        path = tmp_path / f"data{suffix}"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_dataset(path, variables, **options)

    return read_text


def cells(document: DataDocument) -> list[list[str | None]]:
    data = document.dataset
    return [
        [None if code < 0 else v.states[code] for v, code in zip(data.variables, row, strict=True)]
        for row in data.codes.T
    ]


@pytest.mark.parametrize(
    "text",
    [
        "A,B\nyes,0\nno,2\n",
        "A;B\nyes;0\nno;2\n",
        "A\tB\nyes\t0\nno\t2\n",
        "A|B\nyes|0\nno|2\n",
        "A B\nyes   0\n no \t2",
        "\ufeffA,B\r\nyes,0\r\nno,2\r\n",
        "A,B\ryes,0\rno,2\r",
        '"A","B"\n"yes","0"\n"no",2\n',
        'A, "B"\nyes, "0"\nno, "2"\n',
        "\n# made by hand\n\nA,B\n  \nyes,0\n\n// half way\nno,2\n\n\n",
        "A,B,\nyes,0,\nno,2,\n",
        "A,B\nyes,0,\nno,2,\n",
        "A,B,\nyes,0\nno,2\n",
        " A , B \n yes , 0 \n no , 2 \n",
        "A,B\nyes,0\nno,2\n".encode("utf-16"),
    ],
)
def test_dialects_of_the_same_table(read, text):
    for variables in (None, [A, B], [B, A]):
        document = read(text, variables)
        order = [v.name for v in document.dataset.variables]
        assert order == [v.name for v in variables or (A, B)]
        rows = [dict(zip(order, row, strict=True)) for row in cells(document)]
        assert rows == [{"A": "yes", "B": "0"}, {"A": "no", "B": "2"}]


def test_states_without_a_model_are_in_order_of_first_appearance_and_keep_their_text(read):
    document = read("A,B\nz,10\na,1.0\nz,01\nm,1\n")
    assert [v.states for v in document.dataset.variables] == [("z", "a", "m"), ("10", "1.0", "01", "1")]


def test_first_appearance_holds_for_long_and_short_cells(read):
    words = ["a very long value, longer than sixty-four bytes, so that it is compared as a whole" * 2, "b"]
    words += ["eight by", "eight byt", "eight bytes and eight", "eight bytes and nine!", "c", "x" * 64, "x" * 65]
    document = read("A,B\n" + "".join(f'"{word}",{k % 2}\n' for k, word in enumerate(words * 3)))
    assert document.dataset.variables[0].states == tuple(words)
    assert document.dataset.codes[0].tolist() == list(range(len(words))) * 3


def test_quotes_keep_spaces_delimiters_and_line_ends(read):
    document = read('A,B\n" a ","x,y"\n"p\nq","say ""hi"""\n" a ","r\r\ns"\n')
    assert cells(document) == [[" a ", "x,y"], ["p\nq", 'say "hi"'], [" a ", "r\r\ns"]]


@pytest.mark.parametrize("code", ["?", "NA", "N/A", "NaN", "*", "", "-9"])
def test_missing_codes(read, code):
    document = read(f"A,B\nyes,{code}\n{code},1\n", [A, B], missing=["-9"])
    assert cells(document) == [["yes", None], [None, "1"]]
    assert document.dataset.roles == (Role.PARTIAL, Role.PARTIAL)


def test_a_state_that_is_spelt_like_a_missing_code_wins(read):
    country = Variable("A", ("NA", "EU", "-9"))
    assert cells(read("A\nNA\n?\n-9\n", [country], missing=["-9"])) == [["NA"], [None], ["-9"]]


def test_a_dropped_column_hides_its_variable(read):
    document = read("B\n0\n2\n", [A, B])
    assert document.absent == ("A",)
    assert document.dataset.roles == (Role.HIDDEN, Role.OBSERVED)
    assert (document.dataset.codes[0] == MISSING).all()


def test_a_column_without_a_variable_is_reported(read):
    document = read("A,note,B\nyes,first,0\n", [A, B])
    assert document.unmatched == ("note",)
    assert any("'note'" in note for note in document.notes)


def test_names_match_but_for_case_when_only_one_does(read):
    document = read("a,B\nyes,0\n", [A, B])
    assert cells(document) == [["yes", "0"]]
    assert any("'a' is taken for the variable 'A'" in note for note in document.notes)
    assert read("a,B\nyes,0\n", [A, Variable("a", ("yes",))]).absent == ("A",)


def test_likelihood_cells(read):
    document = read("A,B\n[0.4;0.8],0\nyes,[1;0;2]\n[0.40; .8],[0;0;1]\n", [A, B])
    data = document.dataset
    assert data.codes.tolist() == [[-2, 0, -2], [0, -2, -3]]
    assert {i: v.tolist() for i, v in data.likelihoods.items()} == {0: [[0.4, 0.8]], 1: [[1, 0, 2], [0, 0, 1]]}
    assert data.roles == (Role.SOFT, Role.SOFT)


@pytest.mark.parametrize("cell", ["[0.4]", "[0.4;0.8;1]", "[0;0]", "[-1;2]", "[1;inf]", "[1;x]", "[]"])
def test_a_wrong_likelihood_is_an_error_with_its_line(read, cell):
    with pytest.raises(FormatError, match=r"line 3: column 'A' has "):
        read(f"A,B\nyes,0\n{cell},1\n", [A, B])


def test_a_likelihood_without_a_model_is_refused(read):
    with pytest.raises(FormatError, match=r"line 2: .* order of the states"):
        read("A,B\n[0.4;0.8],0\nyes,1\n")


@pytest.mark.parametrize("name", ["weight", "_Weight", "NUMCASES", "freq", "Count"])
def test_weights(read, name):
    for variables in (None, [A, B]):
        document = read(f"A,{name},B\nyes,2,0\nno,0.5,1\n", variables)
        assert document.dataset.weights.tolist() == [2, 0.5]
        assert document.unmatched == ()
        assert any("weights" in note for note in document.notes)


def test_a_variable_named_like_weights_is_a_variable(read):
    count = Variable("Count", ("1", "2"))
    document = read("A,count\nyes,2\nno,1\n", [A, count])
    assert cells(document) == [["yes", "2"], ["no", "1"]]
    assert document.dataset.total_weight == 2
    assert read("A,weight\nyes,heavy\nno,light\n").dataset.variables[1].states == ("heavy", "light")


def test_numbers_spelt_otherwise_are_the_state_if_it_is_the_only_one(read):
    document = read("A,B\nyes,1.0\nno,2\nno,00\n", [A, B])
    assert cells(document) == [["yes", "1"], ["no", "2"], ["no", "0"]]
    assert any("'1.0' is read as the state '1'" in note for note in document.notes)
    with pytest.raises(FormatError, match=r"line 2: column 'B' has '1e0'"):
        read("A,B\nyes,1e0\n", [A, Variable("B", ("1", "1.0"))])


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("0,0,1\n0,1,0\n", False),
        ("0,1,2\n0,1,1\n", True),
        ("x,y,z\n0,1,1\n", True),
        ("x,y,z\nx,u,v\n", False),
        ("x,?,z\nu,v,w\n", False),
        ("1.5,2.5\n3.5,4.5\n", False),
        ("2019,name\nyes,no\n", True),
    ],
)
def test_header_without_a_model(read, text, header):
    document = read(text)
    assert document.dataset.n_rows == (1 if header else 2)
    assert any("no header" in note for note in document.notes) is not header


def test_header_with_a_model(read):
    assert cells(read("no,1\nyes,?\n", [A, B])) == [["no", "1"], ["yes", None]]
    numbered = [Variable("0", ("0", "1")), Variable("1", ("0", "1"))]
    assert cells(read("0,0\n1,1\n", numbered)) == [["0", "0"], ["1", "1"]]
    document = read("0,1\n1,1\n", numbered)
    assert cells(document) == [["1", "1"]]
    assert any("could be a row of values" in note for note in document.notes)


def test_a_header_alone_is_a_dataset_without_rows_if_the_states_are_known(read):
    document = read("A,B\n", [A, B])
    assert document.dataset.codes.shape == (2, 0)
    with pytest.raises(FormatError, match="no column has a state"):
        read("A,B\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty"),
        (b" \r\n\n", "the file is empty"),
        (b"A,B\nyes\n", "line 2: the row has 1 cells; expected 2"),
        (b"A,B\nyes,0\nno,1,2\n", "line 3: the row has 3 cells; expected 2"),
        (b'A,B\n"x\ny",0\nyes\n', "line 4: the row has 1 cells"),
        (b"A,B\nyes,0\nmaybe,1\n", "line 3: column 'A' has 'maybe', .* 'yes', 'no'"),
        (b"A,B\n\n# c\nyes,0\n\nno,7\n", "line 6: column 'B' has '7', .* '0', '1', '2'"),
        (b'A,B\nyes,"0\nno,1\n', "line 2: a quote that is opened here is never closed"),
        (b'A,B\nyes,0"1\nno,1\n', "line 2: a quote in the middle of a cell"),
        (b'A,B\nyes,"0"1\nno,1\n', "line 2: a quote in the middle of a cell"),
        (b"A,B\nyes,0\0\n", "line 2: a NUL byte"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a NUL byte"),
        (b"A,B,A\nyes,0,no\n", "line 1: two columns are named 'A'"),
        (b"X,Y\nyes,0\n", "no column is a variable of the network; .* 'X', 'Y', .* 'A', 'B'"),
        (b"A,B,weight\nyes,0,-1\n", "line 2: column 'weight' .* '-1'; expected numbers"),
        (b"A,B,freq\nyes,0,3\nno,1,?\n", r"line 3: column 'freq' .* '\?'; expected numbers"),
        (b"# nothing\n", "no rows and no header"),
        (b"A,B\n" + b"x" * (5 * 2**20) + b",0\n", "line 2: a line longer than 4 MB"),
        (b"," * 200_000 + b"\n", "200,001 columns; at most 100,000"),
        (b"\xff\xfeA\0,", "begins as UTF-16"),
    ],
)
def test_errors_say_what_and_where(read, text, message):
    with pytest.raises(FormatError, match=message):
        read(text, [A, B])


def test_text_that_is_not_utf8_is_latin1(read):
    assert read("A,B\ncafé,0\n".encode("latin-1")).dataset.variables[0].states == ("café",)


def test_wrong_paths_suffixes_and_delimiters(tmp_path):
    with pytest.raises(FormatError, match="cannot read the file: No such file"):
        read_dataset(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FormatError, match="cannot read the file: Is a directory"):
        read_dataset(tmp_path / "folder.csv")
    with pytest.raises(FormatError, match=r"unknown suffix '.xlsx'; expected one of .csv"):
        read_dataset(tmp_path / "data.xlsx")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    with pytest.raises(FormatError, match="a device or a pipe"):
        read_dataset(tmp_path / "zero.csv")
    with pytest.raises(ModelError, match="the delimiter ',,' cannot be used"):
        read_dataset(tmp_path / "data.csv", delimiter=",,")


def test_a_given_delimiter_is_used(read):
    assert cells(read("A~B\nyes~0\n", [A, B], delimiter="~")) == [["yes", "0"]]
    assert read("an answer\nyes sir\nno sir\n", delimiter=",").dataset.variables[0].states == ("yes sir", "no sir")


def test_blocks_of_a_large_file_are_joined(read, monkeypatch):
    monkeypatch.setattr("engine.formats.tables.delimited._BLOCK", 300)
    monkeypatch.setattr("engine.formats.tables.delimited._ROWS", 1)
    random = np.random.default_rng(0)
    codes = np.stack([random.integers(0, 2, 20_000), random.integers(0, 3, 20_000)])
    lines = [f'"{A.states[a]}",{b}' for a, b in codes.T]
    lines[15_000:15_000] = ["", "# a comment"]
    text = "A,B\n" + "\n".join(lines)
    np.testing.assert_array_equal(read(text, [A, B]).dataset.codes, codes)
    with pytest.raises(FormatError, match="line 20004: column 'B' has '9'"):
        read(text + "\nno,9", [A, B])


def test_words_that_columns_share_are_found_once(read, monkeypatch):
    """In a wide table, looking for new words in every column takes more time than all the rest."""
    found = []
    add = Numbering._add
    monkeypatch.setattr(Numbering, "_add", lambda self, values: found.append(1) or add(self, values))
    names = ",".join(f"X{j}" for j in range(300))
    rows = [",".join("ab?"[(j + r) % 3] for j in range(300)) for r in range(9)]
    document = read("\n".join([names, *rows, ""]))
    assert len(found) == 1
    assert [v.states for v in document.dataset.variables[:3]] == [("a", "b"), ("b", "a"), ("a", "b")]
    assert document.dataset.codes[:3].tolist() == [[0, 1, -1] * 3, [0, -1, 1] * 3, [-1, 0, 1] * 3]


def test_words_of_a_column_shortly_before_are_found_once(read, monkeypatch):
    """Hidden columns between others, as decomposing is for, shall not cost each column a search."""
    found = []
    add = Numbering._add
    monkeypatch.setattr(Numbering, "_add", lambda self, values: found.append(1) or add(self, values))
    names = ",".join(f"X{j}" for j in range(300))
    rows = [",".join("?" if j % 5 == 4 else "ab"[(j + r) % 2] for j in range(300)) for r in range(6)]
    variables = [Variable(f"X{j}", ("a", "b")) for j in range(300)]
    document = read("\n".join([names, *rows, ""]), variables)
    assert len(found) == 2
    assert document.dataset.codes[3:6].tolist() == [[1, 0] * 3, [-1] * 6, [1, 0] * 3]


def test_codes_are_contiguous_and_small(read):
    data = read("A,B\nyes,0\nno,1\n", [A, B]).dataset
    assert data.codes.dtype == np.int8
    assert data.codes.flags.c_contiguous
    wide = Variable("B", tuple(str(k) for k in range(200)))
    assert read("A,B\nyes,199\n", [A, wide]).dataset.codes.dtype == np.int16


def test_a_failed_write_leaves_the_old_file(tmp_path, read):
    data = read("A,B\nyes,0\n", [A, Variable("B", ("0", "\ud800"))]).dataset
    writable = read("A,B\nyes,0\n", [A, B]).dataset
    with pytest.raises(PgmError, match="cannot write"):
        write_dataset(tmp_path / "none" / "out.csv", writable)
    bad = type(data)((A, Variable("\ud800", ("0",))), data.codes, data.weights)
    for suffix in (".csv", ".parquet"):
        path = tmp_path / f"out{suffix}"
        path.write_text("old")
        with pytest.raises(PgmError, match="as UTF-8"):
            write_dataset(path, bad)
        assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []
