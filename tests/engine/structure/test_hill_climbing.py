"""Hill climbing goes up, tells each step, keeps to the constraints, and can be stopped."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.model.errors import ModelError
from engine.model.network import topological_order
from engine.structure.bound import Bounding
from engine.structure.constraints import Constraints
from engine.structure.exact import search_all
from engine.structure.graphs import Graph, find_cycle
from engine.structure.hill_climbing import Climb, climb
from engine.structure.recombination import Pool
from tests.engine.structure.samples import draw_data, free, make_families

GREEDY = Climb(tabu=0, restarts=0)
SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
def test_never_falls_and_stays_below_the_bound(seed):
    data = draw_data(2, 3, 2, 2, 3, 2, seed=seed)
    families = make_families(data)
    bounding = Bounding(families, free(data))
    found = list(climb(families, free(data), GREEDY))
    scores = [now.score for now in found]
    assert all(b > a for a, b in itertools.pairwise(scores[:-1]))
    while not bounding.is_closed:
        assert scores[-1] <= bounding.value + 1e-9
        bounding.step()
    assert scores[-1] <= bounding.value + 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_is_told(seed):
    """The structure, the score and the gain follow from the operations alone, with tabu list and restarts."""
    data = draw_data(2, 3, 2, 2, 3, seed=seed)
    families = make_families(data, "bdeu")
    walked = [[now] for now in climb(families, free(data), Climb(restarts=2), random_state=seed)]
    before = None
    best = -float("inf")
    kinds = set()
    for (now,) in walked:
        best = max(best, now.score)
        assert now.score == pytest.approx(families.total(now.parents))
        assert now.best_score == pytest.approx(best)
        assert families.total(now.best) == pytest.approx(now.best_score)
        assert not find_cycle(now.parents)
        step = now.operation
        if step is not None and before is not None:
            arrows = {(p, c) for c, family in enumerate(before.parents) for p in family}
            arrows ^= {(step.parent, step.child)}
            if step.kind == "reverse":
                arrows.add((step.child, step.parent))
            assert arrows == {(p, c) for c, family in enumerate(now.parents) for p in family}
            assert now.score - before.score == pytest.approx(step.gain, abs=1e-8)
            kinds.add(step.kind)
        before = now
    assert kinds == {"add", "delete", "reverse"}
    assert [now.stop for (now,) in walked if now.stop] == ["optimum"]


def test_tabu_list_and_restarts_find_more():
    data = draw_data(2, 3, 2, 2, 3, 2, 2, rows=300, seed=10)
    families = make_families(data)
    reached = [list(climb(families, free(data), way))[-1].best_score for way in (GREEDY, Climb(), Climb(restarts=9))]
    assert reached[0] < reached[1] < reached[2]


def test_same_seed_same_walk():
    data = draw_data(2, 3, 2, 2, seed=1)

    def walk(seed):
        return [now.parents for now in climb(make_families(data), free(data), Climb(restarts=2), random_state=seed)]

    assert walk(1) == walk(1)
    assert walk(1) != walk(2)


@pytest.mark.parametrize("seed", SEEDS)
def test_keeps_to_the_constraints(seed):
    data = draw_data(2, 3, 2, 2, 3, seed=seed)
    constraints = free(
        data, required=frozenset({(3, 1)}), forbidden=frozenset({(0, 2), (2, 4)}), tiers=((3, 1), (0,)), max_parents=2
    )
    for now in climb(make_families(data, "likelihood"), constraints, Climb(restarts=2), random_state=seed):
        arrows = {(p, c) for c, family in enumerate(now.parents) for p in family}
        assert (3, 1) in arrows
        assert arrows.isdisjoint({(0, 2), (2, 4), (0, 3), (0, 1)})
        assert max(map(len, now.parents)) <= 2
        assert constraints.is_met_by(now.parents)
    assert max(map(len, now.best)) == 2  # the likelihood takes all it may


def test_a_cap_of_none_leaves_no_arrow():
    data = draw_data(2, 2, 2)
    assert list(climb(make_families(data), free(data, max_parents=0)))[-1].edges == []


def test_starts_where_it_is_told():
    data = draw_data(2, 3, 2, seed=1)
    start = ((), (0,), (0, 1))
    assert next(climb(make_families(data), free(data), start=start)).parents == start
    with pytest.raises(ModelError, match="does not meet the constraints"):
        next(climb(make_families(data), free(data, max_parents=1), start=start))


def test_stops_when_it_is_told():
    data = draw_data(2, 3, 2, 2, 3, seed=1)
    asked = iter([False, False, True])
    found = list(climb(make_families(data), free(data), cancelled=lambda: next(asked)))
    assert [now.stop for now in found[-2:]] == ["", "cancelled"]
    assert found[-1].iteration == 3
    assert list(climb(make_families(data), free(data), Climb(max_steps=2)))[-1].stop == "steps"
    assert list(climb(make_families(data), free(data), Climb(max_seconds=0)))[-1].stop == "time"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"required": frozenset({(0, 1)}), "forbidden": frozenset({(0, 1)})}, "'V0' → 'V1' is also forbidden"),
        ({"required": frozenset({(0, 1), (1, 2), (2, 0)})}, "form a cycle: 'V"),
        ({"required": frozenset({(0, 2), (1, 2)}), "max_parents": 1}, "'V2' needs 2 parents .* 1 at most is allowed"),
        ({"required": frozenset({(1, 0)}), "tiers": ((0,), (1,))}, "leads to an earlier tier"),
        ({"tiers": ((0, 1), (1,))}, "'V1' is in two tiers"),
        ({"max_parents": -1}, "0 or more"),
        ({"required": frozenset({(0, 0)})}, "to itself"),
    ],
)
def test_constraints_that_contradict_each_other_are_named(options, words):
    with pytest.raises(ModelError, match=words):
        Constraints(draw_data(2, 2, 2).variables, **options)


def test_reach_follows_every_change():
    graph = Graph(((), (0,), (1,), (2,)))
    assert graph.reach[0].tolist() == [True] * 4
    graph.delete(1, 2)
    assert graph.reach.astype(int).tolist() == [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    graph.add(3, 0)
    assert graph.reach[2].tolist() == [True] * 4


def test_arrows_that_no_data_tells_apart_lead_to_the_later_column():
    data = draw_data(3, 3, rows=200, seed=3)
    assert list(climb(make_families(data), free(data), GREEDY))[-1].edges == [(0, 1)]
    turned = free(data, forbidden=frozenset({(0, 1)}))
    assert list(climb(make_families(data), turned, GREEDY))[-1].edges == [(1, 0)]


def test_more_data_is_worth_more_restarts():
    def count(rows, **options):
        data = draw_data(2, 2, 2, 2, rows=rows, seed=1)
        return list(climb(make_families(data), free(data), Climb(), **options))[-1].restart

    assert [count(100), count(3_000), count(6_000), count(20_000)] == [0, 1, 2, 2]  # of four variables two at most
    assert count(6_000, start=((), (), (), ())) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_known_families_are_put_together_to_the_best_of_an_order_and_its_neighbours(seed):
    """By brute force over the moves of one variable: no order that one move leads to scores more, nor has a cycle."""
    n, generator = 5, np.random.default_rng(seed)
    pool, known = Pool(n), {(child, ()): 0.0 for child in range(n)}
    for child in range(n):
        pool.add(child, (), 0.0, np.full(n, -np.inf))
        for size in (1, 2, 3):
            for family in itertools.combinations([v for v in range(n) if v != child], size):
                known[child, family] = float(generator.normal(size))
                pool.add(child, family, known[child, family], np.full(n, -np.inf))

    def score(order):
        return sum(
            max(value for (child, family), value in known.items() if child == v and {*order[:k]}.issuperset(family))
            for k, v in enumerate(order)
        )

    start = ((),) * n
    found, total = pool.improve(start, 1e-9, lambda: False)
    assert find_cycle(found) == []
    assert total == pytest.approx(sum(known[child, family] for child, family in enumerate(found)), abs=1e-9)
    order = topological_order(found)
    assert total >= score(range(n)) - 1e-9
    for v, place in itertools.product(range(n), range(n)):
        moved = [u for u in order if u != v]
        moved.insert(place, v)
        assert score(moved) <= max(total, score(order)) + 1e-9
    assert score(order) == pytest.approx(total, abs=1e-9)
    assert pool.improve(start, 1e-9, lambda: True)[1] <= total  # stopped at once, it has what the first order gives


def test_a_further_parent_is_known_only_if_it_gains():
    pool = Pool(3)
    for child in range(3):
        pool.add(child, (), 0.0, np.array([-1.0, 2.0, -np.inf]) if child == 0 else np.full(3, -np.inf))
    assert pool.improve(((), (), ()), 1e-9, lambda: False) == (((1,), (), ()), 2.0)


def test_what_restarts_find_is_put_together():
    """With restarts, the score is at least that of the best families of an order of any structure on the way."""
    data = draw_data(2, 3, 2, 2, 3, 2, 3, rows=400, seed=2)
    families = make_families(data)
    found = list(climb(families, free(data), Climb(restarts=4), random_state=1))
    bests = [now.best_score for now in found]
    assert all(b >= a for a, b in itertools.pairwise(bests))
    assert bests[-1] == pytest.approx(families.total(found[-1].best), abs=1e-9)
    *_, exact = search_all(families, free(data))
    assert bests[-1] == pytest.approx(exact.score, abs=1e-9)


def test_a_constant_column_gets_no_arrow():
    data = draw_data(2, 1, 3, 2, rows=200, seed=1)
    flat = next(v for v, variable in enumerate(data.variables) if variable.cardinality == 1)
    for now in climb(make_families(data), free(data), Climb(restarts=3), random_state=2):
        assert not now.parents[flat]
        assert all(flat not in family for family in now.parents)
