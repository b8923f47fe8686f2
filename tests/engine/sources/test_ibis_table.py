"""Tables counted by DuckDB beside the same rows in memory."""

from __future__ import annotations

import io
import itertools
from functools import cache

import ibis
import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from engine.formats import dump_dataset, parse_table
from engine.formats.tables.columns import build_dataset
from engine.learning.bounding import bound_task
from engine.learning.learn import learn
from engine.learning.task import make_task
from engine.model.dataset import Dataset, TargetCell, make_dataset
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation import sampling
from engine.simulation.missingness import apply_reports
from engine.sources.engine import Engine
from engine.sources.ibis_table import IbisTable
from engine.sources.reading import MOST_ROWS, read_source
from tests.engine.sources.comparing import assert_same_data, assert_same_problem, resolve
from tests.strategies import learning_problems, markov_problems

RAIN, WET, COLD = Variable("rain", ("yes", "no")), Variable("wet", ("yes", "no")), Variable("cold", ("1", "0"))


@cache
def backend():
    return ibis.duckdb.connect()


NUMBERS = itertools.count()


def as_table(columns):
    return backend().create_table(f"rows{next(NUMBERS)}", ibis.memtable(columns))


def open_dataset(dataset: Dataset, scopes=(), variables=None, most=MOST_ROWS):
    """A dataset written as Parquet, as a table of DuckDB."""
    table = pq.read_table(io.BytesIO(dump_dataset(dataset, "rows.parquet")))
    chosen = dataset.variables if variables is None else variables
    return read_source(Engine(backend(), "rows"), as_table(table), chosen, scopes=scopes, most=most)


@settings(max_examples=25, deadline=None)
@given(learning_problems())
def test_counts_are_those_of_memory(problem):
    network, dataset = problem
    found = open_dataset(dataset, network.scopes)
    assert isinstance(found.data, IbisTable)
    every = list(range(len(network.variables)))
    assert_same_data(found.data, dataset, [*network.scopes, every[:2], every, []])
    task, expected = assert_same_problem(network, found.data, dataset)
    if dataset.total_weight:
        assert bound_task(task).total == pytest.approx(bound_task(expected).total, rel=1e-9, abs=1e-9)


@settings(max_examples=10, deadline=None)
@given(markov_problems())
def test_markov_networks_have_the_same_counts(problem):
    network, dataset = problem
    source = open_dataset(dataset, network.scopes).data
    task, expected = assert_same_problem(network, source, dataset)
    assert bound_task(task).total == pytest.approx(bound_task(expected).total, rel=1e-6, abs=1e-6)


@pytest.fixture(scope="module")
def chain():
    """A chain of five variables, and 3,000 rows in which the second is hidden and the fourth partly missing."""
    names = [Variable(f"X{k}", ("a", "b", "c")) for k in range(5)]
    generator = np.random.default_rng(1)
    tables = [generator.dirichlet(np.ones(3))] + [generator.dirichlet(np.ones(3), 3) for _ in range(4)]
    network = BayesianNetwork(tuple(names), ((), (0,), (1,), (2,), (3,)), tuple(tables))
    rows = sampling.simulate(network, 3000, generator)
    codes = rows.codes.copy()
    codes[1] = -1
    codes[3, generator.random(3000) < 0.3] = -1
    return network, Dataset(rows.variables, codes, rows.weights)


@pytest.mark.parametrize("method", ["d-em", "em-textbook"])
def test_learning_ends_where_it_does_in_memory(chain, method):
    network, dataset = chain
    source = open_dataset(dataset, network.scopes).data
    *_, here = learn(network, source, method, start="current")
    *_, there = learn(network, dataset, method, start="current")
    assert here.iteration == there.iteration
    np.testing.assert_allclose(here.theta, there.theta, rtol=1e-12)


def test_few_questions_are_asked(chain):
    """All columns of this network are counted in one; what is learned needs no more."""
    network, dataset = chain
    source = open_dataset(dataset, network.scopes).data
    assert source.counter.engine.questions == 1
    make_task(network, source)
    assert source.counter.engine.questions == 1


def test_too_many_distinct_rows_are_named_before_they_are_fetched(chain):
    network, dataset = chain
    source = open_dataset(dataset, network.scopes, most=20).data
    with pytest.raises(PgmError, match=r"'X2', 'X3', 'X4' are learned together, from 36 distinct rows over 3 columns"):
        make_task(network, source)
    assert not source.can_merge([0, 2, 3, 4])
    with pytest.raises(PgmError, match=r"whole rows are needed"):
        source.rows()


def test_the_naive_bound_is_left_out_where_it_needs_too_many_rows(chain):
    network, dataset = chain
    source = open_dataset(dataset, network.scopes).data
    task = make_task(network, source)
    limited = IbisTable(source.counter, source.columns, source.meanings)
    limited.counter.most = 20
    assert source.counter.count(["X0"]) is not None
    bounds = bound_task(task)
    assert bounds.naive == np.inf
    assert bounds.total == bound_task(make_task(network, dataset)).total


def test_a_sensor_is_read_as_in_memory(chain):
    network, dataset = chain
    confusion = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.0, 0.1, 0.9]])
    source = open_dataset(dataset, network.scopes).data
    sensed = source.reread(apply_reports(source.meanings, "X3", confusion))
    expected = apply_reports(dataset, "X3", confusion)
    assert resolve(sensed.project([2, 3])) == resolve(expected.project([2, 3]))


def test_targets_are_learned_from_whole_rows():
    dataset = make_dataset([RAIN, WET], [["yes", None], ["no", "no"], ["no", "no"], ["yes", TargetCell((0.3, 0.7))]])
    found = open_dataset(dataset)
    assert isinstance(found.data, Dataset)
    assert resolve(found.data) == resolve(dataset)
    assert any("targets" in note for note in found.notes)


def read(columns, variables=(RAIN, WET), missing=()):
    return read_source(Engine(backend(), "rows"), as_table(columns), variables, missing)


def read_file(text, variables=(RAIN, WET), missing=()):
    return build_dataset(parse_table(text.encode(), "rows.csv", variables, missing=missing), variables, missing)


def test_columns_and_codes_are_matched_as_in_files():
    """Names but for their case, missing codes, other spellings of numbers, columns that match nothing, weights."""
    found = read(
        {
            "RAIN": ["yes", "no", "none", "NA"],
            "other": ["a", "b", "c", "d"],
            "cold": [1.0, 0.0, None, 1.0],
            "count": ["2", "1", "0.5", "1"],
        },
        (RAIN, WET, COLD),
        ["none"],
    )
    text = "RAIN,other,cold,count\nyes,a,1,2\nno,b,0,1\nnone,c,,0.5\nNA,d,1,1\n"
    file = read_file(text, (RAIN, WET, COLD), ["none"])
    assert resolve(found.data.rows()) == resolve(file.dataset)
    assert (found.unmatched, found.absent) == (("other",), ("wet",)) == (file.unmatched, file.absent)
    assert set(file.notes) <= set(found.notes)


def test_unknown_values_are_counted():
    with pytest.raises(PgmError) as caught:
        read({"rain": ["yes", "maybe", "maybe", "perhaps"], "wet": ["no", "no", "dry", "no"]})
    assert str(caught.value) == (
        "rows: 4 cells with a value that is no state: column 'rain' has 'maybe' in 2 rows, 'perhaps' in 1 row, and "
        "'rain' has the states 'yes', 'no'; column 'wet' has 'dry' in 1 row, and 'wet' has the states 'yes', 'no'; "
        "mend them, or say with --missing-code which mean that a value is missing"
    )


@pytest.mark.parametrize("weights", [["1", "heavy"], [1.0, -1.0], [1.0, None]])
def test_a_weight_that_is_none_is_named(weights):
    with pytest.raises(PgmError, match=r"rows: column '_weight' holds the weights .* expected numbers ≥ 0"):
        read({"rain": ["yes", "no"], "_weight": weights})


def test_nothing_that_matches_is_an_error():
    with pytest.raises(PgmError, match="no column is a variable of the network"):
        read({"snow": ["yes", "no"]})


def test_no_rows_are_an_error():
    with pytest.raises(PgmError, match="no rows"):
        read_source(Engine(backend(), "rows"), as_table({"rain": ["yes"]}).limit(0), (RAIN,))


def test_without_a_network_variables_are_made_from_columns():
    found = read({"size": [10, 9, 10], "wet": ["no", "yes", "no"], "weight": [1, 2, 3]}, None)
    assert found.data.variables == (Variable("size", ("9", "10")), Variable("wet", ("no", "yes")))
    assert resolve(found.data.rows()) == {(1, 0): 4.0, (0, 1): 2.0}


def test_a_column_that_numbers_the_rows_is_told():
    columns = {"case": list(range(30)), "wet": ["no", "yes"] * 15}
    (note,) = read(columns, None).notes
    assert note.startswith("'case' has another value in every row, as the number of a case has")
    assert read({name: values[:19] for name, values in columns.items()}, None).notes == ()


def test_a_column_with_too_many_values_is_named():
    dataset = make_dataset([RAIN], [[(1.0, k / 100)] for k in range(50)])
    with pytest.raises(PgmError, match="column 'rain' has more than 20 different values"):
        open_dataset(dataset, most=20)


def test_a_table_that_changes_meanwhile_is_noticed():
    table = as_table({"rain": ["yes", "no"], "wet": ["yes", "no"]})
    many = tuple(Variable(name, ("yes", "no", *(f"{name}{k}" for k in range(100)))) for name in ("rain", "wet"))
    source = read_source(Engine(backend(), "rows"), table, many).data
    backend().insert(table.get_name().split(".")[-1], ibis.memtable({"rain": ["rain7"], "wet": ["yes"]}))
    with pytest.raises(PgmError, match="'rain' has got 'rain7' meanwhile"):
        source.gather([0, 1])
