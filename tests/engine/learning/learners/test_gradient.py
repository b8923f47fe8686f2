"""Gradient learners against finite differences, SciPy's optimisers and themselves on parts of a problem."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from engine.learning.learners.gradient import Gradient, find_gradient
from engine.learning.stopping import Stopping, begin, iterate
from engine.learning.task import make_task
from engine.learning.workspace import NEVER, Workspace
from engine.model.dataset import Dataset, make_dataset
from engine.model.network import BayesianNetwork
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from tests import oracles, strategies
from tests.engine.learning.models import chain, chain_data, evaluate, random_network
from tests.plain import filled_exponents, plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")

KINDS = ["lbfgs", "cg"]
PRIORS = [1.0, 2.0, {"A": 3.0, "B": 2.0, "C": 1.5, "D": 1.25}]


def tables_of(network, eta):
    """Tables as softmax of η laid end to end."""
    tables, at = [], 0
    for table in network.tables:
        weights = np.exp(eta[at : at + table.size].reshape(table.shape))
        tables.append(weights / weights.sum(axis=-1, keepdims=True))
        at += table.size
    return tables


def make_objective(network, dataset, prior):
    """η ↦ the objective, by enumeration over distinct rows."""
    rows, weights = plain_data(dataset)
    found = oracles.projected_counts(rows, weights, range(len(dataset.variables)))
    distinct, counts = [list(row) for row in found], list(found.values())
    exponents = filled_exponents(network, prior)
    cardinalities = plain_model(network)[0]

    def objective(eta):
        tables = tables_of(network, eta)
        likelihood = oracles.log_likelihood(cardinalities, network.scopes, tables, distinct, counts)
        return likelihood + oracles.log_prior(tables, exponents)

    return objective


def small_problem(seed=0):
    """A hidden, B and C partial."""
    network = random_network("ABCD", [(), (0,), (0, 1), (2,)], seed=seed)
    data = remove_mcar(hide(simulate(network, 40, seed), ["A"]), 0.3, seed, ["B", "C"])
    return network, data


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_gradient_equals_finite_differences(data):
    network, dataset = data.draw(strategies.learning_problems(most=4, most_rows=4))
    prior = data.draw(strategies.priors(network))
    generator = np.random.default_rng(data.draw(st.integers(0, 1000)))
    task = make_task(network, dataset, prior)
    eta = generator.normal(size=task.objective.n_parameters)
    theta = task.geometry.from_free(eta)
    np.testing.assert_allclose(theta, task.layout.flatten(tables_of(network, eta)), rtol=1e-12)
    found = find_gradient(Workspace(task.objective), evaluate(task, theta))
    objective, h = make_objective(network, dataset, prior), 1e-5
    for k in range(len(eta)):
        step = h * np.eye(len(eta))[k]
        difference = (objective(eta + step) - objective(eta - step)) / (2 * h)
        assert found[k] == pytest.approx(difference, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("kind", "method"), [("lbfgs", "L-BFGS-B"), ("cg", "CG")])
@pytest.mark.parametrize("seed", range(2))
def test_the_optimum_is_that_of_scipy(seed, kind, method, prior):
    """From the same start, in the value of the objective: optima without a prior may lie at infinity."""
    network, dataset = small_problem(seed)
    task = make_task(network, dataset, prior)
    theta = task.layout.flatten(network.tables)
    objective = make_objective(network, dataset, prior)
    expected = minimize(lambda eta: -objective(eta), np.log(theta), method=method, options={"maxiter": 300})
    learner, unit = Gradient(kind), np.zeros(task.objective.n_components, dtype=int)
    begun = begin(learner, Workspace(task.objective), theta, unit)
    *_, last = iterate(learner, Workspace(task.objective), begun, Stopping(tol=1e-7, max_iter=2000))
    assert last.stop == "converged"
    assert last.state.objective.sum() == pytest.approx(-expected.fun, abs=1e-3 if prior == 1.0 else 1e-6)
    assert last.state.objective.sum() == pytest.approx(objective(last.state.memory.eta), abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_objective_never_decreases(kind, data):
    network, dataset = data.draw(strategies.learning_problems())
    prior = data.draw(strategies.priors(network))
    task = make_task(network, dataset, prior)
    learner, unit = Gradient(kind), np.arange(task.objective.n_components)
    state, _ = learner.begin(Workspace(task.objective), task.layout.flatten(network.tables), NEVER)
    for _ in range(8):
        after, _ = learner.step(Workspace(task.objective), state, unit, NEVER)
        rounding = 1e-12 * np.maximum(1, np.abs(after.objective))
        assert (after.objective >= state.objective - rounding).all()
        np.testing.assert_allclose(after.theta, task.geometry.from_free(after.memory.eta), atol=1e-15)
        np.testing.assert_allclose(after.memory.gradient, find_gradient(Workspace(task.objective), after), atol=1e-12)
        state = after


@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_neither_too_long_nor_too_short(kind):
    """The weak Wolfe conditions: L-BFGS needs them for its curvature, and short steps look like convergence."""
    network, dataset = small_problem()
    task = make_task(network, dataset, 2.0)
    learner, unit = Gradient(kind), np.zeros(task.objective.n_components, dtype=int)
    state, _ = learner.begin(Workspace(task.objective), task.layout.flatten(network.tables), NEVER)
    for _ in range(25):
        after, _ = learner.step(Workspace(task.objective), state, unit, NEVER)
        direction = after.memory.direction
        promise, slope = state.memory.gradient @ direction, after.memory.gradient @ direction
        taken = (after.memory.eta - state.memory.eta) @ direction / (direction @ direction)
        gained = after.objective.sum() - state.objective.sum()
        assert gained >= 1e-4 * taken * promise - 1e-11
        if gained > 1e-9:
            assert slope <= 0.5 * promise
        state = after


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_that_finds_nothing_stays(kind, monkeypatch):
    """With one trial only, units whose first step is too long must not take it."""
    monkeypatch.setattr("engine.learning.learners.gradient.MOST_TRIALS", 1)
    network, dataset = chain(), chain_data()
    task = make_task(network, dataset, 2.0)
    learner, unit = Gradient(kind), np.arange(task.objective.n_components)
    stayed = 0
    for seed in range(5):
        weights = np.random.default_rng(seed).exponential(size=task.objective.n_parameters)
        state, _ = learner.begin(Workspace(task.objective), task.geometry.normalise(weights, otherwise=weights), NEVER)
        for _ in range(10):
            after, _ = learner.step(Workspace(task.objective), state, unit, NEVER)
            assert (after.objective >= state.objective - 1e-12 * np.abs(state.objective)).all()
            stayed += int((after.memory.eta == state.memory.eta).sum())
            state = after
    assert stayed > 0


def glued(networks, datasets):
    """Networks side by side as one, and their data as the rows of one table."""
    variables, parents, tables, rows = [], [], [], []
    for network in networks:
        shift = len(variables)
        variables += network.variables
        parents += [tuple(p + shift for p in ps) for ps in network.parents]
        tables += network.tables
    columns = [plain_data(dataset)[0] for dataset in datasets]
    for parts in zip(*columns, strict=True):
        cells = [cell for part in parts for cell in part]
        rows.append([None if c is None else v.states[c] for c, v in zip(cells, variables, strict=True)])
    whole = BayesianNetwork(tuple(variables), tuple(parents), tuple(tables))
    return whole, make_dataset(whole.variables, rows)


def count_passes(task, info):
    k = task.objective.incomplete[0]
    return info.propagated[k] / task.objective.rows_per_pass[k]


@pytest.mark.parametrize("kind", KINDS)
def test_units_do_not_disturb_each_other(kind):
    """Step for step, a problem beside others in one pass is the problem alone."""
    networks, datasets = [], []
    for k in range(3):
        names = [f"{letter}{k}" for letter in "HABC"]
        networks.append(random_network(names, [(), (0,), (0,), (0, 1)], seed=k))
        datasets.append(hide(simulate(networks[k], 30, k), [names[0]]))
    whole, data = glued(networks, datasets)
    together, apart = (
        make_task(whole, data, 1.5),
        [make_task(n, d, 1.5) for n, d in zip(networks, datasets, strict=True)],
    )
    learner = Gradient(kind)
    unit = np.arange(together.objective.n_components)
    state, _ = learner.begin(Workspace(together.objective), together.layout.flatten(whole.tables), NEVER)
    states = [
        learner.begin(Workspace(task.objective), task.layout.flatten(n.tables), NEVER)[0]
        for task, n in zip(apart, networks, strict=True)
    ]
    passes, most = [], []
    for _ in range(12):
        state, info = learner.step(Workspace(together.objective), state, unit, NEVER)
        steps = [
            learner.step(Workspace(task.objective), s, np.arange(task.objective.n_components), NEVER)
            for task, s in zip(apart, states, strict=True)
        ]
        states = [s for s, _ in steps]
        passes.append(count_passes(together, info))
        most.append(max(count_passes(task, info) for task, (_, info) in zip(apart, steps, strict=True)))
        np.testing.assert_allclose(state.theta, np.concatenate([s.theta for s in states]), atol=1e-9)
    assert all(p >= m for p, m in zip(passes, most, strict=True))  # until the last has found its step


@pytest.fixture
def calls(monkeypatch):
    """An entry for every pass over the data."""
    calls = []
    original = Workspace.evaluate
    monkeypatch.setattr(Workspace, "evaluate", lambda self, *a: (calls.append(1), original(self, *a))[1])
    return calls


@pytest.mark.parametrize("kind", KINDS)
def test_evaluations_are_counted(kind, calls):
    network, dataset = small_problem()
    task = make_task(network, dataset)
    learner, unit = Gradient(kind), np.zeros(task.objective.n_components, dtype=int)
    begun = begin(learner, Workspace(task.objective), task.layout.flatten(network.tables), unit)
    rows = int(task.objective.rows_per_pass.sum())
    assert begun.inferences == rows * len(calls) == rows
    *_, last = iterate(learner, Workspace(task.objective), begun, Stopping(max_iter=15, tol=0.0))
    assert last.inferences == rows * len(calls)
    assert 15 < len(calls) < 60


@pytest.mark.parametrize("kind", KINDS)
def test_converged_units_cost_nothing(kind, calls):
    """Units at their optimum, where gains drown in rounding, must not make the others search for ever."""
    network, dataset = chain(), chain_data()
    task = make_task(network, dataset, 2.0)
    learner, unit = Gradient(kind), np.arange(task.objective.n_components)
    begun = begin(learner, Workspace(task.objective), task.layout.flatten(network.tables), unit)
    *_, last = iterate(learner, Workspace(task.objective), begun, Stopping(tol=1e-9, max_iter=3000))
    assert last.stop == "converged"
    assert len(calls) < 5 * last.iteration


@pytest.mark.parametrize("factor", [2.0**-270, 2.0**270])
@pytest.mark.parametrize("kind", KINDS)
def test_the_scale_of_weights_is_of_no_account(kind, factor):
    """By a power of two nothing is rounded otherwise: the parameters are the same to the last digit."""
    network, data = small_problem()
    scaled = Dataset(data.variables, data.codes, data.weights * factor)
    found = []
    for dataset in (data, scaled):
        task = make_task(network, dataset)
        begun = begin(
            Gradient(kind),
            Workspace(task.objective),
            task.layout.flatten(network.tables),
            np.zeros(task.objective.n_components, dtype=int),
        )
        *_, last = iterate(Gradient(kind), Workspace(task.objective), begun, Stopping(tol=1e-9, max_iter=3000))
        found.append((last.iteration, last.stop, last.state.theta.tolist()))
    assert found[0] == found[1]


def test_zeros_are_left_alone():
    """A parameter of zero is a logarithm of −∞: it starts, and stays, next to it."""
    network, dataset = small_problem()
    tables = list(network.tables)
    tables[3] = np.array([[1.0, 0.0], [0.4, 0.6]])
    start = network.with_tables(tables)
    possible = make_dataset(
        network.variables,
        [[None, *(("a", "b")[c] if c is not None else None for c in row[1:3]), "a"] for row in plain_data(dataset)[0]],
    )
    task = make_task(start, possible)
    learner, unit = Gradient(), np.zeros(task.objective.n_components, dtype=int)
    state, _ = learner.begin(Workspace(task.objective), task.layout.flatten(start.tables), NEVER)
    for _ in range(5):
        state, _ = learner.step(Workspace(task.objective), state, unit, NEVER)
        assert np.isfinite(state.objective).all()
    assert task.layout.tables(state.theta)[3][0, 1] < 1e-200
