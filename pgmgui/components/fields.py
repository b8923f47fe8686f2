"""Text fields, lists and buttons: small, and with a tooltip each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel_material_ui as pmui

_NARROW = {"minWidth": "0", "padding": "4px 9px"}


def make_field(label: str, about: str, enter: Callable[[str], None], width: int | None = None) -> pmui.TextInput:
    """A field; Enter, or leaving it, hands over what was typed."""
    field = pmui.TextInput(
        label=label,
        description=about,
        size="small",
        margin=(12, 8, 4, 0),
        **({"sizing_mode": "stretch_width"} if width is None else {"width": width}),
    )
    field.param.watch(lambda event: enter(event.new), "value")
    return field


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


def make_button(
    name: str, about: str, action: Callable[..., Any], variant: str = "outlined", **options: Any
) -> pmui.Button:
    """A small button with a tooltip."""
    button = pmui.Button(
        label=name,
        description=f"{name}: {about}",
        description_delay=700,
        variant=variant,
        size="small",
        **{"margin": (4, 8, 4, 0), **options},
    )
    button.on_click(action)
    return button


def make_narrow_button(name: str, about: str, action: Callable[[], None]) -> pmui.Button:
    """A button for a row of several."""
    return make_button(name, about, lambda _event: action(), margin=(4, 6, 4, 0), sx=_NARROW)
