"""What every learner must do, decomposed or not: one table of methods, one list of checks."""

from __future__ import annotations

import functools
import itertools
import time

import numpy as np
import pytest

from engine.learning.bounds import find_bounds
from engine.learning.learn import learn
from engine.learning.methods import METHODS
from engine.learning.starts import make_starts
from engine.learning.stopping import Stopping, begin, iterate
from engine.learning.task import LearningTask, make_task
from engine.learning.workspace import NEVER, Workspace
from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from tests import oracles
from tests.engine.learning.models import random_network
from tests.plain import filled_exponents, plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")

PRIOR = {"H": 2.0, "A": 2.0, "B": 1.5, "C": 2.0, "D": 1.5, "E": 2.0, "F": 3.0}
STOPPING = Stopping(tol=1e-7, max_iter=3000, patience=3)
every_method = pytest.mark.parametrize("name", [name for name, method in METHODS.items() if not method.complete])


@functools.cache
def make_network() -> BayesianNetwork:
    """Three components once A and D are observed, one of them of a hidden variable and its three children."""
    return random_network("HABCDEF", [(), (0,), (0,), (0, 1), (1,), (4,), (4, 5)], ("a", "b"), seed=6)


@functools.cache
def make_data():
    """H hidden, B and E partial, C soft in some rows, likelihoods above 1 among them; A, D, F observed."""
    network = make_network()
    data = remove_mcar(hide(simulate(network, 50, 3), ["H"]), 0.3, 4, ["B", "E"])
    rows = []
    for k, codes in enumerate(plain_data(data)[0]):
        cells = [None if c is None else v.states[c] for c, v in zip(codes, network.variables, strict=True)]
        if k % 3 == 0:
            cells[3] = (4.0, 1.0) if codes[3] == 0 else (0.5, 1.5)
        rows.append(cells)
    return make_dataset(network.variables, rows)


@functools.cache
def run(name, seed=0, n_init=1):
    """All snapshots of a run: learned once for all tests."""
    return tuple(
        learn(make_network(), make_data(), name, random_state=seed, n_init=n_init, prior=PRIOR, stopping=STOPPING)
    )


@every_method
def test_converges_to_a_stationary_point(name):
    """Another step of EM, by enumeration, moves little."""
    last = run(name)[-1]
    assert last.stop == "converged"
    assert last.converged.all()
    learned = last.network()
    exponents = filled_exponents(learned, PRIOR)
    moved = oracles.em_step(*plain_model(learned), *plain_data(make_data()), exponents)
    for table, other in zip(learned.tables, moved, strict=True):
        np.testing.assert_allclose(table, other, atol=2e-5)
    value = oracles.log_likelihood(*plain_model(learned), *plain_data(make_data()))
    assert last.log_likelihood.sum() == pytest.approx(value, rel=1e-10)
    assert last.objective.sum() == pytest.approx(value + oracles.log_prior(learned.tables, exponents), rel=1e-10)


@every_method
def test_monotone_where_promised(name):
    trace = np.array([s.objective.sum(axis=1) for s in run(name, n_init=3)])
    assert len(trace) > 3
    if METHODS[name].learner.monotone:
        assert (np.diff(trace, axis=0) >= -1e-11 * np.abs(trace[:-1])).all()
    assert (trace[-1] > trace[0]).all()


@every_method
def test_parameters_are_distributions_at_every_step(name):
    for snapshot in run(name, n_init=3):
        for theta in snapshot.theta:
            for table in snapshot.task.layout.tables(theta):
                assert (table >= 0).all()
                np.testing.assert_allclose(table.sum(axis=-1), 1, atol=1e-12)


@every_method
def test_the_bound_is_never_exceeded(name):
    snapshots = run(name, n_init=3)
    bounds = find_bounds(snapshots[0].task)
    highest = max(float(s.objective.sum(axis=1).max()) for s in snapshots)
    assert highest <= bounds.total + 1e-9 * abs(bounds.total)
    if snapshots[0].task.is_decomposed:
        for snapshot in snapshots:
            assert (snapshot.objective <= bounds.patterns + 1e-9 * np.abs(bounds.patterns) + 1e-9).all()


@every_method
def test_deterministic_for_a_seed(name):
    first, again = run(name), run.__wrapped__(name)
    assert len(first) == len(again)
    for one, other in zip(first, again, strict=True):
        assert one.theta.tobytes() == other.theta.tobytes()
        assert one.objective.tobytes() == other.objective.tobytes()
    assert run(name, seed=1)[0].theta.tobytes() != first[0].theta.tobytes()


@every_method
def test_restarts_in_a_batch_equal_single_runs(name):
    """Step for step, as long as both go on."""
    together = run(name, n_init=3)
    for k in range(3):
        start = together[0].network(k)
        alone = list(learn(make_network(), make_data(), name, start=start, prior=PRIOR, stopping=STOPPING))
        for one, batch in itertools.islice(zip(alone, together, strict=False), 12):
            np.testing.assert_allclose(one.theta[0], batch.theta[k], atol=1e-8)
            np.testing.assert_allclose(one.objective[0], batch.objective[k], rtol=1e-9, atol=1e-9)
        assert alone[-1].objective.sum() == pytest.approx(together[-1].objective[k].sum(), abs=1e-5)


def begin_at_random(name, prior=PRIOR, network=None, data=None, cancelled=NEVER):
    """A method's learner, its problem and its progress at a random start."""
    method = METHODS[name]
    task = make_task(network or make_network(), data or make_data(), prior, condition=method.conditioned)
    start = make_starts(task, "random", 1, 0)[0]
    every = np.arange(task.objective.n_components)
    unit = every if method.decomposed else np.zeros_like(every)
    return method.learner, task, begin(method.learner, Workspace(task.objective), start, unit, cancelled)


@every_method
def test_resumes_where_it_was(name):
    """Stopped and taken up again, also by another problem object, it makes the same steps."""
    learner, task, begun = begin_at_random(name)
    whole = list(iterate(learner, Workspace(task.objective), begun, Stopping(tol=1e-9, max_iter=12)))
    *_, paused = iterate(learner, Workspace(task.objective), begun, Stopping(tol=1e-9, max_iter=5))
    assert paused.stop == "iterations"
    _, other, _ = begin_at_random(name)
    resumed = list(iterate(learner, Workspace(other.objective), paused, Stopping(tol=1e-9, max_iter=12)))
    assert len(whole) == 5 + len(resumed)
    for one, again in zip(whole[5:], resumed, strict=True):
        assert one.iteration == again.iteration
        np.testing.assert_allclose(again.state.theta, one.state.theta, atol=1e-13)
        np.testing.assert_allclose(again.state.objective, one.state.objective, rtol=1e-13)
    assert whole[-1].stop == resumed[-1].stop


@functools.cache
def make_large() -> tuple[BayesianNetwork, object]:
    """28 hidden causes, observed by 50 effects of three each: cliques of 14 variables, so that a pass takes long."""
    generator = np.random.default_rng(0)
    causes, effects = 28, 50
    parents = [()] * causes + [
        tuple(sorted(generator.choice(causes, 3, replace=False).tolist())) for _ in range(effects)
    ]
    network = random_network([f"X{i}" for i in range(causes + effects)], parents, seed=1)
    return network, hide(simulate(network, 300, 2), [f"X{i}" for i in range(causes)])


class Switch:
    """Says yes from some call on, and remembers when it was asked (in seconds of this process' own work)."""

    def __init__(self, after: float = np.inf) -> None:
        self.after = after
        self.asked: list[float] = []

    def __call__(self) -> bool:
        self.asked.append(time.process_time())
        return len(self.asked) > self.after


@every_method
def test_cancelled_at_once_on_a_large_problem(name):
    """It asks often, and does nothing more after a yes. A wait is measured by the clock of the process, as the
    machine may have other work."""
    network, data = make_large()
    learner, task, begun = begin_at_random(name, 2.0, network, data)
    assert isinstance(task, LearningTask)
    whole = Switch()
    started = time.process_time()
    *_, after = iterate(learner, Workspace(task.objective), begun, Stopping(max_iter=1), whole)
    assert after.stop == "iterations"
    asked = [started, *whole.asked, time.process_time()]
    longest = max(np.diff(asked))
    print(
        f"{name}: a step takes {asked[-1] - started:.2f} s, asks {len(whole.asked)} times, longest wait {longest:.3f} s"
    )
    assert len(whole.asked) >= 5
    assert longest < 0.2

    half = Switch(len(whole.asked) // 2)
    *_, stopped = iterate(learner, Workspace(task.objective), begun, Stopping(max_iter=1), half)
    ended = time.process_time()
    assert stopped.stop == "cancelled"
    assert len(half.asked) == half.after + 1
    assert ended - half.asked[-1] < 0.2
    assert stopped.state is begun.state  # the last whole one
    assert stopped.iteration == 0
