"""What is foretold of a variable: against enumeration, and its measures against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.insight import prediction
from engine.insight.prediction import Prediction, predict
from engine.model.dataset import make_dataset
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.project.examples import find_example
from tests import oracles
from tests.plain import plain_data, plain_model
from tests.strategies import bayesian_networks, datasets, learning_problems, markov_problems


def enumerate_targets(network, dataset, target):
    """Row by row: its number, the distribution of the target given the others, its state and weight; and left out."""
    cardinalities, scopes, tables = plain_model(network)
    joint = oracles.joint_weights(cardinalities, scopes, tables, {})
    found, left_out = [], {"missing": 0.0, "uncertain": 0.0, "impossible": 0.0}
    for row, (cells, weight) in enumerate(zip(*plain_data(dataset), strict=True)):
        state, others = cells[target], [None if v == target else cell for v, cell in enumerate(cells)]
        posterior = oracles.marginal(oracles.row_joint(cardinalities, joint, others), (target,))
        if not weight:
            continue
        if not isinstance(state, int):
            left_out["missing" if state is None else "uncertain"] += weight
        elif posterior.sum() == 0:
            left_out["impossible"] += weight
        else:
            found.append((row, posterior / posterior.sum(), state, weight))
    return found, left_out


def check(network, dataset, target):
    rows, left_out = enumerate_targets(network, dataset, target)
    if not rows:
        with pytest.raises(ModelError, match="no row can be foretold"):
            predict(network, dataset, target)
        return
    found = predict(network, dataset, target)
    assert found.rows.tolist() == [row for row, *_ in rows]
    np.testing.assert_allclose(found.probability[found.case], [p for _, p, _, _ in rows], atol=1e-9)
    assert {name: getattr(found, name) for name in left_out} == pytest.approx(left_out)
    total = sum(weight for *_, weight in rows)
    assert found.total == pytest.approx(total)
    losses = [-weight * oracles.log(p[state]) for _, p, state, weight in rows]
    assert found.log_loss == pytest.approx(sum(losses) / total, abs=1e-9, rel=1e-6)
    briers = [weight * ((p - np.eye(len(p))[state]) ** 2).sum() for _, p, state, weight in rows]
    assert found.brier == pytest.approx(sum(briers) / total, abs=1e-9)
    assert found.refuted == pytest.approx(sum(weight for _, p, state, weight in rows if p[state] == 0))


@settings(deadline=None)
@given(learning_problems(), st.integers(0, 4))
def test_rows_are_foretold_as_the_joint_says(problem, target):
    network, dataset = problem
    check(network, dataset, target % len(network.variables))


@settings(deadline=None)
@given(bayesian_networks().flatmap(lambda n: st.tuples(st.just(n), datasets(n.variables))), st.integers(0, 5))
def test_impossible_rows_are_left_out_and_counted(problem, target):
    network, dataset = problem
    check(network, dataset, target % len(network.variables))


@settings(deadline=None)
@given(markov_problems(), st.integers(0, 4))
def test_markov_networks_too(problem, target):
    network, dataset = problem
    check(network, dataset, target % len(network.variables))


def test_rows_are_foretold_in_batches_alike(monkeypatch):
    document, data = find_example("asia").read()
    whole = predict(document.network, data.dataset, 0).probability
    monkeypatch.setattr(prediction, "AT_ONCE", 7)
    np.testing.assert_allclose(predict(document.network, data.dataset, 0).probability, whole, atol=1e-12)


# --- measures


def make_prediction(seed, states=3, cases=40):
    """Cases with whole weights, some of them equally probable, some states certain."""
    generator = np.random.default_rng(seed)
    probability = generator.dirichlet([0.5] * states, cases)
    probability[: cases // 2] = probability[: cases // 2].round(1)
    probability /= probability.sum(axis=1, keepdims=True)
    weights = generator.integers(0, 4, (cases, states)).astype(float)
    weights[probability == 0] = 0
    weights[np.arange(cases), probability.argmax(axis=1)] += 1
    none = np.empty(0, dtype=np.int64)
    return Prediction(0, probability, weights, none, none, 0.0, 0.0, 0.0)


def spread(found):
    """A row for each case and state: its probabilities, its state and its weight."""
    cases, states = np.nonzero(found.weights)
    return found.probability[cases], states, found.weights[cases, states]


@pytest.mark.parametrize("seed", range(5))
def test_measures_are_those_of_scikit_learn(seed):
    from sklearn import metrics  # takes seconds to load, as below

    found = make_prediction(seed, states=2 + seed % 3)
    probability, state, weights = spread(found)
    every = np.arange(probability.shape[1])
    named = np.argmax(probability.round(12), axis=1)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(state, named, sample_weight=weights))
    np.testing.assert_allclose(
        found.confusion, metrics.confusion_matrix(state, named, labels=every, sample_weight=weights)
    )
    assert found.log_loss == pytest.approx(metrics.log_loss(state, probability, labels=every, sample_weight=weights))
    for k in every:
        roc = found.roc(k)
        expected = metrics.roc_curve(
            state == k, probability[:, k].round(12), sample_weight=weights, drop_intermediate=False
        )
        np.testing.assert_allclose(roc.false_positive, expected[0], atol=1e-12)
        np.testing.assert_allclose(roc.true_positive, expected[1], atol=1e-12)
        np.testing.assert_allclose(roc.thresholds, expected[2], atol=1e-12)
        area = metrics.roc_auc_score(state == k, probability[:, k].round(12), sample_weight=weights)
        assert roc.area == pytest.approx(area, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_calibration_is_that_of_scikit_learn(seed):
    from sklearn import calibration

    found = make_prediction(seed)
    probability, state, weights = spread(found)
    times = weights.astype(int)
    for k in range(3):
        rows = np.repeat(probability[:, k].round(12), times)
        truth = np.repeat(state == k, times)
        observed, predicted = calibration.calibration_curve(truth, rows, n_bins=10)
        curve = found.calibration(k)
        np.testing.assert_allclose(curve.observed, observed, atol=1e-12)
        np.testing.assert_allclose(curve.predicted, predicted, atol=1e-12)
        assert curve.weights.sum() == pytest.approx(found.total)
        assert curve.error == pytest.approx(np.average(np.abs(observed - predicted), weights=curve.weights))


def test_the_baselines_are_those_of_a_prediction_that_knows_no_row():
    from sklearn import metrics

    found = make_prediction(0)
    _, state, weights = spread(found)
    shares = np.bincount(state, weights) / weights.sum()
    assert found.majority == pytest.approx(shares.max())
    constant = np.tile(shares, (len(state), 1))
    assert found.constant_log_loss == pytest.approx(metrics.log_loss(state, constant, sample_weight=weights))


def test_a_state_that_all_or_none_have_has_no_roc():
    a = Variable("A", ("x", "y"))
    network = BayesianNetwork((a,), ((),), ([0.3, 0.7],))
    found = predict(network, make_dataset([a], [["x"], ["x"]]), 0)
    assert (found.roc(0), found.roc(1)) == (None, None)
    assert (found.accuracy, found.majority) == (0.0, 1.0)


def test_a_state_held_impossible_makes_the_loss_infinite_and_is_counted():
    a = Variable("A", ("x", "y"))
    network = BayesianNetwork((a,), ((),), ([0.0, 1.0],))
    found = predict(network, make_dataset([a], [["x"], ["y"]], [2, 3]), 0)
    assert (found.log_loss, found.refuted, found.accuracy) == (np.inf, 2.0, 0.6)
