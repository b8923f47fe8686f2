"""Components learned by workers: the same result, nothing shared, and no waiting when cancelled."""

from __future__ import annotations

from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from engine.learning import workers
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.workspace import Workspace
from tests.engine.learning.models import chain, chain_data

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
    """An executor that works at once, and remembers the problems it was given."""

    def __init__(self):
        self.objectives = []

    def submit(self, function, learner, objective, progress, stopping):
        future = Future()
        self.objectives.append(objective)
        future.set_result(function(learner, objective, progress, stopping))
        return future


def test_workers_do_not_share_arrays(monkeypatch):
    """Two threads that wrote their parameters to one pool would read each other's."""
    made = []

    class Watched(Workspace):
        def __init__(self, objective):
            super().__init__(objective)
            made.append(self)

    monkeypatch.setattr(workers, "Workspace", Watched)
    executor = Recorder()
    run(chain(), chain_data(), executor=executor)
    assert len(made) == len(executor.objectives) > 2
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
    executor, asked = Idle(), []

    def cancelled():
        asked.append(len(executor.futures))
        return bool(executor.futures)

    snapshots = run(chain(), chain_data(), executor=executor, cancelled=cancelled)
    assert [s.stop for s in snapshots] == ["", "cancelled"]
    assert all(future.cancelled() for future in executor.futures)
    np.testing.assert_array_equal(snapshots[0].theta, snapshots[1].theta)


def test_an_executor_without_components_to_share_is_not_used():
    run(chain(), chain_data(), "em", executor=Idle(), max_iter=1)
