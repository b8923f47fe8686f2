"""Trees, K2 and exact search against all structures there are; the bound above all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.learning.imap.budget import Budget
from engine.model.dataset import Dataset
from engine.model.errors import ModelError
from engine.model.variable import Variable
from engine.structure import groups
from engine.structure.bound import Bounding, bound_score
from engine.structure.exact import search_all
from engine.structure.search import SEARCHES, Search
from engine.structure.trees import grow_tan, grow_tree
from tests.engine.structure.samples import SCORES, brute_force, draw_data, free, make_families, sum_families
from tests.structure_oracles import list_forests, list_structures


def last(snapshots):
    *_, found = snapshots
    return found


@pytest.mark.parametrize("score", SCORES)
def test_exact_search_equals_brute_force(score):
    data = draw_data(2, 3, 2, 2, 3, seed=1)
    find = brute_force(data, score)
    best = max(sum_families(find, parents) for parents in list_structures(5))
    found = last(search_all(make_families(data, score), free(data)))
    assert found.score == pytest.approx(best, abs=1e-9)
    assert sum_families(find, found.best) == pytest.approx(best, abs=1e-9)
    assert (found.stop, found.fraction) == ("optimum", 1.0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_exact_search_keeps_to_the_constraints(score, seed):
    data = draw_data(2, 3, 2, 2, seed=seed, whole=True)
    constraints = free(
        data, required=frozenset({(2, 0)}), forbidden=frozenset({(1, 3)}), tiers=((1,), (3,)), max_parents=2
    )
    find = brute_force(data, score)
    met = [parents for parents in list_structures(4) if constraints.is_met_by(parents)]
    best = max(sum_families(find, parents) for parents in met)
    found = last(search_all(make_families(data, score), constraints))
    assert constraints.is_met_by(found.best)
    assert found.score == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(2))
def test_chow_liu_is_the_best_forest(score, seed):
    data = draw_data(2, 3, 2, 2, 3, rows=40, seed=seed)
    find = brute_force(data, score)
    worth = {(a, b): find(b, (a,)) - find(b, ()) for a, b in itertools.permutations(range(5), 2)}
    best = max(sum(worth[edge] for edge in forest) for forest in list_forests(5))
    empty = sum_families(find, ((),) * 5)
    for root in (0, 3):
        found = last(grow_tree(make_families(data, score), free(data), root=root))
        assert found.best_score == pytest.approx(empty + best, abs=1e-9)
        assert found.best[root] == ()


@pytest.mark.parametrize("seed", range(3))
def test_chow_liu_with_constraints_is_the_best_branching(seed):
    data = draw_data(2, 3, 2, 2, seed=seed)
    constraints = free(data, required=frozenset({(2, 0)}), forbidden=frozenset({(1, 3), (3, 1)}), tiers=((1,), (2,)))
    find = brute_force(data)
    trees = [p for p in list_structures(4) if max(map(len, p)) <= 1 and constraints.is_met_by(p)]
    found = last(grow_tree(make_families(data), constraints))
    assert constraints.is_met_by(found.best)
    assert found.best_score == pytest.approx(max(sum_families(find, parents) for parents in trees))


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_tan_is_the_best_tree_given_the_class(score):
    data = draw_data(2, 3, 2, 3, rows=200, seed=3)
    find = brute_force(data, score)
    augmented = [
        parents
        for parents in list_structures(4)
        if not parents[1] and all(1 in parents[v] and len(parents[v]) <= 2 for v in (0, 2, 3))
    ]
    found = last(grow_tan(make_families(data, score), free(data), root=1))
    assert found.best in augmented
    assert found.best_score == pytest.approx(max(sum_families(find, parents) for parents in augmented))


def test_k2_takes_predecessors_alone_and_each_gains_most():
    data = draw_data(2, 3, 2, 2, seed=4)
    order = [2, 0, 3, 1]
    families, find = make_families(data), brute_force(data)
    found = last(Search("k2", order=order).run(families, free(data)))
    expected = [()] * 4
    for k, child in enumerate(order):
        parents = []
        while free_ones := [v for v in order[:k] if v not in parents]:
            new = max(free_ones, key=lambda v: find(child, sorted((*parents, v))))
            if find(child, sorted((*parents, new))) <= find(child, sorted(parents)):
                break
            parents.append(new)
        expected[child] = tuple(sorted(parents))
    assert found.best == tuple(expected)
    assert any(found.best)


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_tells_its_steps_and_can_be_stopped(name):
    data = draw_data(2, 3, 2, 2, rows=300, seed=5)
    found = list(Search(name).run(make_families(data), free(data)))
    assert [now.stop for now in found] == [""] * (len(found) - 1) + ["optimum"]
    assert found[-1].best_score == pytest.approx(make_families(data).total(found[-1].best))
    assert found[-1].edges
    stopped = list(Search(name).run(make_families(data), free(data), cancelled=lambda: True))
    assert stopped[-1].stop == "cancelled"
    assert len(stopped) < len(found)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("most", [None, 1, 2])
def test_bound_is_valid_at_every_moment_and_ends_at_the_best_families(score, most):
    data = draw_data(2, 3, 2, 2, 3, seed=6, whole=True)
    constraints = free(data, max_parents=most)
    find = brute_force(data, score)
    structures = [p for p in list_structures(5) if constraints.is_met_by(p)]
    highest = max(sum_families(find, parents) for parents in structures)
    bounding = Bounding(make_families(data, score), constraints)
    values = [bounding.value]
    while not bounding.is_closed:
        bounding.step()
        values.append(bounding.value)
    assert all(b <= a + 1e-9 for a, b in itertools.pairwise(values))
    assert values[-1] == pytest.approx(highest, abs=1e-9)  # one group: no cycle is ignored
    assert bounding.kind == "exact"
    for child, best in enumerate(bounding.best):
        others = [v for v in range(5) if v != child]
        sizes = range(constraints.cap + 1)
        expected = max(find(child, p) for size in sizes for p in itertools.combinations(others, size))
        assert best == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_bound_of_several_groups_is_valid_at_every_moment(monkeypatch, score):
    """No lower than the best structure, and lower than with all cycles."""
    data = draw_data(2, 3, 2, 2, 3, 2, rows=400, seed=8, whole=True)
    families, constraints = make_families(data, score), free(data, max_parents=1)
    best = last(search_all(families, constraints)).score
    values = {}
    for most in (1, 2):
        monkeypatch.setattr(groups, "MOST_MEMBERS", most)
        bounding = Bounding(families, constraints)
        assert max(len(members) for members in bounding._groups.members) == most
        while not bounding.is_closed:
            assert bounding.value >= best - 1e-9
            bounding.step()
        values[most] = bounding.value
        assert bounding.kind == "upper"
    assert best - 1e-9 <= values[2] < values[1]
    assert values[1] == pytest.approx(bounding.best.sum())


def test_bound_of_few_variables_is_the_best_score():
    data = draw_data(2, 3, 2, 2, seed=7)
    families = make_families(data)
    best = last(search_all(families, free(data))).score
    found = bound_score(families, free(data), Budget(1.0))
    assert (found.value, found.kind) == (pytest.approx(best), "exact")
    found = bound_score(families, free(data), Budget(0.0))
    assert found.kind == "upper"
    assert found.value >= best


def test_searches_refuse_what_they_cannot_do():
    data = draw_data(2, 2, 2)
    families = make_families(data)
    with pytest.raises(ModelError, match="not known; use one of hill-climbing"):
        Search("ges").run(families, free(data))
    with pytest.raises(ModelError, match="names each of the 3 variables once"):
        last(Search("k2", order=[0, 1]).run(families, free(data)))
    with pytest.raises(ModelError, match="comes after it in the order"):
        last(Search("k2").run(families, free(data, required=frozenset({(2, 0)}))))
    with pytest.raises(ModelError, match="up to two parents"):
        last(Search("tan").run(families, free(data, max_parents=1)))
    with pytest.raises(ModelError, match="'V0' is the class"):
        last(Search("tan").run(families, free(data, forbidden=frozenset({(0, 1)}))))
    with pytest.raises(ModelError, match="at most 1; require fewer"):
        last(Search("chow-liu").run(families, free(data, required=frozenset({(0, 1), (2, 1)}))))
    wide = draw_data(*[2] * 21, rows=5, whole=True)
    with pytest.raises(ModelError, match="up to 20 variables; the data has 21"):
        last(Search("exact").run(make_families(wide), free(wide)))


def test_arrows_that_no_data_tells_apart_lead_from_the_earlier_column_to_the_later():
    """Two columns that go together: either arrow is the best, whatever their order."""
    generator = np.random.default_rng(0)
    cause = generator.integers(0, 3, 200)
    effect = np.where(generator.random(200) < 0.8, cause, generator.integers(0, 3, 200))
    variables = tuple(Variable(name, ("a", "b", "c")) for name in ("X", "Y"))
    for columns in ([cause, effect], [effect, cause]):
        data = Dataset(variables, np.array(columns, dtype=np.int8), np.ones(200))
        assert last(search_all(make_families(data, "bic"), free(data))).best == ((), (0,))
