"""The rows held out, in tables, words and charts."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from engine.insight.held_out import HeldOutScore
from engine.insight.prediction import predict
from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.project.charts import LEFT, SIDE, TOP, draw_charts
from pgmgui.project.held_out_words import describe_prediction, describe_tested
from pgmgui.project.marks import Hidden
from pgmgui.project.results import Standing
from pgmgui.state.curve import Curve
from pgmgui.state.predicting import Predicted
from pgmgui.tabs.runs.held_out_view import HeldOutView, confusion_source, describe_moment, losses_source
from tests.pgmgui.state.test_predicting import at_once, open_learned

RAIN, WET = Variable("<Rain>", ("<yes>", "no")), Variable("Wet", ("yes", "no"))
NETWORK = BayesianNetwork((RAIN, WET), ((), (0,)), ([0.2, 0.8], [[0.9, 0.1], [0.1, 0.9]]))
ROWS = [["<yes>", "yes"], ["no", "yes"], ["no", "no"], ["<yes>", "no"], [None, "no"], [(0.5, 1.0), "no"]]
FOUND = predict(NETWORK, make_dataset([RAIN, WET], ROWS, [6, 3, 30, 1, 2, 4]), 0)
RUN = (Standing(0, -4.0, -4.5), Standing(1, -3.0, -3.25), Standing(2, -2.5, -3.5))


def test_a_learner_has_its_losses_and_where_it_was_best():
    source = losses_source({"em": Curve("em", tested=RUN), "edml": Curve("edml")})
    assert source.cells(0, source.n_rows - 1) == [["EM", "2.5000", "3.5000", "1"]]


def test_overfitting_is_told():
    assert describe_tested("EM", RUN) == (
        "Log-loss per row, EM: learned from 2.5000, held out 3.5000; at iteration 1 it was 3.2500: overfitted since."
    )
    assert describe_tested("EM", RUN[:2]) == "Log-loss per row, EM: learned from 3.0000, held out 3.2500."
    assert describe_tested("EM", [Standing(3, -2.0, -np.inf)]).endswith("held out ∞: a held-out row is impossible.")
    assert describe_tested("EM", []) == ""


def test_impossible_rows_are_told_with_what_to_do():
    found = Predicted(None, "", "the newest iteration", -2.0, HeldOutScore(10.0, -np.inf, 1.0, -5.0))
    assert describe_moment(found) == [
        "Log-loss per row by the newest iteration: learned from 2.0000, held out ∞ nats; lower is better.",
        "1 held-out row has probability 0 by what was learned, so that the loss is infinite: a prior above 1 keeps "
        "every state possible.",
    ]


def test_the_confusion_has_a_row_for_each_state():
    source = confusion_source(FOUND, RAIN)
    assert [column.title for column in source.columns] == ["Is", "said <yes>", "said no"]
    cells = source.cells(0, 1)
    # Hits have a tick and the one colour, errors a cross and the other; what is copied are numbers.
    shown = [[row[0], row[1]["text"], row[2]["text"]] for row in cells]
    assert shown == [["<yes>", "✓ 6", "✗ 1"], ["no", "✗ 3", "✓ 30"]]
    assert [[cell["typed"] for cell in row[1:]] for row in cells] == [["6", "1"], ["3", "30"]]
    assert [cells[0][1]["heat"], cells[0][2]["heat"]] == [-6 / 7, 1 / 7]
    assert cells[0][2]["about"] == "1 row that is <yes>, said to be no: wrong, 14.3% of those"


def test_a_prediction_is_told_beside_what_one_gets_without_looking():
    lines = describe_prediction(FOUND, RAIN)
    assert lines[0] == (
        "Foretold in 40 held-out rows from the other cells of each. Left out: 2 do not tell it, 4 only have a "
        "likelihood or target of it."
    )
    assert lines[1] == "Accuracy 90.0%; always saying no is right in 82.5%."


def test_charts_are_well_formed_told_in_words_and_names_are_only_text():
    root = ElementTree.fromstring(draw_charts(FOUND, RAIN, "<yes>"))
    roc, calibration = root.findall("{*}svg")
    area = FOUND.roc(0).area
    assert roc.get("aria-label") == f"ROC curve of <Rain> = <yes> against the rest: area {area:.3f}"
    assert "said 0.03, came true 0.03; said 0.69, came true 0.67" in calibration.get("aria-label")
    places = [tuple(map(float, place.split(","))) for place in roc.find("{*}polyline").get("points").split()]
    assert places[0] == (LEFT, TOP + SIDE)
    assert places[-1] == (LEFT + SIDE, TOP)
    assert len(calibration.findall("{*}circle")) == 2


def test_a_state_that_all_rows_have_has_no_roc():
    found = predict(NETWORK, make_dataset([RAIN, WET], [["no", "no"]]), 0)
    assert "No ROC curve" in draw_charts(found, RAIN, "no")


@pytest.fixture
def learned(monkeypatch):
    """A session with a run and rows held out, and the view of them."""
    monkeypatch.setattr("pgmgui.tabs.runs.held_out_view.work_beside", at_once)
    session, race, _ = open_learned()
    view = HeldOutView(session, race)
    view.__panel__().get_root()  # as a page does: lists settle their values only there
    return session, view


def test_the_selected_variable_is_the_target_when_the_view_is_first_looked_at(learned):
    session, view = learned
    session.select(["Rain"])
    view.look(True)
    assert (view._target.value, view._predicting.target) == ("Rain", "Rain")
    assert list(view._target.options) == view._predicting.targets


def test_what_was_foretold_of_other_rows_is_not_shown(learned):
    session, view = learned
    view.look(True)
    of_prediction = (view._confusion, view._charts, view._state)
    assert all(part.visible for part in of_prediction)
    assert "By the parameters of the newest iteration:" in view._found._pane.object
    session.mark(["Rain"], Hidden())
    assert session.reached is None
    assert "Start a run" in view._moment._pane.object
    assert not any(part.visible for part in of_prediction)
    assert view._found._pane.object == ""
    session.undo()
    assert "Log-loss per row by the newest iteration" in view._moment._pane.object
    assert all(part.visible for part in of_prediction)
