"""Where to draw the nodes: the file's own positions, or automatic ones.

Layered for directed graphs, each arrow pointing down; by distances for undirected ones. A pure function of the graph
and the widths of its labels, in pixels at zoom 1; y grows downwards.

Not a library's, as none folds wide layers: of 441 nodes (pigs) fast-sugiyama draws a strip 50 times as wide as
high with 6,534 crossings (here 3 times and 5,506); igraph's and grandalf's layouts cross more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from engine.formats import Document
from engine.formats.limits import FARTHEST
from engine.model.network import BayesianNetwork
from pgmgui.project.layers import GAP, SHAPE, layer_connected
from pgmgui.project.lines import Points, write_lines

NODE_HEIGHT = 38.0
EDGE_LENGTH = 140.0
LONGEST_LINE = 10
"""Nodes of a chain without arrows that is drawn as one line."""
LONGEST_LABEL = 24
"""Characters of a name that the canvas shows."""
PIVOTS = 60
MOST_RELAXED = 1000
"""Larger undirected graphs are only scaled; relaxing takes time that grows with the square."""
RELAXATIONS = 40
PUSHES = 60
LEAST_IN_RING, MOST_IN_RING, RING = 4, 60, 150.0
"""Variables without arrows that are drawn in a ring, and half its height at least."""
SPARSEST = 200.0
"""A drawing with more room per node than this many nodes would take is no drawing: lay out anew."""


def arrange(document: Document, shape: float = SHAPE) -> Document:
    """The document with a position for each variable: see :func:`place`."""
    return replace(document, positions=place(document, shape))


def place(document: Document, shape: float = SHAPE) -> dict[str, tuple[float, float]]:
    """A position for each variable: the file's if it has them all, else automatic ones.

    These are for a pane that is ``shape`` times as wide as high.
    """
    network = document.network
    names = [variable.name for variable in network.variables]
    widths = np.array([label_width(name) for name in names])
    points = _file_points(document, names, widths)
    if points is None and isinstance(network, BayesianNetwork):
        points = layered(network.parents, widths, shape)
    elif points is None:
        points = by_distance(len(names), network.edges, widths, shape)
    return _name_points(names, points)


def place_structure(
    names: Sequence[str], parents: Sequence[Sequence[int]], directed: bool, shape: float = SHAPE
) -> dict[str, tuple[float, float]]:
    """Automatic positions for variables with such arrows, or edges without."""
    widths = np.array([label_width(name) for name in names])
    if directed:
        return _name_points(names, layered(parents, widths, shape))
    edges = [(parent, child) for child, family in enumerate(parents) for parent in family]
    return _name_points(names, by_distance(len(names), edges, widths, shape))


def _name_points(names: Sequence[str], points: Points) -> dict[str, tuple[float, float]]:
    return {name: (round(float(x), 1), round(float(y), 1)) for name, (x, y) in zip(names, points, strict=True)}


def has_positions(document: Document) -> bool:
    """Whether a document has positions of its own that it can be drawn at, perhaps after scaling."""
    names = [variable.name for variable in document.network.variables]
    return _file_points(document, names, np.array([label_width(name) for name in names])) is not None


def label_width(name: str) -> float:
    """About how wide the canvas draws a node of this name."""
    return max(58.0, 9.0 * min(len(name), LONGEST_LABEL) + 28.0)


def _file_points(document: Document, names: Sequence[str], widths: Points) -> Points | None:
    """The positions of the file, rescaled where nodes would overlap or be lost in space."""
    positions: Mapping[str, tuple[float, float]] = document.positions
    if not names or not all(name in positions for name in names):
        return None
    points = np.array([positions[name] for name in names], dtype=np.float64)
    if not np.isfinite(points).all() or np.abs(points).max() > FARTHEST:
        return None
    needed = needed_scale(points, widths)
    if math.isinf(needed):
        return None
    if needed > 1.0:
        points = points * needed
    elif needed < 0.1:
        points = points * 4 * needed
    box = np.array([widths.mean(), NODE_HEIGHT])
    room = float(((np.ptp(points, axis=0) + box) / box).prod()) / len(names)
    return points if room <= SPARSEST and np.abs(points).max() <= FARTHEST else None


def needed_scale(points: Points, widths: Points) -> float:
    """The factor by which points must be stretched so that no two nodes overlap; inf if two coincide."""
    if len(points) < 2:
        return 1.0
    near = min(len(points), 9)
    boxes = points / (widths.mean(), NODE_HEIGHT)
    found = np.asarray(cKDTree(boxes).query(boxes, near)[1])
    here = np.repeat(np.arange(len(points)), near - 1)
    there = found[:, 1:].reshape(-1)
    apart = np.abs(points[here] - points[there])
    with np.errstate(divide="ignore"):
        across = ((widths[here] + widths[there]) / 2 + GAP / 2) / apart[:, 0]
        down = (NODE_HEIGHT + GAP / 2) / apart[:, 1]
    return float(np.minimum(across, down).max())


def _ring(widths: Points, shape: float) -> Points:
    """Positions around an ellipse, from its top on, as near to each other as can be."""
    angles = 2 * np.pi * np.arange(len(widths)) / len(widths)
    points = RING * np.stack([shape * np.sin(angles), -np.cos(angles)], axis=1)
    return points * max(1.0, needed_scale(points, widths))


# Not with networkx: a process that reads a file would take a fifth longer to start, and the server as much.


def _link(count: int, edges: Sequence[tuple[int, int]]) -> sparse.csr_array:
    """The matrix with a 1 where two nodes are connected, whichever way."""
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    here, there = np.concatenate([ends, ends[:, ::-1]]).T
    links = sparse.csr_array((np.ones(len(here)), (here, there)), shape=(count, count))
    links.sum_duplicates()
    links.data[:] = 1.0
    return links


def _find_parts(links: sparse.csr_array) -> list[list[int]]:
    """The nodes of each connected part, in their order; the parts by their first nodes."""
    parts: dict[int, list[int]] = {}
    for node, label in enumerate(csgraph.connected_components(links, directed=False)[1].tolist()):
        parts.setdefault(label, []).append(node)
    return list(parts.values())


# --- directed graphs: layers --------------------------------------------------------------------


def layered(parents: Sequence[Sequence[int]], widths: Points, shape: float = SHAPE) -> Points:
    """Positions for an acyclic graph, parents above children (Sugiyama's method); long chains in lines.

    Without any arrow, some in a ring: an arrow that comes between two of them passes by the others.
    """
    if LEAST_IN_RING <= len(parents) <= MOST_IN_RING and not any(parents):
        return _ring(widths, shape)
    edges = [(parent, child) for child, found in enumerate(parents) for parent in found]
    parts = _find_parts(_link(len(parents), edges))
    drawings = []
    for part in parts:
        local = {node: k for k, node in enumerate(part)}
        drawings.append(layer_connected([[local[p] for p in parents[node]] for node in part], widths[part], shape))
    return _pack(parts, drawings, widths, shape)


# --- undirected graphs: distances ---------------------------------------------------------------


def by_distance(count: int, edges: Sequence[tuple[int, int]], widths: Points, shape: float = SHAPE) -> Points:
    """Positions for an undirected graph, as far apart on paper as along the edges, then relaxed; chains in lines."""
    links = _link(count, edges)
    parts = _find_parts(links)
    drawings = [_spread_connected(links[part][:, part], widths[part], shape) for part in parts]
    return _pack(parts, drawings, widths, shape)


def _spread_connected(links: sparse.csr_array, widths: Points, shape: float) -> Points:
    count = links.shape[0]
    if count == 1:
        return np.zeros((1, 2))
    degrees = np.diff(links.indptr)
    if count > LONGEST_LINE and degrees.sum() == 2 * (count - 1) and degrees.max() <= 2:  # a chain
        line, _ = csgraph.depth_first_order(links, int(degrees.argmin()), directed=False)
        return write_lines([[node] for node in line.tolist()], widths, shape)
    points = _scale_to_pivots(links)
    if count <= MOST_RELAXED:
        points = _relax(_distances(links, range(count)), points)
    starts, ends = links.nonzero()
    along = points[starts] - points[ends]
    points = _straighten(points, along) * EDGE_LENGTH / max(float(np.median(np.hypot(*along.T))), 1e-9)
    return _push_apart(points, widths)


def _distances(links: sparse.csr_array, sources: Sequence[int]) -> Points:
    """The number of edges from each source to each node."""
    found: Points = csgraph.dijkstra(links, directed=False, indices=list(sources), unweighted=True)
    return found


def _scale_to_pivots(links: sparse.csr_array) -> Points:
    """Multidimensional scaling of the distances to pivots far from each other (Brandes & Pich 2006)."""
    count = links.shape[0]
    nearest = np.full(count, np.inf)
    columns: list[Points] = []
    while len(columns) < min(PIVOTS, count):
        columns.append(_distances(links, [int(nearest.argmax())])[0])
        nearest = np.minimum(nearest, columns[-1])
    squares = np.stack(columns, axis=1) ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean()
    left, strength, _ = np.linalg.svd(centred, full_matrices=False)
    points: Points = left[:, :2] * np.sqrt(strength[:2])
    # Nodes with the same distances (leaves of one node) coincide; part them a little for what follows.
    return points + np.random.default_rng(0).normal(scale=0.01 * float(np.ptp(points)), size=points.shape)


def _relax(distance: Points, points: Points) -> Points:
    """Bring distances on paper closer to those along edges: least Σ (|x−y| − d)² / d², by majorisation."""
    distance = distance + np.eye(len(distance))
    weight = distance**-2 - np.eye(len(distance))
    inverse = np.linalg.inv(np.diag(weight.sum(axis=1)) - weight + 1.0)
    pull = weight * distance
    for _ in range(RELAXATIONS):
        ratio = pull / np.maximum(cdist(points, points), 1e-9)
        points = inverse @ (ratio.sum(axis=1)[:, None] * points - ratio @ points)
    return points


def _straighten(points: Points, along: Points) -> Points:
    """Turn a drawing so that a grid's edges lie across and down, and any other is wider than high.

    Each edge is a unit vector with four times its angle, so that directions a right angle apart agree.
    """
    angles = np.arctan2(along[:, 1], along[:, 0])
    agreement = complex(np.exp(4j * angles).mean())
    if abs(agreement) > 0.5:
        turn = -math.atan2(agreement.imag, agreement.real) / 4
    else:
        middle = points - points.mean(axis=0)
        covariance = middle.T @ middle
        turn = -math.atan2(2 * covariance[0, 1], covariance[0, 0] - covariance[1, 1]) / 2
    turned: Points = points @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    # The first variable goes to the upper left, where reading starts.
    return turned * np.where(turned[0] > turned.mean(axis=0), -1.0, 1.0)


def _push_apart(points: Points, widths: Points) -> Points:
    """Move nodes that overlap away from each other, the shorter way."""
    half = np.stack([(widths + GAP) / 2, np.full(len(widths), (NODE_HEIGHT + GAP) / 2)], axis=1)
    for _ in range(PUSHES):
        pairs = cKDTree(points / (2 * half.max(axis=0))).query_pairs(1.0, p=np.inf, output_type="ndarray")
        a, b = pairs[:, 0], pairs[:, 1]
        apart = points[b] - points[a]
        overlap = half[a] + half[b] - np.abs(apart)
        hit = (overlap > 1e-6).all(axis=1)
        if not hit.any():
            break
        a, b, apart, overlap = a[hit], b[hit], apart[hit], overlap[hit]
        overlap[np.arange(len(a)), 1 - overlap.argmin(axis=1)] = 0.0
        step = overlap * np.where(apart < 0, -0.5, 0.5)
        moves = np.zeros_like(points)
        np.add.at(moves, a, -step)
        np.add.at(moves, b, step)
        points = points + moves
    return points


# --- several pieces -----------------------------------------------------------------------------


def _pack(parts: Sequence[Sequence[int]], drawings: Sequence[Points], widths: Points, shape: float) -> Points:
    """Put the pieces of a graph side by side in rows, about as wide as the pane."""
    points = np.zeros((len(widths), 2))
    boxes = []
    for part, drawing in zip(parts, drawings, strict=True):
        half = np.stack([widths[list(part)] / 2, np.full(len(part), NODE_HEIGHT / 2)], axis=1)
        low, high = (drawing - half).min(axis=0), (drawing + half).max(axis=0)
        boxes.append((low, high - low + 2 * GAP))
    area = sum(float(size[0] * size[1]) for _, size in boxes)
    across = max([math.sqrt(shape * area), *(float(size[0]) for _, size in boxes)], default=0.0)
    left = top = tallest = 0.0
    for k in sorted(range(len(parts)), key=lambda k: (-len(parts[k]), k)):
        low, size = boxes[k]
        if left and left + size[0] > across:
            left, top, tallest = 0.0, top + tallest, 0.0
        points[list(parts[k])] = drawings[k] - low + (left, top)
        left, tallest = left + float(size[0]), max(tallest, float(size[1]))
    return points
