"""The rows held out: how each learner stands on them, and how well a variable of them is foretold."""

from __future__ import annotations

from collections.abc import Mapping

import panel as pn

from engine.insight.prediction import Prediction
from engine.model.variable import Variable
from pgmgui.board.beside import work_beside
from pgmgui.components.fields import make_select
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import HtmlText, PlainText
from pgmgui.project.charts import draw_charts
from pgmgui.project.held_out_words import (
    describe_impossible,
    describe_prediction,
    describe_split,
    show_loss,
    show_share,
)
from pgmgui.project.words import LEARNERS, count
from pgmgui.state.curve import Curve
from pgmgui.state.predicting import Predicted, Predicting
from pgmgui.state.race import Race
from pgmgui.state.session import Session

NOTHING = "No rows are held out: what was learned can only be judged by the rows it was learned from. In Options, "
NOTHING += "below, Hold out (%) keeps some of them to test on."
NO_RUN = "Start a run to see what it foretells of the rows held out."
LOSSES = (
    Column("Log-loss per row", "head", "at the newest iteration that was tested; lower is better", 146),
    Column("Learned from", "number", "mean −log Pr of a row that was learned from, in nats", 100),
    Column("Held out", "number", "mean −log Pr of a row that was held out, in nats", 78),
    Column("Best at", "number", "the iteration at which the rows held out were most probable", 66),
)
_CHARTS = """
:host { color: var(--panel-on-surface-color); font-family: var(--bokeh-base-font); }
div.charts { display: flex; flex-wrap: wrap; gap: 4px; } svg { flex: 0 1 auto; min-width: 0; }
"""


class HeldOutView(pn.viewable.Viewer):
    """Log-losses of all learners; then, for one variable: accuracy, confusion, ROC and calibration."""

    def __init__(self, session: Session, race: Race) -> None:
        super().__init__()
        self._session, self._race = session, race
        self._predicting = Predicting(session, work_beside)
        self._looked_at = False
        self._shown: tuple[Predicted, str] | None = None
        self._words = PlainText(margin=(10, 8, 0, 0))
        self._losses = Grid(shown=4, sizing_mode="stretch_width", margin=(4, 8, 4, 0))
        self._moment = PlainText(margin=(4, 8, 0, 0))
        about = "The variable that is foretold from the other cells of each row held out. Selecting one chooses it too."
        self._target = make_select("Target", about, {}, self._choose)
        self._state = make_select("State", "ROC and calibration are of this state against the rest.", {}, self._press)
        self._found = PlainText(margin=(4, 8, 0, 0))
        self._confusion = Grid(shown=6, sizing_mode="stretch_width", margin=(4, 8, 4, 0))
        self._charts = HtmlText(sizing_mode="stretch_width", margin=(4, 8, 4, 0), stylesheets=[_CHARTS])
        choices = pn.Row(self._target, self._state, margin=0, sizing_mode="stretch_width")
        self._all = pn.Column(
            self._losses,
            self._moment,
            choices,
            self._found,
            self._confusion,
            self._charts,
            sizing_mode="stretch_width",
            margin=0,
        )
        self._view = pn.Column(self._words, self._all, sizing_mode="stretch_width", margin=0)
        self._predicting.param.watch(lambda *_: self._show(), ["predicted", "target"])
        race.param.watch(lambda *_: self._list_losses(), ["curves"])
        session.param.watch(lambda *_: self._show(), ["derived"], precedence=2)

    def look(self, looked_at: bool) -> None:
        """Say whether the view is in sight: nothing is computed while it is not."""
        self._looked_at = looked_at
        self._predicting.look(looked_at)
        self._show()

    # --- what the user does

    def _choose(self, target: str) -> None:
        if target and target != self._predicting.target:
            self._predicting.choose(target)

    def _press(self, _state: str) -> None:
        self._draw()

    # --- what is shown

    def _show(self) -> None:
        if not self._looked_at:
            return
        parts = self._session.parts
        split = None if parts is None else parts.split
        self._all.visible = split is not None
        self._words.write(*(describe_split(split) or [NOTHING]))
        if split is None:
            return
        # At once: with other options and no value, the list would choose the first of them.
        options = {name: name for name in self._predicting.targets}
        self._target.param.update(options=options, value=self._predicting.target or None)
        self._list_losses()
        found = self._predicting.predicted
        if found is None or found.parts is not parts:
            # What is known is of other rows.
            self._moment.write(NO_RUN if self._session.reached is None else "Computing …")
            self._found.write()
            self._confusion.visible = self._charts.visible = self._state.visible = False
            return
        self._moment.write(*describe_moment(found))
        self._fill(found)

    def _list_losses(self) -> None:
        if self._looked_at and self._all.visible:
            self._losses.source = losses_source(self._race.curves)

    def _fill(self, found: Predicted) -> None:
        """Show what is foretold of a variable."""
        prediction = found.prediction
        self._confusion.visible = self._charts.visible = self._state.visible = prediction is not None
        if prediction is None:
            self._found.write(found.trouble or "No variable is known in the rows held out.")
            return
        variable = self._find_variable(found)
        if list(self._state.options) != list(variable.states):
            self._state.param.update(options={s: s for s in variable.states}, value=variable.states[0])
        by = f"By the parameters of {found.title}:"
        self._found.write(by, *describe_prediction(prediction, variable))
        self._confusion.source = confusion_source(prediction, variable)
        self._draw()

    def _draw(self) -> None:
        found = self._predicting.predicted
        if found is None or found.prediction is None or (found, self._state.value) == self._shown:
            return
        variable, state = self._find_variable(found), self._state.value
        if state in variable.states:
            self._shown = found, state
            self._charts.object = draw_charts(found.prediction, variable, state)

    def _find_variable(self, found: Predicted) -> Variable:
        network = found.parts.task.network
        return network.variables[network.index[found.target]]

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def losses_source(curves: Mapping[str, Curve]) -> Source:
    """A row for each learner that was tested."""
    tested = [(LEARNERS[name], curve.tested) for name, curve in curves.items() if curve.tested]

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [
            [
                title,
                show_loss(-points[-1].train),
                show_loss(-points[-1].test),
                f"{max(points, key=lambda one: one.test).iteration:,}",
            ]
            for title, points in tested[first : last + 1]
        ]

    return Source(LOSSES, len(tested), cells, "Log-loss per row")


def describe_moment(found: Predicted) -> list[str]:
    """How the parameters looked at stand on the rows held out, in lines."""
    if found.score is None:
        return []
    score = found.score
    lines = [
        f"Log-loss per row by {found.title}: learned from {show_loss(-found.train)}, held out "
        f"{show_loss(score.log_loss)} nats; lower is better."
    ]
    return [line for line in (*lines, describe_impossible(score.impossible)) if line]


def confusion_source(found: Prediction, variable: Variable) -> Source:
    """A row for each state as it is, a column for each as it was foretold."""
    confusion, states = found.confusion, variable.states
    sums = confusion.sum(axis=1)
    columns = (
        Column("Is", "head", "the state in the row held out"),
        *(Column(f"said {state}", "number", f"rows for which {state} was most probable") for state in states),
    )

    def cell(k: int, said: int) -> Cell:
        """Right ones have a tick and the one colour, wrong ones a cross and the other; none has neither."""
        number, right = float(confusion[k, said]), k == said
        share = number / float(sums[k]) if sums[k] else 0.0
        told = f"{number:,.6g}"
        verb = "is" if number == 1 else "are"
        about = f"{count(number, 'row')} that {verb} {states[k]}, said to be {states[said]}: "
        about += f"{'right' if right else 'wrong'}, {show_share(share)} of those"
        sign = "✓ " if right else "✗ "
        text = f"{sign}{told}" if number else told
        return {"text": text, "typed": told, "key": number, "heat": -share if right else share, "about": about}

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [[states[k], *(cell(k, said) for said in range(len(states)))] for k in range(first, last + 1)]

    return Source(columns, len(states), cells, f"Confusion of the states of {variable.name}")
