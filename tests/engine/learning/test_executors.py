"""Components learned by workers: the same result, nothing shared, and no waiting when cancelled."""

from __future__ import annotations

import os
import signal
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from threading import Event

import numpy as np
import pytest

from engine.learning import shared_rows, workers
from engine.learning.learn import learn
from engine.learning.learners.em import EM
from engine.learning.methods import Method
from engine.learning.shared_rows import count_range
from engine.learning.stopping import Stopping
from engine.learning.team import Team
from engine.learning.workspace import Workspace
from engine.model.network import as_markov
from engine.simulation.missingness import hide
from engine.simulation.sampling import simulate
from tests.engine.learning.models import chain, chain_data, latent_class

pytestmark = pytest.mark.filterwarnings("error")


def run(network, dataset, method="d-em", tol=1e-3, max_iter=1000, **options):
    return list(learn(network, dataset, method, stopping=Stopping(tol=tol, max_iter=max_iter), **options))


@pytest.mark.parametrize("make_executor", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_workers_find_the_same(make_executor):
    network, dataset = chain(15), chain_data(200, 15)
    here = run(network, dataset, n_init=2, prior=1.5)[-1]
    with make_executor(2) as executor:
        there = run(network, dataset, n_init=2, prior=1.5, executor=executor)[-1]
    np.testing.assert_array_equal(there.theta, here.theta)
    np.testing.assert_array_equal(there.objective, here.objective)
    np.testing.assert_array_equal(there.counts, here.counts)
    np.testing.assert_array_equal(there.iterations, here.iterations)
    assert there.stop == here.stop == "converged"
    assert there.converged.all()


class Recorder:
    """An executor that works at once, and remembers what it was given."""

    def __init__(self):
        self.asked = []

    def submit(self, function, *words):
        future = Future()
        self.asked.append(function)
        future.set_result(function(*words))
        return future


def test_workers_do_not_share_arrays(monkeypatch):
    """Two threads that wrote their parameters to one pool would read each other's."""
    made = []

    class Watched(Workspace):
        def __init__(self, objective):
            super().__init__(objective)
            made.append(self)

    monkeypatch.setattr(workers, "Workspace", Watched)
    monkeypatch.setattr(workers, "PARCEL_SECONDS", 0.0)
    executor = Recorder()
    run(chain(), chain_data(), executor=executor)
    assert len(made) == len(executor.asked) + 1 > 3  # and one here, for what is complete
    pools = [work._pool for work in made]
    assert not any(np.shares_memory(a, b) for k, a in enumerate(pools) for b in pools[:k])
    tapes = [id(tape) for work in made for tape in work._runs.values()]
    assert len(set(tapes)) == len(tapes) > 2


def test_workers_report_the_worst_reason():
    with ThreadPoolExecutor(2) as executor:
        last = run(chain(), chain_data(), max_iter=3, tol=1e-8, executor=executor)[-1]
    assert last.stop == "iterations"
    assert last.iteration == 3


class Idle:
    """An executor that never begins."""

    def __init__(self):
        self.futures = []

    def submit(self, *_):
        self.futures.append(Future())
        return self.futures[-1]


def test_cancelling_does_not_wait_for_workers(monkeypatch):
    monkeypatch.setattr(workers, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(workers, "PARCEL_SECONDS", 0.0)
    executor, asked = Idle(), []

    def cancelled():
        asked.append(len(executor.futures))
        return bool(executor.futures)

    snapshots = run(chain(), chain_data(), executor=executor, cancelled=cancelled)
    assert [s.stop for s in snapshots] == ["", "", "cancelled"]  # after what is complete, which is learned here
    assert all(future.cancelled() for future in executor.futures)
    np.testing.assert_array_equal(snapshots[1].theta, snapshots[2].theta)


def test_an_executor_with_nothing_to_share_is_not_used():
    """Restarts that help each other, and what is the only one of its kind."""
    run(chain(), chain_data(), "auto", executor=Idle(), max_iter=1)
    run(chain(), chain_data(), "em", executor=Idle(), max_iter=1)


def test_what_workers_have_reached_is_kept_when_they_stop(monkeypatch):
    """They are told to stop after some steps, and give back these."""
    monkeypatch.setattr(workers, "PARCEL_SECONDS", 0.0)
    network, dataset, told, asked = chain(), chain_data(), Event(), Event()

    def is_stopped():
        asked.set()
        return told.is_set()

    with ThreadPoolExecutor(8) as executor:
        team = Team(executor, 8, is_stopped, told.set)
        *_, last = run(network, dataset, tol=0.0, max_iter=10**9, executor=team, cancelled=asked.is_set)
    assert last.stop == "cancelled"
    assert last.iterations.max() > 0
    assert last.objective.sum() > run(network, dataset, max_iter=0)[-1].objective.sum()


def same(here, there):
    """Bit for bit the same."""
    for name in ("theta", "objective", "counts", "iterations", "log_likelihood", "recent"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    assert (there.stop, there.iteration, there.inferences) == (here.stop, here.iteration, here.inferences)


@pytest.fixture
def many_chunks(monkeypatch):
    """Rows in chunks of 64."""
    monkeypatch.setattr("engine.inference.tape.CHUNK_BYTES", 1)


@pytest.mark.parametrize("method", ["d-em", "em", "lbfgs"])
def test_rows_are_shared_out_to_the_same_bits(many_chunks, monkeypatch, method):
    network = latent_class(7)
    dataset = hide(simulate(network, 700, 3), ["C"])
    alone = [*run(network, dataset, method, n_init=2, max_iter=40, executor=Team(Recorder(), 1))][-1]
    for size in (2, 3, 7):
        team = Team(Recorder(), size, shares_from=0.0)
        same(alone, run(network, dataset, method, n_init=2, max_iter=40, executor=team)[-1])
        assert (count_range in team.executor.asked) == (size > 2)  # two restarts for two workers


def test_rows_of_a_markov_network_are_shared_out(many_chunks):
    network, dataset = markov_problem()
    alone = run(network, dataset, "em", max_iter=5, executor=Team(Recorder(), 1))[-1]
    team = Team(Recorder(), 3, shares_from=0.0)
    same(alone, run(network, dataset, "em", max_iter=5, executor=team)[-1])
    assert set(team.executor.asked) == {count_range}


def test_restarts_of_a_markov_network_are_shared_out():
    network, dataset = markov_problem()
    alone = run(network, dataset, "em", n_init=3, max_iter=5)[-1]
    team = Team(Recorder(), 3)
    shared = run(network, dataset, "em", n_init=3, max_iter=5, executor=team)[-1]
    assert team.parcels == len(team.executor.asked) == 3
    np.testing.assert_allclose(shared.theta, alone.theta, rtol=1e-9)


def markov_problem():
    network = latent_class(5)
    return as_markov(network), hide(simulate(network, 700, 3), ["C"])


class Dying(Recorder):
    """An executor whose worker dies while it does the second of what it was given; what comes later is refused."""

    def submit(self, function, *words):
        if len(self.asked) > 2:
            raise BrokenProcessPool("it is broken")
        if len(self.asked) != 1:
            return super().submit(function, *words)
        self.asked.append(function)
        future = Future()
        future.set_exception(BrokenProcessPool("it died"))
        return future


def test_parcels_that_workers_lose_are_learned_here(monkeypatch):
    monkeypatch.setattr(workers, "PARCEL_SECONDS", 0.0)
    network, dataset = chain(15), chain_data(200, 15)
    alone = run(network, dataset, executor=Team(Recorder(), 1), max_iter=40)[-1]
    team = Team(Dying(), 4)
    same(alone, run(network, dataset, executor=team, max_iter=40)[-1])
    assert (team.trouble, team.lost, team.left) == ("it died", team.parcels - 3, 0)  # one is complete


def test_rows_that_workers_lose_are_counted_here(many_chunks):
    network = latent_class(7)
    dataset = hide(simulate(network, 700, 3), ["C"])
    alone = run(network, dataset, executor=Team(Recorder(), 1), max_iter=40)[-1]
    team = Team(Dying(), 4, shares_from=0.0)
    same(alone, run(network, dataset, executor=team, max_iter=40)[-1])
    assert (team.trouble, team.lost, team.left) == ("it is broken", 1, 0)


class Silent(Idle):
    """An executor whose workers are gone as soon as they are asked, and which never says so."""

    def submit(self, *_):
        self.team.gone = "all are gone"
        return super().submit()


@pytest.mark.parametrize("shares_from", [0.0, np.inf], ids=["rows", "parcels"])
def test_workers_that_are_gone_are_not_waited_for(monkeypatch, many_chunks, shares_from):
    monkeypatch.setattr(workers, "PARCEL_SECONDS", 0.0)
    monkeypatch.setattr(shared_rows, "POLL_SECONDS", 0.0)
    network = latent_class(7) if shares_from == 0.0 else chain(15)
    dataset = hide(simulate(network, 700, 3), ["C"]) if shares_from == 0.0 else chain_data(200, 15)
    alone = run(network, dataset, executor=Team(Recorder(), 1), max_iter=40)[-1]
    executor = Silent()
    team = executor.team = Team(executor, 4, shares_from=shares_from)
    same(alone, run(network, dataset, executor=team, max_iter=40)[-1])
    assert (team.trouble, team.left) == ("all are gone", 0)
    assert 1 <= len(executor.futures) <= 2 * team.size  # what was handed over before it was noticed


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


class Killing:
    """Two processes, of which the one that does the third parcel is killed."""

    def __init__(self, pool):
        self.pool, self.asked = pool, 0

    def submit(self, function, *words):
        self.asked += 1
        return self.pool.submit(die if self.asked == 3 else function, *words)


def test_a_process_that_is_killed_costs_nothing_but_time(monkeypatch):
    """Its pool is broken then: what is left is learned here."""
    monkeypatch.setattr(workers, "PARCEL_SECONDS", 0.0)
    network, dataset = chain(15), chain_data(200, 15)
    alone = run(network, dataset, n_init=2, executor=Team(Recorder(), 1))[-1]
    with ProcessPoolExecutor(2) as pool:
        team = Team(Killing(pool), 2)
        same(alone, run(network, dataset, n_init=2, executor=team)[-1])
    assert team.lost > 0
    assert "terminated abruptly" in team.trouble


def test_what_is_wrong_with_the_problem_is_said_once(monkeypatch):
    """An error that is no worker's fault comes up again here."""
    monkeypatch.setattr(workers, "PARCEL_SECONDS", 0.0)

    class Faulty(EM):
        def step(self, *_):
            raise ZeroDivisionError("of the learner")

    with pytest.raises(ZeroDivisionError, match="of the learner"), ThreadPoolExecutor(1) as executor:
        run(chain(), chain_data(), Method("faulty", Faulty(), decomposed=True), executor=executor)


def test_time_is_that_of_all_together(monkeypatch):
    """A parcel that begins late has no more time than the others."""
    monkeypatch.setattr(workers, "PARCEL_SECONDS", 0.0)
    begun = []

    class Watched(Recorder):
        def submit(self, function, learner, objective, progress, *words):
            begun.append(progress.seconds)
            return super().submit(function, learner, objective, progress, *words)

    run(chain(), chain_data(), n_init=2, executor=Watched())
    assert len(begun) > 4
    assert begun == sorted(set(begun))
    stopping = Stopping(tol=0.0, max_iter=10**9, max_seconds=begun[0] / 10)
    *_, last = learn(chain(), chain_data(), n_init=2, stopping=stopping, executor=Watched())
    assert last.stop == "time"
