"""The guided first run: four steps on a card above the canvas, on the first visit or when asked for."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import param
from panel import state
from panel.custom import JSComponent

from pgmgui.project.scene import Scene
from pgmgui.state.session import Session

STEPS = (
    "Look at the picture: each node is a variable, and each coloured area a component that is learned on its own. "
    "Click a variable.",
    "Press Start, below. The curve is the objective; it climbs to a bound that no parameters can pass.",
    "Read the sentence below the buttons: how far the result can be from the best possible, or that nothing is better.",
    "Hide a variable: click it and press h. See components melt together; press h again, and they fall apart.",
    "Change a mark, learn, compare: that is the way around. The Guide tab has worked scenes from the papers.",
)
"""What to do, and last what to say when all is done."""
LOOK, START, READ, HIDE, DONE = range(5)
_STYLE = """
.guide-card { display: flex; align-items: center; gap: 4px 10px; padding: 4px 10px; margin: 2px 8px 4px 12px;
             color: var(--panel-on-surface-color); font: 0.875rem/1.35 var(--bokeh-base-font); border-radius: 6px;
             border: 1px solid var(--panel-primary-color); border-left-width: 6px;
             background: color-mix(in srgb, var(--panel-primary-color) 10%, var(--panel-surface-color)); }
.guide-card[hidden] { display: none; }
.count { white-space: nowrap; }
.text { flex: 1 1 auto; }
.buttons { display: flex; gap: 4px; }
button { font: 500 0.8125rem var(--bokeh-base-font); padding: 4px 10px; cursor: pointer; border-radius: 4px;
         color: var(--panel-on-surface-color); background: var(--panel-surface-color);
         border: 1px solid color-mix(in srgb, var(--panel-on-surface-color) 40%, transparent); }
button:disabled { opacity: 0.45; cursor: default; }
button[hidden] { display: none; }
button:focus-visible { outline: 3px solid var(--panel-primary-color); }
"""


class FirstRun(JSComponent):
    """A card that goes on when the user does what it says, or presses Next.

    It takes room of its own, so that it covers no node. The browser remembers that it was put away.
    """

    step = param.Integer(default=LOOK, bounds=(LOOK, DONE), doc="Which of the steps is shown.")
    steps = param.List(default=list(STEPS), constant=True, doc="What they say.")

    _esm = (Path(__file__).parent / "first_run.js").read_text(encoding="utf-8")
    _stylesheets = [_STYLE]  # noqa: RUF012 (as Panel declares it)

    def __init__(self, session: Session) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda event: self._note(LOOK, bool(event.new)), "selected")
        session.param.watch(lambda event: self._note(START, event.new is not None), "learned")
        session.param.watch(lambda event: self._note(HIDE, _is_marked(event.old, event.new)), "scene")

    def open(self) -> None:
        """Show it from the beginning."""
        self.step = LOOK
        self._send_msg({"type": "open"})

    def _note(self, step: int, done: bool) -> None:
        """Go on if a step was done that was to be done now, or next."""
        if done and self.step in (step - 1, step):
            self.step = step + 1

    def _handle_msg(self, data: Any) -> None:
        by = data.get("by") if isinstance(data, dict) else None
        if by in (-1, 1):
            state.execute(partial(self._go, by), schedule=True)

    def _go(self, by: int) -> None:
        self.step = min(max(self.step + by, LOOK), DONE)


def _is_marked(old: Scene, new: Scene) -> bool:
    """Whether the marks were changed, and not something else opened."""
    return old.document.network is new.document.network and old.marks is not new.marks
