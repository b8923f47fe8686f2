"""What the Share tab says when it cannot give what it is asked for."""

from dataclasses import replace
from html import escape

from engine.sources.places import Place
from pgmgui.project.examples import find_example
from pgmgui.project.store import Store
from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.keeper import Keeper
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.tabs.share.panel import COUNTED, SharePanel
from tests.pgmgui.state.test_predicting import at_once


def test_a_link_to_an_unknown_example_says_why_there_is_none(tmp_path):
    session = Session()
    session.open_example(find_example("asia"))
    session.open(replace(session.scene, example="of-another-version"))
    race = Race(session)
    SharePanel(session, race, Keeper(session, race, Store(tmp_path)), ArrowFacts(session, at_once))._link(None)
    assert "there is no example 'of-another-version'; there are asia" in session.message
    assert "Save the session as a file instead" in session.message


def test_what_is_kept_of_data_that_is_counted_where_it_lies_is_told(tmp_path):
    session = Session()
    session.open_example(find_example("asia"))
    race = Race(session)
    keeper = Keeper(session, race, Store(tmp_path))
    panel = SharePanel(session, race, keeper, ArrowFacts(session, at_once))
    keeper.status = "kept"
    assert escape(COUNTED) not in panel._kept._pane.object
    session.open(replace(session.scene, data=None, place=Place("rows/*.parquet")))
    panel._tell()
    assert escape(COUNTED) in panel._kept._pane.object
