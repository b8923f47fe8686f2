"""Markov boundaries of many rows at once against d-separation of two variables at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.inference.graphs import as_mask, bits
from engine.learning.imap.separation import Separation
from tests import oracles


@st.composite
def separations(draw):
    """Parents with lower numbers, nodes that are observed always, sometimes or never, a node and those before it."""
    n = draw(st.integers(1, 7))
    parents = [draw(st.sets(st.sampled_from(range(child)), max_size=3)) if child else set() for child in range(n)]
    kinds = draw(st.lists(st.sampled_from("aassh"), min_size=n, max_size=n))
    patterns = draw(st.integers(1, 6))
    seen = {
        v: np.array(draw(st.lists(st.booleans(), min_size=patterns, max_size=patterns)))
        for v in range(n)
        if kinds[v] == "s"
    }
    always = {v for v in range(n) if kinds[v] == "a"}
    node = draw(st.integers(0, n - 1))
    before = {v for v in (*always, *seen) if v != node and draw(st.booleans())}
    return parents, always, seen, patterns, node, before


@settings(max_examples=400, deadline=None)
@given(separations())
def test_boundaries_of_every_pattern(problem):
    parents, always, seen, patterns, node, before = problem
    separation = Separation([as_mask(above) for above in parents], as_mask(always), seen, patterns)
    found = separation.find_boundaries(1 << node, as_mask(before))
    expected = {}
    for pattern in range(patterns):
        if node not in seen or seen[node][pattern]:
            known = {v for v in before if v in always or seen[v][pattern]}
            boundary = oracles.markov_boundary([tuple(above) for above in parents], node, known)
            expected.setdefault(boundary, []).append(pattern)
    assert {frozenset(bits(boundary)): which.tolist() for boundary, which in found.items()} == expected


def test_a_common_effect_joins_its_causes_only_where_it_is_seen():
    """0 → 2 ← 1, and 3 below 2: 1 depends on 0 given 3, and given 2; given neither, on nothing."""
    parents = [0, 0, 0b11, 0b100]
    seen = {2: np.array([True, False, False, True]), 3: np.array([False, True, False, True])}
    separation = Separation(parents, 0b1, seen, 4)
    found = {boundary: which.tolist() for boundary, which in separation.find_boundaries(1 << 1, 0b1101).items()}
    assert found == {0b101: [0, 3], 0b1001: [1], 0: [2]}


@pytest.mark.parametrize("length", [3000])
def test_long_chains_are_no_matter(length):
    """Nothing is called recursively, and what lies behind an observed node is not visited."""
    parents = [0, *(1 << k for k in range(length - 1))]
    separation = Separation(parents, 1, {}, 1)
    assert list(separation.find_boundaries(1 << length - 1, 1)) == [1]
