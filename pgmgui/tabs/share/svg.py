"""Pictures as SVG text, for reports: a network with its components, and learning curves under their bound.

They stand on their own: no style sheet, no font file, no script. Names are escaped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

from scipy.spatial import ConvexHull

from pgmgui.components.canvas.graph import ArrowLook, Arrows, Graph, Look
from pgmgui.project.layout import LONGEST_LABEL, NODE_HEIGHT, label_width
from pgmgui.project.ticks import find_ticks

HULLS = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#808080")
LINES = (("#0072b2", ""), ("#d55e00", "8 4"), ("#009e73", "8 3 2 3"), ("#cc79a7", "2 3"))
"""Colours and dashes of the learners: both tell them apart."""
INK, ACCENT, FILL, PAPER = "#222222", "#1b5e9e", "#bbcfe2", "#ffffff"
PENS: Mapping[str, tuple[str, float, str]] = {
    "": ("#777777", 1.8, ""),
    "worth-0": ("#b35205", 1.6, "3 4"),
    "worth-1": ("#42799a", 1.8, ""),
    "worth-2": ("#085f94", 3, ""),
    "worth-3": ("#085f94", 4.5, ""),
    "worth-4": ("#085f94", 6, ""),
    "compelled": ("#222222", 3.5, ""),
    "reversible": ("#42799a", 2, "9 5"),
    "sure-0": ("#b35205", 1.6, "3 4"),
    "sure-1": ("#42799a", 1.8, ""),
    "sure-2": ("#085f94", 3, ""),
    "sure-3": ("#085f94", 6, ""),
    "right": ("#097f5f", 3.5, ""),
    "turned": ("#b35205", 3, "9 5"),
    "extra": ("#995f7f", 2, "2 5"),
    "missing": ("#666666", 1.8, "6 6"),
}
"""Colour, width and dashes of arrows by their kinds, as canvas_arrows.css has them."""
MARGIN = 40.0
ARROW = 11.0
SQUARE, APART, BESIDE = 15.0, 22.0, 16.0
"""How large the square of a factor is, and how far from others of its variables, or from its only one."""
WIDTH, HEIGHT, LEFT, BOTTOM = 720, 300, 96, 46
"""Of the plot, and of the room for its axes."""
LEFT_OUT = 20
"""The first of so many parts of the curves may leave the picture below."""


def draw_network(graph: Graph, look: Look, arrows: Arrows | None = None) -> str:
    """The network as the canvas shows it: roles by fill and outline, factors as squares, components as hulls.

    Arrows look as they do there, with ghosts of those that the network lacks.
    """
    if not graph.nodes:
        return ""
    boxes = [_box(node) for node in graph.nodes]
    left, right = min(x - w for x, _, w in boxes) - MARGIN, max(x + w for x, _, w in boxes) + MARGIN
    top, bottom = min(y for _, y, _ in boxes) - MARGIN - 22, max(y for _, y, _ in boxes) + MARGIN + 22
    squares = _place_squares(graph, boxes)
    looks = {} if arrows is None else {look.ends: look for look in arrows.edges}
    edges = [(boxes[a], boxes[b], looks.get((a, b))) for a, b in graph.edges]
    if graph.factor_graph:
        edges = [(boxes[v], (*place, SQUARE / 2), None) for f, place in squares.items() for v in graph.factors[f]]
    ghosts = [] if arrows is None else [(boxes[look.ends[0]], boxes[look.ends[1]], look) for look in arrows.added]
    parts = [
        *(_draw_hull(k, boxes, squares, look) for k in range(len(look.hulls))),
        *(_draw_edge(a, b, graph.directed, arrow) for a, b, arrow in (*ghosts, *edges)),
        *(_draw_square(f, place, graph) for f, place in squares.items()),
        *(_draw_node(node, style, box) for node, style, box in zip(graph.nodes, look.nodes, boxes, strict=True)),
    ]
    view = f"{left:.1f} {top:.1f} {right - left:.1f} {bottom - top:.1f}"
    # Small networks are not blown up to the width of the page.
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" style="max-width:{right - left:.0f}px" role="img" '
        f'font-family="system-ui, sans-serif" aria-label="{escape(graph.label)}">{"".join(parts)}</svg>'
    )


def _box(node: Mapping[str, str | float]) -> tuple[float, float, float]:
    """The middle of a node and half its width."""
    return float(node["x"]), float(node["y"]), label_width(str(node["name"])) / 2


def _draw_node(node: Mapping[str, str | float], style: Mapping[str, object], box: tuple[float, float, float]) -> str:
    x, y, w = box
    h = NODE_HEIGHT / 2
    role = style.get("role")
    fill = FILL if role in ("observed", "given", "") else PAPER
    dash = ' stroke-dasharray="6 5"' if role == "hidden" else ""
    shape = f'x="{x - w:.1f}" y="{y - h:.1f}" width="{2 * w:.1f}" height="{2 * h:.1f}" rx="{h:.1f}"'
    inside = ""
    if role == "partial":
        missing = 1.0 - float(str(style["share"]))
        inside = f'<rect {shape} fill="{FILL}" style="clip-path:inset(0 {100 * missing:.1f}% 0 0)"/>'
    elif role == "soft":
        ring = f'x="{x - w + 5:.1f}" y="{y - h + 5:.1f}" width="{2 * w - 10:.1f}" height="{2 * h - 10:.1f}"'
        inside = f'<rect {ring} rx="{h - 5:.1f}" fill="none" stroke="{ACCENT}" stroke-width="1.5"/>'
    elif role == "given":
        below = f'x="{x:.1f}" y="{y + h + 16:.1f}" text-anchor="middle" font-size="13" font-style="italic"'
        inside = f'<text {below} fill="{INK}">given</text>'
    name = str(node["name"])
    shown = name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 1]}…"
    badge = style.get("component") or ""
    about = f"{style.get('about', name)}{style.get('place', '')}"
    return (
        f'<g opacity="{0.45 if style.get("pruned") else 1}"><title>{escape(about)}</title>'
        f'<rect {shape} fill="{fill}" stroke="none"/>{inside}'
        f'<rect {shape} fill="none" stroke="{ACCENT}" stroke-width="2"{dash}/>'
        f'<text x="{x:.1f}" y="{y + 6:.1f}" text-anchor="middle" font-size="17" fill="{INK}">{escape(shown)}</text>'
        f'<text x="{x + w:.1f}" y="{y - h + 2:.1f}" font-size="12" fill="{INK}">{badge}</text></g>'
    )


def _rim(box: tuple[float, float, float], dx: float, dy: float) -> tuple[float, float]:
    """Where a line from the middle of a node leaves its outline: a box with round ends."""
    x, y, w = box
    radius = NODE_HEIGHT / 2
    straight = w - radius
    length = math.hypot(dx, dy) or 1.0
    ux, uy = dx / length, dy / length
    reach = radius / max(abs(uy), 1e-9)
    if abs(ux) * reach > straight:
        along = abs(ux) * straight
        reach = along + math.sqrt(max(0.0, along * along + radius * radius - straight * straight))
    return x + ux * reach, y + uy * reach


def draw_legend(arrows: Arrows) -> str:
    """What the looks of arrows mean, as a line of HTML: a sample of each, and its words."""
    parts = [f"<b>{escape(arrows.title)}:</b>"]
    for kind, words in arrows.legend:
        path = f'<path d="M1 6H22M33 6L22 1V11Z" {_choose_pen(kind)}/>' if kind else ""
        sample = f'<svg viewBox="0 0 34 12" style="width:34px" aria-hidden="true">{path}</svg> ' if kind else ""
        parts.append(f"{sample}{escape(words)}")
    return f"<p>{' &nbsp; '.join(parts)}</p>"


def _choose_pen(kind: str) -> str:
    colour, width, dashes = PENS[kind]
    fill = "none" if kind == "missing" else colour
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'fill="{fill}" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"{dashed}'


def _draw_edge(
    a: tuple[float, float, float], b: tuple[float, float, float], directed: bool, look: ArrowLook | None = None
) -> str:
    dx, dy = b[0] - a[0], b[1] - a[1]
    (x1, y1), (x2, y2) = _rim(a, dx, dy), _rim(b, -dx, -dy)
    path = f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
    if directed:
        length = math.hypot(dx, dy) or 1.0
        ux, uy = dx / length * ARROW, dy / length * ARROW
        bx, by, nx, ny = x2 - ux, y2 - uy, -uy * 0.45, ux * 0.45
        path += f"M{x2:.1f} {y2:.1f}L{bx + nx:.1f} {by + ny:.1f}L{bx - nx:.1f} {by - ny:.1f}Z"
    if look is None:
        return f'<path d="{path}" {_choose_pen("")}/>'
    halo = f'paint-order="stroke" stroke="{PAPER}" stroke-width="4"'
    place = f'x="{(x1 + x2) / 2:.1f}" y="{(y1 + y2) / 2 + 4:.1f}" text-anchor="middle" font-size="12" font-weight="600"'
    label = f'<text {place} fill="{INK}" {halo}>{escape(look.label)}</text>' if look.label else ""
    return f'<g><title>{escape(look.about)}</title><path d="{path}" {_choose_pen(look.kind)}/>{label}</g>'


def _place_squares(graph: Graph, boxes: Sequence[tuple[float, float, float]]) -> dict[int, tuple[float, float]]:
    """Where the squares of factors are: amid their variables, or beside the only one, in a factor graph."""
    places: dict[int, tuple[float, float]] = {}
    alike: Counter[frozenset[int]] = Counter()
    for f, scope in enumerate(graph.factors):
        if len(scope) < (1 if graph.factor_graph else 2):
            continue
        aside = APART * alike[frozenset(scope)]
        alike[frozenset(scope)] += 1
        around = [boxes[v] for v in scope]
        x, y = (math.fsum(box[axis] for box in around) / len(scope) for axis in (0, 1))
        if len(scope) == 1:
            x, y = x - around[0][2] - BESIDE, y - NODE_HEIGHT / 2 - BESIDE
        places[f] = x - aside, y
    return places


def _draw_square(f: int, place: tuple[float, float], graph: Graph) -> str:
    names = ", ".join(str(graph.nodes[v]["name"]) for v in graph.factors[f])
    x, y = (middle - SQUARE / 2 for middle in place)
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{SQUARE}" height="{SQUARE}" rx="2" fill="#555555" stroke="{PAPER}">'
        f"<title>Factor {f + 1} over {escape(names)}</title></rect>"
    )


def _draw_hull(
    k: int,
    boxes: Sequence[tuple[float, float, float]],
    squares: Mapping[int, tuple[float, float]],
    look: Look,
) -> str:
    around = [(*boxes[v], NODE_HEIGHT / 2) for v in look.components[k]]
    around += [(*squares[f], SQUARE / 2, SQUARE / 2) for f in look.factors[k] if f in squares]
    corners = [(x + sx * w, y + sy * h) for x, y, w, h in around for sx in (-1, 1) for sy in (-1, 1)]
    outline = [corners[i] for i in ConvexHull(corners).vertices]
    number = int(look.hulls[k]["number"])
    colour = HULLS[(number - 1) % len(HULLS)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in outline)
    return (
        f'<path d="M{path}Z" fill="{colour}" stroke="{colour}" stroke-width="32" stroke-linejoin="round" '
        f'opacity="0.2"><title>Component {number}</title></path>'
    )


def draw_curves(curves: Mapping[str, Sequence[tuple[float, float]]], bound: float) -> str:
    """Objectives that climb to their bound: one line a learner, of points (iteration, objective)."""
    shown = {name: [p for p in points if math.isfinite(p[1])] for name, points in curves.items()}
    shown = {name: points for name, points in shown.items() if points}
    if not shown:
        return ""
    last = max(points[-1][0] for points in shown.values()) or 1.0
    # A random start lies far below, and would flatten all that follows: the beginnings may leave the picture.
    heights = [y for points in shown.values() for x, y in points if x >= last / LEFT_OUT or x == points[-1][0]]
    frame = _Frame(last, min(heights), max(bound, *heights))
    level, floor = frame.place(0, bound)[1], HEIGHT - BOTTOM
    parts = [
        *frame.draw_axes(),
        f'<path d="M{LEFT} {level:.1f}H{WIDTH - 12}" stroke="#808080" stroke-width="2"/>',
        f'<text x="{LEFT + 8}" y="{level - 5:.1f}">bound {bound:,.4f}</text>',
    ]
    for k, (name, points) in enumerate(shown.items()):
        colour, dash = LINES[k % len(LINES)]
        pen = f'fill="none" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash}"'
        path = "L".join("{:.1f} {:.1f}".format(*frame.place(*point)) for point in points)
        y = HEIGHT - BOTTOM - 12 - 18 * (len(shown) - 1 - k)
        view = f'width="{WIDTH}" height="{floor - 10}" viewBox="0 10 {WIDTH} {floor - 10}"'
        inside = f'<svg role="presentation" y="10" {view}>'
        parts.append(f'{inside}<path d="M{path}" {pen}/></svg><path d="M{WIDTH - 260} {y - 4}h36" {pen}/>')
        parts.append(f'<text x="{WIDTH - 216}" y="{y}">{escape(name)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-size="12" '
        f'fill="{INK}" font-family="system-ui, sans-serif" aria-label="Learning curves">{"".join(parts)}</svg>'
    )


class _Frame:
    """The axes of a plot: where a point is drawn."""

    def __init__(self, last: float, least: float, most: float) -> None:
        room = (most - least) or 1.0
        self.last, self.least, self.most = last, least - 0.05 * room, most + 0.1 * room

    def place(self, x: float, y: float) -> tuple[float, float]:
        down = (self.most - y) / (self.most - self.least)
        return LEFT + x / self.last * (WIDTH - LEFT - 12), 10 + down * (HEIGHT - BOTTOM - 10)

    def draw_axes(self) -> list[str]:
        floor = HEIGHT - BOTTOM
        parts = [f'<path d="M{LEFT} 10V{floor}H{WIDTH - 12}" fill="none" stroke="#999999"/>']
        for value, text in find_ticks(self.least, self.most):
            y = self.place(0, value)[1]
            parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
        for at, text in find_ticks(0.0, self.last, whole=True):
            x = self.place(at, 0)[0]
            parts.append(f'<text x="{x:.1f}" y="{floor + 17}" text-anchor="middle">{text}</text>')
        parts.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 6}" text-anchor="middle">iteration</text>')
        return parts
