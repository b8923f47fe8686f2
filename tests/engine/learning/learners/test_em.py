"""EM against enumeration: one step, the climb, the limit."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.inference import plan, planner
from engine.learning.decomposition import decompose
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from tests import oracles, strategies
from tests.engine.learning.models import evaluate
from tests.plain import filled_exponents, plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")

COIN = ("a", "b")
METHODS = ["em", "d-em", "em-textbook"]


def run(network, dataset, method, prior=1.0, **stopping):
    """All snapshots from the network's own tables."""
    return list(learn(network, dataset, method, start="current", prior=prior, stopping=Stopping(**stopping)))


def expected_step(network, dataset, prior, method):
    """One step by enumeration. Hidden leaves: the textbook treats them as all others; otherwise they keep
    their start, or have the mode of their prior."""
    exponents = filled_exponents(network, prior)
    tables = oracles.em_step(*plain_model(network), *plain_data(dataset), exponents)
    if method != "em-textbook":
        for v in decompose(network, dataset).pruned:
            tables[v] = oracles.normalised(exponents[v] - 1, network.tables[v])
    return tables


def assert_tables(found, expected, tolerance=1e-9):
    for table, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(table, other, atol=tolerance, rtol=0)


def objective(network, dataset, prior):
    """The objective by enumeration."""
    exponents = filled_exponents(network, prior)
    likelihood = oracles.log_likelihood(*plain_model(network), *plain_data(dataset))
    return likelihood + oracles.log_prior(network.tables, exponents)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_one_step_equals_enumeration(method, data):
    network, dataset = data.draw(strategies.learning_problems())
    prior = data.draw(strategies.priors(network))
    before, after = run(network, dataset, method, prior, max_iter=1)
    likelihood = oracles.log_likelihood(*plain_model(network), *plain_data(dataset))
    assert before.log_likelihood.sum() == pytest.approx(likelihood, abs=1e-9, rel=1e-9)
    assert before.objective.sum() == pytest.approx(objective(network, dataset, prior), abs=1e-9, rel=1e-9)
    assert_tables(after.network().tables, expected_step(network, dataset, prior, method))
    assert after.objective.sum() == pytest.approx(objective(after.network(), dataset, prior), abs=1e-9, rel=1e-9)


@pytest.mark.parametrize("way", ["whole", "conditioned"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_both_ways_of_inference_count_alike(way, data):
    """One tree for a block, or one for every component of each pattern of missing cells."""
    network, dataset = data.draw(strategies.learning_problems())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner, "SECONDS_PER_PATTERN", math.inf if way == "whole" else 0.0)
        patch.setattr(planner, "SECONDS_PER_OPERATION", 0.0)
        patch.setattr(plan, "SECONDS_PER_OPERATION", 0.0)
        patch.setattr(plan, "SECONDS_PER_CELL", 0.0)
        _, after = run(network, dataset, "d-em", max_iter=1)
    assert_tables(after.network().tables, expected_step(network, dataset, 1.0, "d-em"))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_expected_counts_equal_enumeration(data):
    """The counts themselves, which a snapshot shows: also those of rows that keep their parameters."""
    network, dataset = data.draw(strategies.learning_problems())
    (snapshot,) = run(network, dataset, "em-textbook", max_iter=0)[:1]
    counts = oracles.expected_counts(*plain_model(network), *plain_data(dataset))
    assert_tables(snapshot.task.layout.tables(snapshot.counts[0]), counts)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_objective_never_decreases(method, data):
    network, dataset = data.draw(strategies.learning_problems())
    prior = data.draw(strategies.priors(network))
    snapshots = run(network, dataset, method, prior, max_iter=25, tol=0.0)
    trace = [float(s.objective.sum()) for s in snapshots]
    rounding = 1e-10 * max(1.0, *(abs(value) for value in trace if math.isfinite(value)))
    assert all(after >= before - rounding for before, after in itertools.pairwise(trace))


@pytest.mark.parametrize("method", ["em", "d-em"])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_the_limit_is_stationary(method, data):
    """Another step of the whole network's EM, by enumeration, moves nothing; nor does the gradient."""
    network, dataset = data.draw(strategies.learning_problems(most=4, most_rows=4))
    prior = data.draw(strategies.priors(network))
    last = run(network, dataset, method, prior, tol=1e-9, max_iter=20_000, patience=3)[-1]
    learned = last.network()
    moved = oracles.em_step(*plain_model(learned), *plain_data(dataset), filled_exponents(network, prior))
    if last.stop == "converged":  # EM may creep for longer than a test should wait
        assert_tables(moved, learned.tables, 1e-7)
        gradient = softmax_gradient(learned, dataset, prior)
        assert max(np.abs(g).max() for g in gradient) <= 1e-6 * max(1.0, dataset.total_weight)


def softmax_gradient(network, dataset, prior):
    """The objective's gradient in the softmax parametrisation: n(xu) − θ(x|u) n(u), n with the prior."""
    counts = oracles.expected_counts(*plain_model(network), *plain_data(dataset))
    found = []
    for count, psi, table in zip(counts, filled_exponents(network, prior), network.tables, strict=True):
        n = count + (psi - 1)
        found.append(n - table * n.sum(axis=-1, keepdims=True))
    return found


def hidden_tree():
    """A hidden root with two observed children, one of them with a hidden leaf, and a hidden variable between
    two observed ones: nothing in it converges at once."""
    names = ("H", "A", "B", "L", "M", "C")
    nodes = tuple(Variable(name, COIN) for name in names)
    parents = ((), (0,), (0,), (1,), (1,), (4, 2))
    generator = np.random.default_rng(3)
    tables = [generator.dirichlet((2, 2), size=(2,) * len(p)) for p in parents]
    return BayesianNetwork(nodes, parents, tuple(tables))


def hidden_tree_data(rows=60, seed=5):
    generator = np.random.default_rng(seed)
    cells = []
    for _ in range(rows):
        a, b, c = (COIN[k] for k in generator.integers(0, 2, 3))
        cells.append([None, a, b if generator.random() < 0.7 else None, None, None, c])
    return make_dataset(hidden_tree().variables, cells)


@pytest.mark.parametrize("prior", [1.0, 2.0, {"A": 3.0, "M": [[2.0, 1.0], [1.0, 1.5]]}])
@pytest.mark.parametrize("method", ["em", "d-em"])
def test_a_converged_limit_is_stationary(method, prior):
    """As above, where it is known to converge."""
    dataset = hidden_tree_data()
    last = run(hidden_tree(), dataset, method, prior, tol=1e-8, max_iter=100_000)[-1]
    assert last.stop == "converged"
    learned = last.network()
    moved = oracles.em_step(*plain_model(learned), *plain_data(dataset), filled_exponents(learned, prior))
    assert_tables(moved, learned.tables, 1e-8)
    assert max(np.abs(g).max() for g in softmax_gradient(learned, dataset, prior)) < 1e-6 * dataset.total_weight


def test_methods_make_the_same_steps():
    """EM, EM component by component and the textbook's agree on all but hidden leaves, step after step."""
    network, dataset = hidden_tree(), hidden_tree_data()
    (pruned,) = decompose(network, dataset).pruned
    traces = {m: run(network, dataset, m, 2.0, max_iter=10, tol=0.0) for m in METHODS}
    for snapshots in zip(*traces.values(), strict=True):
        em, decomposed, textbook = (s.network().tables for s in snapshots)
        assert_tables(em, decomposed, 1e-12)
        for v in range(len(network.variables)):
            if v != pruned:
                np.testing.assert_allclose(textbook[v], em[v], atol=1e-9)
    assert traces["em"][-1].iteration == 10


def test_hidden_leaves_keep_their_start_or_have_their_mode():
    network, dataset = hidden_tree(), hidden_tree_data()
    leaf = network.index["L"]
    kept = run(network, dataset, "d-em", max_iter=3)[-1]
    np.testing.assert_array_equal(kept.network().tables[leaf], network.tables[leaf])
    prior = {"L": [[3.0, 1.5], [1.0, 1.0]]}
    moved = run(network, dataset, "d-em", prior, max_iter=1)[-1].network().tables[leaf]
    np.testing.assert_allclose(moved, [[0.8, 0.2], network.tables[leaf][1]], atol=1e-12)


def test_changing_a_hidden_leaf_changes_nothing():
    """Proposition 3 [thesis]."""
    network, dataset = hidden_tree(), hidden_tree_data()
    tables = list(network.tables)
    tables[network.index["L"]] = np.array([[1.0, 0.0], [0.25, 0.75]])
    changed = network.with_tables(tables)
    before, after = (oracles.log_likelihood(*plain_model(n), *plain_data(dataset)) for n in (network, changed))
    assert before == pytest.approx(after, rel=1e-12)
    for method in METHODS:
        found = [[s.log_likelihood.sum() for s in run(n, dataset, method, max_iter=5)] for n in (network, changed)]
        np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def test_naive_bayes_with_2000_attributes_does_not_underflow():
    """Pr(row | class) is about 1e-600: the rows are propagated in log space, exactly."""
    n = 2000
    generator = np.random.default_rng(1)
    attributes = generator.dirichlet((1, 1), size=(n, 2))
    nodes = (Variable("C", COIN), *(Variable(f"X{i}", COIN) for i in range(n)))
    network = BayesianNetwork(nodes, ((), *[(0,)] * n), ([0.3, 0.7], *attributes))
    rows = generator.integers(0, 2, size=(4, n)).tolist()
    dataset = make_dataset(nodes, [[None, *(COIN[x] for x in row)] for row in rows])
    snapshots = run(network, dataset, "em", max_iter=2, tol=0.0)
    prior, tables = np.array([0.3, 0.7]), attributes
    for snapshot in snapshots:
        np.testing.assert_allclose(snapshot.network().tables[0], prior, atol=1e-9)
        np.testing.assert_allclose(np.stack(snapshot.network().tables[1:]), tables, atol=1e-9)
        prior, tables, expected = oracles.naive_bayes_em_step(prior, tables, rows)
        assert snapshot.log_likelihood.sum() == pytest.approx(expected, rel=1e-11)
    assert snapshots[0].log_likelihood.sum() < -5 * 700  # far below the smallest double


def test_sparse_posteriors_of_many_attributes_count_both_classes():
    """Half of 1,000 attributes speak for one class by far, half for the other: underflow in the middle."""
    strong, weak = [[0.4, 0.6], [1e-3, 0.999]], [[1e-3, 0.999], [0.4, 0.6]]
    attributes = np.array([strong] * 500 + [weak] * 500)
    nodes = (Variable("C", COIN), *(Variable(f"X{i}", COIN) for i in range(1000)))
    network = BayesianNetwork(nodes, ((), *[(0,)] * 1000), ([0.25, 0.75], *attributes))
    dataset = make_dataset(nodes, [[None] + ["a"] * 1000], [4.0])
    before, _ = run(network, dataset, "d-em", max_iter=1)
    np.testing.assert_allclose(before.counts[0, :2], [1.0, 3.0], rtol=1e-9)


@pytest.mark.parametrize("size", [1, 3, 5, 7])
def test_rows_in_several_chunks_are_counted_once(size):
    """More distinct rows than one chunk holds, the last chunk overlapping the one before."""
    network, dataset = hidden_tree(), hidden_tree_data(400)
    task = make_task(network, dataset)
    assert {job.part.rows for job in task.objective.jobs} == {12}
    theta = task.layout.flatten(network.tables)
    whole = evaluate(task, theta)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.learning.workspace.chunk_rows", lambda part, limit: min(part.rows, size))
        small = evaluate(make_task(network, dataset), theta)
    np.testing.assert_allclose(small.counts, whole.counts, atol=1e-10)
    np.testing.assert_allclose(small.log_likelihood, whole.log_likelihood, atol=1e-10)
    np.testing.assert_allclose(
        task.layout.tables(whole.counts)[0],
        oracles.expected_counts(*plain_model(network), *plain_data(dataset))[0],
        atol=1e-9,
    )
