"""The graph canvas: our own Panel component that draws SVG.

Python owns the graph. When the browser has mounted the component it sends ``ready`` and is answered
with a full ``load``; a new graph is a new ``load``. Data travel as messages, not as parameters, since
a parameter would be sent and compared with every change of the page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from pgmgui.layout import LONGEST_LABEL, NODE_HEIGHT
from pgmgui.present import Graph

_FOLDER = Path(__file__).parent


class Canvas(JSComponent):
    """A drawing of a graph that can be zoomed, panned and walked through with the keyboard."""

    graph = param.ClassSelector(class_=Graph, allow_None=True, doc="What is drawn.")

    # Inlined: as files they would be fetched with a second request, and resolve differently in a wheel.
    _esm = (_FOLDER / "canvas.js").read_text(encoding="utf-8")
    _stylesheets = [(_FOLDER / "canvas.css").read_text(encoding="utf-8")]  # noqa: RUF012 (as Panel declares it)
    _rename = {"graph": None}  # noqa: RUF012

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict) and data.get("type") == "ready":
            self._load()

    @param.depends("graph", watch=True)
    def _load(self) -> None:
        if self.graph is None:
            return
        self._send_msg(
            {
                "type": "load",
                "nodes": list(self.graph.nodes),
                "edges": [list(edge) for edge in self.graph.edges],
                "directed": self.graph.directed,
                "label": self.graph.label,
                "nodeHeight": NODE_HEIGHT,
                "longestLabel": LONGEST_LABEL,
            }
        )
