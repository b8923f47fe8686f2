"""Compelled and reversible arrows, comparisons, and confidence, against all structures there are."""

from __future__ import annotations

import numpy as np
import pytest

from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork
from engine.structure.bootstrap import bootstrap
from engine.structure.comparison import align_structure, compare
from engine.structure.constraints import Constraints
from engine.structure.counts import count_rows
from engine.structure.equivalence import find_pattern
from engine.structure.families import Families
from engine.structure.hill_climbing import climb
from engine.structure.scores import make_score
from engine.structure.structural_em import make_network
from tests.engine.structure.samples import draw_data, free, make_variables
from tests.structure_oracles import find_class, list_compelled, list_structures


@pytest.mark.parametrize("n", [3, 4, 5])
def test_compelled_arrows_are_those_that_all_of_a_class_have(n):
    compelled = list_compelled(n)
    for parents in list_structures(n)[:: 1 if n < 5 else 7]:
        edges, _ = key = find_class(parents)
        found = find_pattern(parents)
        assert found.compelled == compelled[key]
        assert {frozenset(pair) for pair in found.reversible} == edges - {frozenset(a) for a in found.compelled}


def test_comparison_names_every_arrow():
    found = compare(((), (0,), (0, 1), (2,)), ((1,), (), (0, 1, 3), ()))
    assert found.right == ((0, 2), (1, 2))
    assert found.turned == ((0, 1), (2, 3))
    assert found.missing == found.extra == ()
    assert found.distance == 2
    assert compare(((), (0,)), ((), ())).extra == ((0, 1),)
    assert compare(((), ()), ((), (0,))).missing == ((0, 1),)


def test_distance_between_classes_is_zero_within_one():
    classes = {}
    for parents in list_structures(4):
        classes.setdefault(find_class(parents), []).append(parents)
    members = max(classes.values(), key=len)
    assert {compare(members[0], other).class_distance for other in members} == {0}
    assert max(compare(members[0], other).distance for other in members) > 0
    # A collider in place of a chain: both arrows are compelled in one, and reversible in the other.
    assert compare(((), (0, 2), ()), ((), (0,), (1,))).class_distance == 2


def test_structures_are_aligned_by_name():
    a, b, c = make_variables(2, 2, 2)
    network = make_network((c, a, b), ((1,), (), (0, 1)))
    assert align_structure(network, (a, b, c)) == ((), (0, 2), (0,))
    with pytest.raises(ModelError, match="lacks 'V1'"):
        align_structure(BayesianNetwork((a,), ((),), ([0.5, 0.5],)), (a, b))
    with pytest.raises(ModelError, match="it has 'V1' besides"):
        align_structure(make_network((a, b), ((), ())), (a,))


def search_greedily(counts):
    families = Families(counts, make_score("bic", counts))
    *_, last = climb(families, free(counts))
    return last.best


def test_confidence_is_high_where_data_is_clear_and_half_each_way():
    data = draw_data(2, 2, 2, rows=400, seed=3)
    counts = count_rows(data)
    found = list(bootstrap(counts, search_greedily, 12, random_state=1))
    assert [each.resamples for each in found] == list(range(1, 13))
    edges = found[-1].edges
    truth = {frozenset((p, c)) for c, family in enumerate(search_greedily(counts)) for p in family}
    assert truth
    for a, b in truth:
        assert edges[a, b] > 0.5
    assert found[-1].arrows.max() <= 1
    assert (list(bootstrap(counts, search_greedily, 12, random_state=1))[-1].arrows == found[-1].arrows).all()


def test_confidence_ends_when_a_search_is_cancelled():
    counts = count_rows(draw_data(2, 2))
    assert list(bootstrap(counts, lambda _: None, 5)) == []
    with pytest.raises(ModelError, match="1 or more"):
        next(bootstrap(counts, search_greedily, 0))


def test_arrows_that_constraints_hold_compel_others():
    rng = np.random.default_rng(4)
    structures = list_structures(4)
    members = {}
    for parents in structures:
        members.setdefault(find_class(parents), []).append(_list_arrows(parents))
    for parents in structures:
        own = sorted(_list_arrows(parents))
        fixed = [arrow for arrow in own if rng.random() < 0.4]
        left = [arrows for arrows in members[find_class(parents)] if arrows.issuperset(fixed)]
        assert find_pattern(parents, fixed).compelled == frozenset.intersection(*left)


def test_arrows_are_held_if_required_or_not_allowed_the_other_way_round():
    variables = make_variables(2, 2, 2, 2)
    constraints = Constraints(variables, frozenset({(0, 1)}), frozenset({(2, 1)}), ((2,), (3,)))
    assert constraints.list_fixed(((), (0,), (1,), (0, 2))) == [(0, 1), (1, 2), (2, 3)]


def test_a_required_arrow_is_found_its_way_in_all_resamples():
    counts = count_rows(draw_data(2, 2, rows=80, seed=3, whole=True))
    constraints = Constraints(counts.variables, frozenset({(1, 0)}))
    *_, found = bootstrap(counts, lambda _: ((1,), ()), 5, 1, constraints)
    assert found.arrows.tolist() == [[0.0, 0.0], [1.0, 0.0]]


def _list_arrows(parents):
    return frozenset((p, child) for child, family in enumerate(parents) for p in family)
