"""Datasets written and read again are the same; damaged files end in an error for the user."""

import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats import read_dataset, write_dataset
from engine.formats.tables.cells import MISSING_CODES
from engine.model.dataset import LIGHTEST, Dataset, TargetCell, make_dataset
from engine.model.errors import ModelError, PgmError
from engine.model.variable import Variable
from tests.fuzz.mutations import mutate

ODD = ["?", "NA", "*", "", " ", " a", "a ", "a,b", 'say "hi"', '"', "p\nq", "r\r\ns", "\r", "#x", "%", "//", "\ufeffz"]
ODD += ["0", "1", "1.0", "[1.0;2.0]", "[1.0]", "a;b", "a b", "x|y", "t\ty", "é", "日本", "weight", "count", "_weight"]
ODD += ["{0.5;0.5}", "{0.5;0.5 }", "{1}", "[1;2]", "{a;b}", "{", "{}", "IDnum", "x" * 70, "#1", "\x0b", "\u2028x"]
TEXTS = st.one_of(
    st.sampled_from(ODD), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
)
NUMBERS = st.floats(0, 1e12, allow_subnormal=True)


@st.composite
def datasets(draw) -> Dataset:
    names = draw(st.lists(TEXTS.filter(bool), min_size=1, max_size=4, unique=True))
    variables = [Variable(name, tuple(draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True)))) for name in names]
    columns = []
    rows = draw(st.integers(0, 6))
    for variable in variables:
        size = variable.cardinality
        soft = st.lists(NUMBERS, min_size=size, max_size=size).filter(any).map(tuple)
        numbers = [NUMBERS, st.sampled_from([0.0, 0.5, 1.0])]
        target = st.lists(st.one_of(numbers), min_size=size, max_size=size).filter(any).map(make_target)
        cell = st.one_of(st.none(), st.sampled_from(variable.states), soft, target)
        columns.append(draw(st.lists(cell, min_size=rows, max_size=rows)))
    weight = NUMBERS.filter(lambda number: not 0 < number < LIGHTEST)
    weights = draw(st.one_of(st.none(), st.lists(weight, min_size=rows, max_size=rows)))
    return make_dataset(variables, list(zip(*columns, strict=True)), weights)


def make_target(numbers: list[float]) -> TargetCell:
    total = math.fsum(numbers)
    return TargetCell(tuple(number / total for number in numbers))


def assert_same(data: Dataset, again: Dataset) -> None:
    assert again.variables == data.variables
    assert again.codes.dtype == data.codes.dtype
    np.testing.assert_array_equal(again.codes, data.codes)
    np.testing.assert_array_equal(again.weights, data.weights)
    assert again.likelihoods.keys() == data.likelihoods.keys()
    for i, vectors in data.likelihoods.items():
        np.testing.assert_array_equal(again.likelihoods[i], vectors)
    assert again.targets.keys() == data.targets.keys()
    for i, chosen in data.targets.items():
        np.testing.assert_array_equal(again.targets[i], chosen)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".dat", ".parquet"])
@settings(max_examples=50, deadline=None)  # of each suffix; three of them go one way
@given(data=datasets())
def test_write_and_read(suffix, data):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data{suffix}"
        write_dataset(path, data)
        document = read_dataset(path, data.variables)
    assert_same(data, document.dataset)
    assert document.absent == document.unmatched == ()


def test_write_without_variables_keeps_the_rows(tmp_path):
    data = Dataset((), np.empty((0, 3), dtype=np.int8), np.ones(3))
    write_dataset(tmp_path / "data.csv", data)
    assert read_dataset(tmp_path / "data.csv", ()).dataset.n_rows == 3


def test_what_cannot_be_written_is_refused(tmp_path):
    spent = Variable("A", MISSING_CODES)
    write_dataset(tmp_path / "data.csv", make_dataset([spent], [["NA"]]))
    with pytest.raises(ModelError, match="named like every missing code"):
        write_dataset(tmp_path / "data.csv", make_dataset([spent], [[None]]))
    with pytest.raises(ModelError, match="the same name"):
        write_dataset(tmp_path / "data.csv", make_dataset([spent, spent], [["NA", "?"]]))
    with pytest.raises(ModelError, match="NUL"):
        write_dataset(tmp_path / "data.csv", make_dataset([Variable("A", ("\0",))], [["\0"]]))
    with pytest.raises(PgmError, match="can be read but not written"):
        write_dataset(tmp_path / "data.arff", make_dataset([spent], [["NA"]]))


SAMPLES = {
    ".csv": 'A,B,weight\nyes,0,2\n"no",?,1\n[0.4;0.8],1,1\n{0.3;0.7},"{0.33;0.33;0.33}",1\n# c\nyes,"2",1\n\n',
    ".txt": "A B C\nyes 0 1\nno  2 ?\n yes 1 0\n",
    ".cas": "// ~->[CASE-1]->~\nIDnum A B NumCases\n1 yes #1 2\n2 * 0 1 // end\n",
    ".arff": "@relation r\n@attribute A {yes, 'no', \"x y\"}\n@attribute 'B' numeric\n"
    "@data\nyes,0\n'no',?,{2}\n{0 no, 1 3}\n'{0.5;0.25;0.25}',3\n{0.5;0.25;0.25},3,{2}\n",
}
CAMML = "2 % variables\n2 % cases\nA B % names\n2 3 % arity\n1 0 % data\n0 2\n"


def assert_read_or_refused(path: Path, variables: list[Variable] | None) -> None:
    """Anything but a dataset or an error of ours, of one line, fails."""
    message = ""
    try:
        read_dataset(path, variables)
    except PgmError as error:
        message = str(error)
    assert "\n" not in message


@pytest.mark.parametrize(("suffix", "text"), [*SAMPLES.items(), (".cas", CAMML)])
def test_damaged_files_end_in_an_error_or_a_dataset(tmp_path, suffix, text):
    path = tmp_path / f"data{suffix}"
    models = (None, [Variable("A", ("yes", "no")), Variable("B", ("0", "1", "2"))])
    path.write_text(text)
    assert read_dataset(path, models[suffix == ".csv"]).dataset.n_rows > 0
    for damaged in mutate(text, 150, seed=1):
        path.write_bytes(damaged.encode(errors="surrogatepass"))
        for variables in models:
            assert_read_or_refused(path, variables)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".cas", ".arff", ".parquet"])
@settings(deadline=None)
@given(data=st.one_of(st.binary(max_size=60), st.text('",;#%[]{}ab01?\n\r \t', max_size=40).map(str.encode)))
def test_any_bytes_end_in_an_error_or_a_dataset(suffix, data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data{suffix}"
        path.write_bytes(data)
        for variables in (None, [Variable("a", ("0", "1"))]):
            assert_read_or_refused(path, variables)
