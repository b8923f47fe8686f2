"""The runner: pause, step, stop, and errors that reach the user."""

from __future__ import annotations

import itertools
import threading
import time

import pytest

from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.model.errors import ModelError
from pgmgui.project.examples import load_gallery
from pgmgui.state.frames import Frames
from pgmgui.state.runner import MOST_WAITING, Runner


def learn_for_ever(cancelled):
    document, data = load_gallery()[0].read()
    stopping = Stopping(max_iter=10**9)
    return learn(document.network, data.dataset, stopping=stopping, cancelled=cancelled)


def drain(runner, points):
    """Collect until there are that many points; the thread posts, so waiting is bounded by the test's timeout."""
    found = []
    while len(found) < points:
        found += runner.collect().points
    return found


def test_points_count_inferences_and_the_threads_own_seconds(endless):
    """A pause takes no seconds, and what is counted never falls."""
    runner = Runner(learn_for_ever, Frames())
    runner.begin(paused=True)
    mail = runner.collect()
    while mail.start is None:
        mail = runner.collect()
    assert mail.start.iteration == 0
    begun = time.perf_counter()
    while time.perf_counter() < begun + 0.3:  # the page would wait for the user
        assert runner.collect().points == []
    runner.resume()
    points = mail.points + drain(runner, 20)
    runner.stop()
    assert runner.join(20)
    assert points[1].seconds - points[0].seconds < 0.2
    assert all(a.seconds <= b.seconds and a.inferences < b.inferences for a, b in itertools.pairwise(points))


def test_iterations_count_on_when_another_batch_of_restarts_begins():
    document, data = load_gallery()[0].read()
    first, second, *_ = learn(document.network, data.dataset)

    runner = Runner(lambda cancelled: iter([first, second, first, second]), Frames())
    runner.begin()
    assert runner.join(20)
    mail = runner.collect()
    assert [point.iteration for point in mail.points] == [0, 1, 1, 2]
    assert mail.start is first


def test_stop_ends_with_the_last_state(endless):
    runner = Runner(learn_for_ever, Frames())
    runner.begin()
    drain(runner, 5)
    runner.stop()
    assert runner.join(20)
    mail = runner.collect()
    assert mail.done
    assert mail.snapshot.stop == "cancelled"


def test_steps_are_single_and_pause_holds(endless):
    runner = Runner(learn_for_ever, Frames())
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


def begin_late(asked):
    """A run of four points, paused, that begins when the event is set."""
    document, data = load_gallery()[0].read()
    first, second, *_ = learn(document.network, data.dataset)

    def wait(cancelled):
        asked.wait()
        yield from [first, second, first, second]

    runner = Runner(wait, Frames())
    runner.begin(paused=True)
    return runner


def test_what_is_resumed_goes_on_although_a_step_was_asked_for_just_before():
    asked = threading.Event()
    runner = begin_late(asked)
    runner.step()
    runner.resume()
    asked.set()
    ended = runner.join(20)
    runner.stop()
    assert ended


def test_of_two_quick_steps_none_is_lost():
    """Each pauses what runs before it asks for one more."""
    asked = threading.Event()
    runner = begin_late(asked)
    for _ in range(2):
        runner.pause()
        runner.step()
    asked.set()
    assert len(drain(runner, 3)) == 3
    runner.stop()
    assert runner.join(20)


@pytest.mark.parametrize(("error", "part"), [(ModelError("no such thing"), "no such thing"), (KeyError("x"), "report")])
def test_errors_reach_the_mailbox(error, part):
    def fail(cancelled):
        raise error
        yield

    runner = Runner(fail, Frames())
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

    runner = Runner(many, Frames())
    runner.begin()
    assert enough.wait(60)
    assert runner.join(20)
    assert len(runner.collect().points) <= MOST_WAITING + 1
