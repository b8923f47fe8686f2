"""Data that is edited: undone, stale, kept; much of it beside the page, and without copies in the history."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from engine.model.data_edits import RemoveRows, SetCells, missing_rows
from engine.model.dataset import MISSING
from engine.model.errors import PgmError
from pgmgui.project.examples import find_example
from pgmgui.project.marks import Hidden
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.state import data_changes
from pgmgui.state.data_changes import DataChanges
from pgmgui.state.history import MOST_DERIVED
from pgmgui.state.race import Race
from pgmgui.state.session import Session


@pytest.fixture
def session():
    session = Session()
    session.open_example(find_example("asia"))
    return session


def set_cell(row: int, column: int, code: int):
    return lambda dataset: SetCells(np.array([row]), [column], np.array([[code]]))


def forget(*_arguments):
    raise AssertionError("nothing is to be done beside the page")


def test_a_cell_can_be_changed_taken_back_and_changed_again(session):
    changes = DataChanges(session, forget)
    before = session.scene
    old = int(session.data.dataset.codes[2, 7])
    assert changes.edit("change smoke of row 8", set_cell(7, 2, 1 - old))
    assert session.data.dataset.codes[2, 7] == 1 - old
    assert session.undoable == "change smoke of row 8"
    assert session.data.notes == before.data.notes
    assert session.marks is before.marks
    session.undo()
    assert session.scene is before
    session.redo()
    assert session.data.dataset.codes[2, 7] == 1 - old
    again = parse(dump(Saved(session.scene)))
    np.testing.assert_array_equal(again.scene.data.dataset.codes, session.data.dataset.codes)


def test_nothing_to_change_is_no_step_and_what_cannot_be_is_refused(session):
    changes = DataChanges(session, forget)
    assert changes.edit("nothing", lambda dataset: None)

    def fail(dataset):
        raise PgmError("a reason")

    assert not changes.edit("wrong", fail)
    assert session.message == "A reason"
    assert not changes.edit("far", set_cell(10**6, 2, 0))
    assert "no such row" in session.message
    assert session.undoable == ""
    session.set_data(None)
    assert not changes.edit("none", set_cell(0, 0, 0))


def test_an_edit_makes_a_run_stale_and_undo_brings_it_back(session):
    race = Race(session)
    race.begin()
    while race.running:
        race.tick()
    changes = DataChanges(session, forget)
    changes.edit("one", set_cell(7, 2, MISSING))
    assert race.stale
    assert session.learned is None
    changes.edit("two", set_cell(8, 2, MISSING))
    session.undo()
    assert race.stale
    session.undo()
    assert not race.stale
    assert session.learned is race.best


def test_marks_stay_over_data_that_is_edited(session):
    session.mark(["smoke"], Hidden())
    old = int(session.data.dataset.codes[2, 0])
    DataChanges(session, forget).edit("hidden", set_cell(0, 2, 1 - old))
    assert session.seen.codes[2, 0] == MISSING
    session.mark(["smoke"], None)
    assert session.seen.codes[2, 0] == 1 - old


def test_rows_come_and_go_and_come_back(session):
    changes = DataChanges(session, forget)
    before = session.data.dataset.codes.copy()
    changes.edit("add", lambda dataset: missing_rows(dataset, 2))
    changes.edit("remove", lambda dataset: RemoveRows(np.array([0, 501])))
    assert session.data.dataset.n_rows == 500
    np.testing.assert_array_equal(session.data.dataset.codes[:, :499], before[:, 1:])
    session.undo()
    session.undo()
    np.testing.assert_array_equal(session.data.dataset.codes, before)
    session.redo()
    session.redo()
    np.testing.assert_array_equal(session.data.dataset.codes[:, :499], before[:, 1:])


def test_many_edits_hold_few_copies_of_the_data(session):
    changes, first = DataChanges(session, forget), session.data.dataset.codes.copy()
    made = []
    for k in range(25):
        changes.edit("change", set_cell(k, 2, MISSING))
        made.append(weakref.ref(session.data.dataset))
        session.move({"asia": (float(k), 0.0)})  # a step whose data is the same
    gc.collect()
    # What follows from the last few steps is kept with them, and has its data.
    assert sum(known() is not None for known in made) <= 1 + MOST_DERIVED
    for _ in range(50):
        session.undo()
    np.testing.assert_array_equal(session.data.dataset.codes, first)
    for _ in range(50):
        session.redo()
    assert (session.data.dataset.codes[2, :25] == MISSING).all()


@pytest.fixture
def much(session, monkeypatch):
    """Changes of much data, and what waits to be done beside the page."""
    monkeypatch.setattr(data_changes, "AT_ONCE", 100)
    waiting = []
    return DataChanges(session, waiting.append), waiting


def test_much_data_is_edited_beside_the_page_in_the_order_of_typing(session, much):
    changes, waiting = much
    steps = session.undoable
    assert changes.edit("one", set_cell(0, 2, MISSING))
    assert session.undoable == steps
    assert changes.edit("two", set_cell(0, 2, 1))
    assert changes.edit("three", set_cell(1, 2, MISSING))
    assert len(waiting) == 1
    waiting.pop()()()
    assert session.undoable == "one"
    assert "shares_seen" in vars(session.seen)  # the canvas draws it, and need not count while the page waits
    assert session.data.dataset.codes[2, 0] == MISSING
    waiting.pop()()()
    assert session.undoable == "make 2 changes of the data"
    assert session.data.dataset.codes[2, :2].tolist() == [1, MISSING]
    session.undo()
    assert session.data.dataset.codes[2, 0] == MISSING
    assert not waiting


def test_what_changes_meanwhile_is_not_lost(session, much):
    changes, waiting = much
    changes.edit("one", set_cell(0, 2, MISSING))
    finish = waiting.pop()()
    session.mark(["smoke"], Hidden())
    finish()
    assert session.undoable == "mark smoke"
    waiting.pop()()()
    assert session.undoable == "one"
    assert "smoke" in session.marks
    changes.edit("two", set_cell(0, 2, 0))
    finish = waiting.pop()()
    session.set_data(None)
    finish()
    assert "changed otherwise" in session.message
    assert not waiting


def test_rows_that_move_hold_up_what_is_typed(session, much):
    changes, waiting = much
    assert changes.edit("remove", lambda dataset: RemoveRows(np.array([0])))
    assert not changes.edit("one", set_cell(5, 2, 0))
    assert "wait" in session.message
    waiting.pop()()()
    assert changes.edit("one", set_cell(5, 2, MISSING))
    assert not changes.edit("remove", lambda dataset: RemoveRows(np.array([0])))


def test_rows_that_move_hold_up_what_is_typed_also_when_they_are_begun_anew(session, much):
    changes, waiting = much
    assert changes.edit("remove", lambda dataset: RemoveRows(np.array([0])))
    finish = waiting.pop()()
    session.mark(["smoke"], Hidden())
    finish()
    assert not changes.edit("one", set_cell(5, 2, MISSING))
    waiting.pop()()()
    assert session.undoable == "remove"
    assert not waiting
    assert changes.edit("one", set_cell(5, 2, MISSING))
