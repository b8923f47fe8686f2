"""Markov networks with priors on their factors, and with given variables: optima against SciPy and enumeration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.dataset import make_dataset
from engine.model.errors import ModelError
from engine.model.network import MarkovNetwork
from engine.model.prior import Gaussian, Laplace
from engine.model.variable import Variable
from engine.simulation.missingness import remove_mcar
from tests import oracles, strategies
from tests.engine.learning.models import COIN, chain, evaluate, positive
from tests.plain import plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")

TIGHT = Stopping(1e-12, "likelihood", max_iter=3000)


def ring(rows=40, missing=0.0, seed=0):
    """Four variables in a ring, of two and three states, with a factor of one variable beside; and data on them."""
    nodes = (Variable("A", COIN), Variable("B", ("a", "b", "c")), Variable("C", COIN), Variable("D", COIN))
    scopes = ((0, 1), (1, 2), (2, 3), (3, 0), (1,))
    generator = np.random.default_rng(seed)
    tables = tuple(generator.lognormal(0, 1, [nodes[v].cardinality for v in scope]) for scope in scopes)
    letters = [[str(generator.choice(node.states)) for node in nodes] for _ in range(rows)]
    weights = generator.integers(1, 4, rows).astype(float)
    data = make_dataset(nodes, letters, weights)
    return MarkovNetwork(nodes, scopes, tables), remove_mcar(data, missing, seed)


def conditional_likelihood(network, dataset, tables, inputs=()):
    """Σ w [log Z(row) − log Z(row's given values)], by enumeration."""
    cardinalities, scopes, _ = plain_model(network)
    rows, weights = plain_data(dataset)
    given_rows = [[cell if v in inputs else None for v, cell in enumerate(row)] for row in rows]
    data = oracles.log_likelihood(cardinalities, scopes, tables, rows, weights)
    return data - oracles.log_likelihood(cardinalities, scopes, tables, given_rows, weights)


def penalty(prior, w):
    if isinstance(prior, Gaussian):
        return float((w**2).sum()) / (2 * prior.sigma**2)
    return float(np.abs(w).sum()) / prior.scale if isinstance(prior, Laplace) else 0.0


def slope_at(network, dataset, theta, inputs=()):
    """The derivative of the log-likelihood by log θ, by expected counts of enumerated joints."""
    model = plain_model(network.with_tables(make_task(network, dataset).layout.tables(theta)))
    rows, weights = plain_data(dataset)
    given_rows = [[cell if v in inputs else None for v, cell in enumerate(row)] for row in rows]
    counts, model_counts = (oracles.expected_counts(*model, found, weights) for found in (rows, given_rows))
    return np.concatenate([np.empty(0), *(np.ravel(a - b) for a, b in zip(counts, model_counts, strict=True))])


@pytest.mark.parametrize("method", ["lbfgs", "d-lbfgs", "cg", "em", "d-em"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_l2_ends_where_the_gradient_is_zero(method, missing):
    network, data = ring(missing=missing)
    prior = Gaussian(1.5)
    *_, last = learn(network, data, method, prior=prior, stopping=TIGHT)
    assert last.stop == "converged"
    theta = last.theta[0]
    np.testing.assert_allclose(slope_at(network, data, theta), np.log(theta) / 1.5**2, atol=2e-4)
    reached = conditional_likelihood(network, data, last.network().tables) - penalty(prior, np.log(theta))
    assert last.objective.sum() == pytest.approx(reached, rel=1e-9)


@pytest.mark.parametrize("method", ["lbfgs", "d-lbfgs", "cg", "em", "d-em"])
@pytest.mark.parametrize(("missing", "b"), [(0.0, 0.5), (0.0, 0.12), (0.3, 0.3)])
def test_l1_meets_its_conditions_and_its_zeros_are_exact(method, missing, b):
    network, data = ring(missing=missing)
    *_, last = learn(network, data, method, prior=Laplace(b), stopping=TIGHT)
    assert last.stop == "converged"
    theta = last.theta[0]
    w, slope = np.log(theta), slope_at(network, data, theta)
    assert 0 < np.count_nonzero(theta == 1.0) < len(theta)
    assert (np.abs(slope[theta == 1.0]) <= 1 / b + 1e-4).all()
    np.testing.assert_allclose(slope[theta != 1.0], np.sign(w[theta != 1.0]) / b, atol=1e-3)
    reached = conditional_likelihood(network, data, last.network().tables) - penalty(Laplace(b), w)
    assert last.objective.sum() == pytest.approx(reached, rel=1e-9)


def find_best(network, data, prior, inputs=()):
    """SciPy's own optimum of the enumerated (conditional) likelihood, in split variables w = u − v."""
    size = sum(table.size for table in network.tables)
    task = make_task(network, data)

    def loss(uv):
        w = uv[:size] - uv[size:]
        theta = np.exp(w)
        value = -conditional_likelihood(network, data, task.layout.tables(theta), inputs)
        slope = -slope_at(network, data, theta, inputs)
        if isinstance(prior, Gaussian):
            pull = w / prior.sigma**2
            return value + penalty(prior, w), np.concatenate([slope + pull, -slope - pull])
        if not isinstance(prior, Laplace):
            return value, np.concatenate([slope, -slope])
        return value + uv.sum() / prior.scale, np.concatenate([slope, -slope]) + 1 / prior.scale

    bounds = [(0, None)] * (2 * size)
    found = minimize(loss, np.full(2 * size, 0.1), jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-13})
    return -found.fun


@pytest.mark.parametrize("inputs", [(), (0, 1), (2,)], ids=["all", "given A, B", "given C"])
@pytest.mark.parametrize("prior", [1.0, Gaussian(0.8), Laplace(0.3)], ids=["none", "L2", "L1"])
def test_methods_and_starts_reach_one_optimum_on_complete_data(prior, inputs):
    """The problem is concave then, whatever is given."""
    network, data = ring(rows=25, seed=3)
    best = find_best(network, data, prior, inputs)
    for method in ("lbfgs", "cg", "d-em"):
        *_, last = learn(network, data, method, prior=prior, given=inputs, n_init=3, stopping=TIGHT)
        np.testing.assert_allclose(last.objective.sum(axis=1), best, rtol=1e-6)


def test_a_prior_of_the_other_kind_is_refused():
    network, data = ring()
    with pytest.raises(ModelError, match="Dirichlet exponents are for Bayesian networks"):
        make_task(network, data, 2.0)
    with pytest.raises(ModelError, match="L1 or L2 prior is for Markov networks"):
        make_task(chain(), chain_data_of(chain()), Gaussian(1.0))
    for width in (0.0, -1.0, math.inf, math.nan, 1e-200):
        with pytest.raises(ModelError, match="the width"):
            Gaussian(width)
        with pytest.raises(ModelError, match="the width"):
            Laplace(width)
    for method in ("edml", "edml-in-turn", "hybrid", "ipf"):
        with pytest.raises(ModelError, match="no place for a prior"):
            next(learn(network, data, method, prior=Gaussian(1.0)))
        with pytest.raises(ModelError, match="needs one model for all rows"):
            next(learn(network, data, method, given=[0]))


def chain_data_of(network):
    return make_dataset(network.variables, [["a"] * len(network.variables)])


# --- given variables


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_the_conditional_likelihood_and_its_slope_equal_enumeration(data):
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    network = positive(data.draw(strategies.markov_networks(5)), generator)
    dataset = data.draw(strategies.datasets(network.variables))
    observed = [v for v, role in enumerate(dataset.roles) if role.name == "OBSERVED"]
    inputs = [v for v in observed if data.draw(st.booleans())]
    task = make_task(network, dataset, given=inputs)
    theta = task.layout.flatten(network.tables)
    state = evaluate(task, theta)
    expected = conditional_likelihood(network, dataset, network.tables, inputs)
    assert state.log_likelihood.sum() == pytest.approx(expected, rel=1e-9, abs=1e-9)
    slope = task.geometry.pull_back(theta, state.counts, state.model_counts)
    np.testing.assert_allclose(slope, slope_at(network, dataset, theta, inputs), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("prior", [1.0, Gaussian(2.0)], ids=["none", "L2"])
def test_one_output_is_logistic_regression(prior):
    """P(Y | X1, X2) ∝ exp(a(y) + b(y, x1) + c(y, x2)), as SciPy fits it, under the same prior."""
    nodes = (Variable("X1", COIN), Variable("X2", ("a", "b", "c")), Variable("Y", COIN))
    scopes = ((2,), (0, 2), (1, 2), (0, 1))
    network = MarkovNetwork(nodes, scopes, tuple(np.ones([nodes[v].cardinality for v in s]) for s in scopes))
    generator = np.random.default_rng(5)
    codes = [generator.integers(0, node.cardinality, 80) for node in nodes]
    codes[2] = (generator.random(80) < 0.2 + 0.5 * (codes[0] == codes[1])).astype(int)
    data = make_dataset(
        nodes, [[node.states[c] for node, c in zip(nodes, row, strict=True)] for row in zip(*codes, strict=True)]
    )

    def find_scores(w):
        own, first, second = w[:2], w[2:6].reshape(2, 2), w[6:12].reshape(3, 2)
        return own + first[codes[0]] + second[codes[1]]

    def loss(w):
        scores = find_scores(w)
        likelihood = scores[np.arange(80), codes[2]] - np.logaddexp(*scores.T)
        return -likelihood.sum() + penalty(prior, w)

    best = minimize(loss, np.zeros(12), method="BFGS", options={"gtol": 1e-6})
    *_, last = learn(network, data, "lbfgs", prior=prior, given=[0, 1], stopping=TIGHT)
    assert last.objective.sum() == pytest.approx(-best.fun, abs=1e-7)
    ours, theirs = np.log(last.theta[0]), best.x
    np.testing.assert_allclose(*(np.diff(find_scores(w)) for w in (ours, theirs)), atol=1e-4)
    if isinstance(prior, Gaussian):
        np.testing.assert_allclose(ours[:12], theirs, atol=1e-4)
        np.testing.assert_allclose(ours[12:], 0.0, atol=1e-4)  # over what is given alone: nothing but the prior


@pytest.mark.parametrize("prior", [1.0, Gaussian(1.0), Laplace(0.4)])
@pytest.mark.parametrize("method", ["d-lbfgs", "d-em"])
def test_given_variables_with_missing_outputs_and_priors(method, prior):
    network, data = ring(rows=30)
    data = remove_mcar(data, 0.3, 1, ["C", "D"])
    *_, last = learn(network, data, method, prior=prior, given=[0, 1], stopping=TIGHT)
    theta = last.theta[0]
    w = np.log(theta)
    reached = conditional_likelihood(network, data, last.network().tables, [0, 1]) - penalty(prior, w)
    assert last.objective.sum() == pytest.approx(reached, rel=1e-9)
    slope = slope_at(network, data, theta, [0, 1])
    if isinstance(prior, Laplace):
        assert (np.abs(slope) <= 1 / prior.scale + 1e-2).all()
    else:
        np.testing.assert_allclose(slope, w if isinstance(prior, Gaussian) else 0.0, atol=1e-2)


def test_what_is_given_must_be_there():
    network, data = ring(missing=0.3)
    with pytest.raises(ModelError, match="'A' is given, but not observed in every row"):
        make_task(network, data, given=[0])
    bayesian = chain()
    with pytest.raises(ModelError, match="given variables are for Markov networks"):
        make_task(bayesian, chain_data_of(bayesian), given=[0])
