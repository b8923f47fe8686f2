"""Learning a structure: how, how it goes, and keeping it."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui
from panel.io import PeriodicCallback, unlocked

from engine.model.network import MarkovNetwork
from pgmgui.board.browser_tab import is_closed
from pgmgui.components.ascent.ascent import Ascent
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.plain_text import PlainText
from pgmgui.project.structure_problem import is_complete
from pgmgui.project.words import count
from pgmgui.state.session import Session
from pgmgui.state.structure_words import describe_search
from pgmgui.state.structuring import Structuring, find_bound
from pgmgui.tabs.structure.search_form import SearchForm
from pgmgui.tabs.work import Work

TICK = 100
"""Milliseconds between two looks at a search."""
START = "look for the arrows that suit the data; the network stays as it is until you keep them"
STEP = "one step of the search, then wait"
STOP = "end with the best that was found"
KEEP = "give the network these arrows, and tables learned from the data; undo takes them back"
DISCARD = "forget the search: the canvas shows the network as it is"


class SearchView(pn.viewable.Viewer):
    """Settings, buttons, and how the search stands; the canvas shows its arrows."""

    def __init__(self, session: Session, structuring: Structuring) -> None:
        super().__init__()
        self._session, self._structuring = session, structuring
        self._about, self._state = PlainText(margin=(8, 8, 0, 0)), PlainText(margin=(4, 8, 0, 0))
        self._buttons = Choices(label="Search for a structure", on_press=self._act, margin=(8, 0, 4, 0))
        self._work = Work(session, structuring.end_keeping)
        self._progress = pmui.LinearProgress(
            value=0, visible=False, sizing_mode="stretch_width", margin=(2, 8, 4, 0), variant="determinate"
        )
        self._plot = Ascent(sizing_mode="stretch_width", margin=(4, 10, 0, 0), visible=False)
        self._view = pn.Column(
            self._about,
            SearchForm(session),
            self._buttons,
            self._work,
            self._progress,
            self._state,
            self._plot,
            sizing_mode="stretch_both",
            margin=(0, 0, 0, 12),
            scroll="y-auto",
        )
        # In the background: otherwise Panel would say at every look, to all pages, that something is being done.
        self._ticker = PeriodicCallback(callback=self._tick, period=TICK, background=True)
        session.param.watch(lambda *_: self._show(), ["scene", "derived"])
        watched = ["course", "running", "bounding", "paused", "stale", "kept", "keeping"]
        structuring.param.watch(lambda *_: self._notice(), watched)
        self._notice()

    def _act(self, key: str) -> None:
        structuring = self._structuring
        if structuring.keeping:
            return  # pressed before the button was seen to be disabled
        if key == "keep":
            structuring.begin_keeping()
            pn.state.execute(self._keep, schedule=True)
            return
        actions = {
            "start": structuring.begin,
            "pause": structuring.pause_or_resume,
            "step": structuring.step,
            "stop": structuring.stop,
            "discard": structuring.discard,
        }
        actions[key]()

    async def _keep(self) -> None:
        structuring = self._structuring
        try:
            await self._work.change("Learning the tables", "keep the structure", structuring.keep_in)
        finally:
            pn.state.execute(structuring.end_keeping, schedule=True)

    # --- what is shown

    @property
    def _is_live(self) -> bool:
        return self._structuring.running or self._structuring.bounding

    def _notice(self) -> None:
        if self._is_live and not self._ticker.running:
            self._ticker.start()
        self._show()

    def _tick(self) -> None:
        if is_closed(pn.state.curdoc):
            self._structuring.stop()
        with unlocked():
            self._structuring.tick()
        if not self._is_live:
            self._ticker.stop()

    def _show(self) -> None:
        session, lines = self._session, describe_search(self._structuring)
        self._about.write(*describe_data(session))
        self._state.write(*lines)
        self._enable()
        self._draw(" ".join(lines))

    def _enable(self) -> None:
        structuring, running = self._structuring, self._structuring.running
        pause = ("Resume", "go on") if structuring.paused else ("Pause", "wait before the next step")
        free = not structuring.keeping
        ready = free and self._session.data is not None and bool(self._session.network.variables)
        buttons = (
            _make("start", "Learn structure", START, ready and not running),
            _make("pause", *pause, running),
            _make("step", "Step", STEP, ready and (running or not structuring.can_keep)),  # it would begin anew
            _make("stop", "Stop", STOP, running),
            _make("keep", "Keep", KEEP, structuring.can_keep),
            _make("discard", "Discard", DISCARD, free and structuring.course is not None),
        )
        groups = [Group("", buttons)]
        if groups != self._buttons.groups:
            self._buttons.groups = groups

    def _draw(self, label: str) -> None:
        course = self._structuring.course
        fraction = 0.0 if course is None or course.stand is None else course.stand.now.fraction
        # Most searches do not know how far it still is.
        kind = "determinate" if fraction else "indeterminate"
        value = round(100 * fraction) if fraction else -1
        self._progress.param.update(visible=self._structuring.running, variant=kind, value=value)
        points = [] if course is None else list(course.points)
        bound = None if course is None else find_bound(course)
        if (points, bound and bound.value, label) != (self._plot.points, self._plot.bound, self._plot.label):
            across = "" if course is None else course.problem.counted
            self._plot.param.update(points=points, bound=bound and bound.value, across=across, label=label)
        self._plot.visible = bool(points)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def describe_data(session: Session) -> list[str]:
    """What there is to learn a structure from, and of which kind it will be."""
    network, seen = session.network, session.seen
    if session.data is None or seen is None:
        return ["There is no data. Open a table in the Data tab; its columns become variables if nothing is open yet."]
    rows = count(seen.total_weight - session.held_out_rows, "row")
    held_out = f"; {count(session.held_out_rows, 'row')} held out" if session.held_out_rows else ""
    lines = [f"From {rows} of {count(len(network.variables), 'variable')}{held_out}."]
    if isinstance(network, MarkovNetwork):
        lines.append("A Markov network: edges without arrows are looked for. For arrows, open a Bayesian network.")
    elif not is_complete(seen):
        lines.append("Cells are missing or hidden: hill climbing goes on by structural EM, in rounds.")
    return lines


def _make(key: str, name: str, about: str, enabled: bool) -> Choice:
    look = "main" if key in ("start", "keep") and enabled else "plain"
    return Choice(key, name, f"{name}: {about}", disabled=not enabled, look=look)
