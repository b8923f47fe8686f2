"""Text fields, lists and buttons: small, and with a tooltip each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel_material_ui as pmui
import param

# As high as a switch: they stand side by side.
_LOW = {"&.MuiButton-root": {"padding": "2px 9px"}}
_NARROW = {"minWidth": "0", **_LOW}


class TextField(pmui.TextInput):
    """A text field that takes back nothing that is typed.

    Material's shows its value whenever that changes. When a text that was entered reaches a busy server together with
    what has been typed since, the new text would be overwritten by the old one.
    """

    _entered: str | None = None

    def _process_events(self, events: dict[str, Any]) -> None:
        self._entered = events.get("value")
        try:
            super()._process_events(events)
        finally:
            self._entered = None

    @param.depends("value", watch=True, on_init=True)
    def _sync_value_input(self) -> None:
        if self.value != self._entered:
            super()._sync_value_input()


def make_field(label: str, about: str, enter: Callable[[str], None], width: int | None = None) -> TextField:
    """A field; Enter, or leaving it, hands over what was typed."""
    field = TextField(
        label=label,
        description=about,
        size="small",
        margin=(12, 8, 4, 0),
        **({"sizing_mode": "stretch_width"} if width is None else {"width": width}),
    )
    field.param.watch(lambda event: enter(event.new), "value")
    return field


def make_path_field(label: str, about: str, example: str, read: Callable[[object], Any]) -> TextField:
    """A field for the path of a file on the machine that pgmgui runs on; Enter has it read."""
    field = TextField(
        label=label,
        description=about,
        placeholder=example,
        size="small",
        sizing_mode="stretch_width",
        margin=(6, 8, 4, 0),
    )
    field.param.watch(read, "enter_pressed")
    return field


def make_area(label: str, about: str, longest: int, enter: Callable[[str], None]) -> pmui.TextAreaInput:
    """A field for several lines, which grows with them; leaving it hands over what was typed."""
    area = pmui.TextAreaInput(
        label=label,
        description=about,
        size="small",
        rows=1,
        max_rows=5,
        auto_grow=True,
        max_length=longest,
        margin=(10, 8, 4, 0),
        sizing_mode="stretch_width",
    )
    area.param.watch(lambda event: enter(event.new), "value")
    return area


def make_select(label: str, about: str, options: Mapping[str, str], choose: Callable[[str], None]) -> pmui.Select:
    """A list to choose from; the options are texts of our own and what they stand for."""
    select = pmui.Select(
        label=label,
        description=about,
        options=dict(options),
        size="small",
        sizing_mode="stretch_width",
        margin=(12, 8, 4, 0),
    )
    select.param.watch(lambda event: choose(event.new), "value")
    return select


PATIENT = 2000
"""Milliseconds until a tooltip opens that lies over what its button has one read."""


def make_button(
    name: str, about: str, action: Callable[..., Any], variant: str = "outlined", **options: Any
) -> pmui.Button:
    """A small button with a tooltip."""
    button = pmui.Button(
        label=name,
        description=f"{name}: {about}",
        variant=variant,
        size="small",
        **{"description_delay": 700, "margin": (4, 8, 4, 0), "sx": _LOW, **options},
    )
    button.on_click(action)
    return button


def make_narrow_button(name: str, about: str, action: Callable[[], None]) -> pmui.Button:
    """A button for a row of several."""
    return make_button(name, about, lambda _event: action(), margin=(4, 6, 4, 0), sx=_NARROW)
