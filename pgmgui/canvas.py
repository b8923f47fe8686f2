"""The graph canvas: our own Panel component that draws SVG.

Python owns the graph. When the browser has mounted the component it sends ``ready`` and is answered
with a full ``load``; a new graph is a new ``load``, and ``style`` says how the loaded nodes look. Data
travel as messages, not as parameters, since a parameter would be sent and compared with every change of
the page.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import param
from panel import state
from panel.custom import JSComponent

from pgmgui.layout import LONGEST_LABEL, NODE_HEIGHT
from pgmgui.picture import Graph, Look

_FOLDER = Path(__file__).parent


class Canvas(JSComponent):
    """A drawing of a graph that can be zoomed, panned, walked through with the keyboard, and selected from.

    Clicks and keys of the user become calls of ``on_select(names)`` and ``on_hide(names)``.
    """

    graph = param.ClassSelector(class_=Graph, allow_None=True, doc="What is drawn.")
    look = param.ClassSelector(class_=Look, allow_None=True, doc="How its nodes and components look.")
    selected = param.List(default=[], doc="The names of the selected nodes.")
    on_select = param.Callable(doc="Called with the names that the user selects.")
    on_hide = param.Callable(doc="Called with the names whose hiding the user toggles.")

    # Inlined: as files they would be fetched with a second request, and resolve differently in a wheel.
    _esm = (_FOLDER / "canvas.js").read_text(encoding="utf-8")
    _stylesheets = [(_FOLDER / "canvas.css").read_text(encoding="utf-8")]  # noqa: RUF012 (as Panel declares it)
    _rename = dict.fromkeys(("graph", "look", "selected", "on_select", "on_hide"))

    def _handle_msg(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        names = [name for name in data.get("names", []) if isinstance(name, str)]
        if data.get("type") == "ready":
            self._load()
            self._restyle()
            self._reselect()
        # A message may come while the document is not locked: what changes the page must wait for its turn.
        elif data.get("type") == "select" and self.on_select is not None:
            state.execute(partial(self.on_select, names), schedule=True)
        elif data.get("type") == "hide" and self.on_hide is not None:
            state.execute(partial(self.on_hide, names), schedule=True)

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

    @param.depends("look", watch=True)
    def _restyle(self) -> None:
        if self.look is not None:
            self._send_msg(
                {"type": "style", "nodes": list(self.look.nodes), "components": [list(c) for c in self.look.components]}
            )

    @param.depends("selected", watch=True)
    def _reselect(self) -> None:
        self._send_msg({"type": "select", "names": list(self.selected)})
