"""The log-likelihood of held-out rows, against enumeration and against learning itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from engine.insight.held_out import HeldOutRows, score_held_out
from engine.learning.hold_out import HoldOut, split_rows
from engine.learning.learn import learn
from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from pgmgui.project.examples import find_example
from tests import oracles
from tests.plain import plain_data, plain_model
from tests.strategies import learning_problems, markov_problems


def flatten(network):
    return np.concatenate([np.asarray(table).reshape(-1) for table in network.tables] or [np.empty(0)])


def check(network, dataset):
    model = plain_model(network)
    joint = oracles.joint_weights(*model, {})
    log_z = np.log(joint.sum())
    expected = oracles.log_likelihood(*model, *plain_data(dataset)) - log_z * dataset.total_weight
    assert score_held_out(network, dataset).log_likelihood == pytest.approx(expected, abs=1e-8)
    assert HeldOutRows(network, dataset).log_likelihood(flatten(network)) == pytest.approx(expected, abs=1e-8)


@settings(deadline=None)
@given(learning_problems())
def test_held_out_rows_are_as_probable_as_the_joint_says(problem):
    check(*problem)


@settings(deadline=None)
@given(markov_problems())
def test_those_of_markov_networks_too(problem):
    check(*problem)


def test_given_some_of_their_variables():
    a, b = Variable("A", ("x", "y")), Variable("B", ("x", "y", "z"))
    network = MarkovNetwork((a, b), ((0, 1),), (np.arange(1.0, 7.0).reshape(2, 3),))
    data = make_dataset((a, b), [["x", "y"], ["y", "z"], ["x", "y"]])
    expected = 2 * np.log(2 / 6) + np.log(6 / 15)
    assert score_held_out(network, data, [0]).log_likelihood == pytest.approx(expected)
    assert HeldOutRows(network, data, [0]).log_likelihood(flatten(network)) == pytest.approx(expected)


def test_impossible_rows_are_counted_and_the_others_scored():
    a = Variable("A", ("x", "y"))
    network = BayesianNetwork((a,), ((),), ([0.0, 1.0],))
    found = score_held_out(network, make_dataset([a], [["x"], ["y"], [None], ["x"]], [2, 3, 1, 0]))
    assert (found.rows, found.impossible, found.log_likelihood, found.log_loss) == (6.0, 2.0, -np.inf, np.inf)
    assert found.possible_log_likelihood == 0.0
    rows = make_dataset([a], [["x"], ["y"]])
    assert HeldOutRows(network, rows).log_likelihood(np.array([0.0, 1.0])) == -np.inf


def test_what_is_learned_from_is_scored_as_the_learner_scores_it():
    document, data = find_example("asia").read()
    split = split_rows(data.dataset, HoldOut(0.3))
    *_, last = learn(document.network, split.train)
    reached = float(last.log_likelihood[last.best].sum())
    rows = HeldOutRows(document.network, split.train)
    assert rows.log_likelihood(last.theta[last.best]) == pytest.approx(reached, abs=1e-6)
    assert score_held_out(last.network(), split.train).log_likelihood == pytest.approx(reached, abs=1e-6)
