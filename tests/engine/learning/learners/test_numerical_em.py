"""Numerical EM: equals the closed form for a Dirichlet prior, and climbs for priors that have none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from engine.formats import read_dataset, read_network
from engine.learning.learn import learn
from engine.learning.learner import evaluate_state
from engine.learning.learners.em import EM
from engine.learning.learners.numerical_em import Dirichlet, LogisticNormal, NumericalEM, climb
from engine.learning.methods import METHODS, Method
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.learning.workspace import NEVER, Workspace
from tests.command_line import EXAMPLES


def asia():
    network = read_network(EXAMPLES / "asia.bif").network
    return network, read_dataset(EXAMPLES / "asia.csv", network.variables).dataset


@pytest.mark.parametrize("exponent", [1.0, 1.5, 3.0])
def test_a_dirichlet_prior_reproduces_the_closed_form(exponent):
    network, data = asia()
    own, closed = (Workspace(make_task(network, data, prior).objective) for prior in (1.0, exponent))
    theta = np.concatenate([t.reshape(-1) for t in network.tables])
    theta = closed.objective.geometry.normalise(theta + 0.1, otherwise=theta)
    unit = np.zeros(own.objective.n_components, dtype=np.int64)
    learner, expected = NumericalEM(Dirichlet(exponent)), evaluate_state(closed, theta)[0]
    found, _ = learner.begin(own, theta, NEVER)
    for _ in range(3):
        found, _ = learner.step(own, found, unit, NEVER)
        expected, _ = EM().step(closed, expected, unit, NEVER)
        np.testing.assert_allclose(found.theta, expected.theta, atol=1e-8)
        assert found.objective.sum() == pytest.approx(expected.objective.sum(), abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(0, 50), min_size=3, max_size=3),
    st.floats(0.3, 3),
    st.lists(st.floats(0.05, 1), min_size=3, max_size=3),
)
def test_the_peak_of_a_logistic_normal_prior_is_that_of_scipy(counts, scale, start):
    prior, counts = LogisticNormal(scale), np.array(counts)
    theta = climb(prior, counts[None], np.array(start)[None] / sum(start))[0]

    def loss(free):
        weights = np.exp(np.append(free, 0.0))
        at = weights / weights.sum()
        return -(counts @ np.log(at) + prior(at[None])[0])

    best = minimize(loss, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 4000})
    free = np.log(theta[:2] / theta[2])
    assert loss(free) <= best.fun + 1e-8
    assert theta.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("decomposed", [False, True])
def test_the_objective_climbs_with_a_prior_of_the_users_own(decomposed):
    network, data = asia()
    method = Method("numerical EM", NumericalEM(lambda theta: -5.0 * ((theta - 0.5) ** 2).sum(axis=1)), decomposed)
    snapshots = list(learn(network, data, method, stopping=Stopping(tol=1e-2, criterion="likelihood")))
    trace = [snapshot.objective.sum() for snapshot in snapshots]
    assert np.diff(trace).min() > -1e-7
    assert snapshots[-1].stop == "converged"
    for table in snapshots[-1].network().tables:
        np.testing.assert_allclose(table.sum(axis=-1), 1.0, atol=1e-9)


def test_every_learner_explains_itself():
    learners = {type(method.learner): method.learner for method in METHODS.values()}
    for learner in [*learners.values(), NumericalEM(Dirichlet(2.0))]:
        for words in learner.words.values():
            assert "\\theta" in words.equations
            assert words.equations.count("{") == words.equations.count("}")
            assert words.explanation.count(". ") == 1
            assert words.explanation.endswith(".")
    for method in METHODS.values():
        assert set(method.kinds) <= set(method.learner.words)
