"""The missingness studio: which variable it is about, and what is known of it while somebody looks."""

from pgmgui.project.absence import compare
from pgmgui.project.marks import Absent, Hidden
from pgmgui.state.session import Session
from pgmgui.state.studio import Studio
from tests.pgmgui.project.test_absence import OWN, make_scene
from tests.pgmgui.state.test_predicting import at_once


def open_studio(**marks):
    session = Session()
    session.open(make_scene(300, **marks))
    studio = Studio(session, at_once)
    studio.look(True)
    return session, studio


def test_it_follows_the_selection_and_selects_what_is_chosen():
    session, studio = open_studio()
    assert studio.target == "asia"
    session.select(["lung"])
    assert studio.target == studio.facts.target == "lung"
    session.select(["lung", "tub"])
    assert studio.target == "lung"
    studio.choose("smoke")
    assert (session.selected, studio.target) == (["smoke"], "smoke")
    session.remove(["smoke"])
    assert studio.target == "asia"


def test_causes_and_chances_are_marks_that_can_be_undone():
    session, studio = open_studio(smoke=Hidden())
    studio.choose("smoke")
    assert studio.set_causes(("smoke",))
    assert session.marks["smoke"] == Absent(("smoke",), (0.6, 0.1))
    assert studio.set_chance(1, 0.25)
    assert studio.facts.mark.chances == (0.6, 0.25)
    assert studio.fits
    assert studio.set_causes(())
    assert session.marks["smoke"].chances == (0.3,)
    for _ in range(3):
        session.undo()
    assert session.marks == {"smoke": Hidden()}
    assert studio.mark is None
    assert not studio.set_chance(0, 0.5)


def test_taking_the_mechanism_off_shows_all_values():
    session, studio = open_studio(smoke=OWN)
    studio.choose("smoke")
    assert studio.set_causes(None)
    assert session.marks == {}
    assert studio.facts.counted.whole == 0


def test_nothing_is_computed_while_nobody_looks():
    session = Session()
    session.open(make_scene(300, smoke=OWN))
    studio = Studio(session, at_once)
    session.select(["smoke"])
    assert studio.facts is None
    studio.look(True)
    assert studio.facts.kind == "nmar"


def test_what_was_compared_goes_when_its_problem_has_changed():
    session, studio = open_studio(smoke=OWN)
    studio.choose("smoke")
    scene = session.scene
    found = compare(scene, session.seen, "smoke", 0, lambda *_: None, lambda: False)
    studio.show(found, scene)
    assert studio.compared is found
    session.move({"asia": (3.0, 4.0)})
    assert studio.compared is found
    studio.set_chance(0, 0.5)
    assert studio.compared is None
    studio.show(found, scene)  # too late
    assert studio.compared is None


def test_the_selected_indicator_means_its_variable():
    session, studio = open_studio(smoke=Absent(("smoke",), (0.6, 0.1), "xray"))
    session.select(["xray"])
    assert studio.target == "smoke"
