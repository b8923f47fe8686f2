"""The terms of the I-map bound against counting row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning.bounds import find_bounds
from engine.learning.imap.budget import Budget
from engine.learning.imap.terms import Terms
from engine.learning.task import make_task
from engine.model.dataset import make_dataset
from tests import oracles
from tests.engine.learning.models import cells, random_network
from tests.engine.learning.problems import draw_latent_problem, draw_problem
from tests.plain import filled_exponents, plain_data

pytestmark = pytest.mark.filterwarnings("error")
START = Budget(0.0)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def closed_rows(network, dataset):
    """Rows and weights; missing cells of variables of one state are known."""
    rows, weights = plain_data(dataset)
    known = {v for v, variable in enumerate(network.variables) if variable.cardinality == 1}
    return [[0 if cell is None and v in known else cell for v, cell in enumerate(row)] for row in rows], weights


def inside(network, component):
    """The parents in a component's sub-network."""
    return [above if v in component.variables else () for v, above in enumerate(network.parents)]


def make_terms(task, k):
    rank = np.argsort(task.network.topological_order).tolist()
    return Terms(task, task.decomposition.components[k], task.blocks[k], rank)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.randoms(use_true_random=False))
def test_terms_in_any_order_equal_counting(seed, random):
    network, dataset, prior = draw_problem(seed)
    task = make_task(network, dataset, prior)
    rows, weights = closed_rows(network, dataset)
    exponents = filled_exponents(network, prior)
    for k, component in enumerate(task.decomposition.components):
        if component.is_complete:
            continue
        terms = make_terms(task, k)
        order = list(terms.topological)
        random.shuffle(order)
        named = [terms.variables[node] for node in order]
        expected = oracles.imap_terms(inside(network, component), rows, weights, named, component.boundary, exponents)
        assert dict(zip(named, terms.in_order(order), strict=True)) == close(expected)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.01]), st.sampled_from([draw_problem, draw_latent_problem]))
def test_every_variable_has_its_share_of_its_component(seed, seconds, draw):
    """In the order that is told; hidden ones have their prior's maximum, likelihood cells the logarithm of theirs."""
    network, dataset, prior = draw(seed)
    task = make_task(network, dataset, prior)
    bounds = find_bounds(task, Budget(seconds))
    rows, weights = closed_rows(network, dataset)
    exponents = filled_exponents(network, prior)
    shares = np.array([oracles.dirichlet_maximum(psi - 1) for psi in exponents])
    sizes = [variable.cardinality for variable in network.variables]
    for k, (component, order) in enumerate(zip(task.decomposition.components, bounds.orders, strict=True)):
        above = inside(network, component)
        for v, term in oracles.imap_terms(above, rows, weights, order, component.boundary, exponents).items():
            shares[v] = term
        for together in bounds.together[k]:
            group = list(together.variables)
            before = [*component.boundary, *order[: order.index(group[0])]]
            found = oracles.group_bound(above, sizes, rows, weights, group, before, together.hidden)
            found += sum(oracles.dirichlet_maximum(exponents[v] - 1) for v in group)
            assert found < shares[group].sum() + 1e-9
            shares[group] = found / len(group)
    shares += [oracles.soft_constant(rows, weights, [v]) for v in range(len(network.variables))]
    assert bounds.terms.tolist() == close(shares.tolist())
    sums = [shares[list(component.variables)].sum() for component in task.decomposition.components]
    assert bounds.imap.tolist() == close([*sums, shares[list(task.decomposition.pruned)].sum()])


def test_a_variable_depends_on_no_more_of_the_boundary_than_it_must():
    """P → H → X, H → Y ← Q: X is independent of Q, though both are in one component's data."""
    network = random_network("PHXYQ", [(), (0,), (1,), (1, 4), ()])
    rows = ["a?aaa", "a?bab"]  # Q tells X, but may not
    bounds = find_bounds(make_task(network, cells(network, rows)), START)
    assert bounds.decomposition.tolist() == close([0.0, 0.0, 2 * math.log(1 / 2), 0.0])
    assert bounds.orders[1] == (2, 3)
    assert bounds.terms.tolist() == close([0.0, 0.0, 2 * math.log(1 / 2), 0.0, 2 * math.log(1 / 2)])


def test_rows_that_see_different_variables_are_counted_together_where_these_do_not_matter():
    """Z → X → Y, all partly missing. Y given X is the same where Z is seen and where it is not."""
    network = random_network("ZXY", [(), (0,), (1,)])
    rows = ["aaa", "?ab", "a??", "a??"]
    bounds = find_bounds(make_task(network, cells(network, rows)), START)
    assert bounds.orders == ((0, 1, 2),)
    # Z and X are always a. Y is seen as a and b once each, given X = a.
    assert bounds.terms.tolist() == close([0.0, 0.0, 2 * math.log(1 / 2)])
    assert bounds.patterns[0] == close(0.0)  # which begins with Z, and has one row each by what they see


def test_rows_that_see_the_parents_share_a_maximum_with_the_prior():
    """X → Y, X partly missing: Y given X is the parameter itself, where X is seen; Y alone is not."""
    network = random_network("XY", [(), (0,)])
    prior = {"Y": [[2.0, 1.0], [1.0, 1.0]]}
    bounds = find_bounds(make_task(network, cells(network, ["ab", "ab", "?a"]), prior), START)
    # Given X = a: two b and one a that the prior adds. Without X: a alone.
    assert bounds.terms[1] == close(2 * math.log(2 / 3) + math.log(1 / 3))
    # If Y is never seen with X, the two maxima are added: a for certain, and a for certain.
    apart = find_bounds(make_task(network, cells(network, ["a?", "?b"]), prior), START)
    assert apart.terms[1] == close(0.0)


def test_a_likelihood_cell_is_no_predecessor():
    """H → A, H → B. B is counted as if A were missing where it has a likelihood, which adds its maximum."""
    network = random_network("HAB", [(), (0,), (0,)])
    rows = [[None, (4.0, 0.5), "a"], [None, None, "b"], [None, "a", "a"]]
    task = make_task(network, make_dataset(network.variables, rows, [3.0, 1.0, 1.0]))
    terms = make_terms(task, 0)
    assert [terms.variables[node] for node in terms.topological] == [1, 2]
    b = 3 * math.log(3 / 4) + math.log(1 / 4)  # the first two rows; in the third B is certain given A
    assert terms.in_order(terms.topological) == close([0.0, b])
    bounds = find_bounds(task)  # begins with B, which is lower
    assert bounds.terms.tolist() == close([0.0, 3 * math.log(4.0), 4 * math.log(4 / 5) + math.log(1 / 5)])


def test_rows_without_weight_do_not_count():
    network = random_network("HAB", [(), (0,), (0,)])
    data = make_dataset(network.variables, [[None, "a", "a"], [None, None, "b"]], [2.0, 0.0])
    assert find_bounds(make_task(network, data)).terms.tolist() == close([0.0, 0.0, 0.0])
