"""Case files of Netica and CaMML, ARFF and Parquet."""

import numpy as np
import pytest

from engine.formats import read_dataset, write_dataset
from engine.model.dataset import make_dataset
from engine.model.errors import FormatError, PgmError
from engine.model.variable import Variable

A = Variable("A", ("yes", "no"))
B = Variable("B", ("low", "mid", "high"))


@pytest.fixture
def read(tmp_path):
    def read_text(text, suffix, variables=None):
        path = tmp_path / f"data{suffix}"
        path.write_text(text)
        return read_dataset(path, variables)

    return read_text


NETICA = "// ~->[CASE-1]->~\n// by hand\nIDnum\tA  B\tNumCases\n1 yes #2 3\n2 * low 1 // odd\n\n3\tno\t*\t2\n"


@pytest.mark.parametrize("text", [NETICA, NETICA.replace("  ", ",").replace("\t", ",").replace(" #2 ", ",#2,")])
def test_netica_cases(read, text):
    if "," in text:
        text = text.replace("1 yes", "1,yes").replace(",#2,3", ",#2,3").replace("2 * low 1 // odd", "2,*,low,1 // odd")
    document = read(text, ".cas", [A, B])
    assert document.dataset.codes.tolist() == [[0, -1, 1], [2, 0, -1]]
    assert document.dataset.weights.tolist() == [3, 1, 2]
    assert document.unmatched == ("IDnum",)


def test_netica_cases_without_a_model(read):
    document = read("IDnum A B\n1 yes low\n2 * mid\n", ".cas")
    assert [(v.name, v.states) for v in document.dataset.variables] == [("A", ("yes",)), ("B", ("low", "mid"))]
    assert document.unmatched == ("IDnum",)


def test_an_index_beyond_the_states_is_an_error(read):
    with pytest.raises(FormatError, match="line 3: column 'B' has '#3'"):
        read("A B\nyes low\nno #3\n", ".cas", [A, B])


CAMML = "2 % variables\n3 % cases\nA B % names\n2 3 % arity\n1\t0\t % data\n1 0\n0 1\t\n"


def test_camml_cases_have_the_states_that_are_declared(read):
    data = read(CAMML, ".cas").dataset
    assert [(v.name, v.states) for v in data.variables] == [("A", ("0", "1")), ("B", ("0", "1", "2"))]
    assert data.codes.tolist() == [[1, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("3 % cases", "4 % cases", "line 2: the file declares 4 cases but has 3"),
        ("A B", "A", "line 3: the line has 1 cells; expected 2"),
        ("A B", "A A", "line 3: two columns have the same name"),
        ("2 3 %", "2 0 %", "line 4: expected a whole number"),
        ("2 3 %", "2 999999999 %", "line 4: expected a whole number from 1 to 100,000, got '999999999'"),
        ("0 1\t", "0 7", "line 7: column 'B' has '7'"),
        ("0 1\t", "0", "line 7: the row has 1 cells; expected 2"),
    ],
)
def test_camml_errors(read, old, new, message):
    with pytest.raises(FormatError, match=message):
        read(CAMML.replace(old, new), ".cas")


ARFF = """% a comment
@RELATION 'a b'
@attribute 'an attribute' {yes, 'no, sir', "x"}
@ATTRIBUTE b { 2,1 }
@attribute size NUMERIC
@attribute "free text" string

@Data
% rows
"""


def test_arff_keeps_the_attributes_states_and_their_order(read):
    document = read(ARFF + "yes,1,5,'it\\'s'\n'no, sir', ?,5.0,\"a b\"\n?,2,?,c\n", ".arff")
    data = document.dataset
    assert [v.states for v in data.variables] == [
        ("yes", "no, sir", "x"), ("2", "1"), ("5", "5.0"), ("it's", "a b", "c"),
    ]  # fmt: skip
    assert data.codes.tolist() == [[0, 1, -1], [1, -1, 0], [0, 1, -1], [0, 1, 2]]
    assert any("'size', 'free text'" in note for note in document.notes)


def test_arff_without_quotes_in_its_rows_is_the_same(read):
    header = ARFF.replace("'no, sir'", "no")
    plain = read(header + "yes,1,5,a\nno, ?,5.0,b\n?,2,?,c\n", ".arff").dataset
    quoted = read(header + "yes,1,5,a\nno, ?,5.0,b\n?,2,?,'c'\n", ".arff").dataset
    assert plain.variables == quoted.variables
    np.testing.assert_array_equal(plain.codes, quoted.codes)


def test_arff_sparse_rows_and_weights(read):
    header = "@relation r\n@attribute a {x,y}\n@attribute b {p,q}\n@attribute n integer\n@data\n"
    data = read(header + "{0 y, 2 7}\n{ }, {2.5}\n{1 ?}\ny,q,0,{3}\n", ".arff").dataset
    assert [v.states for v in data.variables] == [("x", "y"), ("p", "q"), ("7", "0")]
    assert data.codes.tolist() == [[1, 0, 0, 1], [0, 0, -1, 1], [0, 1, 1, 1]]
    assert data.weights.tolist() == [1, 2.5, 1, 3]


def test_arff_with_a_model_follows_the_model(read):
    text = "@relation r\n@attribute A {no,yes}\n@attribute c {1,2}\n@data\nno,1\nyes,2\n"
    document = read(text, ".arff", [B, A])
    assert document.dataset.codes.tolist() == [[-1, -1], [1, 0]]
    assert (document.unmatched, document.absent) == (("c",), ("B",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@relation r\n", "no line '@data'"),
        ("@relation r\n@data\n1\n", "no '@attribute'"),
        ("@attribute a {x,y\n@data\nx\n", "line 1: a brace that is never closed"),
        ("@attribute a {}\n@data\nx\n", "line 1: an attribute without states"),
        ("@attribute a relational\n@data\nx\n", "line 1: expected states in braces, .* got 'relational'"),
        ("@attribute a {x}\n@attribute a {x}\n@data\nx,x\n", "line 2: the attribute 'a'"),
        ("@attribute a {x}\n@data\nx\n'z'\n", "line 4: column 'a' has 'z'"),
        ("@attribute a {x}\n@data\nx\n%\nz\n", "line 5: column 'a' has 'z'"),
        ("@attribute a {x}\n@data\nx,x\n", "line 3: the row has 2 cells; expected 1"),
        ("@attribute a {x}\n@data\n'x','x'\n", "line 3: the row has 2 cells; expected 1"),
        ("@attribute a {x}\n@data\n'x\n", "line 3: expected a value and a comma"),
        ("@attribute a {x}\n@data\n{1 x}\n", "line 3: expected an index below 1"),
        ("@attribute a {x}\n@data\n{0 x\n", "line 3: a brace that is never closed"),
        ("@attribute a string\n@data\n{}\n", "line 3: a sparse row without 'a'"),
        ("@attribute a {x}\n@data\nx,{-1}\n", "line 3: expected a weight"),
    ],
)
def test_arff_errors(read, text, message):
    with pytest.raises(FormatError, match=message):
        read(text, ".arff")


def test_parquet(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = arrow.table({
        "A": arrow.array(["no", None, "yes"]).dictionary_encode(),
        "B": [1, 1, 0],
        "c": [0.5, float("nan"), None],
        "weight": [1.0, 2.0, 0.5],
    })  # fmt: skip
    pq.write_table(table, tmp_path / "data.parquet")
    data = read_dataset(tmp_path / "data.parquet").dataset
    assert [v.states for v in data.variables] == [("no", "yes"), ("1", "0"), ("0.5",)]
    assert data.codes.tolist() == [[0, -1, 1], [0, 0, 1], [0, -1, -1]]
    assert data.weights.tolist() == [1, 2, 0.5]
    with pytest.raises(FormatError, match="column 'B' has '1', which is not a state"):
        read_dataset(tmp_path / "data.parquet", [A, B])


def test_parquet_that_is_not(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1 nonsense PAR1")
    with pytest.raises(FormatError, match="not a Parquet file"):
        read_dataset(path)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(PgmError, match="need pyarrow"):
        read_dataset(path)


def test_parquet_that_declares_other_rows_than_it_holds(tmp_path):
    """Found by the fuzzer."""
    import pyarrow.parquet as pq

    path = tmp_path / "data.parquet"
    write_dataset(path, make_dataset([A], [("yes",)] * 12))
    whole, found = path.read_bytes(), 0
    for place in (k for k, byte in enumerate(whole) if byte == 2 * 12):  # how Parquet writes 12
        path.write_bytes(whole[:place] + bytes([2 * 46]) + whole[place + 1 :])
        try:
            declared = pq.ParquetFile(path).metadata.num_rows
        except OSError:
            continue
        if declared == 46:
            found += 1
            with pytest.raises(FormatError, match="declares 46 rows and holds 12; write it anew"):
                read_dataset(path)
    assert found == 1


def test_parquet_with_a_name_that_is_no_text(tmp_path):
    path = tmp_path / "data.parquet"
    write_dataset(path, make_dataset([Variable("Size", ("a", "b"))], [["a"], ["b"]]))
    path.write_bytes(path.read_bytes().replace(b"Size", b"\xffize"))
    with pytest.raises(FormatError, match="not a Parquet file that can be read"):
        read_dataset(path)
