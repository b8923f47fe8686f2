"""The loop: when units stop, what stays frozen, cancelling and resuming."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from engine.inference.tape import Tape
from engine.learning.learn import learn
from engine.learning.learner import Info, evaluate_state
from engine.learning.learners.em import EM
from engine.learning.stopping import Stopping, begin, iterate
from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from engine.model.dataset import make_dataset
from engine.model.errors import ModelError
from engine.simulation.missingness import hide
from engine.simulation.sampling import simulate
from tests.engine.learning.models import chain, chain_data, latent_class, latent_data, random_network

pytestmark = pytest.mark.filterwarnings("error")

NOTHING = 0.0  # a tolerance that no moving parameter meets


def run(method="d-em", network=None, dataset=None, prior=1.0, cancelled=lambda: False, n_init=1, **stopping):
    """All snapshots on the chain, or on another model."""
    network, dataset = network or chain(), dataset or chain_data()
    return list(
        learn(
            network,
            dataset,
            method,
            start="random",
            random_state=4,
            prior=prior,
            n_init=n_init,
            stopping=Stopping(**stopping),
            cancelled=cancelled,
        )
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "time"}, "'time' is not known; use 'parameters' or 'likelihood'"),
        ({"tol": -1e-9}, "tol must be 0 or more"),
        ({"tol": float("nan")}, "tol must be 0 or more"),
        ({"max_iter": -1}, "max_iter must be 0 or more"),
        ({"max_seconds": -1.0}, "max_seconds must be 0 or more"),
        ({"max_seconds": float("nan")}, "max_seconds must be 0 or more"),
        ({"patience": 0}, "patience must be 1 or more"),
        ({"until": 0.0}, "until must be more than 0 nats"),
        ({"until": float("nan")}, "until must be more than 0 nats"),
    ],
)
def test_stopping_rules_are_checked(options, message):
    with pytest.raises(ModelError, match=message):
        Stopping(**options)


@pytest.mark.parametrize("method", ["em", "d-em", "em-textbook"])
@pytest.mark.parametrize("max_iter", [0, 1, 4])
def test_max_iter_is_the_number_of_steps(method, max_iter):
    snapshots = run(method, max_iter=max_iter, tol=NOTHING)
    assert snapshots[-1].iteration == max_iter
    assert snapshots[-1].stop == "iterations"
    assert [s.stop for s in snapshots[:-1]] == [""] * (len(snapshots) - 1)
    assert sorted({s.iteration for s in snapshots}) == list(range(max_iter + 1))
    if max_iter == 0:
        np.testing.assert_array_equal(snapshots[0].theta, snapshots[-1].theta)


def changes(snapshots, criterion):
    """Per step, the largest change of a parameter or the change of the objective."""
    pairs = list(itertools.pairwise(snapshots))
    if criterion == "parameters":
        return [float(np.abs(b.theta - a.theta).max()) for a, b in pairs]
    return [abs(float(b.objective.sum() - a.objective.sum())) for a, b in pairs]


@pytest.mark.parametrize("patience", [1, 2, 5])
@pytest.mark.parametrize("criterion", ["parameters", "likelihood"])
def test_em_stops_when_changes_stay_small_for_long_enough(criterion, patience):
    snapshots = run("em", criterion=criterion, tol=1e-3, patience=patience)
    assert snapshots[-1].stop == "converged"
    assert snapshots[-1].converged.all()
    small = [change <= 1e-3 for change in changes(snapshots, criterion)]
    assert small[-patience:] == [True] * patience
    runs = "".join("1" if hit else "0" for hit in small[:-1])
    assert "1" * patience not in runs  # nor was there a reason to stop before


class Scripted:
    """A learner whose only parameter set moves as told."""

    counts_complete_data = False
    monotone = False

    def __init__(self, changes):
        self.changes = iter(changes)

    def begin(self, work, theta, cancelled):
        return evaluate_state(work, theta, cancelled)

    def step(self, work, state, unit, cancelled):
        theta = state.theta.copy()
        theta[:2] += np.array([1, -1]) * next(self.changes)
        return replace(state, theta=theta), Info(work.objective.rows_per_pass)


def test_a_change_that_rises_again_is_no_convergence():
    network = chain(1).with_tables([[0.5, 0.5]])
    work = Workspace(make_task(network, make_dataset(network.variables, [["a"]])).objective)
    learner = Scripted([0.1, 1e-6, 0.1, 1e-6, 1e-6, 0.1])
    begun = begin(learner, work, np.array([0.5, 0.5]), np.zeros(work.objective.n_components, dtype=np.int64))
    last = list(iterate(learner, work, begun, Stopping(tol=1e-5, patience=2)))[-1]
    assert (last.iteration, last.stop) == (5, "converged")


def test_converged_components_are_no_longer_propagated():
    objective = make_task(chain(), chain_data()).objective
    wanted = objective.incomplete[1]
    rest = objective.only(np.arange(objective.n_components) == wanted)
    assert {int(k) for job in rest.jobs for k in job.component} == {wanted}
    assert 0 < sum(job.part.rows for job in rest.jobs) < sum(job.part.rows for job in objective.jobs)


def test_a_tree_with_nothing_active_is_no_longer_run(monkeypatch):
    """Four hidden causes, with two to five effects: a job each. One has converged, fewer than half."""
    causes = (0, 3, 7, 12)
    parents = [parent for k, cause in enumerate(causes) for parent in ((), *[(cause,)] * (k + 2))]
    network = random_network([f"X{k}" for k in range(len(parents))], parents)
    task = make_task(network, hide(simulate(network, 40, 1), [f"X{cause}" for cause in causes]))
    work = Workspace(task.objective)
    begun = begin(EM(), work, task.layout.flatten(network.tables), np.arange(task.objective.n_components))
    tapes, ran = [run.tape for run in work._runs.values()], []
    monkeypatch.setattr(Tape, "run", lambda tape, *rest, run=Tape.run: ran.append(tape) or run(tape, *rest))
    done = replace(begun, active=begun.active & (np.arange(len(begun.active)) != task.objective.incomplete[0]))
    every = list(iterate(EM(), work, begun, Stopping(tol=0, max_iter=3)))
    assert [ran.count(tape) for tape in tapes] == [3, 3, 3, 3]
    ran.clear()
    rest = list(iterate(EM(), work, done, Stopping(tol=0, max_iter=3)))
    assert [ran.count(tape) for tape in tapes] == [0, 3, 3, 3]
    assert len(ran) == 9
    moved = task.objective.component != task.objective.incomplete[0]
    np.testing.assert_array_equal(rest[-1].state.theta[moved], every[-1].state.theta[moved])
    np.testing.assert_array_equal(rest[-1].state.theta[~moved], begun.state.theta[~moved])


def test_a_resumed_run_propagates_only_what_has_not_converged(monkeypatch):
    """Whatever had converged before; it need not wait for the next to converge."""
    rows = []
    monkeypatch.setattr(
        Workspace, "evaluate", lambda work, *rest, run=Workspace.evaluate: rows.append(work) or run(work, *rest)
    )
    whole = run("d-em", tol=1e-4)
    straight = [int(work.objective.rows_per_pass.sum()) for work in rows]
    half = next(snapshot for snapshot in whole if 3 < np.count_nonzero(snapshot.converged) < snapshot.converged.size)
    rows.clear()
    options = {"random_state": 4, "stopping": Stopping(tol=1e-4, max_iter=half.iteration + 1)}
    list(learn(chain(), chain_data(), "d-em", resume=half, **options))
    resumed = [int(work.objective.rows_per_pass.sum()) for work in rows]
    assert len(resumed) == 2
    assert resumed[0] == straight[0]  # where it stands is found anew
    assert resumed[1] < straight[0]


def test_a_smaller_tolerance_takes_longer():
    lengths = [run("d-em", tol=tol)[-1].iteration for tol in (1e-2, 1e-4, 1e-6)]
    assert lengths == sorted(set(lengths))


def test_no_time_means_no_step():
    snapshots = run(max_seconds=0.0)
    assert snapshots[-1].stop == "time"
    assert snapshots[-1].iteration == 0


def test_time_is_up_after_a_slow_step(monkeypatch):
    clock = iter(range(10_000))
    monkeypatch.setattr("engine.learning.stopping.time.perf_counter", lambda: float(next(clock)))
    snapshots = run(max_seconds=6.0, tol=NOTHING)
    assert snapshots[-1].stop == "time"
    assert 1 <= snapshots[-1].iteration <= 6


def test_components_stop_on_their_own_and_stay_as_they_are():
    snapshots = run("d-em", tol=1e-4)
    last = snapshots[-1]
    assert last.stop == "converged"
    iterations = last.iterations[0]
    assert len(set(iterations.tolist())) > 2  # of different speeds, or the test shows nothing
    components = last.task.objective.component
    for k, stopped in enumerate(iterations):
        theta = [s.theta[0, components == k] for s in snapshots]
        for snapshot, values in list(zip(snapshots, theta, strict=True))[stopped:]:
            np.testing.assert_array_equal(values, theta[stopped])
            assert snapshot.converged[0, k]
            assert snapshot.iterations[0, k] == stopped
            assert snapshot.objective[0, k] == snapshots[stopped].objective[0, k]
        assert not any(s.converged[0, k] for s in snapshots[:stopped])


def test_a_component_learns_as_its_sub_network_does_alone():
    """Same start, same number of iterations, same parameters."""
    network, dataset = chain(), chain_data()
    snapshots = list(learn(network, dataset, "d-em", start="current", stopping=Stopping(tol=1e-4)))
    decomposition, learned = snapshots[-1].task.decomposition, snapshots[-1].network()
    assert any(not c.is_complete and c.boundary for c in decomposition.components)
    for k, component in enumerate(decomposition.components):
        sub, data = decomposition.subnetwork(component)
        *_, alone = learn(sub, data, "d-em", start="current", stopping=Stopping(tol=1e-4))
        for v in component.variables:
            mine = sub.index[network.variables[v].name]
            np.testing.assert_allclose(alone.network().tables[mine], learned.tables[v], atol=1e-12)
            part = alone.task.decomposition.component_of[mine]
            assert alone.iterations[0, part] == snapshots[-1].iterations[0, k]


def test_complete_components_are_counted_in_one_step():
    last = run("d-em", tol=1e-4)[-1]
    components = last.task.decomposition.components
    assert {c.is_complete for c in components} == {True, False}
    for k, component in enumerate(components):
        assert (last.iterations[0, k] == 1) == component.is_complete


def counted(limit):
    """A ``cancelled`` that turns true after so many calls, and the number of calls."""
    calls = [0]

    def cancelled():
        calls[0] += 1
        return calls[0] > limit

    return cancelled, calls


def test_cancelled_is_asked_inside_a_step():
    cancelled, calls = counted(10**9)
    run("d-em", cancelled=cancelled, max_iter=3, tol=NOTHING)
    jobs = len(make_task(chain(), chain_data()).objective.jobs)
    assert calls[0] >= 4 * jobs


def test_cancelled_is_asked_inside_a_chunk(monkeypatch):
    """Between the operations of a chunk that takes long."""
    monkeypatch.setattr("engine.learning.workspace.CHECKED_SECONDS", 0.0)
    often, coarse = counted(10**9), counted(10**9)
    run("em", cancelled=often[0], max_iter=1)
    monkeypatch.undo()
    run("em", cancelled=coarse[0], max_iter=1)
    assert often[1][0] > 5 * coarse[1][0]


@pytest.mark.parametrize("method", ["em", "d-em"])
@pytest.mark.parametrize("limit", [20, 21, 22, 23, 24, 25, 37])
def test_cancelling_ends_with_the_last_whole_state(method, limit, monkeypatch):
    monkeypatch.setattr("engine.learning.workspace.CHECKED_SECONDS", 0.0)
    cancelled, _ = counted(limit * 10)
    whole = run(method, max_iter=30, tol=NOTHING)
    stopped = run(method, max_iter=30, tol=NOTHING, cancelled=cancelled)
    last = stopped[-1]
    assert last.stop == "cancelled"
    assert 0 < last.iteration < 30
    np.testing.assert_array_equal(last.theta, whole[last.iteration].theta)
    np.testing.assert_array_equal(last.objective, whole[last.iteration].objective)
    np.testing.assert_array_equal(last.counts, whole[last.iteration].counts)
    assert last.iteration == stopped[-2].iteration  # the step that was cut short is not told twice


def test_cancelling_before_anything_was_found():
    (only,) = run(cancelled=lambda: True, n_init=2)
    assert only.stop == "cancelled"
    assert only.iteration == 0
    assert np.isneginf(only.objective).all()
    assert only.theta.shape[0] == 2


def progresses(objective, progress, stopping, cancelled=lambda: False):
    return list(iterate(EM(), Workspace(objective), progress, stopping, cancelled))


@pytest.mark.parametrize("units", ["whole", "components"])
@pytest.mark.parametrize("after", [1, 7, 30])
def test_resuming_goes_on_as_if_never_stopped(units, after):
    task = make_task(chain(), chain_data())
    theta = task.layout.flatten(chain(seed=9).tables)
    n = task.objective.n_components
    unit = np.arange(n) if units == "components" else np.zeros(n, dtype=np.int64)
    begun = begin(EM(), Workspace(task.objective), theta, unit)
    whole = progresses(task.objective, begun, Stopping(tol=1e-4))
    half = progresses(task.objective, begun, Stopping(tol=1e-4, max_iter=after))
    assert half[-1].stop == "iterations"
    rest = progresses(make_task(chain(), chain_data()).objective, half[-1], Stopping(tol=1e-4))
    assert len(half) + len(rest) == len(whole)
    for resumed, expected in zip([*half, *rest], whole, strict=True):
        np.testing.assert_array_equal(resumed.state.theta, expected.state.theta)
        np.testing.assert_array_equal(resumed.active, expected.active)
        np.testing.assert_array_equal(resumed.iterations, expected.iterations)
        assert resumed.iteration == expected.iteration
    assert rest[-1].stop == whole[-1].stop == "converged"


def test_resuming_after_cancelling():
    task = make_task(chain(), chain_data())
    theta = task.layout.flatten(chain(seed=9).tables)
    begun = begin(EM(), Workspace(task.objective), theta, np.arange(task.objective.n_components))
    whole = progresses(task.objective, begun, Stopping(tol=1e-4))
    cancelled, _ = counted(11)
    half = progresses(task.objective, begun, Stopping(tol=1e-4), cancelled)
    assert half[-1].stop == "cancelled"
    rest = progresses(task.objective, half[-1], Stopping(tol=1e-4))
    np.testing.assert_array_equal(rest[-1].state.theta, whole[-1].state.theta)
    assert rest[-1].iteration == whole[-1].iteration
    assert progresses(task.objective, rest[-1], Stopping(tol=1e-4))[0].iteration == whole[-1].iteration


def test_a_unit_of_restarts_stops_with_its_slowest_component():
    last = run("em", tol=1e-4, n_init=3)[-1]
    assert (last.iterations == last.iterations[:, :1]).all()
    assert len({int(i) for i in last.iterations[:, 0]}) > 1
    assert last.iteration == last.iterations.max()


def test_the_objective_of_a_prior_is_what_counts():
    """With the likelihood criterion and a prior, the objective is the likelihood plus the log prior."""
    snapshots = run("em", latent_class(), latent_data(), prior=3.0, criterion="likelihood", tol=1e-6)
    likelihoods = [float(s.log_likelihood.sum()) for s in snapshots]
    objectives = [float(s.objective.sum()) for s in snapshots]
    assert all(b >= a - 1e-9 for a, b in itertools.pairwise(objectives))
    assert any(b < a for a, b in itertools.pairwise(likelihoods))
    assert abs(objectives[-1] - objectives[-2]) <= 1e-6
