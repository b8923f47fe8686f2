"""What the arrows are worth: how they are coloured, what is known of them in words and one by one, and resampling."""

from __future__ import annotations

from typing import Any

import panel as pn
import panel_material_ui as pmui

from engine.structure.constraints import Arrow
from pgmgui.components.fields import make_button, make_select
from pgmgui.components.grid.grid import Grid
from pgmgui.components.plain_text import PlainText
from pgmgui.components.switch import make_wrapped_switch
from pgmgui.project.arrow_words import describe_class, describe_comparison, describe_confidence, describe_worths
from pgmgui.project.arrows import COLOURINGS
from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.resampling import USUAL
from pgmgui.state.session import Session
from pgmgui.tabs.structure.arrow_table import arrows_source, list_rows
from pgmgui.tabs.structure.truth_field import TruthField

NOTHING = "nothing"
_BESIDE = (14, 8, 4, 0)  # a button beside a field
RESAMPLES = ("20", "50", "100", "200")


class ArrowsView(pn.viewable.Viewer):
    """The facts of the arrows that the canvas shows."""

    def __init__(self, session: Session, arrow_facts: ArrowFacts) -> None:
        super().__init__()
        self._session, self._facts, self._resampling = session, arrow_facts, arrow_facts.resampling
        self._looked_at = False
        self._rows: list[Arrow] = []
        about = (
            "What the canvas shows of each arrow, by colour, width, dashes and a label: what the score loses without "
        )
        about += "it, whether it could point the other way, how often resampled data has it, or the true network."
        options = [what or NOTHING for what in COLOURINGS]
        self._colour = make_wrapped_switch("Colour by", options, about, (8, 0, 4, 0))
        self._colour.param.watch(self._choose, "value")
        self._words = PlainText(margin=(4, 8, 4, 0))
        self._grid = Grid(shown=9, on_pick=self._pick, sizing_mode="stretch_width", margin=(4, 8, 4, 0))
        self._make_resampling()
        self._view = pn.Column(
            self._colour,
            self._words,
            self._grid,
            pn.Row(self._wanted, self._start, self._stop, margin=0, sizing_mode="stretch_width"),
            self._bar,
            self._progress,
            TruthField(session),
            sizing_mode="stretch_both",
            margin=(0, 0, 0, 12),
            scroll="y-auto",
        )
        session.param.watch(self._follow, ["arrow_colour", "edge"])
        arrow_facts.param.watch(self._show, ["facts", "trouble"])
        self._resampling.param.watch(self._show, ["confidence", "running", "trouble"])
        session.param.watch(self._show, ["derived", "search"])
        self._follow()

    def _make_resampling(self) -> None:
        about = (
            "How many times as many rows as there are are drawn anew from the data, and searched in as the settings "
        )
        about += "of the search say: the more searches find an arrow, the surer it is."
        self._wanted = make_select("Resamples", about, {text: text for text in RESAMPLES}, lambda _: None)
        self._wanted.param.update(value=str(USUAL), width=120, sizing_mode="fixed")
        what = "search in resampled data, to see how sure the arrows are; what was found before is forgotten"
        self._start = make_button(
            "Resample", what, lambda _: self._resampling.start(int(self._wanted.value)), margin=_BESIDE
        )
        self._stop = make_button("Stop", "what has been found stays", lambda _: self._resampling.stop(), margin=_BESIDE)
        self._stop.disabled = True
        self._bar = pmui.LinearProgress(
            value=0, variant="determinate", sizing_mode="stretch_width", margin=(4, 8, 4, 0)
        )
        self._progress = PlainText(margin=(0, 8, 4, 0))

    def look(self, looked_at: bool) -> None:
        """Say whether the view is in sight: nothing is computed for it while it is not."""
        self._looked_at = looked_at
        self._facts.look(looked_at)
        self._show()

    # --- what the user does

    def _choose(self, event: Any) -> None:
        self._session.colour_arrows("" if event.new == NOTHING else event.new)

    def _pick(self, row: int) -> None:
        facts = self._facts.facts
        if facts is None or row >= len(self._rows):
            return
        parent, child = self._rows[row]
        ends = facts.names[parent], facts.names[child]
        if parent in facts.parents[child]:
            self._session.select_edge(ends)
        else:
            self._session.select(ends)

    # --- what is shown

    def _follow(self, *_events: Any) -> None:
        self._colour.value = self._session.arrow_colour or NOTHING
        self._highlight()

    def _highlight(self) -> None:
        facts, edge = self._facts.facts, self._session.edge
        names = () if facts is None else facts.names
        self._grid.picked = [k for k, (a, b) in enumerate(self._rows) if (names[a], names[b]) == edge]

    def _show(self, *_events: Any) -> None:
        if not self._looked_at:
            return
        facts, confidence = self._facts.facts, self._resampling.confidence
        self._show_progress()
        self._grid.visible = facts is not None
        if facts is None:
            self._words.write(self._facts.trouble or "Computing …")
            return
        if confidence is not None and len(confidence.arrows) != len(facts.names):
            confidence = None
        words = [describe_worths(facts), describe_class(facts), describe_comparison(facts)]
        self._words.write(*words, *([] if confidence is None else [describe_confidence(facts, confidence)]))
        self._rows = list_rows(facts, confidence)
        self._grid.source = arrows_source(facts, confidence, self._rows)
        self._highlight()

    def _show_progress(self) -> None:
        resampling = self._resampling
        done = 0 if resampling.confidence is None else resampling.confidence.resamples
        obstacle = "" if resampling.running else resampling.find_obstacle()
        self._start.disabled, self._stop.disabled = resampling.running or bool(obstacle), not resampling.running
        self._bar.visible = resampling.running
        self._bar.value = round(100 * done / max(1, resampling.wanted))
        by = f", {resampling.title}" if resampling.title else ""
        if resampling.running:
            self._progress.write(f"{done} of {resampling.wanted} resamples{by} …")
        elif done:
            ended = "." if done == resampling.wanted else f", stopped before {resampling.wanted}."
            self._progress.write(f"{done} resamples{by}{ended}")
        else:
            self._progress.write(obstacle or resampling.trouble)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
