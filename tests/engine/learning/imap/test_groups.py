"""Groups that are bounded by the few states of a hidden variable, against counting row by row."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning.bounds import find_bounds
from engine.learning.imap.budget import Budget, Meter
from engine.learning.imap.filling import fill
from engine.learning.imap.groups import find_groups
from engine.learning.task import make_task
from engine.simulation.missingness import hide
from engine.simulation.sampling import simulate
from tests import oracles
from tests.engine.learning.imap.test_terms import close, closed_rows, inside, make_terms
from tests.engine.learning.models import cells, random_network
from tests.engine.learning.problems import draw_latent_problem, draw_problem
from tests.plain import filled_exponents

pytestmark = pytest.mark.filterwarnings("error")


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(st.floats(0.01, 50), min_size=1, max_size=8), max_size=4), st.integers(1, 6))
def test_filling_equals_bisection(groups, most):
    counts = np.array([n for group in groups for n in group])
    given_ = np.array([k for k, group in enumerate(groups) for _ in group], dtype=np.int64)
    shuffled = np.random.default_rng(0).permutation(len(counts))
    expected = math.fsum(oracles.limited_bound(group, most) for group in groups)
    assert fill(counts[shuffled], given_[shuffled], most) == close(expected)


def test_filling_by_hand():
    """The largest count has R = 1; two others share what is left of 2."""
    assert fill(np.array([8.0, 1.0, 1.0]), np.zeros(3, dtype=np.int64), 2) == close(2 * math.log(1 / 2))
    assert fill(np.array([1.0, 1.0, 1.0, 1.0]), np.zeros(4, dtype=np.int64), 2) == close(4 * math.log(1 / 2))
    assert fill(np.array([3.0, 1.0]), np.zeros(2, dtype=np.int64), 2) == 0.0
    assert fill(np.array([3.0, 1.0]), np.zeros(2, dtype=np.int64), 1) == close(3 * math.log(3 / 4) + math.log(1 / 4))


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.randoms(use_true_random=False), st.sampled_from([draw_problem, draw_latent_problem])
)
def test_groups_equal_counting(seed, random, draw):
    network, dataset, prior = draw(seed)
    task = make_task(network, dataset, prior)
    rows, weights = closed_rows(network, dataset)
    exponents, sizes = filled_exponents(network, prior), [variable.cardinality for variable in network.variables]
    for k, component in enumerate(task.decomposition.components):
        if component.is_complete or not component.observed:
            continue
        terms = make_terms(task, k)
        order = [*terms.topological]
        random.shuffle(order)
        group = random.sample(terms.always, random.randint(1, len(terms.always)))
        before = [node for node in order if node not in group][: random.randint(0, len(order))]
        for hidden in terms.list_open_parents(group):
            names = [[terms.variables[node] for node in nodes] for nodes in (group, before)]
            expected = oracles.group_bound(
                inside(network, component),
                sizes,
                rows,
                weights,
                names[0],
                [*component.boundary, *names[1]],
                terms.variables[hidden],
            )
            expected += sum(oracles.dirichlet_maximum(exponents[v] - 1) for v in names[0])
            assert terms.forget(group, before, hidden) == close(expected)


def latent(effects, rows, states=("a", "b")):
    """A hidden cause of many effects."""
    names = ["C", *(f"A{k}" for k in range(effects))]
    network = random_network(names, [(), *[(0,)] * effects], states, seed=3)
    return make_task(network, hide(simulate(network, rows, 1), ["C"]))


def test_a_hidden_cause_of_many_effects_cannot_tell_all_rows_apart():
    """Any order gives the naive bound here. Two states cannot be to each row what it likes."""
    task = latent(16, 500)
    bounds = find_bounds(task, Budget(0.5))
    assert find_bounds(task, Budget(0.0)).total == close(bounds.naive)
    assert bounds.total < bounds.naive - 1000
    assert {group.hidden for group in bounds.together[0]} == {0}


def test_the_best_choice_of_groups_is_found():
    """Of all ways to cut an order of seven into neighbours."""
    terms = make_terms(latent(7, 300, ("a", "b", "c")), 0)
    order, values = terms.topological, terms.in_order(terms.topological)
    lowest = math.inf
    for cuts in itertools.product([False, True], repeat=len(order) - 1):
        places = [0, *(k for k, cut in enumerate(cuts, 1) if cut), len(order)]
        total = 0.0
        for start, end in itertools.pairwise(places):
            alone = math.fsum(values[start:end])
            total += min(alone, terms.forget(order[start:end], order[:start], 0)) if end - start > 1 else alone
        lowest = min(lowest, total)
    groups = find_groups(terms, order, Meter(10.0))
    assert groups
    gained = sum(group.value - math.fsum(values[group.start : group.end]) for group in groups)
    assert math.fsum(values) + gained == close(lowest)


def test_a_group_by_hand():
    """C → A, B, D, E, all of two states: D and E after A and B have four values once each, so that R = 1/2 for all."""
    network = random_network("CABDE", [(), (0,), (0,), (0,), (0,)])
    rows = ["?aaaa", "?abab", "?baba", "?bbbb"]
    terms = make_terms(make_task(network, cells(network, rows)), 0)
    a, b, d, e = terms.topological
    assert terms.in_order((a, b, d, e))[2:] == close([0.0, 0.0])  # each row has its own A and B
    assert terms.forget((d, e), (a, b), 0) == close(4 * math.log(1 / 2))


def test_no_time_means_no_groups():
    assert find_groups(make_terms(latent(9, 200), 0), (1, 2, 3, 4, 5, 6, 7, 8, 9), Meter(0.0)) == []
