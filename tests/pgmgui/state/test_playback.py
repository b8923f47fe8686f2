"""Playing a run again, by a clock that the test sets."""

from __future__ import annotations

import pytest

from engine.model.errors import PgmError
from pgmgui.project.axes import Axes
from pgmgui.project.examples import find_example
from pgmgui.state import race as race_module
from pgmgui.state.playback import HOLD, WHOLE, Playback
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.standings import Standings
from pgmgui.state.travel import Traveller
from tests.pgmgui.state.test_race import follow


class Room:
    """A run of Asia that has ended, and what plays it."""

    def __init__(self, *methods: str) -> None:
        self.session, self.now = Session(), 100.0
        self.session.open_example(find_example("asia"))
        self.session.configure(methods=methods or ("d-em",))
        self.race = Race(self.session)
        self.traveller = Traveller(self.session, self.race)
        self.playback = Playback(self.session, self.race, self.traveller, lambda: self.now)

    def run(self) -> Room:
        self.race.begin()
        follow(self.race)
        return self

    def wait(self, seconds: float) -> Room:
        self.now += seconds
        self.playback.advance()
        return self


@pytest.fixture
def room():
    return Room().run()


def test_a_run_is_played_from_its_start_to_its_end_in_ten_seconds(room):
    last = room.traveller.last
    room.playback.play_or_pause()
    assert (room.playback.playing, room.playback.place) == (True, 0.0)
    room.wait(WHOLE / 2)
    assert room.playback.place == pytest.approx(last / 4)  # slowly at first
    assert room.traveller.iteration == round(last / 4)
    assert room.session.viewed == "learned"
    point = next(point for point in room.traveller.curve.points[::-1] if point.iteration <= last / 4)
    assert room.playback.describe() == [
        f"decomposed EM: {point.objective:,.4f} at iteration {point.iteration} of {last}."
    ]
    room.wait(WHOLE / 2)
    assert (room.playback.playing, room.playback.place) == (False, None)
    assert room.session.moment is None
    assert room.traveller.iteration == last


def test_the_speed_is_chosen(room):
    assert room.playback.speed == 1
    room.playback.play_or_pause()
    room.playback.change_speed()
    room.wait(WHOLE / 4)
    assert room.playback.share == pytest.approx(0.5)
    speeds = [room.playback.speed]
    for _ in range(3):
        room.playback.change_speed()
        speeds.append(room.playback.speed)
    assert speeds == [2, 4, 0.5, 1]


def test_a_short_run_is_played_in_less_time():
    room = Room()
    room.session.configure(max_iter=4)
    room.run().playback.play_or_pause()
    room.wait(1.0)
    assert room.playback.share == pytest.approx(0.5)


def test_it_waits_where_it_is_and_goes_on_from_there(room):
    room.playback.play_or_pause()
    room.wait(3.0).playback.play_or_pause()
    place = room.playback.place
    room.wait(60.0)
    assert (room.playback.playing, room.playback.place) == (False, place)
    room.playback.play_or_pause()
    assert room.playback.place == place
    room.wait(1.0)
    assert room.playback.place > place


def test_it_begins_where_the_user_looks(room):
    room.traveller.go_to(40)
    room.playback.play_or_pause()
    assert room.playback.place == pytest.approx(40)


def test_the_end_can_be_seen_at_once(room):
    room.playback.play_or_pause()
    room.wait(3.0).playback.end()
    assert (room.playback.playing, room.playback.share, room.session.moment) == (False, None, None)


@pytest.mark.parametrize("across", ["inferences", "seconds"])
def test_it_goes_along_what_the_plot_counts(room, across):
    room.session.show_axes(Axes(across))
    room.playback.play_or_pause()
    room.wait(WHOLE / 2)
    end = room.traveller.curve.points[-1]
    assert room.playback.place == pytest.approx(getattr(end, across) / 4)


def test_the_longest_of_several_learners_is_played_to_its_end():
    room = Room("d-lbfgs", "d-em").run()
    ends = {curve.method: curve.points[-1].iteration for curve in room.race.curves.values()}
    assert ends["d-lbfgs"] < ends["d-em"] / 4
    room.playback.play_or_pause()
    room.wait(WHOLE / 2)
    assert room.playback.place == pytest.approx(ends["d-em"] / 4)
    assert f"at iteration {ends['d-lbfgs']} of {ends['d-lbfgs']}." in " ".join(room.playback.describe())


@pytest.mark.parametrize(
    "act",
    [
        lambda room: room.session.toggle_hidden(["smoke"]),
        lambda room: room.race.begin(paused=True),
        lambda room: room.race.cancel(),
        lambda room: room.race.apply(),
        lambda room: room.traveller.step(1),
        lambda room: room.session.open_example(find_example("cancer")),
    ],
    ids=["edit", "new run", "discard", "apply", "travel", "another scene"],
)
def test_what_the_user_does_besides_ends_it(room, act):
    room.playback.play_or_pause()
    room.wait(2.0)
    act(room)
    assert (room.playback.playing, room.playback.share) == (False, None)
    room.wait(1.0)
    room.race.cancel()


def test_scores_of_rows_held_out_that_arrive_meanwhile_do_not_end_it():
    room, waiting = Room(), []
    room.session.hold_out(0.3, 0)
    Standings(room.session, room.race, waiting.append)
    room.run().playback.play_or_pause()
    place = room.wait(2.0).playback.place
    waiting.pop()()()
    assert all(curve.tested for curve in room.race.curves.values())
    assert (room.playback.playing, room.playback.place) == (True, place)


def test_without_a_run_there_is_nothing_to_play():
    room = Room()
    assert not room.playback.can_play
    room.playback.play_or_pause()
    room.playback.play_slowly()
    room.wait(1.0).playback.end()
    assert not room.playback.playing


def test_a_short_run_is_held_back_and_played_slowly():
    room = Room()
    room.race.begin()
    room.playback.play_slowly()
    room.wait(HOLD / 2)
    assert room.playback.place == 0
    follow(room.race)
    assert (room.playback.playing, room.playback.share) == (True, 0.0)
    room.wait(5.0).wait(WHOLE / 2)  # its time begins when the page looks
    assert room.playback.share == pytest.approx(0.5)


def test_a_run_that_fails_before_its_first_point_is_not_played(monkeypatch):
    def fail(*_arguments, **_options):
        raise PgmError("too wide")

    monkeypatch.setattr(race_module, "learn", fail)
    room = Room()
    room.race.begin()
    room.playback.play_slowly()
    follow(room.race)
    assert room.playback.playing
    room.wait(0.1)
    assert (room.playback.playing, room.playback.share) == (False, None)
    assert "too wide" in room.session.message


def test_a_long_run_is_shown_as_it_goes():
    room = Room()
    room.race.begin(paused=True)
    room.race.resume()
    room.playback.play_slowly()
    room.wait(HOLD + 0.1)
    assert (room.playback.playing, room.playback.share) == (False, None)
    room.race.cancel()


def test_who_does_not_want_to_wait_is_shown_the_run_as_it_goes():
    room = Room()
    room.race.begin()
    room.playback.play_slowly()
    room.playback.play_or_pause()
    assert (room.playback.playing, room.playback.share) == (False, None)
    room.race.cancel()
