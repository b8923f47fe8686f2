"""Where the guide is, is remembered: a page that is built again begins there."""

from __future__ import annotations

import pytest

from pgmgui.state.playback import Playback
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.structuring import Structuring
from pgmgui.state.travel import Traveller
from pgmgui.tabs.guide.panel import Lessons


def build(session):
    race = Race(session)
    return Lessons(session, race, Playback(session, race, Traveller(session, race)), Structuring(session))


def test_the_guide_begins_again_where_it_was():
    session = Session()
    lessons = build(session)
    assert session.step == ""  # at its beginning, an address says nothing of it
    lessons._choice.value = "certificate"
    lessons._go(1)
    assert session.step == "certificate.2"
    again = Session()
    again.wear(session.look)
    found = build(again)
    assert (found._choice.value, found._step) == ("certificate", 1)
    assert found._text.object == lessons._text.object
    lessons._choice.value = "decomposition"
    assert session.step == ""


@pytest.mark.parametrize("step", ["nobody.1", "certificate", "certificate.9", "."])
def test_a_place_that_there_is_not_is_the_first(step):
    session = Session()
    session.go_to_step(step)
    assert build(session)._step == 0
    assert session.step == ""
