"""What the model doctor prescribes helps: the finding is gone, and undo brings it back."""

import numpy as np
import panel_material_ui as pmui
import pytest

from engine.formats import DataDocument, Document
from engine.insight.doctor import examine
from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from pgmgui.project.layout import arrange
from pgmgui.project.scene import Scene
from pgmgui.state.session import Session
from pgmgui.tabs.guide.panel import Doctor
from pgmgui.tabs.guide.remedies import find_remedy

A, B = Variable("A", ("yes", "no")), Variable("B", ("low", "high", "never"))
UNIFORM = np.full((2, 3), 1 / 3)
ZERO = np.array([[0.0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]])
CASES = [
    ("impossible", 1, ZERO, [["yes", "low"], ["no", "high"], ["no", "never"]]),
    ("unseen", 1, UNIFORM, [["yes", "low"], ["yes", "high"], ["yes", "never"]]),
    ("unused", 1, UNIFORM, [["yes", "low"], ["no", "high"]]),
    ("symmetric", 0, UNIFORM, [[None, "low"], [None, "high"], [None, "never"]]),
]


def opened(table, rows):
    network = BayesianNetwork((A, B), ((), (0,)), (np.array([0.5, 0.5]), table))
    session = Session()
    session.new()
    session.open(Scene("Case", "", arrange(Document(network)), DataDocument(make_dataset([A, B], rows))))
    return session


def kinds(session):
    return {(finding.kind, finding.variable) for finding in examine(session.parts.task)}


def hold_out_until(session, share, is_wanted):
    """Hold rows out, with the first seed that holds out the right ones."""
    assert any(session.hold_out(share, seed) and is_wanted(session.parts.split) for seed in range(100))


@pytest.mark.parametrize(("kind", "variable", "table", "rows"), CASES)
def test_a_remedy_helps_and_can_be_undone(kind, variable, table, rows):
    session = opened(table, rows)
    (finding,) = [f for f in examine(session.parts.task) if (f.kind, f.variable) == (kind, variable)]
    remedy = find_remedy(session, finding)
    assert remedy.label
    assert remedy.apply()
    assert (kind, variable) not in kinds(session)
    session.undo()
    assert (kind, variable) in kinds(session)


def test_what_only_the_user_can_decide_has_no_button():
    session = opened(UNIFORM, [["yes", None], ["no", None]])
    (finding,) = [f for f in examine(session.parts.task) if f.kind == "pruned"]
    assert find_remedy(session, finding) is None


PAIR = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
FACTOR_CASES = [
    ("impossible", PAIR * [[0, 1, 1], [1, 1, 1]], [["yes", "low"], ["no", "high"], ["no", "never"]]),
    ("diverging", PAIR, [["yes", "low"], ["no", "high"], ["yes", "never"]]),
    ("unused", PAIR, [["yes", "low"], ["no", "high"]]),
    ("symmetric", np.ones((2, 3)), [[None, "low"], [None, "high"], [None, "never"]]),
]


@pytest.mark.parametrize(("kind", "table", "rows"), FACTOR_CASES)
def test_a_remedy_for_factors_helps_and_can_be_undone(kind, table, rows):
    network = MarkovNetwork((A, B), ((0, 1),), (table,))
    session = Session()
    session.new(markov=True)
    session.open(Scene("Case", "", arrange(Document(network)), DataDocument(make_dataset([A, B], rows))))
    (finding,) = [f for f in examine(session.parts.task) if f.kind == kind]
    assert find_remedy(session, finding).apply()
    assert kind not in {found for found, _ in kinds(session)}
    session.undo()
    assert kind in {found for found, _ in kinds(session)}


def test_states_that_only_rows_held_out_may_have_are_not_removed():
    session = opened(UNIFORM, [["yes", "low"], ["no", "high"]] * 5 + [["yes", "never"]])
    hold_out_until(session, 0.1, lambda split: 10 in split.test_rows)
    (finding,) = [f for f in examine(session.parts.task, session.parts.split.train_rows) if f.kind == "unused"]
    assert finding.text == "'B' is never never in the rows that are learned from."
    assert finding.advice == "Maximum likelihood gives it probability 0: give a prior of 2."
    assert find_remedy(session, finding) is None


def test_the_row_that_is_shown_is_the_one_of_the_whole_data():
    session = opened(ZERO, [["no", "high"], ["no", "low"]] * 5 + [["yes", "low"]])
    hold_out_until(session, 0.5, lambda split: 10 in split.train_rows)
    doctor = Doctor(session)
    doctor._look()
    (button,) = [button for button in doctor._list.select(pmui.Button) if button.label == "Show the row"]
    assert "row 11, in the Data tab" in button.description
    button.clicks += 1
    assert session.row == 10
