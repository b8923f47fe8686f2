"""Inference against enumeration of the joint distribution."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.inference import plan, planner
from engine.inference.planner import make_plan
from engine.inference.posterior import find_log_partition, infer
from engine.inference.propagate import Propagation, propagate
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, make_dataset
from engine.model.errors import MemoryLimitError, ModelError
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from tests import oracles, strategies

COIN = ("a", "b")


def row_cells(dataset, row):
    """The cells of a row as the oracle takes them."""
    cells = []
    for i, variable in enumerate(dataset.variables):
        code = int(dataset.codes[i, row])
        soft = dataset.likelihoods[i][FIRST_LIKELIHOOD - code] if code <= FIRST_LIKELIHOOD else None
        cells.append((variable.cardinality, None if code == -1 else code if code >= 0 else soft))
    return cells


def check_against_enumeration(network, dataset):
    posterior = infer(network, dataset)
    cardinalities = [v.cardinality for v in network.variables]
    free = oracles.joint_weights(cardinalities, network.scopes, network.tables, {})
    if isinstance(network, MarkovNetwork):
        assert posterior.log_partition == pytest.approx(math.log(free.sum()), abs=1e-9)
    marginals = [posterior.marginal(v) for v in range(len(cardinalities))]
    families = [posterior.family(f) for f in range(len(network.tables))]
    for row in range(dataset.n_rows):
        evidence = oracles.row_evidence(row_cells(dataset, row))
        joint = oracles.joint_weights(cardinalities, network.scopes, network.tables, evidence)
        if joint.sum() == 0:
            assert posterior.log_evidence[row] == -math.inf
            assert posterior.impossible[row]
            assert all(np.isnan(m[row]).all() for m in marginals)
            continue
        expected = math.log(joint.sum() / free.sum())
        assert posterior.log_evidence[row] == pytest.approx(expected, abs=1e-9, rel=1e-9)
        joint /= joint.sum()
        for v, found in enumerate(marginals):
            np.testing.assert_allclose(found[row], oracles.marginal(joint, (v,)), atol=1e-9, rtol=0)
        for scope, found in zip(network.scopes, families, strict=True):
            np.testing.assert_allclose(found[row], oracles.marginal(joint, scope), atol=1e-9, rtol=0)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_bayesian_network_equals_enumeration(data):
    network = data.draw(strategies.bayesian_networks())
    check_against_enumeration(network, data.draw(strategies.datasets(network.variables)))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_markov_network_equals_enumeration(data):
    network = data.draw(strategies.markov_networks())
    check_against_enumeration(network, data.draw(strategies.datasets(network.variables)))


@pytest.mark.parametrize("way", ["whole", "conditioned"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_both_ways_of_a_block_equal_enumeration(way, data):
    """One tree with indicators for every block, or a tree for every component of open variables."""
    network = data.draw(strategies.bayesian_networks())
    dataset = data.draw(strategies.datasets(network.variables))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner, "SECONDS_PER_PATTERN", math.inf if way == "whole" else 0.0)
        patch.setattr(planner, "SECONDS_PER_OPERATION", 0.0)
        patch.setattr(plan, "SECONDS_PER_OPERATION", 0.0)
        patch.setattr(plan, "SECONDS_PER_CELL", 0.0)
        check_against_enumeration(network, dataset)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_plan_run_again_with_another_table_is_that_of_the_other_network(data):
    network = data.draw(strategies.markov_networks())
    wide = [k for k, table in enumerate(network.tables) if table.size > 1]
    assume(wide)
    factor = data.draw(st.sampled_from(wide))
    dataset = data.draw(strategies.datasets(network.variables))
    codes = dataset.codes.copy()
    codes[list(network.scopes[factor])] = MISSING
    dataset = Dataset(dataset.variables, codes, dataset.weights, dataset.likelihoods)
    plan = make_plan(network, dataset)
    propagation = Propagation(plan, network)
    propagation.run()
    changed = network.tables[factor].reshape(-1)[::-1].reshape(network.tables[factor].shape)
    changed = changed / max(1.0, changed.max())
    propagation.set_table(factor, changed)
    found = propagation.run()
    tables = [changed if k == factor else table for k, table in enumerate(network.tables)]
    expected = propagate(plan, network.with_tables(tables))
    own_scale = np.log(max(1.0, network.tables[factor].max()))
    np.testing.assert_allclose(found.log_sum - own_scale, expected.log_sum, rtol=0, atol=1e-9)
    for one, other in zip(itertools.chain(*found.blocks), itertools.chain(*expected.blocks), strict=True):
        for scope, marginal in one.marginals.items():
            np.testing.assert_allclose(marginal, other.marginals[scope], rtol=0, atol=1e-12)


def chain(n, table):
    nodes = tuple(Variable(f"X{i}", COIN) for i in range(n))
    parents = tuple((i - 1,) if i else () for i in range(n))
    return BayesianNetwork(nodes, parents, ([0.5, 0.5], *[table] * (n - 1)))


def test_many_rows_are_propagated_in_chunks():
    """More distinct rows than a chunk holds, the last chunk overlapping the one before."""
    n = 20
    network = chain(n, [[0.9, 0.1], [0.2, 0.8]])
    codes = np.random.default_rng(0).integers(0, 2, size=(n, 3000)).astype(np.int8)
    codes[1::2] = -1
    rows = [[None if c < 0 else COIN[c] for c in column] for column in codes.T]
    many = infer(network, make_dataset(network.variables, rows), memory_limit=100_000)
    assert many.plan.parts[0].rows <= 4 or len(many.plan.blocks) == n // 2
    one_by_one = [infer(network, make_dataset(network.variables, [row])) for row in rows[:20]]
    for r, single in enumerate(one_by_one):
        assert many.log_evidence[r] == pytest.approx(single.log_evidence[0], abs=1e-12)
        np.testing.assert_allclose(many.marginal(7)[r], single.marginal(7)[0], atol=1e-12)


def naive_bayes(n, table):
    nodes = (Variable("C", COIN), *(Variable(f"X{i}", COIN) for i in range(n)))
    return BayesianNetwork(nodes, ((), *[(0,)] * n), ([0.5, 0.5], *[table] * n))


def test_products_far_below_the_smallest_double_are_exact():
    """2,000 attributes: each half speaks for another class by a factor of 1e400."""
    table = [[0.4, 0.6], [1e-3, 1 - 1e-3]]
    other = [[1e-3, 1 - 1e-3], [0.4, 0.6]]
    nodes = (Variable("C", COIN), *(Variable(f"X{i}", COIN) for i in range(2000)))
    tables = ([0.25, 0.75], *([table] * 1000 + [other] * 1000))
    network = BayesianNetwork(nodes, ((), *[(0,)] * 2000), tables)
    posterior = infer(network, make_dataset(nodes, [[None] + ["a"] * 2000]))
    assert posterior.log_evidence[0] == pytest.approx(1000 * (math.log(0.4) + math.log(1e-3)), rel=1e-12)
    np.testing.assert_allclose(posterior.marginal(0)[0], [0.25, 0.75], atol=1e-9)


def test_what_is_improbable_below_and_certain_above_does_not_overflow():
    """Of B = a, the observations below leave 1e-310, a subnormal number; but B is a, whatever they say."""
    nodes = tuple(Variable(name, COIN) for name in "ABCXY")
    tables = ([0.5, 0.5], [[1, 0], [1, 0]], [[1, 0], [0, 1]], [[1e-160, 1], [1, 0]], [[1e-150, 1], [1e-150, 1]])
    network = BayesianNetwork(nodes, ((), (0,), (1,), (2,), (2,)), tables)
    posterior = infer(network, make_dataset(nodes, [[None, None, None, "a", "a"]]))
    assert posterior.log_evidence[0] == pytest.approx(-310 * math.log(10), rel=1e-9)
    assert [posterior.marginal(v)[0].tolist() for v in range(3)] == [[0.5, 0.5], [1, 0], [1, 0]]


def test_impossible_rows_are_reported_among_possible_ones():
    network = naive_bayes(2, [[1.0, 0.0], [0.0, 1.0]])
    data = make_dataset(network.variables, [[None, "a", "b"], [None, "a", "a"]])
    posterior = infer(network, data)
    assert posterior.impossible.tolist() == [True, False]
    assert np.isnan(posterior.marginal(0)[0]).all()
    np.testing.assert_allclose(posterior.marginal(0)[1], [1.0, 0.0], atol=1e-12)


def test_all_missing_gives_log_evidence_zero():
    network = chain(200, [[0.9, 0.1], [0.2, 0.8]])
    posterior = infer(network, make_dataset(network.variables, [[None] * 200]))
    assert posterior.log_evidence[0] == pytest.approx(0.0, abs=1e-12)


def test_observed_variables_cost_nothing():
    """Every other variable of a chain observed: only single hidden variables are left to sum."""
    network = chain(21, [[0.9, 0.1], [0.2, 0.8]])
    row = ["a" if i % 2 else None for i in range(21)]
    plan = make_plan(network, make_dataset(network.variables, [row]))
    assert plan.width == 0
    assert plan.largest == 2


def test_no_rows():
    network = chain(3, [[0.9, 0.1], [0.2, 0.8]])
    posterior = infer(network, make_dataset(network.variables, []))
    assert posterior.log_evidence.shape == (0,)
    assert posterior.marginal(1).shape == (0, 2)
    assert posterior.family(1).shape == (0, 2, 2)


def test_network_without_variables():
    network = BayesianNetwork((), (), ())
    assert infer(network, make_dataset((), [[]])).log_evidence.tolist() == [0.0]


def test_memory_limit_names_size_and_variables():
    n = 40
    nodes = tuple(Variable(f"V{i}", COIN) for i in range(n))
    pairs = tuple((i, j) for i in range(n) for j in range(i))
    network = MarkovNetwork(nodes, pairs, tuple(np.ones((2, 2)) for _ in pairs))
    with pytest.raises(MemoryLimitError, match=r"GB.*40 unobserved variables.*memory limit") as caught:
        find_log_partition(network)
    assert caught.value.needed == 24 * 2**40


def test_impossible_model_is_an_error():
    node = Variable("A", COIN)
    with pytest.raises(ModelError, match="partition function is 0"):
        find_log_partition(MarkovNetwork((node,), ((0,),), ([0.0, 0.0],)))


def test_dataset_over_other_variables_is_refused():
    network = chain(2, [[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(ModelError, match="align"):
        infer(network, make_dataset(network.variables[:1], [["a"]]))
