"""Sorting is a view: the browser sees places, whoever listens sees rows."""

import numpy as np
import pytest

from pgmgui.components.grid.grid import Column, Grid, Source
from pgmgui.components.grid.sorting import MOST_SORTED, sort_cells

NAMES, SIZES = ["b", "a", "d", "c"], ["10", "9", "?", "1,000"]


def make_source(names=NAMES, sizes=SIZES, label="List", **options):
    columns = (Column("Name", "head"), Column("Size", "number"))
    return Source(columns, len(names), lambda a, b: [[names[r], sizes[r]] for r in range(a, b + 1)], label, **options)


def watch(grid, monkeypatch):
    grid.sent, grid.asked = [], []
    monkeypatch.setattr(grid, "_send_msg", grid.sent.append)
    grid._handle_msg({"type": "ready"})
    return grid


@pytest.fixture
def grid(monkeypatch):
    """A grid that keeps what it sends, and what is asked of it."""
    made = watch(Grid(source=make_source()), monkeypatch)
    made.on_pick = lambda row: made.asked.append(row)
    return made


def say(grid, kind, load=None, **rest):
    grid._handle_msg({"type": kind, "load": grid._loads if load is None else load, **rest})


def shown(grid, column=0):
    return [row[column] for row in grid.sent[-1]["rows"]]


def test_numbers_texts_and_what_is_empty():
    cells = ["10", "−∞", "b", "", "9.5%", {"text": "?", "kind": "missing"}, "A", "<0.1%", "1,234 nats", "–", "+0.5000"]
    order = [cells[k] for k in sort_cells(cells, descending=False)]
    assert order[:8] == ["−∞", "<0.1%", "+0.5000", "9.5%", "10", "1,234 nats", "A", "b"]
    assert order[8:] == ["", {"text": "?", "kind": "missing"}, "–"]
    order = [cells[k] for k in sort_cells(cells, descending=True)]
    assert order[:8] == ["b", "A", "1,234 nats", "10", "9.5%", "+0.5000", "<0.1%", "−∞"]
    assert order[8:] == ["", {"text": "?", "kind": "missing"}, "–"]


def test_a_cell_may_say_what_it_is_sorted_by():
    cells = [{"text": "low", "key": 3}, {"text": "high", "key": 1}, {"text": "alike", "key": 1}]
    assert sort_cells(cells, descending=False).tolist() == [1, 2, 0]
    assert sort_cells(cells, descending=True).tolist() == [0, 1, 2]


def test_three_clicks_sort_turn_round_and_restore(grid):
    assert grid.sent[-1]["sort"] is None
    assert grid.sent[-1]["heads"]
    say(grid, "head", column=0)
    assert (grid.sent[-1]["sort"], shown(grid)) == ((0, False), ["a", "b", "c", "d"])
    say(grid, "head", column=0)
    assert (grid.sent[-1]["sort"], shown(grid)) == ((0, True), ["d", "c", "b", "a"])
    say(grid, "head", column=1)
    assert (grid.sent[-1]["sort"], shown(grid, 1)) == ((1, False), ["9", "10", "1,000", "?"])
    say(grid, "head", column=1)
    assert shown(grid, 1) == ["1,000", "10", "9", "?"]
    say(grid, "head", column=1)
    assert (grid.sent[-1]["sort"], shown(grid)) == (None, NAMES)


def test_rows_are_picked_brought_and_asked_for_by_their_numbers(grid):
    grid.picked = [0]
    say(grid, "head", column=0)
    assert grid.sent[-1]["picked"] == [1]
    say(grid, "pick", row=3)
    assert grid.asked == [2]
    grid.bring(3)
    assert grid.sent[-1] == {"type": "bring", "row": 2}
    grid.picked = [2, 9]
    assert grid.sent[-1] == {"type": "picked", "rows": [3]}
    grid._handle_msg({"type": "ask", "load": 2, "first": 1, "last": 2})
    assert shown(grid) == ["b", "c"]


def test_what_was_done_before_the_rows_moved_is_ignored(grid):
    say(grid, "head", column=0)
    say(grid, "pick", load=1, row=3)
    assert grid.asked == []
    say(grid, "head", load=1, column=0)  # a heading is the same wherever the rows stand
    assert grid.sent[-1]["sort"] == (0, True)


def test_what_was_done_to_rows_that_stood_elsewhere_is_ignored(grid):
    grid.source = make_source(sequence="first")
    before = grid._loads
    grid.source = make_source(sequence="first")
    say(grid, "pick", load=before, row=3)
    assert grid.asked == [3]
    grid.source = make_source(sequence="second")
    say(grid, "pick", load=before, row=3)
    assert grid.asked == [3]


def test_a_list_that_changes_stays_sorted_and_another_begins_anew(grid):
    say(grid, "head", column=0)
    grid.source = make_source(["z", "a", "m", "b"])
    assert shown(grid) == ["a", "b", "m", "z"]
    other = make_source()
    grid.source = Source((Column("Other"), Column("Size")), 4, other.cells, "Other")
    assert (grid.sent[-1]["sort"], shown(grid)) == (None, NAMES)


def test_rows_whose_cells_are_edited_stay_where_they_are(grid):
    say(grid, "head", column=0)
    load = grid._loads
    grid.update_source(make_source(["z", "a", "d", "c"]))
    assert shown(grid) == ["a", "z", "c", "d"]
    say(grid, "pick", load=load, row=1)  # typed before the new cells came
    assert grid.asked == [0]
    grid.update_source(make_source(["z", "a"]))
    assert shown(grid) == ["a", "z"]


def test_long_and_edited_tables_are_sorted_only_if_they_know_how(monkeypatch):
    names = ["x"] * (MOST_SORTED + 1)
    editable = (Column("Name", editable=True),)
    for source, sorts in (
        (make_source(names, names), False),
        (make_source(names, names, order=lambda column, descending: np.arange(len(names))[::-1]), True),
        (Source(editable, 2, lambda a, b: [["b"], ["a"]][a : b + 1], "Edited"), False),
        (make_source(sorts=False), False),
        (make_source(["one"], ["1"]), False),
    ):
        made = watch(Grid(source=source), monkeypatch)
        assert (made.sent[-1]["sortable"], made.sent[-1]["heads"]) == (sorts, sorts)
        say(made, "head", column=0)
        assert made.sent[-1]["sort"] == ((0, False) if sorts else None)
