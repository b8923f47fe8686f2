"""The rows of the data: which are chosen, and what the buttons below do with them."""

from __future__ import annotations

import pytest

from engine.formats import read_dataset, write_dataset
from engine.sources.places import Place
from pgmgui.project.counting import count_into
from pgmgui.project.examples import find_example
from pgmgui.project.marks import Hidden
from pgmgui.state.session import Session
from pgmgui.tabs.data.data_grid import DataGrid
from tests.command_line import EXAMPLES


@pytest.fixture
def session():
    session = Session()
    session.open_example(find_example("asia"))
    return session


def say(grid, kind, **rest):
    grid._handle_msg({"type": kind, "load": grid._loads, **rest})


def test_only_rows_that_are_shown_as_chosen_are_removed(session):
    view = DataGrid(session)
    rows, remove = view._rows, view._editing._remove
    assert (remove.label, remove.disabled) == ("Remove rows", True)
    say(rows, "chosen", row=3, last_row=5, column=1, last_column=1)
    assert (remove.label, remove.disabled) == ("Remove 3 rows", False)
    session.mark(["smoke"], Hidden())  # the same rows: the cells stay highlighted
    assert remove.label == "Remove 3 rows"
    say(rows, "head", column=2)
    assert (remove.label, remove.disabled) == ("Remove rows", True)


def test_a_row_that_is_added_is_looked_at_once_it_is_there(session, monkeypatch):
    waiting = []
    monkeypatch.setattr("pgmgui.tabs.data.data_editing.work_beside", waiting.append)
    view = DataGrid(session)
    view._editing._add_row()
    assert (session.row, session.seen.n_rows, view._rows.picked) == (500, 501, [500])
    monkeypatch.setattr("pgmgui.state.data_changes.AT_ONCE", 100)
    session.look_at_row(7)
    view._editing._add_row()
    view._editing._add_row()
    assert "wait" in session.message
    assert session.row == 7
    waiting.pop()()()
    assert (session.row, session.seen.n_rows, view._rows.picked) == (501, 502, [501])
    view._editing._add_row()
    finish = waiting.pop()()
    session.undo()  # the data is another one meanwhile: no row is added to it
    finish()
    assert (session.row, session.seen.n_rows, waiting) == (None, 501, [])


def test_another_table_is_opened_at_its_first_row(session, tmp_path, monkeypatch):
    """Not where the one before was looked at; the same table, seen otherwise, stays where it is."""
    rows = read_dataset(EXAMPLES / "asia.csv", session.network.variables).dataset
    write_dataset(tmp_path / "a.parquet", rows)
    write_dataset(tmp_path / "b.parquet", rows)
    view, brought = DataGrid(session), []
    view._window._beside = lambda _: None
    monkeypatch.setattr(view._rows, "bring", brought.append)
    view.look(True)
    for name in ("a*.parquet", "b*.parquet"):
        session.replace_scene("open data", count_into(session.scene, Place(str(tmp_path / name))))
        assert (session.row, brought) == (None, [0])
        session.look_at_row(400)
        session.mark(["smoke"], Hidden())
        assert brought[:2] == [0, 400]
        assert 0 not in brought[1:]
        brought.clear()
