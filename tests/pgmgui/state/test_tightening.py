"""The bound that takes long: after those that are found at once, beside the page, for what is open then."""

from __future__ import annotations

import pytest

from engine.formats import DataDocument, Document
from engine.learning.bounding import bound_task
from engine.model.errors import Cancelled
from engine.simulation.generators import grid_markov
from engine.simulation.sampling import simulate
from pgmgui.project import scene as scene_module
from pgmgui.project.examples import find_example
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Hidden
from pgmgui.project.scene import Scene, derive
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.tightening import Tightening


class Beside:
    """A thread that works when it is told to."""

    def __init__(self) -> None:
        self.waiting = []

    def __call__(self, do) -> None:
        self.waiting.append(do)

    def find(self):
        """Do what was asked for first; what is to be done with it, where the page may be changed."""
        return self.waiting.pop(0)()

    def work(self) -> None:
        """Do what was asked for first, and what is to be done with it."""
        self.find()()


@pytest.fixture
def beside():
    return Beside()


def make_scene(side=5, hidden=("X6", "X13")) -> Scene:
    """A grid of so many parameters that its bound is not fitted at once."""
    network = grid_markov(side, side, random_state=1)
    data = DataDocument(simulate(network, 200, random_state=2))
    return Scene("grid", "", arrange(Document(network)), data, dict.fromkeys(hidden, Hidden()))


def open_grid(beside) -> tuple[Session, list]:
    session = Session()
    Tightening(session, beside)
    heard = []
    session.param.watch(lambda *_: heard.append(session.parts.bounds), "bounded")
    session.open(make_scene())
    return session, heard


def test_what_is_found_at_once_is_a_bound_and_the_tightest_follows(beside):
    session, heard = open_grid(beside)
    first = session.parts.bounds
    assert not session.parts.is_tight
    assert (first.scopes, first.total) == (None, first.triangulated)
    assert heard == []
    beside.work()
    tightest = bound_task(session.parts.task)
    assert heard == [session.parts.bounds]
    assert (heard[0].total, heard[0].kind) == (tightest.total, tightest.kind)
    assert heard[0].total < first.total
    assert session.parts.is_tight
    assert beside.waiting == []


def test_nobody_sees_a_bound_before_it_is_told(beside):
    session, heard = open_grid(beside)
    first = session.parts.bounds
    finish = beside.find()
    assert (session.parts.bounds is first, heard) == (True, [])
    finish()
    assert heard == [session.parts.bounds] != [first]


def test_small_markov_networks_and_bayesian_ones_have_theirs_at_once(beside):
    session = Session()
    Tightening(session, beside)
    for example in ("thesis-grid", "asia"):
        session.open_example(find_example(example))
        assert session.parts.is_tight
        assert session.parts.bounds.total == bound_task(session.parts.task).total
    session.new(markov=True)
    assert beside.waiting == []


def test_another_problem_ends_the_fit_of_the_one_before(beside):
    """One at a time: what was fitted for nothing is given up, and what is open now comes next."""
    session, heard = open_grid(beside)
    given_up = session.parts
    session.mark(["X0"], Hidden())
    assert len(beside.waiting) == 1
    beside.work()
    assert (heard, given_up.is_tight, len(beside.waiting)) == ([], False, 1)
    beside.work()
    assert [bounds.is_final for bounds in heard] == [True]
    # Taken back, the first problem is open again, and its bound not yet known.
    session.undo()
    assert session.parts is given_up
    beside.work()
    assert given_up.is_tight


def test_fits_are_given_up_at_once():
    parts = derive(make_scene()).parts
    asked = []

    def say_yes_later() -> bool:
        asked.append(True)
        return len(asked) > 3

    with pytest.raises(Cancelled):
        parts.find_tightest(say_yes_later)
    assert len(asked) == 4
    assert not parts.is_tight


def test_what_goes_wrong_is_said_once(beside, monkeypatch):
    session, heard = open_grid(beside)

    def fail(*_args, **_options):
        raise ValueError("no luck")

    monkeypatch.setattr(scene_module, "bound_task", fail)
    beside.work()
    assert "no luck" in session.message
    assert (heard, beside.waiting) == ([], [])


def test_the_race_says_that_a_tighter_bound_is_on_its_way(beside):
    session, _ = open_grid(beside)
    race = Race(session)
    race.begin(paused=True)
    while race.best is None:
        race.tick()
    assert "A tighter bound is on its way." in race.describe()
    before = race.describe()[0]
    beside.work()
    assert "A tighter bound is on its way." not in race.describe()
    assert race.describe()[0] != before
    race.stop()
