"""The graph canvas: our own Panel component that draws SVG.

Python owns the graph. When the browser has mounted the component it sends ``ready``, with its shape, and is answered
with a full ``load``; ``shape`` tells another one. A new graph is a new ``load``, ``style`` says how the loaded nodes
look, or what of that has changed, ``bars`` how probable their states are, ``trail`` which way through them stands out,
``preview`` which other edges are shown instead of the graph's own, ``arrows`` how edges look, and ``choose`` which is
selected. A ``find`` is answered with what was ``found``, an ``ask`` with the ``options`` of a node, and a ``copy`` with
the text that was ``copied``. What the user does comes as a numbered ``op``; once all that follows from it has been
sent, it is answered with ``ack``, and before that with the graph as it was if it is refused. Data travel as messages,
not as parameters, since a parameter would be sent and compared with every change of the page.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import param

from pgmgui.components.base import Component
from pgmgui.components.canvas.graph import Arrows, Beliefs, Graph, Look, Preview, Trail, find_changes, is_other

_PARTS = (
    "geometry",
    "ways",
    "shapes",
    "bars",
    "room",
    "far",
    "names",
    "trail",
    "preview",
    "arrows",
    "sight",
    "factors",
    "drawing",
    "view",
    "picture",
    "menu",
    "connect",
    "clipboard",
    "tools",
    "find",
    "map",
    "pointer",
    "keys",
)

MOST_FOUND = 50
"""Nodes that are listed of those that a text may mean."""


class Canvas(Component):
    """A drawing of a graph that can be edited, selected from, zoomed, panned, and walked through with the keyboard.

    What the user does becomes a call of ``on_op(message)``, which says whether it was done. The messages
    come from the browser: they may hold anything.
    """

    graph = param.ClassSelector(class_=Graph, allow_None=True, doc="What is drawn.")
    look = param.ClassSelector(class_=Look, allow_None=True, doc="How its nodes and components look.")
    beliefs = param.ClassSelector(class_=Beliefs, allow_None=True, doc="How probable the states of its nodes are.")
    trail = param.ClassSelector(class_=Trail, allow_None=True, doc="A way through it that stands out.")
    preview = param.ClassSelector(class_=Preview, allow_None=True, doc="Other edges that are shown instead.")
    arrows = param.ClassSelector(class_=Arrows, allow_None=True, doc="How its edges look.")
    edge = param.Tuple(default=None, length=2, allow_None=True, doc="The names of the selected edge's ends, if one is.")
    selected = param.List(default=[], doc="The names of the selected nodes.")
    factor = param.Integer(default=None, allow_None=True, doc="The number of the selected factor, if one is.")
    history = param.Tuple(default=("", ""), length=2, doc="What undo and redo would do; empty for nothing.")
    node_height = param.Number(default=44.0, doc="Pixels of a node, at zoom 1.")
    longest_label = param.Integer(default=24, doc="Characters of a name that are drawn; a longer one is cut.")
    on_op = param.Callable(doc="Called with what the user asks for.")
    on_ask = param.Callable(doc="Called with the name of a node: what can be supposed and said of it, or None.")
    on_copy = param.Callable(doc="Called with names of nodes: the text that stands for them on the clipboard.")
    on_begin = param.Callable(doc="Called with the width over the height of the canvas, before anything is drawn.")
    on_shape = param.Callable(doc="Called with that when it has changed.")
    on_find = param.Callable(doc="Called with a text: the nodes that it may mean, each with a reason or none.")

    _scripts = ("../saving.js", *(f"canvas_{part}.js" for part in _PARTS), "canvas.js")
    _styles = (
        "canvas.css",
        "canvas_find.css",
        "canvas_map.css",
        "canvas_menu.css",
        "canvas_trail.css",
        "canvas_preview.css",
        "canvas_arrows.css",
    )
    _python = (
        *("graph", "look", "beliefs", "trail", "preview", "arrows", "edge", "selected", "factor", "history"),
        *("node_height", "longest_label", "on_op", "on_ask", "on_copy", "on_find", "on_begin", "on_shape"),
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._drawn: Graph | None = None
        self._styled: Look | None = None
        self._told: Beliefs | None = None
        self._traced: Trail | None = None
        self._previewed: Preview | None = None
        self._worn: Arrows | None = None
        self._done = 0  # the number of the last op
        self._is_waiting = False  # for what is drawn first

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict) and data.get("type") == "ready" and _is_shape(data.get("shape")):
            self._do(self._begin, data["shape"])
        else:
            super()._handle_msg(data)

    def _begin(self, shape: float) -> None:
        if self.on_begin is not None:
            self._is_waiting = True
            self.on_begin(shape)
            self._is_waiting = False
        self._mounted()

    def _mounted(self) -> None:
        self._drawn, self._done = None, 0
        self._send_all()

    def _receive(self, message: dict[str, Any]) -> None:
        if message.get("type") == "op" and isinstance(message.get("seq"), int) and self.on_op is not None:
            self._do(self._perform, message)
        elif message.get("type") == "find" and isinstance(message.get("text"), str) and self.on_find is not None:
            self._do(self._find, message["text"])
        elif message.get("type") == "ask" and isinstance(message.get("node"), str) and self.on_ask is not None:
            self._do(self._answer, message["node"])
        elif message.get("type") == "shape" and _is_shape(message.get("shape")) and self.on_shape is not None:
            self._do(self.on_shape, message["shape"])
        elif message.get("type") == "copy" and self.on_copy is not None:
            names = message.get("names")
            if isinstance(names, list) and all(isinstance(name, str) for name in names):
                self._do(self._copy, names)

    def _perform(self, message: dict[str, Any]) -> None:
        self._done = message["seq"]
        done = bool(self.on_op(message))
        if not done:
            self._send_all()
        self._say("ack", done=done)

    def _find(self, text: str) -> None:
        found = self.on_find(text)
        self._say("found", text=text, count=len(found), first=[list(hit) for hit in found[:MOST_FOUND]])

    def _answer(self, name: str) -> None:
        options = self.on_ask(name)
        if options is not None:
            self._say("options", name=name, **options)

    def _copy(self, names: list[str]) -> None:
        self._say("copied", text=self.on_copy(names), count=len(names))

    def _say(self, kind: str, **values: Any) -> None:
        self._send_msg({"type": kind, "seq": self._done, **values})

    def _send_all(self) -> None:
        self._load()
        self._reselect()
        self._send_history()

    # One watcher for all, so that a graph always comes before its looks, bars, trail and arrows.
    @param.depends("graph", "look", "beliefs", "trail", "preview", "arrows", watch=True)
    def _draw(self) -> None:
        if self._is_waiting:
            return
        if self.graph is not self._drawn:
            self._load()
            return
        if self.preview is not self._previewed:
            self._show_preview()
        if self.look is not self._styled:
            self._restyle()
        if self.beliefs is not self._told:
            self._tell()
        if self.trail is not self._traced:
            self._trace()
        if self.arrows is not self._worn:
            self._wear()

    def _load(self) -> None:
        if self.graph is None:
            return
        self._say(
            "load",
            nodes=list(self.graph.nodes),
            edges=[list(edge) for edge in self.graph.edges],
            factors=[list(scope) for scope in self.graph.factors],
            factorGraph=self.graph.factor_graph,
            directed=self.graph.directed,
            label=self.graph.label,
            file=self.graph.file,
            fit=is_other(self._drawn, self.graph),
            nodeHeight=self.node_height,
            longestLabel=self.longest_label,
        )
        self._drawn, self._styled = self.graph, None
        if self.preview is not None or self._previewed is not None:
            self._show_preview()
        self._restyle()
        self._tell()
        if self.trail is not None or self._traced is not None:
            self._trace()
        if self.arrows is not None or self._worn is not None:
            self._wear()

    def _restyle(self) -> None:
        before, self._styled = self._styled, self.look
        if self.look is not None:
            self._say("style", **find_changes(before, self.look))

    def _tell(self) -> None:
        self._told = self.beliefs
        if self.beliefs is not None:
            cards = [asdict(card) for card in self.beliefs.cards]
            self._say("bars", shown=self.beliefs.shown, cards=cards, supposed=list(self.beliefs.supposed.items()))

    def _show_preview(self) -> None:
        self._previewed = self.preview
        self._say("preview", **({"edges": None} if self.preview is None else asdict(self.preview)))

    def _trace(self) -> None:
        self._traced = self.trail
        self._say("trail", **asdict(self.trail or Trail()))

    def _wear(self) -> None:
        self._worn = self.arrows
        self._say("arrows", **asdict(self.arrows or Arrows((), (), "", ())))

    @param.depends("edge", watch=True)
    def _choose(self) -> None:
        self._say("choose", ends=self.edge and list(self.edge))

    @param.depends("selected", "factor", watch=True)
    def _reselect(self) -> None:
        self._say("select", names=list(self.selected), factor=self.factor)

    @param.depends("history", watch=True)
    def _send_history(self) -> None:
        self._say("history", undo=self.history[0], redo=self.history[1])


def _is_shape(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf
