"""The bound of the score: never below a structure, and of some use for many variables."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning.imap import budget
from engine.learning.imap.budget import Budget
from engine.structure import groups
from engine.structure.bound import Bounding, bound_score
from engine.structure.exact import search_all
from engine.structure.hill_climbing import Climb, climb
from tests.engine.structure.samples import SCORES, draw_data, free, make_families


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.integers(2, 3), min_size=2, max_size=5),
    seed=st.integers(0, 10_000),
    rows=st.integers(3, 60),
    score=st.sampled_from(SCORES),
    cap=st.sampled_from([None, 1, 2, 3]),
    members=st.integers(1, 5),
    paired=st.booleans(),
)
def test_no_structure_is_above_it_at_any_moment(sizes, seed, rows, score, cap, members, paired):
    data = draw_data(*sizes, rows=rows, seed=seed, whole=True)
    families, constraints = make_families(data, score), free(data, max_parents=cap)
    *_, best = search_all(families, constraints)
    if paired:
        families.extend_pairs()
    with patch.object(groups, "MOST_MEMBERS", members):
        bounding = Bounding(families, constraints)
    assert bounding.value >= best.score - 1e-9
    while not bounding.is_closed:
        bounding.step()
        assert bounding.value >= best.score - 1e-9


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_two_parents_among_many_variables_are_looked_through_at_once(monkeypatch, score):
    """In as much time, one child after the other, the bound is two thirds nearer to 0."""
    monkeypatch.setattr(budget, "CLOCK", 100.0)  # a busy machine is no reason to find less
    data = draw_data(*[2, 3, 4] * 10, rows=2000, seed=3, whole=True)
    families, constraints = make_families(data, score), free(data, max_parents=2)
    *_, found = climb(families, constraints, Climb(tabu=0, restarts=0))
    bound = bound_score(make_families(data, score), constraints, Budget(0.15)).value
    assert found.best_score <= bound <= 0.9 * found.best_score


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_no_structure_makes_rows_more_likely_than_their_frequencies(score):
    """The bound of any number of parents, with no time to look for it."""
    data = draw_data(*[2] * 14, rows=3000, seed=4, whole=True)
    families = make_families(data, score)
    *_, found = climb(families, free(data), Climb(tabu=0, restarts=0))
    bound = bound_score(families, free(data), Budget(0.0)).value
    assert found.best_score <= bound <= families.counts.likelihood
