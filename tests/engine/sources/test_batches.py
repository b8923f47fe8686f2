"""Packing scopes into few sets of columns."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from engine.sources.batches import pack

SIZES = {name: 2 + k % 4 for k, name in enumerate("abcdefgh")}


@given(st.lists(st.lists(st.sampled_from(sorted(SIZES)), max_size=4), max_size=8), st.integers(4, 400))
def test_every_scope_lies_in_a_set_and_sets_are_small(scopes, most):
    packed = pack(scopes, SIZES, most)
    for scope in scopes:
        assert any(set(scope) <= columns for columns in packed)
    for columns in packed:
        size = math.prod(SIZES[name] for name in columns)
        assert size <= most or columns in map(frozenset, scopes)
    assert len(packed) <= len({frozenset(scope) for scope in scopes})


def test_scopes_with_common_columns_share_a_set():
    packed = pack(["ab", "bc", "cd", "efg", "gh"], dict.fromkeys("abcdefgh", 2), most=16)
    assert packed == [frozenset("efgh"), frozenset("abcd")]
