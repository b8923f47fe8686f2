"""A button that opens a small form above it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import panel_material_ui as pmui

# As high as the buttons of Choices.
_LOW = {"height": "1.75rem", "minHeight": "0", "padding": "0 9px !important", "lineHeight": "calc(1.75rem - 2px)"}

# The tooltip too is above it, as below there may be the next button: Material can only say so for all of a page.
_ABOVE = """
.MuiTooltip-tooltip { translate: 0 calc(-100% - 1.75rem - 28px); }
.MuiTooltip-arrow { display: none; }
"""


def make_popup_button(
    label: str,
    about: str,
    make_form: Callable[[], pn.viewable.Viewable | pn.viewable.Viewer],
    size: tuple[int, int],
    sx: dict[str, Any] | None = None,
    **options: Any,
) -> pmui.Button:
    """A button whose form opens over the page, and closes with Escape or a click beside it.

    The form is made when it is first opened: most pages never open it. ``size`` is its width and height: it is placed
    before the browser knows how large it will be.
    """
    width, height = size
    popup = pmui.Popup(
        open=False,
        anchor_origin={"horizontal": "left", "vertical": "top"},
        transform_origin={"horizontal": "left", "vertical": "bottom"},
        sx={"& .MuiPaper-root": {"width": f"{width}px", "height": f"{height}px"}},
    )
    button = pmui.Button(
        label=label,
        description=about,
        description_delay=700,
        variant="outlined",
        size="small",
        attached=[popup],
        sx={**_LOW, **(sx or {})},
        stylesheets=[_ABOVE],
        **options,
    )

    def show(_event: object) -> None:
        if not popup.objects:
            popup.objects = [make_form()]
        popup.open = True

    button.on_click(show)
    return button
