"""The best tree, or forest: Chow–Liu (§3.2.1 [notes]), and the same among the features of a class (TAN).

In a tree the score is a sum over edges: an edge between X and Y is worth score(X | Y) − score(X), whichever way it
points, where I-equivalent structures score alike. The heaviest spanning tree is the best; edges worth nothing or less
are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine.model.arrays import Floats
from engine.model.errors import ModelError
from engine.structure.constraints import Arrow, Constraints
from engine.structure.families import Families
from engine.structure.hill_climbing import never
from engine.structure.snapshot import Snapshot, Trail


def grow_tree(
    families: Families, constraints: Constraints, *, root: int = 0, cancelled: Callable[[], bool] = never
) -> Iterator[Snapshot]:
    """The best forest (Chow–Liu), an arrow a step, with arrows that lead away from a root.

    With constraints the best branching that meets them is found instead: which way arrows point matters then.
    """
    n = len(constraints.variables)
    weights = _weigh(families, range(n), ())
    arrows = find_arrows(weights, list(range(n)), root, constraints, 1)
    yield from _follow(Trail(families, ((),) * n), arrows, cancelled)


def grow_tan(
    families: Families, constraints: Constraints, *, root: int = 0, cancelled: Callable[[], bool] = never
) -> Iterator[Snapshot]:
    """Tree-augmented naive Bayes (TAN): the root is a class, a parent of all others; these form the best forest."""
    n = len(constraints.variables)
    if constraints.cap < min(2, n - 1):
        raise ModelError("a tree given a class has up to two parents; raise the cap on parents, or use chow-liu")
    features = [v for v in range(n) if v != root]
    for v in features:
        if not constraints.allowed[root, v]:
            raise ModelError(
                f"{constraints.variables[root].name!r} is the class, and no arrow may lead from it to "
                f"{constraints.variables[v].name!r}; choose another class, or lift that constraint"
            )
    weights = _weigh(families, features, (root,))
    first = features[0] if features else root
    arrows = find_arrows(weights, features, first, constraints, 2)
    trail = Trail(families, tuple(() if v == root else (root,) for v in range(n)))
    yield from _follow(trail, arrows, cancelled)


def _weigh(families: Families, variables: Sequence[int], given: tuple[int, ...]) -> Floats:
    """Per parent and child, what an arrow is worth; −∞ where there can be none."""
    n = families.counts.n_variables
    weights = np.full((n, n), -np.inf)
    for child in variables:
        weights[:, child] = families.extend(child, given) - families.score(child, given)
    return weights


def find_arrows(weights: Floats, variables: list[int], root: int, constraints: Constraints, most: int) -> list[Arrow]:
    """The arrows of the heaviest forest, each parent before its children."""
    if constraints.cap < 1 or len(variables) < 2:
        return []
    if constraints.is_free:
        return _span(weights, variables, root)
    return _branch(weights, variables, constraints, most)


def _span(weights: Floats, variables: list[int], root: int) -> list[Arrow]:
    """Prim's algorithm, from the root; then from the first variable that is left."""
    arrows: list[Arrow] = []
    nearest = np.full(len(weights), -1)
    best = np.full(len(weights), -np.inf)
    left = set(variables)
    new = root
    while True:
        left.discard(new)
        if not left:
            return arrows
        waiting = np.array(sorted(left))
        closer = waiting[weights[new, waiting] > best[waiting]]
        best[closer], nearest[closer] = weights[new, closer], new
        new = int(waiting[np.argmax(best[waiting])])
        if best[new] > 0:
            arrows.append((int(nearest[new]), new))
        else:
            new = int(waiting[0])
            best[new] = -np.inf


def _branch(weights: Floats, variables: list[int], constraints: Constraints, most: int) -> list[Arrow]:
    """The heaviest branching (Edmonds) that has the required arrows and none that is not allowed."""
    import networkx as nx  # takes a while to import, and other commands do without

    inside = set(variables)
    required = {arrow for arrow in constraints.required if inside >= set(arrow)}
    for child in variables:
        wanted = [p for p in constraints.required_parents[child] if p in inside]
        if len(wanted) > 1:
            raise ModelError(
                f"{len(wanted)} parents of {constraints.variables[child].name!r} are required, and a tree has "
                f"at most {most}; require fewer, or use hill-climbing"
            )
    bonus = 1.0 + 2.0 * np.abs(weights[np.isfinite(weights)]).sum()
    graph = nx.DiGraph()
    graph.add_nodes_from(variables)
    for p in variables:
        for c in variables:
            if (p, c) in required:
                graph.add_edge(p, c, weight=float(weights[p, c] + bonus))
            elif p != c and constraints.allowed[p, c] and weights[p, c] > 0:
                graph.add_edge(p, c, weight=float(weights[p, c]))
    found = nx.maximum_branching(graph, attr="weight")
    return [(p, c) for c in nx.topological_sort(found) for p in found.predecessors(c)]


def _follow(trail: Trail, arrows: list[Arrow], cancelled: Callable[[], bool]) -> Iterator[Snapshot]:
    """A snapshot for every arrow."""
    now = trail.record()
    yield now
    for parent, child in arrows:
        if cancelled():
            yield trail.record("cancelled")
            return
        yield trail.add(parent, child)
    yield trail.record("optimum")
