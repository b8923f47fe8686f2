"""Going back through runs: what is kept of them, and what is looked at."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.learn import learn
from pgmgui.project.examples import find_example
from pgmgui.state import frames as frames_module
from pgmgui.state.frames import Frame, Frames
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.travel import Traveller
from tests.pgmgui.state.test_race import follow


@pytest.fixture
def session(request):
    session = Session()
    session.open_example(find_example(getattr(request, "param", "asia")))
    return session


both_kinds = pytest.mark.parametrize("session", ["asia", "thesis-grid"], indirect=True)


@pytest.fixture(scope="module")
def snapshots():
    session = Session()
    session.open_example(find_example("asia"))
    return list(learn(session.network, session.seen, n_init=3))


def test_all_iterations_are_kept_of_a_short_run(snapshots):
    frames = Frames()
    for snapshot in snapshots[:50]:
        frames.add(snapshot.iteration, snapshot)
    assert [frame.iteration for frame in frames.list()] == list(range(50))
    for frame, snapshot in zip(frames.list(), snapshots, strict=False):
        assert np.array_equal(frame.snapshot.theta[0], snapshot.theta[snapshot.best])
        assert frame.snapshot.objective.sum() == snapshot.objective.sum(axis=1).max()


def test_long_runs_are_thinned_but_for_their_beginning_and_the_newest(snapshots, monkeypatch):
    monkeypatch.setattr(frames_module, "MOST_FRAMES", 20)
    frames = Frames()
    for k in range(1001):
        frames.add(k, snapshots[k % 10])
    iterations = [frame.iteration for frame in frames.list()]
    assert len(iterations) <= 21
    assert iterations[:6] == list(range(6))
    assert iterations[-1] == 1000
    assert len(set(np.diff(iterations[7:-1]).tolist())) == 1


def test_bytes_are_bounded(snapshots, monkeypatch):
    size = snapshots[0].theta[0].nbytes * 2
    monkeypatch.setattr(frames_module, "MOST_BYTES", 8 * size)
    frames = Frames()
    for k in range(200):
        frames.add(k, snapshots[0])
    kept = frames.list()
    assert len(kept) <= 9
    assert all(frame.snapshot.theta.base is None for frame in kept[:-1])  # no view that keeps all restarts alive


def test_nearest_and_steps(snapshots):
    frames = Frames()
    assert frames.nearest(3) is None
    assert frames.step(3, 1) is None
    for k in (0, 4, 8, 12):
        frames.add(k, snapshots[0])
    assert [frames.nearest(x).iteration for x in (-5, 1, 5.9, 6.1, 100)] == [0, 0, 4, 8, 12]
    assert frames.step(4, 1).iteration == 8
    assert frames.step(4, -1).iteration == 0
    assert frames.step(0, -1).iteration == 0
    assert frames.step(12, 3).iteration == 12


@both_kinds
def test_travelling_shows_the_parameters_of_an_iteration(session):
    race = Race(session)
    traveller = Traveller(session, race)
    race.begin()
    follow(race)
    assert session.viewed == "current"
    assert session.viewed_network is session.network
    traveller.go_to(5)
    assert session.moment.title == "iteration 5 of decomposed EM"
    assert session.viewed_title == session.moment.title
    settings = session.settings
    expected = list(learn(session.network, session.seen, random_state=settings.seed))[5]
    for shown, table in zip(session.viewed_network.tables, expected.network().tables, strict=True):
        assert shown == pytest.approx(table)
    assert session.reached.objective.sum() == pytest.approx(expected.objective.sum())
    traveller.step(-1)
    assert traveller.iteration == 4
    traveller.step(2)
    assert traveller.iteration == 6
    traveller.go_to(10**9)
    assert session.moment is None
    assert session.viewed == "learned"
    assert traveller.iteration == traveller.last
    session.view("current")
    assert session.viewed_network is session.network


def test_a_new_problem_or_a_cancelled_run_ends_the_journey(session):
    race = Race(session)
    traveller = Traveller(session, race)
    traveller.go_to(3)  # nothing to go to
    assert session.moment is None
    assert session.viewed == "current"
    race.begin()
    follow(race)
    traveller.go_to(3)
    race.cancel()
    assert (session.moment, session.viewed, traveller.last) == (None, "current", 0)
    race.begin()
    follow(race)
    traveller.go_to(3)
    session.toggle_hidden(["smoke"])
    assert (session.moment, session.viewed) == (None, "current")


@both_kinds
def test_learners_and_restarts_are_chosen(session):
    session.configure(methods=("d-em", "em"), restarts=3)
    race = Race(session)
    traveller = Traveller(session, race)
    race.begin()
    follow(race)
    traveller.choose("em")
    traveller.go_to(2)
    assert session.moment.title == "iteration 2 of EM"
    snapshot = race.curves["em"].snapshot
    for restart in range(3):
        traveller.load(restart)
        assert session.moment.title == f"restart {restart + 1} of EM"
        assert np.array_equal(session.reached.theta[0], snapshot.theta[restart])
    assert type(session.viewed_network) is type(session.network)


def test_what_is_looked_at_is_built_once(session, snapshots):
    session.report(snapshots[-1])
    session.travel_to(Frame(0, snapshots[0].only(), "here"))
    assert session.viewed_network is session.viewed_network
