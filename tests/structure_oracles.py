"""Brute force for structures: scores row by row, and all directed acyclic graphs. Shares no code with the engine."""

from __future__ import annotations

import itertools
import math
from functools import cache

import networkx as nx


def family_score(kind, rows, weights, cardinalities, child, parents, sample_size=1.0):
    """The score of a family, from dictionaries of counts."""
    joint, margin = {}, {}
    for row, weight in zip(rows, weights, strict=True):
        u = tuple(row[p] for p in parents)
        joint[u, row[child]] = joint.get((u, row[child]), 0.0) + weight
        margin[u] = margin.get(u, 0.0) + weight
    if kind in ("likelihood", "bic", "aic"):
        likelihood = math.fsum(n * math.log(n / margin[u]) for (u, _), n in joint.items() if n)
        size = (cardinalities[child] - 1) * math.prod(cardinalities[p] for p in parents)
        return likelihood - {"likelihood": 0.0, "bic": math.log(sum(weights)) / 2, "aic": 1.0}[kind] * size

    def share(v, x):
        if kind == "bdeu":
            return 1 / cardinalities[v]
        return math.fsum(w for row, w in zip(rows, weights, strict=True) if row[v] == x) / sum(weights)

    def alpha(u):
        return sample_size * math.prod(share(p, x) for p, x in zip(parents, u, strict=True))

    found = [math.lgamma(alpha(u)) - math.lgamma(alpha(u) + n) for u, n in margin.items() if n]
    for (u, x), n in joint.items():
        if n:
            a = alpha(u) * share(child, x)
            found.append(math.lgamma(a + n) - math.lgamma(a))
    return math.fsum(found)


@cache
def list_structures(n):
    """All directed acyclic graphs over so many variables, as tuples of parents."""
    pairs = list(itertools.combinations(range(n), 2))
    found = []
    for ways in itertools.product(range(3), repeat=len(pairs)):
        parents = [[] for _ in range(n)]
        for (a, b), way in zip(pairs, ways, strict=True):
            if way == 1:
                parents[b].append(a)
            elif way == 2:
                parents[a].append(b)
        left = set(range(n))
        while roots := {v for v in left if left.isdisjoint(parents[v])}:
            left -= roots
        if not left:
            found.append(tuple(tuple(sorted(family)) for family in parents))
    return tuple(found)


def find_class(parents):
    """What I-equivalent structures have in common: their edges, and their v-structures."""
    edges = frozenset(frozenset((p, c)) for c, family in enumerate(parents) for p in family)
    colliders = frozenset(
        (a, c, b)
        for c, family in enumerate(parents)
        for a, b in itertools.combinations(sorted(family), 2)
        if frozenset((a, b)) not in edges
    )
    return edges, colliders


def list_compelled(n):
    """Per class of structures over n variables, the arrows that all of them have."""
    found = {}
    for parents in list_structures(n):
        arrows = {(p, c) for c, family in enumerate(parents) for p in family}
        key = find_class(parents)
        found[key] = found.get(key, arrows) & arrows
    return found


def list_forests(n):
    """All undirected forests over n variables, as lists of pairs."""
    pairs = list(itertools.combinations(range(n), 2))
    for size in range(n):
        for edges in itertools.combinations(pairs, size):
            graph = nx.Graph(edges)
            if not edges or nx.is_forest(graph):
                yield edges
