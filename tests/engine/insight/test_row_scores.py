"""The log-likelihood of each row, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from engine.insight import row_scores
from engine.insight.row_scores import RowScores, score_rows
from engine.learning.learn import learn
from engine.model.dataset import make_dataset
from engine.model.network import MarkovNetwork
from engine.model.variable import Variable
from pgmgui.project.examples import find_example
from tests import oracles
from tests.plain import plain_data, plain_model
from tests.strategies import learning_problems, markov_problems


def enumerate_rows(network, dataset):
    """log Pr(row) by summing the whole joint, row by row."""
    cardinalities, scopes, tables = plain_model(network)
    joint = oracles.joint_weights(cardinalities, scopes, tables, {})
    rows, _ = plain_data(dataset)
    with np.errstate(divide="ignore"):
        return np.log([oracles.row_joint(cardinalities, joint, cells).sum() / joint.sum() for cells in rows])


@settings(deadline=None)
@given(learning_problems())
def test_every_row_is_as_probable_as_the_joint_says(problem):
    np.testing.assert_allclose(score_rows(*problem).log_likelihood, enumerate_rows(*problem), atol=1e-9)


@settings(deadline=None)
@given(markov_problems())
def test_rows_of_markov_networks_too(problem):
    np.testing.assert_allclose(score_rows(*problem).log_likelihood, enumerate_rows(*problem), atol=1e-9)


def test_rows_given_some_of_their_variables():
    a, b = Variable("A", ("x", "y")), Variable("B", ("x", "y", "z"))
    table = np.arange(1.0, 7.0).reshape(2, 3)
    network = MarkovNetwork((a, b), ((0, 1),), (table,))
    data = make_dataset((a, b), [["x", "y"], ["y", "z"], ["y", None]])
    found = score_rows(network, data, given=[0]).log_likelihood
    np.testing.assert_allclose(np.exp(found), [2 / 6, 6 / 15, 1.0], atol=1e-12)


def test_the_rows_add_up_to_the_log_likelihood_of_the_data():
    document, data = find_example("asia").read()
    *_, last = learn(document.network, data.dataset)
    scores = score_rows(last.network(), data.dataset)
    assert scores.total == pytest.approx(float(last.log_likelihood[last.best].sum()), abs=1e-6)


def test_rows_are_scored_in_batches_alike(monkeypatch):
    document, data = find_example("asia").read()
    whole = score_rows(document.network, data.dataset).log_likelihood
    monkeypatch.setattr(row_scores, "AT_ONCE", 7)
    np.testing.assert_allclose(score_rows(document.network, data.dataset).log_likelihood, whole, atol=1e-12)


def test_impossible_and_outlying_rows_come_first():
    values = np.array([-2.0, -3.0, -np.inf, -2.5, -30.0, -2.0, -3.0, -40.0, -2.2, -2.1, -2.4, -2.3])
    scores = RowScores(values, np.ones(12))
    assert scores.order.tolist() == [2, 7, 4, 1, 6, 3, 10, 11, 8, 9, 0, 5]
    assert scores.impossible.tolist() == [2]
    lower, upper = np.quantile(np.delete(values, 2), [0.25, 0.75])
    assert scores.fence == pytest.approx(lower - 3 * max(upper - lower, 1))
    assert scores.outlying.tolist() == [7, 4]
    # Equal rows have no range: a row is not outlying for being a little less probable than they.
    assert RowScores(np.array([-1.0, -1.0, -1.0, -1.0, -3.5]), np.ones(5)).outlying.tolist() == []
    assert RowScores(np.array([-1.0, -1.0, -1.0, -1.0, -4.5]), np.ones(5)).outlying.tolist() == [4]


def test_where_every_row_is_impossible_none_is_outlying():
    scores = RowScores(np.array([-np.inf, -np.inf]), np.array([1.0, 0.0]))
    assert (scores.impossible.tolist(), scores.outlying.tolist()) == ([0, 1], [])
    assert scores.total == -np.inf
    assert RowScores(np.array([-1.0, -np.inf]), np.array([2.0, 0.0])).total == -2.0
