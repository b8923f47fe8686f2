"""The views of the Structure tab, without a browser."""

from pgmgui.project.examples import find_example
from pgmgui.project.marks import Hidden
from pgmgui.state.resampling import INCOMPLETE
from pgmgui.state.session import Session
from pgmgui.state.structuring import Structuring
from pgmgui.tabs.structure import search_view
from pgmgui.tabs.structure.arrows_view import ArrowsView
from pgmgui.tabs.structure.search_view import SearchView, describe_data
from tests.pgmgui.state.test_arrow_facts import open_asia


def test_a_search_whose_page_is_gone_ends(monkeypatch):
    session = Session()
    session.open_example(find_example("asia-rows"))
    structuring = Structuring(session)
    monkeypatch.setattr(search_view.PeriodicCallback, "start", lambda _: None)
    view = SearchView(session, structuring)
    structuring.begin(paused=True)
    monkeypatch.setattr(search_view, "is_closed", lambda _: True)
    view._tick()
    assert not structuring.running
    structuring.close()


def test_rows_held_out_are_not_said_to_be_learned_from():
    session = Session()
    session.open_example(find_example("asia-rows"))
    assert describe_data(session) == ["From 5,000 rows of 8 variables."]
    session.hold_out(0.2, 0)
    assert describe_data(session) == ["From 4,000 rows of 8 variables; 1,000 rows held out."]


def test_resample_is_not_offered_where_cells_are_missing_and_it_is_said_why():
    session, facts = open_asia(60)
    view = ArrowsView(session, facts)
    view.look(True)
    assert not view._start.disabled
    session.mark(["smoke"], Hidden())
    assert view._start.disabled
    assert INCOMPLETE in view._progress._pane.object
    session.mark(["smoke"], None)
    assert not view._start.disabled
