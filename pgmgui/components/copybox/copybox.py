"""A text to take along: shown on the page, with a button that copies it."""

from __future__ import annotations

import param

from pgmgui.components.base import Component


class CopyBox(Component):
    """Shows a text and copies it; nothing while the text is empty."""

    text = param.String(doc="What is shown.")
    label = param.String(default="Text", doc="What it is, for screen readers.")

    _scripts = ("copybox.js",)
    _styles = ("copybox.css",)

    def copy(self) -> None:
        """Copy the text, as its button does: for another button that has just been pressed."""
        self._send_msg({"type": "copy"})
