"""A text to take along: shown on the page, with a button that copies it."""

from __future__ import annotations

from pathlib import Path

import param
from panel.custom import JSComponent

_STYLE = """
.copy-box { position: relative; color: var(--panel-on-surface-color); }
.copy-box[hidden] { display: none; }
pre { font-size: 0.75rem; margin: 0; padding: 8px 8px 8px; max-height: 220px; overflow: auto; white-space: pre-wrap;
      overflow-wrap: anywhere; border-radius: 4px;
      border: 1px solid color-mix(in srgb, var(--panel-on-surface-color) 25%, transparent); }
button { float: right; margin: 4px; font: 500 0.8125rem var(--bokeh-base-font); padding: 4px 10px; cursor: pointer;
         color: var(--panel-on-surface-color); background: var(--panel-surface-color); border-radius: 4px;
         border: 1px solid color-mix(in srgb, var(--panel-on-surface-color) 40%, transparent); }
button:focus-visible, pre:focus-visible { outline: 3px solid var(--panel-primary-color); }
"""


class CopyBox(JSComponent):
    """Shows a text and copies it; nothing while the text is empty."""

    text = param.String(doc="What is shown.")
    label = param.String(default="Text", doc="What it is, for screen readers.")

    _esm = (Path(__file__).parent / "copybox.js").read_text(encoding="utf-8")
    _stylesheets = [_STYLE]  # noqa: RUF012 (as Panel declares it)
