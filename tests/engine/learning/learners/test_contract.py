"""What every learner must do, decomposed or not, for both kinds of network: one table of methods, one of checks."""

from __future__ import annotations

import functools
import itertools
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.learning.bounding import bound_task
from engine.learning.learn import learn
from engine.learning.learners.edml_in_turn import EDMLInTurn
from engine.learning.methods import METHODS
from engine.learning.starts import make_starts
from engine.learning.stopping import Stopping, begin, iterate
from engine.learning.task import LearningTask, make_task
from engine.learning.team import Team
from engine.learning.workspace import Workspace
from engine.model.dataset import Dataset, make_dataset
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from tests import oracles
from tests.engine.learning.models import random_network
from tests.plain import filled_exponents, plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")

PRIOR = {"H": 2.0, "A": 2.0, "B": 1.5, "C": 2.0, "D": 1.5, "E": 2.0, "F": 3.0}
STOPPING = {
    BayesianNetwork: Stopping(tol=1e-7, max_iter=3000, patience=3),
    MarkovNetwork: Stopping(tol=1e-7, criterion="likelihood", max_iter=3000, patience=3),
}
KINDS = (BayesianNetwork, MarkovNetwork)
CASES = [(name, kind) for name, method in METHODS.items() if method.settles for kind in KINDS if kind in method.kinds]


def every(cases):
    return pytest.mark.parametrize(("name", "kind"), cases, ids=[f"{name}-{kind.__name__}" for name, kind in cases])


every_method = every(CASES)
every_long_one = every([(name, kind) for name, kind in CASES if name != "counting"])
"""Those that make more than one step."""
every_learner = every(
    list(
        {
            (METHODS[name].learner, METHODS[name].conditioned, kind): (name, kind)
            for name, kind in reversed(CASES)
            if name != "counting"
        }.values()
    )
)
"""Of these, one method of each learner: whether components stop on their own makes no difference in a single step."""
every_way_of_working = every(
    [(name, BayesianNetwork) for name, kind in CASES if METHODS[name].decomposed and kind is BayesianNetwork]
    + [("em", BayesianNetwork), ("d-em", MarkovNetwork), ("auto", MarkovNetwork)]
)
"""Those that give components to workers, and one of each kind that does not."""


@functools.cache
def make_network(kind: type[Network]) -> Network:
    """Several components once A and D are observed, one of them of a hidden variable and its three neighbours."""
    network = random_network("HABCDEF", [(), (0,), (0,), (0, 1), (1,), (4,), (4, 5)], ("a", "b"), seed=6)
    if kind is BayesianNetwork:
        return network
    scopes = ((0, 1), (0, 2), (0, 3), (1, 3), (1, 4), (4, 5), (5, 6), (6,))
    return MarkovNetwork(network.variables, scopes, tuple(np.ones((2,) * len(scope)) for scope in scopes))


def make_data(name: str, kind: type[Network]) -> Dataset:
    """What a method learns from."""
    return _make_data(kind, METHODS[name].complete)


@functools.cache
def _make_data(kind: type[Network], complete: bool) -> Dataset:
    """H hidden, B and E partial, C soft in some rows, likelihoods above 1 among them; A, D, F observed.

    For a Markov network H is seen now and then, and nothing is rare: without a prior, the best factors are else to be
    had only in the limit. For methods that need complete data, all is seen.
    """
    network = make_network(BayesianNetwork)
    rows, unseen = (50, 1.0) if kind is BayesianNetwork else (200, 0.6)
    if kind is MarkovNetwork:
        network = network.with_tables([0.6 * table + 0.2 for table in network.tables])
    if complete:
        return simulate(network, rows, 3)
    data = remove_mcar(remove_mcar(simulate(network, rows, 3), unseen, 2, ["H"]), 0.3, 4, ["B", "E"])
    rows = []
    for k, codes in enumerate(plain_data(data)[0]):
        cells = [None if c is None else v.states[c] for c, v in zip(codes, network.variables, strict=True)]
        if k % 3 == 0:
            cells[3] = (4.0, 1.0) if codes[3] == 0 else (0.5, 1.5)
        rows.append(cells)
    return make_dataset(network.variables, rows)


def make_prior(kind):
    return PRIOR if kind is BayesianNetwork else 1.0


def begin_run(name, kind, seed=0, n_init=1, executor=None):
    """The snapshots of a run, one after another."""
    options = {"random_state": seed, "n_init": n_init, "prior": make_prior(kind), "stopping": STOPPING[kind]}
    return learn(make_network(kind), make_data(name, kind), name, executor=executor, **options)


@functools.cache
def run(name, kind):
    """All snapshots of a run: learned once for all tests."""
    return tuple(begin_run(name, kind))


@functools.cache
def run_three(name, kind):
    """The same with three restarts; a learner that makes eight of its own has them already."""
    if METHODS[name].learner.chooses_units:
        return run(name, kind)
    return tuple(begin_run(name, kind, n_init=3))


@every_method
def test_converges_to_a_stationary_point(name, kind):
    """Another step of EM, by enumeration, moves little; or expected and model counts agree."""
    last = run(name, kind)[-1]
    assert last.stop == "converged"
    assert last.converged.all()
    last = last.only()
    learned, data = last.network(), plain_data(make_data(name, kind))
    value = oracles.log_likelihood(*plain_model(learned), *data)
    if kind is MarkovNetwork:
        nothing = [[None] * len(learned.variables)], [make_data(name, kind).total_weight]
        expected, model = (oracles.expected_counts(*plain_model(learned), *rows) for rows in (data, nothing))
        for one, other in zip(expected, model, strict=True):  # Eq. B.2 [thesis]
            np.testing.assert_allclose(one, other, atol=0.01)
        value -= oracles.log_likelihood(*plain_model(learned), *nothing)
        assert last.objective.sum() == pytest.approx(value, rel=1e-10)
        return
    exponents = filled_exponents(learned, PRIOR)
    moved = oracles.em_step(*plain_model(learned), *data, exponents)
    for table, other in zip(learned.tables, moved, strict=True):
        np.testing.assert_allclose(table, other, atol=2e-5)
    assert last.log_likelihood.sum() == pytest.approx(value, rel=1e-10)
    assert last.objective.sum() == pytest.approx(value + oracles.log_prior(learned.tables, exponents), rel=1e-10)


@every_method
def test_monotone_where_promised(name, kind):
    trace = np.array([s.objective.sum(axis=1) for s in run_three(name, kind)])
    assert len(trace) > (1 if name == "counting" else 3)
    if METHODS[name].learner.chooses_units:
        trace = trace.max(axis=1, keepdims=True)
    if METHODS[name].learner.monotone:
        assert (np.diff(trace, axis=0) >= -1e-11 * np.abs(trace[:-1])).all()
    assert (trace[-1] > trace[0]).all()


@every_method
def test_parameters_are_what_they_may_be_at_every_step(name, kind):
    for snapshot in run_three(name, kind):
        for theta in snapshot.theta:
            for table in snapshot.task.layout.tables(theta):
                assert (table >= 0).all()
                if kind is BayesianNetwork:
                    assert (np.abs(table.sum(axis=-1) - 1) <= 1e-12).all()
                else:
                    assert table.max() == 1.0  # the gauge


@functools.cache
def find_bounds_of(kind, complete):
    """The bounds of the problem: found once for all tests."""
    return bound_task(make_task(make_network(kind), _make_data(kind, complete), make_prior(kind)))


@every_method
def test_the_bound_is_never_exceeded(name, kind):
    """No restart is above it at any iteration; nor, in a Bayesian network, is any component above its own."""
    snapshots, bounds = run_three(name, kind), find_bounds_of(kind, METHODS[name].complete)
    highest = max(float(s.objective.sum(axis=1).max()) for s in snapshots)
    assert highest <= bounds.total + 1e-9 * abs(bounds.total)
    if kind is BayesianNetwork and snapshots[0].task.is_decomposed:
        for snapshot in snapshots:
            assert (snapshot.objective <= bounds.patterns + 1e-9 * np.abs(bounds.patterns) + 1e-9).all()


@every_method
def test_deterministic_for_a_seed(name, kind):
    first, again = run(name, kind), tuple(begin_run(name, kind))
    assert len(first) == len(again)
    for one, other in zip(first, again, strict=True):
        assert one.theta.tobytes() == other.theta.tobytes()
        assert one.objective.tobytes() == other.objective.tobytes()
    assert next(iter(begin_run(name, kind, seed=1))).theta.tobytes() != first[0].theta.tobytes()


@every([(name, kind) for name, kind in CASES if not METHODS[name].learner.chooses_units])
def test_restarts_in_a_batch_equal_single_runs(name, kind):
    """Step for step, as long as both go on; unless they learn from each other."""
    together = run_three(name, kind)
    for k in (0, 2):
        start = together[0].network(k)
        options = {"start": start, "prior": make_prior(kind), "stopping": STOPPING[kind]}
        alone = list(learn(make_network(kind), make_data(name, kind), name, **options))
        for one, batch in itertools.islice(zip(alone, together, strict=False), 12):
            np.testing.assert_allclose(one.theta[0], batch.theta[k], atol=1e-8)
            np.testing.assert_allclose(one.objective[0], batch.objective[k], rtol=1e-9, atol=1e-9)
        assert alone[-1].objective.sum() == pytest.approx(together[-1].objective[k].sum(), abs=1e-5)


def begin_at_random(name, kind, network=None, data=None):
    """A method's learner, its problem and its progress at a random start."""
    method = METHODS[name]
    prior = make_prior(kind) if network is None or kind is MarkovNetwork else 2.0
    task = make_task(network or make_network(kind), data or make_data(name, kind), prior, condition=method.conditioned)
    start = make_starts(task, "random", 1, 0)[0]
    every = np.arange(task.objective.n_components)
    unit = every if method.decomposed and task.objective.is_separable else np.zeros_like(every)
    return method.learner, task, begin(method.learner, Workspace(task.objective), start, unit)


@every_long_one
def test_resumes_where_it_was(name, kind):
    """Stopped and taken up again, also by another problem object, it makes the same steps."""
    learner, task, begun = begin_at_random(name, kind)
    whole = list(iterate(learner, Workspace(task.objective), begun, Stopping(tol=1e-9, max_iter=12)))
    *_, paused = iterate(learner, Workspace(task.objective), begun, Stopping(tol=1e-9, max_iter=5))
    assert paused.stop == "iterations"
    _, other, _ = begin_at_random(name, kind)
    resumed = list(iterate(learner, Workspace(other.objective), paused, Stopping(tol=1e-9, max_iter=12)))
    assert len(whole) == 5 + len(resumed)
    for one, again in zip(whole[5:], resumed, strict=True):
        assert one.iteration == again.iteration
        np.testing.assert_allclose(again.state.theta, one.state.theta, atol=1e-13)
        np.testing.assert_allclose(again.state.objective, one.state.objective, rtol=1e-13)
    assert whole[-1].stop == resumed[-1].stop


@functools.cache
def make_large(kind: type[Network], causes: int, effects: int) -> tuple[Network, Dataset]:
    """Hidden causes, observed by effects of three each: cliques of a dozen variables, so that a step takes long."""
    generator = np.random.default_rng(0)
    parents = [()] * causes + [
        tuple(sorted(generator.choice(causes, 3, replace=False).tolist())) for _ in range(effects)
    ]
    network = random_network([f"X{i}" for i in range(causes + effects)], parents, seed=1)
    data = hide(simulate(network, 300, 2), [f"X{i}" for i in range(causes)])
    if kind is MarkovNetwork:
        network = MarkovNetwork(network.variables, network.scopes, network.tables)
    return network, data


class Switch:
    """Says yes from some call on, and remembers when it was asked (in seconds of this process' own work)."""

    def __init__(self, after: float = np.inf) -> None:
        self.after = after
        self.asked: list[float] = []

    def __call__(self) -> bool:
        self.asked.append(time.process_time())
        return len(self.asked) > self.after


@every_learner
def test_cancelled_at_once_on_a_large_problem(name, kind):
    """It asks often, and does nothing more after a yes. A wait is measured by the clock of the process, as the
    machine may have other work."""
    sizes = (
        (14, 20) if isinstance(METHODS[name].learner, EDMLInTurn) else (24, 40) if kind is MarkovNetwork else (28, 50)
    )
    learner, task, begun = begin_at_random(name, kind, *make_large(kind, *sizes))
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
    assert len(whole.asked) >= (5 if kind is BayesianNetwork else 2)
    assert longest < 0.2

    half = Switch(len(whole.asked) // 2)
    *_, stopped = iterate(learner, Workspace(task.objective), begun, Stopping(max_iter=1), half)
    ended = time.process_time()
    assert stopped.stop == "cancelled"
    assert len(half.asked) == half.after + 1
    assert ended - half.asked[-1] < 0.2
    assert stopped.state is begun.state  # the last whole one
    assert stopped.iteration == 0


@every_way_of_working
def test_an_executor_changes_nothing_but_who_works(name, kind):
    """Components that stop on their own are learned by workers; a Markov network's stop together, and its restarts are
    apart there, in one batch here, which rounds otherwise. Restarts that learn from each other stay here."""
    here = run_three(name, kind)[-1]
    with ThreadPoolExecutor(2) as executor:
        *_, alone = begin_run(name, kind, n_init=3, executor=Team(executor, 1))
        *_, there = begin_run(name, kind, n_init=3, executor=Team(executor, 2))
    np.testing.assert_array_equal(there.theta, alone.theta)
    np.testing.assert_array_equal(there.objective, alone.objective)
    np.testing.assert_allclose(there.theta, here.theta, rtol=1e-12 if kind is MarkovNetwork else 0)
    np.testing.assert_allclose(there.objective, here.objective, rtol=1e-12 if kind is MarkovNetwork else 0)
    assert there.stop == here.stop == "converged"
