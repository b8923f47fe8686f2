"""EM under the microscope, against the brute-force joint."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.insight.microscope import MOST_COMPLETIONS, look_closely
from engine.learning.task import make_task
from engine.model.dataset import make_dataset
from engine.model.errors import ImpossibleEvidenceError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from tests import oracles
from tests.plain import filled_exponents, plain_data, plain_model
from tests.strategies import learning_problems, priors


@given(learning_problems(), st.data())
def test_completions_family_counts_and_new_table_are_those_of_the_joint(problem, data):
    network, dataset = problem
    prior = data.draw(priors(network))
    row = data.draw(st.integers(0, dataset.n_rows - 1))
    child = data.draw(st.integers(0, len(network.variables) - 1))
    task = make_task(network, dataset, prior)
    view = look_closely(task, task.layout.flatten(network.tables), row, child)
    cardinalities, scopes, tables = plain_model(network)
    rows, weights = plain_data(dataset)
    joint = oracles.row_joint(cardinalities, oracles.joint_weights(cardinalities, scopes, tables, {}), rows[row])
    joint /= joint.sum()
    np.testing.assert_allclose(view.family, oracles.marginal(joint, scopes[child]), atol=1e-9)
    of_row = oracles.marginal(joint, view.variables)
    ways = set(itertools.product(*(range(cardinalities[v]) for v in view.variables)))
    assert {completion.states for completion in view.completions} == ways
    for completion in view.completions:
        assert completion.weight == pytest.approx(float(of_row[completion.states]), abs=1e-9)
    assert sum(completion.weight for completion in view.completions) == pytest.approx(1)
    if child not in task.decomposition.pruned:  # a hidden leaf is left out of learning
        counts = oracles.expected_counts(cardinalities, scopes, tables, rows, weights)[child]
        np.testing.assert_allclose(view.counts, counts, atol=1e-9)
        exponents = filled_exponents(network, prior)
        after = oracles.em_step(cardinalities, scopes, tables, rows, weights, exponents)[child]
        np.testing.assert_allclose(view.after, after, atol=1e-9)


def test_with_many_completions_only_the_family_is_completed():
    coins = tuple(Variable(f"X{k}", ("a", "b")) for k in range(9))
    half = np.array([0.5, 0.5])
    network = BayesianNetwork(
        coins, ((), *((k,) for k in range(8))), (half, *(np.array([[0.9, 0.1], [0.3, 0.7]]) for _ in range(8)))
    )
    dataset = make_dataset(coins, [["a", *[None] * 7, "b"]])
    task = make_task(network, dataset)
    view = look_closely(task, task.layout.flatten(network.tables), 0, 4)
    assert view.variables == (3, 4)
    assert len(view.completions) == 4 <= MOST_COMPLETIONS


def test_an_impossible_row_says_so():
    coin = Variable("X", ("a", "b"))
    network = BayesianNetwork((coin,), ((),), (np.array([1.0, 0.0]),))
    task = make_task(network, make_dataset([coin], [["a"], ["b"]]))
    with pytest.raises(ImpossibleEvidenceError, match="row 2 has probability 0"):
        look_closely(task, task.layout.flatten(network.tables), 1, 0)
