"""Buttons of which one is pressed."""

from __future__ import annotations

import panel_material_ui as pmui

# The label beside the buttons rather than above them.
_ONE_LINE = """
.MuiFormControl-root { flex-direction: row !important; align-items: center; gap: 6px; white-space: nowrap; }
.MuiFormLabel-root { font-size: 0.875rem; }
.MuiFormLabel-root.Mui-disabled { color: var(--panel-on-surface-color) !important; }
"""
# In large type there are two rows of buttons.
_WRAPPED = ".MuiToggleButtonGroup-root { flex-wrap: wrap; } .MuiToggleButton-root { width: auto !important; }"


def make_wrapped_switch(
    label: str, options: list[str], about: str, margin: tuple[int, int, int, int]
) -> pmui.RadioButtonGroup:
    """A switch with so many buttons that there may be no room for them in a row."""
    switch = make_switch(label, options, about)
    switch.param.update(margin=margin, sizing_mode="stretch_width", stylesheets=[_ONE_LINE, _WRAPPED])
    return switch


def make_switch(label: str, options: list[str], about: str) -> pmui.RadioButtonGroup:
    """A low row of buttons behind its label; the first is pressed."""
    return pmui.RadioButtonGroup(
        label=label,
        options=options,
        value=options[0],
        size="small",
        margin=(0, 12, 0, 0),
        description=about,
        sx={"& .MuiToggleButton-root": {"padding": "1px 7px", "textTransform": "none"}},
        stylesheets=[_ONE_LINE],
    )
