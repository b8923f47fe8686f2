"""The bar above the canvas: say what is known of the selected variables."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn
import panel_material_ui as pmui

from pgmgui.marks import Hidden, Mark, Partial, Soft
from pgmgui.session import Session
from pgmgui.views.plain_text import PlainText
from pgmgui.words import cut, describe_savings


class MarksBar(pn.viewable.Viewer):
    """Buttons that mark the selection."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._text = PlainText(margin=(0, 12, 0, 0))
        self._buttons = [
            self._button("As in the data", "forget the marks of the selected variables", lambda: None),
            self._button("Hide", "the selected variables are never seen (key: h)", Hidden),
            self._button("Half missing", "half of the values are missing, at random", lambda: Partial(0.5)),
            self._button("Noisy sensor", "seen through a sensor that is right 8 times in 10", lambda: Soft(0.8)),
        ]
        self._row = pn.Row(
            *self._buttons,
            self._text,
            margin=(0, 16),
            height=44,
            sizing_mode="stretch_width",
            styles={"align-items": "center"},
        )
        session.param.watch(lambda *_: self._update(), ["selected", "scene", "derived"])
        self._update()

    def _button(self, name: str, about: str, make: Callable[[], Mark | None]) -> pmui.Button:
        button = pmui.Button(
            label=name,
            description=f"{name}: {about}",
            description_delay=700,
            variant="outlined",
            size="small",
            margin=(4, 8, 4, 0),
        )

        def mark(_event: object) -> None:
            self._session.mark(self._session.selected, make())

        button.on_click(mark)
        return button

    def _update(self) -> None:
        session = self._session
        nothing = not session.selected or session.data is None
        for button in self._buttons:
            button.disabled = nothing
        if session.data is None:
            self._text.write("No data here: marks need some.")
        elif session.selected:
            self._text.write(f"Selected: {cut(session.selected, 4)}")
        elif session.parts is not None:
            self._text.write(describe_savings(session.parts.task))
        else:
            self._text.write("Click variables to say what is known of them.")

    def __panel__(self) -> pn.viewable.Viewable:
        return self._row
