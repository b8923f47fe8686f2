"""The runner: pause, step, stop, and errors that reach the user."""

from __future__ import annotations

import threading

import pytest

from engine.errors import ModelError
from engine.learners.base import Stopping
from engine.learners.learn import learn
from pgmgui.examples import load_gallery
from pgmgui.runner import MOST_WAITING, Runner


def endless(cancelled):
    document, data = load_gallery()[0].read()
    stopping = Stopping(tol=0, max_iter=10**9)
    return learn(document.network, data.dataset, stopping=stopping, cancelled=cancelled)


def drain(runner, points):
    """Collect until there are that many points; the thread posts, so waiting is bounded by the test's timeout."""
    found = []
    while len(found) < points:
        found += runner.collect().points
    return found


def test_stop_ends_with_the_last_state():
    runner = Runner(endless)
    runner.begin()
    drain(runner, 5)
    runner.stop()
    assert runner.join(20)
    mail = runner.collect()
    assert mail.done
    assert mail.snapshot.stop == "cancelled"


def test_steps_are_single_and_pause_holds():
    runner = Runner(endless)
    runner.begin(paused=True)
    assert [p.iteration for p in drain(runner, 1)] == [0]
    for k in (1, 2, 3):
        runner.step()
        assert [p.iteration for p in drain(runner, 1)] == [k]
        assert runner.collect().points == []
    runner.resume()
    assert [p.iteration for p in drain(runner, 2)][:2] == [4, 5]
    runner.stop()
    assert runner.join(20)


@pytest.mark.parametrize(("error", "part"), [(ModelError("no such thing"), "no such thing"), (KeyError("x"), "report")])
def test_errors_reach_the_mailbox(error, part):
    def fail(cancelled):
        raise error
        yield

    runner = Runner(fail)
    runner.begin()
    assert runner.join(20)
    mail = runner.collect()
    assert part in mail.error
    assert mail.done


def test_the_mailbox_is_bounded_and_keeps_both_ends():
    """A page that never looks must not make memory grow."""
    document, data = load_gallery()[0].read()
    first = next(learn(document.network, data.dataset))
    enough = threading.Event()

    def many(cancelled):
        for _ in range(3 * MOST_WAITING):
            yield first
        enough.set()

    runner = Runner(many)
    runner.begin()
    assert enough.wait(60)
    assert runner.join(20)
    assert len(runner.collect().points) <= MOST_WAITING + 1
