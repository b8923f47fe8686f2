"""What learning will ask for, guessed from the first rows: one pass over the table where it is right."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.decomposition import decompose
from engine.learning.task import make_task
from engine.model.dataset import Dataset
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation import sampling
from engine.sources.guessing import Look, guess_scopes
from engine.sources.reading import LOOKED_AT
from tests.engine.sources.comparing import assert_same_problem
from tests.engine.sources.test_ibis_table import open_dataset

LENGTH, HIDDEN, PARTIAL, LEAF = 14, 4, 8, 13


@pytest.fixture(scope="module")
def long_chain():
    """A chain that is counted in several sets, whose last variable is a hidden leaf."""
    generator = np.random.default_rng(3)
    variables = tuple(Variable(f"X{k}", ("a", "b", "c", "d")) for k in range(LENGTH))
    tables = [generator.dirichlet(np.ones(4))] + [generator.dirichlet(np.ones(4), 4) for _ in variables[1:]]
    parents = ((), *((k,) for k in range(LENGTH - 1)))
    network = BayesianNetwork(variables, parents, tuple(tables))
    rows = sampling.simulate(network, LOOKED_AT + 500, generator)
    codes = rows.codes.copy()
    codes[[HIDDEN, LEAF]] = -1
    codes[PARTIAL, ::7] = -1
    return network, Dataset(variables, codes, rows.weights)


def test_learning_asks_nothing_more(long_chain):
    network, dataset = long_chain
    source = open_dataset(dataset, network.scopes).data
    asked = source.counter.engine.questions
    assert_same_problem(network, source, dataset)
    assert source.counter.engine.questions == asked


def test_a_wrong_guess_costs_a_question_and_no_more(long_chain):
    """Variables that are missing after the rows that were looked at only."""
    network, dataset = long_chain
    codes = dataset.codes.copy()
    codes[PARTIAL] = np.where(codes[PARTIAL] < 0, 0, codes[PARTIAL])
    codes[5:10, LOOKED_AT + 100 :] = -1
    late = Dataset(dataset.variables, codes, dataset.weights)
    source = open_dataset(late, network.scopes).data
    asked = source.counter.engine.questions
    assert_same_problem(network, source, late)
    assert source.counter.engine.questions == asked + 1


def test_the_guess_is_what_learning_decomposes_into(long_chain):
    network, dataset = long_chain
    look = Look(frozenset({HIDDEN, LEAF}), frozenset({HIDDEN, PARTIAL, LEAF}))
    guessed = guess_scopes(network.scopes, look, dict.fromkeys(range(LENGTH), 4), 2_000_000)
    parts = decompose(network, dataset).components
    for part in parts:
        if not part.is_complete:
            assert any(scope >= {*part.variables, *part.boundary} - {LEAF} for scope in guessed)
    assert all(LEAF not in scope for scope in guessed)
    few = guess_scopes(network.scopes, look, dict.fromkeys(range(LENGTH), 4), 4**2)
    assert max(map(len, few)) == 2
    assert make_task(network, dataset).plan.blocks
