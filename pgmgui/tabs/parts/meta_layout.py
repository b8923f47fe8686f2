"""The pictures of a meta-network as diagrams: sets and copies of the network, each as the canvas draws it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engine.insight.meta_network import MetaNetwork, Node, Picture
from pgmgui.components.diagram.diagram import Box, Drawing, Frame, Line

WIDTH, HEIGHT = 84.0, 36.0
GAP = 10.0
PAD = 14.0
TITLE = 20.0
"""Room for the title of a frame."""
BETWEEN = 70.0
"""Room for the arrows between sets and copies."""
SCALE = 0.8
"""Of the canvas' distances."""
MOST_ACROSS = 5
"""Generators beside each other above a copy."""
LONGEST = 11
"""Characters of a name in a box."""

Places = Mapping[str, tuple[float, float]]
Corners = dict[Node, tuple[float, float]]
"""The left and top of the box of each node."""


def draw_connected(meta: MetaNetwork, picture: Picture, places: Places, label: str) -> Drawing:
    """Sets at the left, and beside them the copies one below the other; perhaps with generators above each copy."""
    across = _count_across(meta) if any(node.kind == "generator" for node in picture.nodes) else 0
    copies = [_place_copy(meta, places, i, across, "generator") for i in range(len(meta.rows))]
    total = sum(height + 2 * GAP for _, _, height in copies)
    per_column = max(1, int(total // (HEIGHT + GAP)))
    columns = math.ceil(len(meta.sets) / per_column)
    corners: Corners = {}
    for s in range(len(meta.sets)):
        corners[Node("set", s)] = (s // per_column) * (WIDTH + GAP), (s % per_column) * (HEIGHT + GAP)
    frames = _set_down(meta, copies, corners, columns * (WIDTH + GAP) + BETWEEN, 0.0)
    return _finish(meta, picture, corners, frames, label)


def draw_islands(meta: MetaNetwork, picture: Picture, places: Places, label: str) -> Drawing:
    """An island for each set, with its generators; and below one for each copy, with its clones."""
    corners: Corners = {}
    copies = [_place_copy(meta, places, i, _count_across(meta), "clone") for i in range(len(meta.rows))]
    total = max(width for _, width, _ in copies)
    width = len(meta.rows) * (WIDTH + GAP) - GAP + 2 * PAD
    height = 2 * HEIGHT + 30 + 2 * PAD
    per_line = max(1, int((total + GAP) // (width + GAP)))
    frames = []
    for s in range(len(meta.sets)):
        x, y = (s % per_line) * (width + GAP), (s // per_line) * (height + GAP)
        frames.append(Frame(x, y, width, height, "", "island"))
        corners[Node("set", s)] = x + (width - WIDTH) / 2, y + PAD
        for i in range(len(meta.rows)):
            corners[Node("generator", s, i)] = x + PAD + i * (WIDTH + GAP), y + PAD + HEIGHT + 30
    top = math.ceil(len(meta.sets) / per_line) * (height + GAP) + GAP
    frames += [replace(frame, look="island") for frame in _set_down(meta, copies, corners, 0.0, top)]
    return _finish(meta, picture, corners, frames, label)


def _count_across(meta: MetaNetwork) -> int:
    return min(MOST_ACROSS, len(meta.sets))


def _place_copy(meta: MetaNetwork, places: Places, row: int, across: int, kind: str) -> tuple[Corners, float, float]:
    """A copy of the network below its generators or clones, so many beside each other; its width and height."""
    points = [places[variable.name] for variable in meta.network.variables]
    left, top = (min(values) for values in zip(*points, strict=True))
    above = math.ceil(len(meta.sets) / across) * (HEIGHT + GAP) + BETWEEN / 2 if across else 0.0
    corners = {Node("copy", v, row): (SCALE * (x - left), above + SCALE * (y - top)) for v, (x, y) in enumerate(points)}
    for s in range(len(meta.sets) if across else 0):
        corners[Node(kind, s, row)] = (s % across) * (WIDTH + GAP), (s // across) * (HEIGHT + GAP)
    width = max(x for x, _ in corners.values()) + WIDTH + 2 * PAD
    height = max(y for _, y in corners.values()) + HEIGHT + PAD + TITLE + GAP
    return corners, width, height


def _set_down(
    meta: MetaNetwork, copies: Sequence[tuple[Corners, float, float]], corners: Corners, left: float, top: float
) -> list[Frame]:
    """Put copies below each other, in a frame each."""
    frames = []
    for i, (places, width, height) in enumerate(copies):
        corners |= {node: (left + PAD + a, top + TITLE + GAP + b) for node, (a, b) in places.items()}
        times = f", {meta.weights[i]:,.6g} times" if meta.weights[i] != 1 else ""
        frames.append(Frame(left, top, width, height, f"Row {i + 1}{times}"))
        top += height + 2 * GAP
    return frames


def _finish(meta: MetaNetwork, picture: Picture, corners: Corners, frames: list[Frame], label: str) -> Drawing:
    boxes = {node: _make_box(meta, node, *corners[node]) for node in picture.nodes}
    lines = [Line((_leave(boxes[a], boxes[b]), _leave(boxes[b], boxes[a])), arrow=True) for a, b in picture.edges]
    return Drawing(tuple(boxes.values()), tuple(lines), tuple(frames), label)


def _leave(box: Box, other: Box) -> tuple[float, float]:
    """Where the line from the middle of a box to that of another leaves it."""
    x, y = box.x + box.width / 2, box.y + box.height / 2
    dx, dy = other.x + other.width / 2 - x, other.y + other.height / 2 - y
    reach = min(box.width / 2 / abs(dx) if dx else math.inf, box.height / 2 / abs(dy) if dy else math.inf)
    return (x + reach * dx, y + reach * dy) if reach < math.inf else (x, y)


def _make_box(meta: MetaNetwork, node: Node, x: float, y: float) -> Box:
    tell: dict[str, Callable[[MetaNetwork, Node], tuple[str, str, str, str]]] = {"copy": _tell_copy, "set": _tell_set}
    text, detail, about, look = tell.get(node.kind, _tell_between)(meta, node)
    return Box("", x, y, WIDTH, HEIGHT, text, detail, about, look)


def _shorten(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _tell_copy(meta: MetaNetwork, node: Node) -> tuple[str, str, str, str]:
    variable, code = meta.network.variables[node.number], meta.rows[node.row][node.number]
    state = variable.states[code] if code >= 0 else "?" if code == -1 else "likelihood"
    about = f"{variable.name} in row {node.row + 1}: {state if code != -1 else 'not observed'}"
    return _shorten(variable.name), _shorten(state, LONGEST + 2), about, "round known" if code >= 0 else "round hidden"


def _tell_set(meta: MetaNetwork, node: Node) -> tuple[str, str, str, str]:
    name, given = _name_set(meta, node.number)
    about = f"The parameters of {name}{f' given {given}' if given else ''}"
    return f"θ {_shorten(name, LONGEST - 2)}", _shorten(given, LONGEST + 3), about, "set"


def _tell_between(meta: MetaNetwork, node: Node) -> tuple[str, str, str, str]:
    name, given = _name_set(meta, node.number)
    what = f"{name}{f' given {given}' if given else ''}, for row {node.row + 1}"
    if node.kind == "generator":
        return _shorten(name), _shorten(given, LONGEST + 3), f"Generator of {what}", "round soft"
    return _shorten(name + "′"), _shorten(given, LONGEST + 3), f"Clone of the generator of {what}", "round soft"


def _name_set(meta: MetaNetwork, number: int) -> tuple[str, str]:
    """A set's variable, and the states of the parents."""
    variable, states = meta.sets[number]
    parents = [meta.network.variables[p] for p in meta.network.parents[variable]]
    given = ", ".join(f"{p.name}={p.states[k]}" for p, k in zip(parents, states, strict=True))
    return meta.network.variables[variable].name, given
