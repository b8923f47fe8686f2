"""Numbers and tables as they are typed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.components.grid.grid import Column
from pgmgui.project.examples import find_example
from pgmgui.project.numbers import parse_fraction, parse_number, show_number, show_percent
from pgmgui.state.session import Session
from pgmgui.tabs.variable.draft_table import DraftTable
from pgmgui.tabs.variable.drafts import Draft
from pgmgui.tabs.variable.rows import SUM, number_cells, sum_cell, table_source
from pgmgui.tabs.variable.table import TableEditor


@given(st.floats(0, 1e300))
def test_a_number_reads_as_it_is_written(value):
    for text in (repr(value), f" {value:.17g} ", f"+{value:.17e}"):
        assert parse_number(text) == value
    assert parse_number(show_number(value)) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "'' is no number; type a probability such as 0.25"),
        ("abc", "no number"),
        ("nan", "no number"),
        ("inf", "no number"),
        ("1_000", "no number"),
        ("0x10", "no number"),
        ("٣", "no number"),
        ("1 2", "no number"),
        ("1e999", "'1e999' is too large"),
        ("-1", "'-1' is negative"),
        ("-1e999", "too large"),
        ("0,3", "write a probability with a point, as 0.3"),
        (",5", "as .5"),
    ],
)
def test_what_is_no_number_says_why(text, why):
    with pytest.raises(PgmError) as refused:
        parse_number(text, "a probability")
    assert why in str(refused.value)


def test_a_fraction_is_at_most_one():
    assert parse_fraction("1.0") == 1
    with pytest.raises(PgmError, match=r"'1\.01' is above 1; type a fraction from 0 to 1"):
        parse_fraction("1.01", "a fraction")
    assert show_percent(1 / 3) == "33.33%"


def test_of_two_states_the_other_gets_the_rest():
    draft = Draft(np.array([[0.5, 0.5], [0.1, 0.9]]))
    edited = draft.edited(1, 0, 0.3)
    assert edited.table.tolist() == [[0.5, 0.5], [0.3, 0.7]]
    assert not edited.open_rows
    assert draft.table[1].tolist() == [0.1, 0.9]
    too_much = draft.edited(0, 1, 3.0)
    assert too_much.table is draft.table
    assert too_much.open_rows[0].tolist() == [0.5, 3.0]
    assert too_much.normalised().table[0].tolist() == pytest.approx([0.5 / 3.5, 3 / 3.5])
    assert not too_much.edited(0, 1, 1.0).open_rows


@given(st.lists(st.integers(0, 1000), min_size=3, max_size=5), st.permutations(range(5)))
def test_typing_a_whole_row_commits_it_in_the_end(parts, order):
    """Whatever the order; on the way the table stays as it was, or is a distribution."""
    states, total = len(parts), sum(parts)
    row = [part / total for part in parts] if total else [1.0] + [0.0] * (states - 1)
    draft = Draft(np.full((2, states), 1 / states))
    for column in (column for column in order if column < states):
        draft = draft.edited(1, column, row[column])
        np.testing.assert_allclose(draft.table.sum(axis=1), 1, atol=1e-8)
        assert draft.table[0].tolist() == [1 / states] * states
    assert not draft.open_rows
    assert draft.row(1).tolist() == row


def test_open_rows_are_told_and_normalised():
    draft = Draft(np.full((4, 3), 1 / 3))
    assert draft.describe() == ""
    draft = draft.edited(2, 0, 0.5)
    assert draft.describe() == "⚠ Row 3 sums to 1.16667, not 1: complete it, or press Normalise or Fill."
    draft = draft.edited(1, 0, 0.0).edited(1, 1, 0.0).edited(1, 2, 0.0)
    assert draft.describe().startswith("⚠ 2 rows do not sum to 1, the first is row 2 with 0: complete them")
    assert sum_cell(draft, 0) == "1"
    assert sum_cell(draft, 1)["kind"] == "warn"
    done = draft.normalised()
    np.testing.assert_allclose(done.table[1], 1 / 3)
    np.testing.assert_allclose(done.table[2], [3 / 7, 2 / 7, 2 / 7])
    assert not done.open_rows


def test_filling_keeps_what_was_typed_and_shares_the_rest_as_before():
    draft = Draft(np.array([[0.2, 0.2, 0.6, 0.0], [1.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]]))
    draft = draft.edited(0, 0, 0.6).edited(1, 0, 0.4).edited(2, 1, 0.5).edited(2, 2, 0.1)
    done = draft.filled()
    np.testing.assert_allclose(done.table[0], [0.6, 0.1, 0.3, 0])
    np.testing.assert_allclose(done.table[1], [0.4, 0.2, 0.2, 0.2])
    np.testing.assert_allclose(done.table[2], [0.2, 0.5, 0.1, 0.2])
    assert not done.open_rows


def test_a_row_that_leaves_no_rest_is_not_filled():
    draft = Draft(np.full((2, 3), 1 / 3)).edited(0, 0, 0.7).edited(0, 1, 0.7).edited(1, 1, 1.0)
    done = draft.filled()
    assert list(done.open_rows) == [0]
    assert done.row(0).tolist() == [0.7, 0.7, 1 / 3]
    assert done.row(1).tolist() == [0, 1, 0]
    whole = draft.edited(0, 2, 0.9).filled()
    assert list(whole.open_rows) == [0]


def test_a_block_is_pasted_at_once():
    draft = Draft(np.full((3, 3), 1 / 3)).edited(2, 0, 0.5)
    done = draft.pasted(np.array([2, 0]), [1, 2], np.array([[0.25, 0.25], [0.5, 0.25]]))
    assert done.row(2).tolist() == [0.5, 0.25, 0.25]
    assert list(done.open_rows) == [0]
    np.testing.assert_allclose(done.filled().table[0], [0.25, 0.5, 0.25])
    assert draft.table[0].tolist() == [1 / 3] * 3


def test_rows_of_a_table_are_named_by_their_configuration():
    a, b, c = Variable("A", ("a0", "a1")), Variable("B", ("b0", "b1", "b2")), Variable("C", ("c0", "c1"))
    table = np.random.default_rng(0).dirichlet(np.ones(2), (3, 2))
    network = BayesianNetwork((a, b, c), ((), (), (1, 0)), (np.full(2, 0.5), np.full(3, 1 / 3), table))
    flat = table.reshape(-1, 2)
    source = table_source(
        network,
        network.scopes[2],
        lambda row: [*number_cells(flat[row], 6), "1"],
        "Table of C",
        "the probability",
        (SUM,),
    )
    assert [column.title for column in source.columns] == ["B", "A", "c0", "c1", "Sum"]
    assert [column.editable for column in source.columns] == [False, False, True, True, False]
    assert source.n_rows == 6
    for row, cells in enumerate(source.cells(0, 5)):
        at = (b.states.index(cells[0]), a.states.index(cells[1]))
        assert [float(cell["typed"]) for cell in cells[2:4]] == table[at].tolist()
        assert [float(cell["text"]) for cell in cells[2:4]] == pytest.approx(table[at], abs=1e-6)
        assert source.cells(row, row) == [cells]
    root = table_source(network, (0,), lambda row: number_cells(network.tables[0], 1), "Table of A", "the probability")
    assert root.n_rows == 1
    assert root.cells(0, 0) == [["0.5", "0.5"]]


def test_a_table_with_one_button_points_to_that():
    table = DraftTable(Session(), "Normalise sensor", "", lambda numbers: True)
    states = [Column(state, "number", editable=True) for state in ("a", "b", "c")]
    table.fill("Sensor", np.full((2, 3), 1 / 3), [Column("Is", "head")], [["a"], ["b"]], states)
    table._edit(1, 1, "0.5")
    said = "⚠ Row 2 sums to 1.16667, not 1: complete it, or press Normalise sensor."
    assert said in table._status._pane.object
    about = table._grid.source.cells(1, 1)[0][-1]["about"]
    assert about == "does not sum to 1: complete the row, or press Normalise sensor"


def test_what_is_no_number_is_refused_so_that_it_is_offered_again():
    session = Session()
    session.open_example(find_example("asia"))
    session.select(["dysp"])
    table = DraftTable(session, "Normalise sensor", "", lambda numbers: True)
    table.fill("Sensor", np.eye(2), [Column("Is", "head")], [["a"], ["b"]], [Column("a", "number", editable=True)] * 2)
    whole = TableEditor(session)
    for edit, first in ((table._edit, 1), (whole._edit, 2)):
        assert edit(0, first, "a half") is False
        assert "'a half' is no number" in session.message
        assert edit(0, first, "0.5") is True
