"""Numerical EM: equals the closed form for a Dirichlet prior, and climbs to the peak of priors that have none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from engine.formats import read_dataset, read_network
from engine.insight.slack import share_gap
from engine.learning.bounds import Bounds, find_bounds
from engine.learning.learn import learn
from engine.learning.learner import evaluate_state
from engine.learning.learners.em import EM
from engine.learning.learners.numerical_em import NumericalEM
from engine.learning.methods import METHODS
from engine.learning.peaks import climb
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.learning.workspace import NEVER, Workspace
from engine.model.errors import ModelError
from engine.model.network import MarkovNetwork
from engine.model.table_prior import InstalledPrior, LogisticNormal
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from tests import oracles
from tests.command_line import EXAMPLES
from tests.engine.learning.models import random_network
from tests.plain import plain_data, plain_model

CLOSE = Stopping(tol=1e-10, criterion="likelihood", max_iter=5000, patience=3)


def asia():
    network = read_network(EXAMPLES / "asia.bif").network
    return network, read_dataset(EXAMPLES / "asia.csv", network.variables).dataset


def small(hidden=()):
    """H → A, B and A → C with B partial: a network and its data, small enough for another optimiser."""
    network = random_network("HABC", [(), (0,), (0,), (1,)], seed=3)
    return network, hide(remove_mcar(simulate(network, 40, 5), 0.4, 6, ["B"]), hidden)


def logistic_normal(tables, width):
    """Its logarithm, set by set in plain Python."""
    total = 0.0
    for row in (row for table in tables for row in np.reshape(table, (-1, np.shape(table)[-1])).tolist()):
        logs = [math.log(p) for p in row]
        mean = sum(logs) / len(logs)
        total -= sum((x - mean) ** 2 for x in logs) / (2 * width**2)
    return total


@pytest.mark.parametrize("prior", [1.0, 1.5, {"either": 3.0, "smoke": [1.5, 4.0]}], ids=["none", "common", "own"])
def test_exponents_reproduce_the_closed_form(prior):
    network, data = asia()
    work = Workspace(make_task(network, data, prior).objective)
    theta = np.concatenate([t.reshape(-1) for t in network.tables])
    theta = work.objective.geometry.normalise(theta + 0.1, otherwise=theta)
    unit = np.zeros(work.objective.n_components, dtype=np.int64)
    found = expected = evaluate_state(work, theta)[0]
    for _ in range(3):
        found, _ = NumericalEM().step(work, found, unit, NEVER)
        expected, _ = EM().step(work, expected, unit, NEVER)
        np.testing.assert_allclose(found.theta, expected.theta, atol=1e-9)
        assert found.objective.sum() == pytest.approx(expected.objective.sum(), abs=1e-7)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(0.01, 1e5), min_size=4, max_size=4),
    st.lists(st.one_of(st.just(0.0), st.floats(1e-9, 1)), min_size=4, max_size=4).filter(any),
)
def test_counts_alone_have_their_shares_for_a_peak_from_wherever_it_begins(counts, start):
    counts = np.array(counts)
    theta = climb(None, counts[None], np.array(start)[None] / sum(start))[0]
    np.testing.assert_allclose(theta, counts / counts.sum(), atol=1e-8)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0, 1e4), min_size=3, max_size=3),
    st.floats(0.01, 100),
    st.lists(st.one_of(st.just(0.0), st.floats(0.05, 1)), min_size=3, max_size=3).filter(any),
)
def test_the_slope_of_a_logistic_normal_prior_is_0_at_its_peak(counts, width, start):
    """Its slope by η is n − θN − (η − mean η) / width², and it is concave: there is no other peak."""
    counts = np.array(counts)
    theta = climb(LogisticNormal(width), counts[None], np.array(start)[None] / sum(start))[0]
    logs = np.log(theta)
    slope = counts - theta * counts.sum() - (logs - logs.mean()) / width**2
    assert np.abs(slope).max() <= 1e-7 * (1 + counts.sum() + width**-2)
    assert theta.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("hidden", [(), ("H",)], ids=["partial", "hidden"])
@pytest.mark.parametrize("width", [0.5, 2.0])
@pytest.mark.parametrize("method", ["numerical-em", "d-numerical-em"])
def test_the_learned_optimum_is_that_of_another_optimiser(method, width, hidden):
    network, data = small(hidden)
    *_, last = learn(network, data, method, prior=LogisticNormal(width), n_init=6, stopping=CLOSE)
    rows = plain_data(data)
    sizes = [table.size // 2 for table in network.tables]

    def objective(free):
        """Of two states each: the log-odds of every set."""
        parts = np.split(1 / (1 + np.exp(-free)), np.cumsum(sizes)[:-1])
        shapes = [table.shape[:-1] for table in network.tables]
        tables = [np.stack([p, 1 - p], axis=-1).reshape((*s, 2)) for p, s in zip(parts, shapes, strict=True)]
        cardinalities, scopes, _ = plain_model(network)
        return oracles.log_likelihood(cardinalities, scopes, tables, *rows) + logistic_normal(tables, width)

    generator = np.random.default_rng(0)
    starts = generator.normal(0, 1, (3 if hidden else 1, sum(sizes)))
    best = max(-minimize(lambda at: -objective(at), start, method="BFGS").fun for start in starts)
    learned = last.network()
    odds = np.concatenate([np.log(t[..., 0] / t[..., 1]).reshape(-1) for t in learned.tables])
    assert last.objective[last.best].sum() == pytest.approx(objective(odds), abs=1e-8)
    assert last.objective[last.best].sum() == pytest.approx(best, abs=1e-6)


@pytest.mark.usefixtures("installed_priors")
@pytest.mark.parametrize("method", ["numerical-em", "d-numerical-em"])
@pytest.mark.parametrize("name", ["logistic-normal", "near"])
def test_it_never_falls_and_never_exceeds_the_bound(name, method):
    network, data = asia()
    for width in (0.02, 0.5, 50.0):
        prior = LogisticNormal(width) if name == "logistic-normal" else InstalledPrior(name, width)
        stopping = Stopping(tol=1e-5, criterion="likelihood", max_iter=40)
        snapshots = list(learn(network, data, method, prior=prior, n_init=2, stopping=stopping))
        trace = np.array([snapshot.objective.sum(axis=1) for snapshot in snapshots])
        assert (np.diff(trace, axis=0) >= -1e-10 * np.abs(trace[:-1])).all()
        assert (trace[-1] > trace[0]).all()
        last = snapshots[-1]
        for table in last.network().tables:
            np.testing.assert_allclose(table.sum(axis=-1), 1.0, atol=1e-12)
        bounds = find_bounds(last.task)
        assert trace.max() <= bounds.total
        assert (last.objective <= bounds.imap + 1e-9 * np.abs(bounds.imap)).all()
        check_shares(last, bounds)


def check_shares(last, bounds: Bounds):
    """Shares of the gap add up to what the component lacks, its prior included."""
    best = last.best
    for number in range(len(last.task.decomposition.components)):
        shares = share_gap(last.task, bounds, last.network(), number)
        assert sum(s.reached for s in shares) == pytest.approx(last.objective[best, number], abs=1e-6)


def test_complete_data_is_solved_in_a_step_and_certified():
    network, _ = small()
    data, prior = simulate(network, 40, 5), LogisticNormal(0.7)
    *_, last = learn(network, data, "d-numerical-em", prior=prior)
    assert last.iteration == 1
    assert last.stop == "converged"
    assert last.objective.sum() == pytest.approx(find_bounds(last.task).total, abs=1e-9)
    assert not last.unseen()


@pytest.mark.usefixtures("installed_priors")
def test_hidden_leaves_go_to_the_peak_of_the_prior():
    network, data = small(["C"])
    *_, last = learn(network, data, "d-numerical-em", prior=InstalledPrior("near", 0.5))
    np.testing.assert_allclose(last.network().tables[3], [[2 / 3, 1 / 3]] * 2, atol=1e-7)


def test_only_numerical_em_takes_a_prior_without_a_formula():
    network, data = small()
    for name, method in METHODS.items():
        reason = method.reason_against(network, prior=LogisticNormal(1.0))
        if isinstance(method.learner, NumericalEM):
            assert not reason
        else:
            assert reason
            with pytest.raises(ModelError, match=r"has no formula for the prior 'logistic-normal'|is for Markov"):
                next(learn(network, data, name, prior=LogisticNormal(1.0)))
    task = make_task(network, data, LogisticNormal(1.0))
    assert METHODS["em"].reason_against_task(task)
    assert not METHODS["numerical-em"].reason_against_task(task)


def test_markov_networks_are_told_why_not():
    network, data = small()
    markov = MarkovNetwork(network.variables, network.scopes, network.tables)
    with pytest.raises(
        ModelError, match=r"numerical EM is for Bayesian networks.*the partition function couples.*use em"
    ):
        next(learn(markov, data, "numerical-em"))
    with pytest.raises(ModelError, match=r"the prior 'logistic-normal' is for Bayesian networks; .* L1 or L2"):
        next(learn(markov, data, "em", prior=LogisticNormal(1.0)))


def test_every_learner_explains_itself():
    learners = {type(method.learner): method.learner for method in METHODS.values()}
    for learner in learners.values():
        for words in learner.words.values():
            assert "\\theta" in words.equations
            assert words.equations.count("{") == words.equations.count("}")
            assert words.explanation.count(". ") == 1
            assert words.explanation.endswith(".")
    for method in METHODS.values():
        assert set(method.kinds) <= set(method.learner.words)
