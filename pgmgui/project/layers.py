"""Positions for directed graphs: in layers, each arrow pointing down (Sugiyama's method)."""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections.abc import Sequence

import numpy as np
from scipy.optimize import isotonic_regression

from engine.model.network import topological_order
from pgmgui.project.lines import Points, write_lines

LAYER_HEIGHT, LOWEST_LAYER = 120.0, 66.0
PANE_HEIGHT = 480.0
"""Pixels of a canvas, about: layers are as high as they can be where all shall be seen at zoom 1, within limits."""
SHAPE = 1.8
"""Width over height of a canvas, about."""
GAP = 28.0
STAGGER = 0.75
"""The height of a further row of a layer, in layers."""
BEND = 12.0
"""The room that an arrow takes where it passes a layer."""
MOST_WIDENED = 1.6
"""A drawing that is narrower than its pane is widened so far."""
THIN = 3
"""Nodes and bends in each layer of a graph that can be written in lines."""
MOST_BENDS = 20_000
"""Above this many crossings of arrows with layers in between, long arrows do not reserve room."""
SWEEPS = 12
DEEPEST = 120
"""Layers that are drawn one below the other; more are written in lines."""
MUCH_LARGER = 1.5
"""What is thin is written in lines if it can then be seen so many times as large."""


def layer_connected(parents: Sequence[Sequence[int]], widths: Points, shape: float = SHAPE) -> Points:
    """Positions for an acyclic graph of one piece, for a pane that is ``shape`` times as wide as high."""
    depth = _depths(parents)
    above, layers = _with_bends(parents, depth)
    below: list[list[int]] = [[] for _ in above]
    for node, found in enumerate(above):
        for parent in found:
            below[parent].append(node)
    layers = _reduce_crossings(layers, above, below)
    if len(layers) > DEEPEST:
        return write_lines(layers, widths, shape)
    points = _stack(layers, above, below, widths, shape)
    if max(map(len, layers)) > THIN:
        return points
    written = write_lines(layers, widths, shape)
    return written if _zoom(written, shape) > MUCH_LARGER * _zoom(points, shape) else points


def _zoom(points: Points, shape: float) -> float:
    """How large a drawing can be seen at most, in a pane of the usual height."""
    width, height = np.ptp(points, axis=0) + LOWEST_LAYER
    return min(1.0, PANE_HEIGHT / float(height), shape * PANE_HEIGHT / float(width))


def _stack(
    layers: Sequence[Sequence[int]],
    above: Sequence[Sequence[int]],
    below: Sequence[Sequence[int]],
    widths: Points,
    shape: float,
) -> Points:
    """Positions of layers, one below the other."""
    height = min(max(PANE_HEIGHT / len(layers), LOWEST_LAYER), LAYER_HEIGHT)
    counts = [sum(node < len(widths) for node in layer) for layer in layers]
    rows = _rows_needed(counts, float(widths.mean()), height, shape)
    x = _assign_x(layers, above, below, widths, rows)
    # Where that makes a picture too wide, layers can be higher: arrows are steeper then.
    wide = float(np.ptp(x[: len(widths)]) + widths.mean()) / shape
    height = min(max(height, wide / (len(rows) + STAGGER * (sum(rows) - len(rows)))), LAYER_HEIGHT)
    points = np.zeros((len(widths), 2))
    top = 0.0
    for layer, count in zip(layers, rows, strict=True):
        real = [node for node in layer if node < len(widths)]
        for k, node in enumerate(real):
            points[node] = x[node], top + (k % count) * height * STAGGER
        top += height + (count - 1) * height * STAGGER
    width = float(np.ptp(points[:, 0])) + float(widths.mean())
    points[:, 0] *= min(max(shape * top / width, 1.0), MOST_WIDENED)
    return points


def _depths(parents: Sequence[Sequence[int]]) -> list[int]:
    """The layer of each node: below its parents, and a root just above its highest child."""
    depth = [0] * len(parents)
    order = topological_order(parents)
    for node in order:
        depth[node] = max((depth[parent] + 1 for parent in parents[node]), default=0)
    highest: dict[int, int] = {}
    for node in order:
        for parent in parents[node]:
            highest[parent] = min(highest.get(parent, depth[node]), depth[node])
    return [highest[node] - 1 if not parents[node] and node in highest else depth[node] for node in range(len(depth))]


def _with_bends(parents: Sequence[Sequence[int]], depth: Sequence[int]) -> tuple[list[list[int]], list[list[int]]]:
    """Neighbours above and the nodes of each layer; a long arrow gets a bend in each layer it passes."""
    layers: list[list[int]] = [[] for _ in range(max(depth) + 1)]
    for node, level in enumerate(depth):
        layers[level].append(node)
    above: list[list[int]] = [[] for _ in parents]
    arrows = [(parent, child) for child, found in enumerate(parents) for parent in found]
    bends = sum(depth[child] - depth[parent] - 1 for parent, child in arrows) <= MOST_BENDS
    for parent, child in arrows:
        last = parent
        if bends:
            for level in range(depth[parent] + 1, depth[child]):
                above.append([last])
                last = len(above) - 1
                layers[level].append(last)
        above[child].append(last)
    return above, layers


def _reduce_crossings(
    layers: list[list[int]], above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Order each layer by the mean place of its neighbours, down and up in turn; keep the best found."""
    place = [0.0] * len(above)
    for layer in layers:
        _number(layer, place)
    best, fewest = layers, _count_crossings(layers, above, place)
    for sweep in range(SWEEPS):
        neighbours = above if sweep % 2 == 0 else below
        current = []
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            means = {node: _mean(place, neighbours[node], place[node]) for node in layer}
            current.append(sorted(layer, key=means.__getitem__))
            _number(current[-1], place)
        layers = current if sweep % 2 == 0 else current[::-1]
        crossings = _count_crossings(layers, above, place)
        if crossings < fewest:
            best, fewest = layers, crossings
    return best


def _number(layer: Sequence[int], place: list[float]) -> None:
    """Places 0 … 1 along a layer, so that layers of different length compare."""
    for k, node in enumerate(layer):
        place[node] = (k + 0.5) / len(layer)


def _count_crossings(layers: Sequence[Sequence[int]], above: Sequence[Sequence[int]], place: Sequence[float]) -> int:
    """Pairs of arrows between neighbouring layers that cross."""
    crossings = 0
    for layer in layers:
        seen: list[float] = []
        for node in layer:
            ends = [place[parent] for parent in above[node]]
            crossings += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return crossings


def _rows_needed(counts: Sequence[int], width: float, height: float, shape: float) -> list[int]:
    """In how many staggered rows to draw each layer, so that wide layers do not flatten the picture."""
    most = max(counts)
    while True:
        rows = [math.ceil(count / most) for count in counts]
        total = height * (len(rows) + STAGGER * sum(count - 1 for count in rows))
        if most <= 8 or most * (width + GAP) < shape * total:
            return rows
        most -= max(1, most // 10)


def _assign_x(
    layers: Sequence[Sequence[int]],
    above: Sequence[Sequence[int]],
    below: Sequence[Sequence[int]],
    widths: Points,
    rows: Sequence[int],
) -> Points:
    """x of each node: near the mean of its neighbours, in the order found, without overlaps."""
    x = np.zeros(len(above))
    offsets = []
    for layer, count in zip(layers, rows, strict=True):
        offsets.append(_offsets(layer, widths, count))
        x[list(layer)] = offsets[-1] - offsets[-1][-1] / 2
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        for level in range(len(layers)) if downwards else range(len(layers) - 1, -1, -1):
            layer = list(layers[level])
            if sweep >= SWEEPS - 2:
                wish = [_mean(x, [*above[node], *below[node]], x[node]) for node in layer]
            else:
                wish = [_mean(x, above[node] if downwards else below[node], x[node]) for node in layer]
            # Of a deep network most layers have one node: it goes where it wishes to be.
            alone = len(layer) == 1
            x[layer] = wish if alone else isotonic_regression(wish - offsets[level]).x + offsets[level]
    return x


def _offsets(layer: Sequence[int], widths: Points, rows: int) -> Points:
    """How far right of the first each node of a layer must be at least; nodes ≥ len(widths) are bends."""
    if rows == 1:
        room = np.array([widths[node] + GAP if node < len(widths) else BEND for node in layer])
    else:
        # Neighbours stand in different rows; the one below looks through the gap between two above.
        widest = max(widths[node] for node in layer if node < len(widths))
        room = np.array([1.5 * widest / rows if node < len(widths) else BEND for node in layer])
    return np.concatenate([[0.0], np.cumsum((room[:-1] + room[1:]) / 2)])


def _mean(values: Sequence[float] | Points, nodes: Sequence[int], otherwise: float) -> float:
    return sum(values[node] for node in nodes) / len(nodes) if nodes else otherwise
