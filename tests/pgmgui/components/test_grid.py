"""What the grid says to the browser, and what it makes of what the browser says."""

import pytest

from pgmgui.components.grid.grid import BLOCK, MOST_CELLS, MOST_ROWS, Column, Grid, Source


def make_source(rows=1000, columns=2, label="Numbers"):
    kinds = (Column("Row", "head"), *(Column(f"C{k}", "number", editable=True) for k in range(1, columns)))
    return Source(kinds, rows, lambda first, last: [[f"{r}"] * columns for r in range(first, last + 1)], label)


@pytest.fixture
def grid(monkeypatch):
    """A grid that keeps what it sends, and what is asked of it."""
    made = Grid(source=make_source())
    made.sent, made.asked = [], []
    monkeypatch.setattr(made, "_send_msg", made.sent.append)
    made.on_pick = lambda row: made.asked.append(("pick", row))
    made.on_edit = lambda row, column, text: made.asked.append(("edit", row, column, text))
    made.on_head = lambda column: made.asked.append(("head", column))
    made._handle_msg({"type": "ready"})
    return made


def say(grid, kind, **rest):
    grid._handle_msg({"type": kind, "load": grid.sent[0]["load"], **rest})


def test_the_first_rows_come_with_the_columns(grid):
    (load,) = grid.sent
    assert load["count"] == 1000
    assert [column["title"] for column in load["columns"]] == ["Row", "C1"]
    assert [row[0] for row in load["rows"]] == [f"{row}" for row in range(BLOCK)]


def test_rows_that_are_asked_for_are_sent(grid):
    say(grid, "ask", first=900, last=963)
    assert grid.sent[-1]["first"] == 900
    assert [row[0] for row in grid.sent[-1]["rows"]] == [f"{row}" for row in range(900, 964)]


def test_a_changed_table_comes_with_the_rows_in_view(grid):
    say(grid, "ask", first=900, last=963)
    grid.source = make_source()
    assert grid.sent[-1]["type"] == "load"
    assert (grid.sent[-1]["first"], len(grid.sent[-1]["rows"])) == (900, 64)
    grid.source = make_source(rows=10)
    assert (grid.sent[-1]["first"], len(grid.sent[-1]["rows"])) == (9, 1)
    grid.source = make_source(rows=0)
    assert grid.sent[-1]["rows"] == []


def test_one_answer_is_never_huge(grid):
    grid.source = make_source(rows=10**6)
    say(grid, "ask", first=0, last=10**6 - 1, load=2)
    assert len(grid.sent[-1]["rows"]) == MOST_ROWS
    grid.source = make_source(rows=10**6, columns=MOST_CELLS // 2)
    assert len(grid.sent[-1]["rows"]) == 2


@pytest.mark.parametrize(
    ("first", "last"), [(-1, 3), (0, 1000), (5, 4), (None, 3), ("0", "3"), (0.5, 3), ([], {}), (True, None)]
)
def test_rows_that_do_not_exist_are_not_sent(grid, first, last):
    say(grid, "ask", first=first, last=last)
    assert len(grid.sent) == 1


def test_what_the_user_does_is_passed_on(grid):
    say(grid, "pick", row=3)
    say(grid, "edit", row=999, column=1, text="<b>")
    say(grid, "head", column=0)
    assert grid.asked == [("pick", 3), ("edit", 999, 1, "<b>"), ("head", 0)]


def test_an_edited_row_is_sent_again(grid):
    say(grid, "edit", row=5, column=1, text="x")
    assert (grid.sent[-1]["type"], grid.sent[-1]["first"], len(grid.sent[-1]["rows"])) == ("cells", 5, 1)
    grid.on_edit = lambda row, column, text: setattr(grid, "source", make_source(rows=3))
    say(grid, "edit", row=5, column=1, text="x")
    assert grid.sent[-1]["type"] == "load"


@pytest.mark.parametrize(
    "message",
    [
        {"type": "pick", "row": 1000},
        {"type": "pick", "row": "3"},
        {"type": "pick"},
        {"type": "edit", "row": 3, "column": 0, "text": "a head"},
        {"type": "edit", "row": 3, "column": 9, "text": "x"},
        {"type": "edit", "row": 3, "column": 1, "text": 7},
        {"type": "head", "column": -1},
        {"type": "nonsense"},
    ],
)
def test_what_makes_no_sense_is_ignored(grid, message):
    say(grid, message.pop("type"), **message)
    assert grid.asked == []
    assert len(grid.sent) == 1


def test_messages_that_are_no_messages_are_ignored(grid):
    for message in (None, "ask", [], {"type": "pick", "row": 1}, {"type": "pick", "row": 1, "load": "1"}):
        grid._handle_msg(message)
    assert grid.asked == []


def test_what_was_done_to_another_table_is_ignored_but_not_what_was_done_to_the_same(grid):
    grid.source = make_source()
    say(grid, "edit", row=1, column=1, text="typed before the new cells came")
    assert len(grid.asked) == 1
    grid.source = make_source(label="Other numbers")
    say(grid, "edit", row=1, column=1, text="meant for the first table")
    assert len(grid.asked) == 1


def test_nobody_need_listen():
    quiet = Grid(source=make_source())
    quiet._handle_msg({"type": "ready"})
    for kind in ("pick", "edit", "head"):
        quiet._handle_msg({"type": kind, "load": 1, "row": 0, "column": 1, "text": ""})
    assert quiet.picked == []
