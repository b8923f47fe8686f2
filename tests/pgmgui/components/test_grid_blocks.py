"""Blocks of cells: copied, pasted, emptied; and texts that are refused."""

import numpy as np
import pytest

from pgmgui.components.grid.blocks import MOST_BLOCK, BlockError, read_block, write_block
from pgmgui.components.grid.grid import LATER, UNCOPIED, Column, Grid, Source

COLUMNS = (
    Column("Row", "head"),
    Column("A", editable=True, clears=True),
    Column("B", editable=True, clears=True),
    Column("Sum", "number"),
)


def make_source(rows=5):
    def cells(first, last):
        return [[f"{r}", "x", {"text": "…", "typed": f"[{r}]"}, "1"] for r in range(first, last + 1)]

    return Source(COLUMNS, rows, cells, "Table", order=lambda column, descending: np.arange(rows)[::-1])


@pytest.fixture
def grid(monkeypatch):
    """A grid that keeps what it sends, what is pasted into it, and what it complains of."""
    made = Grid(source=make_source())
    made.sent, made.pasted, made.troubles = [], [], []
    monkeypatch.setattr(made, "_send_msg", made.sent.append)
    made.on_paste = lambda rows, columns, block: made.pasted.append((rows.tolist(), columns, block))
    made.on_edit = lambda row, column, text: True
    made.on_trouble = made.troubles.append
    made._handle_msg({"type": "ready"})
    return made


def say(grid, kind, row, last_row, column, last_column, **rest):
    place = {"row": row, "last_row": last_row, "column": column, "last_column": last_column}
    grid._handle_msg({"type": kind, "load": grid._loads, **place, **rest})


def test_texts_are_split_at_tabs_or_commas():
    assert read_block("a\tb\nc\td") == [["a", "b"], ["c", "d"]]
    assert read_block("a,b\r\nc,d\r\n") == [["a", "b"], ["c", "d"]]
    assert read_block('"a,b",c') == [["a,b", "c"]]
    assert read_block("a,b\tc") == [["a,b", "c"]]
    assert read_block("a\n\nb") == [["a"], [""], ["b"]]
    assert read_block("0,5") == [["0,5"]]
    assert read_block("[0.4;0.8]") == [["[0.4;0.8]"]]
    with pytest.raises(BlockError, match="line 2 of what is pasted has 1 cells, the first has 2"):
        read_block("a\tb\nc")


def test_what_is_written_reads_the_same():
    block = [["a\tb", 'say "yes"', ""], ["two\nlines", "é", "[0.4;0.8]"]]
    assert read_block(write_block(block)) == block


def test_a_block_is_pasted_from_the_first_cell_on(grid):
    say(grid, "paste", 1, 1, 1, 1, text="a\tb\nc\td\n")
    assert grid.pasted == [([1, 2], [1, 2], [["a", "b"], ["c", "d"]])]
    grid._handle_msg({"type": "head", "load": 1, "column": 0})
    say(grid, "paste", 0, 0, 2, 2, text="p\nq")
    assert grid.pasted[-1] == ([4, 3], [2], [["p"], ["q"]])  # as they are sorted


def test_one_cell_is_pasted_into_all_that_are_chosen(grid):
    say(grid, "paste", 0, 1, 1, 2, text="x")
    assert grid.pasted == [([0, 1], [1, 2], [["x", "x"], ["x", "x"]])]


@pytest.mark.parametrize(
    ("place", "text", "why"),
    [
        ((4, 1), "a\nb", "2 rows are pasted at row 5, 'A', and there are 1 from there on"),
        ((0, 2), "a\tb\tc", "3 columns are pasted at row 1, 'B', and there are 2 from there on"),
        ((0, 2), "a\tb", "The column 'Sum' cannot be edited; nothing was pasted"),
        ((0, 0), "a", "The column 'Row' cannot be edited"),
        ((0, 1), "a\tb\nc", "Line 2 of what is pasted has 1 cells"),
        ((0, 1), "a\n" * (MOST_BLOCK + 1), f"at most {MOST_BLOCK:,}"),
    ],
)
def test_what_does_not_fit_is_refused_whole(grid, place, text, why):
    row, column = place
    say(grid, "paste", row, row, column, column, text=text)
    assert grid.pasted == []
    assert len(grid.troubles) == 1
    assert why in grid.troubles[0]


def test_what_is_copied_is_what_can_be_typed(grid):
    say(grid, "copy", 1, 2, 1, 2)
    assert grid.sent[-1] == {"type": "copied", "text": "x\t[1]\nx\t[2]\n"}


def test_it_is_said_if_the_browser_does_not_take_what_is_copied(grid):
    grid._handle_msg({"type": "uncopied", "load": grid._loads})
    assert grid.troubles == [UNCOPIED]


def test_a_tall_block_of_few_columns_is_not_copied_if_its_rows_are_much_to_make(grid):
    rows = MOST_BLOCK // len(COLUMNS)
    grid.source = make_source(rows + 1)
    say(grid, "copy", 1, rows, 1, 1)
    assert grid.sent[-1]["text"] == "x\n" * rows
    say(grid, "copy", 0, rows, 1, 1)
    assert grid.sent[-1]["text"] == "x\n" * rows
    assert grid.troubles == [f"{rows + 1:,} rows at once are too many to copy; choose at most {rows:,}."]


def test_emptying_leaves_what_cannot_be_emptied(grid):
    say(grid, "clear", 0, 1, 0, 3)
    assert grid.pasted == [([0, 1], [1, 2], [["", ""], ["", ""]])]


def test_whoever_listens_hears_which_rows_are_chosen(grid):
    chosen = []
    grid.on_choose = lambda rows: chosen.append(rows.tolist())
    say(grid, "chosen", 1, 3, 0, 0)
    assert chosen == [[1, 2, 3]]
    grid._handle_msg({"type": "unchosen", "load": grid._loads})  # a heading is the active cell
    assert chosen == [[1, 2, 3], []]


def test_rows_that_stand_elsewhere_are_no_longer_chosen(grid):
    chosen = []
    grid.on_choose = lambda rows: chosen.append(rows.tolist())
    say(grid, "chosen", 1, 3, 0, 0)
    grid.source = make_source()
    assert chosen == [[1, 2, 3]]
    grid._handle_msg({"type": "head", "load": grid._loads, "column": 0})
    assert chosen == [[1, 2, 3], []]
    grid.source = make_source(rows=4)
    assert chosen == [[1, 2, 3], [], []]


@pytest.mark.parametrize("place", [(3, 1, 1, 1), (0, 5, 1, 1), (0, 1, 2, 1), ("0", 1, 1, 1), (None, None, None, None)])
def test_cells_that_do_not_exist_are_left_alone(grid, place):
    for kind in ("paste", "copy", "clear", "chosen"):
        say(grid, kind, *place, text="x")
    assert (grid.pasted, len(grid.sent)) == ([], 1)


def test_a_refused_text_is_offered_again_and_a_later_one_stays(grid):
    grid.on_edit = lambda row, column, text: False
    grid._handle_msg({"type": "edit", "load": 1, "row": 2, "column": 1, "text": "wrong"})
    assert grid.sent[-2]["type"] == "cells"
    assert grid.sent[-1] == {"type": "refused", "load": 1, "row": 2, "column": 1, "text": "wrong"}
    before = len(grid.sent)
    grid.on_edit = lambda row, column, text: LATER
    grid._handle_msg({"type": "edit", "load": 1, "row": 2, "column": 1, "text": "soon"})
    assert len(grid.sent) == before


def test_other_words_about_a_column_do_not_make_it_another_table(grid):
    """What is typed into the next cell while the answer to the last one comes must arrive."""
    edits = []
    grid.on_edit = lambda row, column, text: edits.append(text)
    source = make_source()
    columns = (*COLUMNS[:1], Column("A", about="partly missing", editable=True, clears=True), *COLUMNS[2:])
    grid.source = Source(columns, 5, source.cells, "Table", source.order)
    grid._handle_msg({"type": "edit", "load": 1, "row": 2, "column": 1, "text": "typed before"})
    assert edits == ["typed before"]
