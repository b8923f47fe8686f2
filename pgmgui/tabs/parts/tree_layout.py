"""A junction tree as a diagram: a clique a line, the longest branch straight down, the others to the right of it.

So a narrow panel has room for deep trees: a branch to the right has at most half of what is below its clique. The
largest clique is on top. Of many cliques those are shown that have the most cells below them; the rest are boxes that
can be opened.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from engine.inference.junction_tree import JunctionTree
from engine.inference.text_tables import format_count
from pgmgui.components.diagram.diagram import Box, Drawing, Line
from pgmgui.project.words import count, cut

MOST_SHOWN = 120
"""Cliques that are shown at first, and with every box that is opened."""
ROW = 58.0
HEIGHT = 36.0
INDENT = 34.0
CHARACTER = 7.3
"""Pixels of a letter, about."""
LONGEST = 40
"""Characters of a box."""
MOST_NAMED = 5
TOP = -1
"""Stands above the roots of all trees."""


@dataclass(frozen=True, eq=False)
class Hanging:
    """A junction tree hung up by the largest clique of each of its trees.

    Attributes
    ----------
    children : list of list of int
        Per clique, the heaviest first; last, under :data:`TOP`, the roots.
    separators : list of tuple of int
        What each clique shares with the one above it.
    weight, size : list of int
        The cells of all cliques below each, with its own, and how many these are.
    """

    tree: JunctionTree
    children: list[list[int]]
    separators: list[tuple[int, ...]]
    weight: list[int]
    size: list[int]


def hang(tree: JunctionTree) -> Hanging:
    """Hang up a junction tree."""
    around: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in tree.cliques]
    for child, parent in enumerate(tree.parents):
        if parent >= 0:
            around[child].append((parent, tree.separators[child]))
            around[parent].append((child, tree.separators[child]))
    children: list[list[int]] = [[] for _ in range(len(tree.cliques) + 1)]
    separators: list[tuple[int, ...]] = [()] * len(tree.cliques)
    order: list[int] = []
    seen = [False] * len(tree.cliques)
    for root in sorted(range(len(tree.cliques)), key=lambda k: -tree.sizes[k]):
        if seen[root]:
            continue
        seen[root] = True
        children[TOP].append(root)
        waiting = [root]
        while waiting:
            clique = waiting.pop()
            order.append(clique)
            for other, separator in around[clique]:
                if not seen[other]:
                    seen[other] = True
                    separators[other] = separator
                    children[clique].append(other)
                    waiting.append(other)
    weight, size = list(tree.sizes), [1] * len(tree.cliques)
    for clique in reversed(order):
        weight[clique] += sum(weight[child] for child in children[clique])
        size[clique] += sum(size[child] for child in children[clique])
    for below in children:
        below.sort(key=lambda k: (-weight[k], k))
    return Hanging(tree, children, separators, weight, size)


def choose_shown(hanging: Hanging, opened: Collection[int], most: int = MOST_SHOWN) -> set[int]:
    """The cliques that are shown: the heaviest branches first, and as many again below each that was opened."""
    shown: set[int] = set()
    for top in (TOP, *sorted(opened)):
        # Those below what is not shown are nowhere to be seen.
        if top != TOP and top not in shown:
            continue
        waiting = [(-hanging.weight[k], k) for k in hanging.children[top] if k not in shown]
        heapq.heapify(waiting)
        left = most
        while waiting and left:
            _, clique = heapq.heappop(waiting)
            shown.add(clique)
            left -= 1
            for child in hanging.children[clique]:
                heapq.heappush(waiting, (-hanging.weight[child], child))
    return shown


@dataclass
class _Sheet:
    boxes: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    rows: int = 0

    def add(self, key: str, depth: int, words: tuple[str, str, str], look: str) -> Box:
        text, detail, about = words
        width = max(CHARACTER * max(len(text), 0.9 * len(detail)) + 20, 60)
        box = Box(key, INDENT * depth, ROW * self.rows, width, HEIGHT, text, detail, about, look)
        self.boxes.append(box)
        self.rows += 1
        return box

    def join(self, above: Box, below: Box, text: str) -> None:
        """A line down from a box, and to the right if the other is there; what is shared stands beside it."""
        x, bottom = above.x + 14, above.y + above.height
        middle = below.y + below.height / 2
        aside = ((x, middle), (below.x, middle))
        points = ((x, bottom), *(aside if below.x > above.x else ((x, below.y),)))
        self.lines.append(Line(points, text=text, at=(below.x + 22, below.y - (ROW - HEIGHT) / 2)))


def draw_tree(hanging: Hanging, names: Sequence[str], opened: Collection[int], selected: Collection[str]) -> Drawing:
    """The diagram of a tree. A box is pressed by its clique's number; what is to be opened by ``open`` and a number."""
    tree, sheet = hanging.tree, _Sheet()
    shown, picked = choose_shown(hanging, opened), set(selected)
    boxes: dict[int, Box] = {}
    for clique, depth, above in _walk(hanging, shown):
        if clique is None:
            hidden = [k for k in hanging.children[above] if k not in shown]
            box = sheet.add(f"open {above}", depth, _tell_hidden(hanging, hidden, above), "more")
            text = ""
        else:
            own = [names[v] for v in tree.cliques[clique]]
            look = "strong" if tree.sizes[clique] == tree.largest else ""
            look += " picked" if picked and picked == set(own) else ""
            box = boxes[clique] = sheet.add(str(clique), depth, _tell_clique(own, tree.sizes[clique]), look)
            text = _tell_separator(tree, names, hanging.separators[clique]) if above != TOP else ""
        if above != TOP:
            sheet.join(boxes[above], box, text)
    label = f"Junction tree of {count(len(tree.cliques), 'clique')} over {count(len(tree.position), 'variable')}"
    return Drawing(tuple(sheet.boxes), tuple(sheet.lines), (), label)


def _walk(hanging: Hanging, shown: Collection[int]) -> Iterator[tuple[int | None, int, int]]:
    """The cliques from above, each with how far to the right it is and the one above it; None for those not shown."""
    # Last in, first out: the heaviest child, straight below, comes after all that goes to the right.
    waiting: list[tuple[int | None, int, int]] = []

    def push(above: int, depth: int) -> None:
        below = [k for k in hanging.children[above] if k in shown]
        lost = len(below) < len(hanging.children[above])
        if above == TOP:
            waiting.extend([(None, depth, above)] * lost)
            waiting.extend((k, depth, above) for k in reversed(below))
        else:
            waiting.extend((k, depth, above) for k in below[:1])
            waiting.extend([(None, depth + 1, above)] * lost)
            waiting.extend((k, depth + 1, above) for k in reversed(below[1:]))

    push(TOP, 0)
    while waiting:
        clique, depth, above = waiting.pop()
        yield clique, depth, above
        if clique is not None:
            push(clique, depth)


def _shorten(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _tell_clique(names: list[str], cells: int) -> tuple[str, str, str]:
    about = f"Clique of {cut(names, 40)}: {count(len(names), 'variable')}, {_cells(cells)}. Press to select them."
    return _shorten(cut(names, MOST_NAMED)), _cells(cells), about


def _tell_separator(tree: JunctionTree, names: Sequence[str], separator: tuple[int, ...]) -> str:
    cells = 1
    for v in separator:
        cells *= tree.cardinalities[v]
    return f"{_shorten(cut([names[v] for v in separator], MOST_NAMED))} · {format_count(cells)}"


def _tell_hidden(hanging: Hanging, hidden: list[int], above: int) -> tuple[str, str, str]:
    cliques, cells = sum(hanging.size[k] for k in hidden), sum(hanging.weight[k] for k in hidden)
    what = (
        f"{count(len(hidden), 'more tree')}, {count(cliques, 'clique')}"
        if above == TOP
        else count(cliques, "more clique")
    )
    return f"+ {what}", _cells(cells), f"{what} with {_cells(cells)}: press to see the largest of them"


def _cells(cells: int) -> str:
    return f"{format_count(cells)} cell{'s' if cells != 1 else ''}"
