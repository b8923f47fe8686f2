"""EDML against enumeration: soft evidence, one step, the theorems of chapters 3 and 4 [thesis]."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from engine.learning.learn import learn
from engine.learning.learners.edml import EDML, evaluate_softly
from engine.learning.learners.em import EM
from engine.learning.soft_evidence import collect
from engine.learning.stopping import Stopping, begin, iterate
from engine.learning.task import make_task
from engine.learning.workspace import NEVER, Workspace
from engine.model.dataset import make_dataset
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from tests import oracles, strategies
from tests.engine.learning.models import cells, evaluate, latent_class, latent_data, random_network
from tests.plain import filled_exponents, plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")

PRIORS = [1.0, 2.0, {"B": 3.0, "C": 1.5}]


def prepare(network, dataset, prior=1.0):
    """The task, its parameters at the network's tables, and one unit for all components."""
    task = make_task(network, dataset, prior)
    return task, task.layout.flatten(network.tables), np.zeros(task.objective.n_components, dtype=int)


def solve(network, dataset, prior=1.0, learner=None):
    """The tables that solve every sub-problem at the network's own."""
    task, theta, _ = prepare(network, dataset, prior)
    state, _, evidence = evaluate_softly(Workspace(task.objective), theta, NEVER)
    return task.layout.tables((learner or EDML()).solve(task.objective, state, evidence))


def sub_problems(network, dataset, prior=1.0):
    return oracles.sub_problems(*plain_model(network), *plain_data(dataset), filled_exponents(network, prior))


def small_network(states=3, seed=0):
    """A → C ← B, C → D, B → E: parents in common, a chain, leaves."""
    names = tuple("abcd"[:states])
    return random_network("ABCDE", [(), (), (0, 1), (2,), (1,)], names, seed)


def small_data(network, rows=25, seed=1):
    """B hidden, C and E partial."""
    return remove_mcar(hide(simulate(network, rows, seed), ["B"]), 0.4, seed, ["C", "E"])


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_soft_evidence_equals_enumeration(data):
    """Observations and counts together are the function of each parameter set that Eq. 4.1 defines. Two such
    functions that agree at random points are the same; rows are merged, so they are not compared one by one."""
    network, dataset = data.draw(strategies.learning_problems())
    seed = data.draw(st.integers(0, 1000))
    task, theta, _ = prepare(network, dataset)
    _, evidence = collect(Workspace(task.objective), theta, NEVER)
    counts = task.layout.tables(task.objective.counts)
    rows = iter(range(len(task.geometry.starts)))
    generator = np.random.default_rng(seed)
    for child, u, vectors, weights, _ in sub_problems(network, dataset):
        row = next(rows)
        observed = np.flatnonzero(evidence.set == row)
        ends = np.append(evidence.start, len(evidence.parameter))
        for _ in range(3):
            other = generator.dirichlet(np.ones(vectors.shape[1]))
            found = 0.0
            for k in observed:
                places = slice(ends[k], ends[k + 1])
                states = evidence.parameter[places] - task.geometry.starts[row]
                found += evidence.weight[k] * np.log(
                    evidence.constant[k] + evidence.coefficient[places] @ other[states]
                )
            for x, count in enumerate(counts[child][u]):
                found += count * np.log(other[x] / network.tables[child][u][x]) if count else 0.0
            expected = oracles.set_objective(other, vectors, weights, np.ones(len(other)))
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_step_maximises_every_sub_problem(data):
    """With zeros in the tables and every kind of cell; sets of no evidence and no prior stay as they are."""
    network, dataset = data.draw(strategies.learning_problems())
    prior = data.draw(strategies.priors(network))
    solved = solve(network, dataset, prior)
    rows = [row for row, weight in zip(*plain_data(dataset), strict=True) if weight]
    for child, u, vectors, weights, exponents in sub_problems(network, dataset, prior):
        found = solved[child][u]
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1, abs=1e-12)
        weight = weights.sum() + (exponents - 1).sum()
        assert oracles.optimality_gap(found, vectors, weights, exponents) <= 1e-9 * weight, (child, u)
        derivatives = oracles.family_derivatives(*plain_model(network), child, rows)
        if (exponents == 1).all() and not derivatives[(slice(None), *u)].any():
            np.testing.assert_array_equal(found, network.tables[child][u])


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("seed", range(2))
def test_a_step_equals_a_general_optimiser(seed, prior):
    network = small_network(seed=seed)
    dataset = small_data(network, seed=seed)
    solved = solve(network, dataset, prior)
    compared = 0
    for child, u, vectors, weights, exponents in sub_problems(network, dataset, prior):
        spread = np.linalg.matrix_rank(vectors - vectors.mean(axis=1, keepdims=True), tol=1e-3)
        if (exponents == 1).all() and spread < vectors.shape[1] - 1:
            continue  # not strictly concave
        expected = constrained_optimum(vectors, weights, exponents)
        np.testing.assert_allclose(solved[child][u], expected, atol=1e-7)
        compared += 1
    assert compared > 10


def constrained_optimum(vectors, weights, exponents):
    """The best parameters by SLSQP, and Eq. 4.3 for the last digits."""
    size = vectors.shape[1]

    def negative(theta):
        return -(weights @ np.log(vectors @ theta) + (exponents - 1) @ np.log(theta)) / weights.sum()

    def slope(theta):
        return -(weights / (vectors @ theta) @ vectors + (exponents - 1) / theta) / weights.sum()

    found = minimize(
        negative,
        np.full(size, 1 / size),
        jac=slope,
        method="SLSQP",
        bounds=[(1e-12, 1)] * size,
        constraints={"type": "eq", "fun": lambda theta: theta.sum() - 1, "jac": np.ones_like},
        options={"ftol": 1e-15, "maxiter": 500},
    ).x
    informative = np.ptp(vectors, axis=1) > 1e-12  # the neutral rows only slow it down
    for _ in range(300):
        found = oracles.local_update(found, vectors[informative], weights[informative], exponents)
    return found


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("seed", range(4))
def test_binary_networks_equal_bayes_factors(seed, prior):
    """Eq. 3.1 and 3.2 [thesis]."""
    network = small_network(2, seed)
    dataset = small_data(network, seed=seed)
    solved = solve(network, dataset, prior)
    for child, u, vectors, weights, exponents in sub_problems(network, dataset, prior):
        if (exponents == 1).all() and np.ptp(vectors, axis=1).max() < 1e-12:
            continue
        with np.errstate(divide="ignore"):
            bayes_factors = vectors[:, 0] / vectors[:, 1]
        expected = oracles.best_of_two(bayes_factors, weights, exponents)
        assert solved[child][u][0] == pytest.approx(expected, abs=1e-9), (child, u)


def test_both_solvers_reach_the_same_optimum():
    network = small_network()
    dataset = small_data(network)
    newton = solve(network, dataset, 2.0)
    repeated = solve(network, dataset, 2.0, EDML(solver="fixed-point", local_steps=5000))
    for table, other in zip(newton, repeated, strict=True):
        np.testing.assert_allclose(table, other, atol=1e-9)


def leaves_missing(seed=0):
    """Only the leaves D and E of a network have missing values."""
    network = small_network(seed=seed)
    return network, remove_mcar(simulate(network, 80, seed), 0.4, seed, ["D", "E"])


def optimum_of_leaves(network, dataset, exponents):
    """D#(xu) / D⁺#(u) with the prior (Proposition 2 [thesis]); None for a set that is never seen."""
    rows, weights = plain_data(dataset)
    tables = []
    for scope, psi in zip(network.scopes, exponents, strict=True):
        counts = psi - 1.0
        for row, weight in zip(rows, weights, strict=True):
            family = tuple(row[v] for v in scope)
            if None not in family:
                counts[family] += weight
        with np.errstate(invalid="ignore"):
            tables.append(counts / counts.sum(axis=-1, keepdims=True))
    return tables


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("seed", range(3))
def test_theorem_1(seed, prior):
    """Only leaves missing: the optimum after one step from any start. EM is not there."""
    network, dataset = leaves_missing()
    expected = optimum_of_leaves(network, dataset, filled_exponents(network, prior))
    one = {}
    for method in ("edml", "d-edml", "hybrid", "em"):
        snapshots = learn(network, dataset, method, random_state=seed, prior=prior, stopping=Stopping(max_iter=1))
        one[method] = list(snapshots)[-1].network().tables
    for v, table in enumerate(expected):
        seen = ~np.isnan(table)
        for method in ("edml", "d-edml", "hybrid"):
            np.testing.assert_allclose(one[method][v][seen], table[seen], atol=1e-12)
    for v in (3, 4):
        seen = ~np.isnan(expected[v])
        assert np.abs(one["em"][v][seen] - expected[v][seen]).max() > 1e-3


def test_em_on_missing_leaves_depends_on_its_start():
    """(D#(xu) + D⁻#(u) Pr(x|u)) / D#(u), as §3.6 [thesis] has it."""
    network = random_network("AB", [(), (0,)])
    dataset = cells(network, ["aa", "ab", "aa", "a?", "bb", "b?", "b?"])
    last = list(learn(network, dataset, "em", start="current", stopping=Stopping(max_iter=1)))[-1]
    old = network.tables[1]
    expected = [[(2 + old[0, 0]) / 4, (1 + old[0, 1]) / 4], [2 * old[1, 0] / 3, (1 + 2 * old[1, 1]) / 3]]
    np.testing.assert_allclose(last.network().tables[1], expected, atol=1e-12)
    edml = list(learn(network, dataset, "edml", start="current", stopping=Stopping(max_iter=1)))[-1]
    np.testing.assert_allclose(edml.network().tables[1], [[2 / 3, 1 / 3], [0, 1]], atol=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("method", ["edml", "d-edml", "hybrid", "d-hybrid"])
def test_complete_data_takes_one_step(method, prior):
    network = small_network()
    dataset = simulate(network, 60, 2)
    last = list(learn(network, dataset, method, prior=prior))[-1]
    assert (last.iteration, last.stop) == (1, "converged")
    for table, expected in zip(
        last.network().tables, optimum_of_leaves(network, dataset, filled_exponents(network, prior)), strict=True
    ):
        seen = ~np.isnan(expected)
        np.testing.assert_allclose(table[seen], expected[seen], atol=1e-12)


def run_to_the_end(learner, network, dataset, prior):
    task, theta, unit = prepare(network, dataset, prior)
    begun = begin(learner, Workspace(task.objective), theta, unit)
    *_, last = iterate(learner, Workspace(task.objective), begun, Stopping(tol=1e-9, max_iter=5000, patience=5))
    assert last.stop == "converged"
    return task, last.state.theta, unit


def step_from(learner, task, theta, unit):
    begun, _ = learner.begin(Workspace(task.objective), theta, NEVER)
    return learner.step(Workspace(task.objective), begun, unit, NEVER)[0].theta


FIXED_POINTS = [
    (seed, prior) for seed in (0, 3) for prior in (1.5, 2.0, {"A": 2.0, "B": 1.5, "C": 2.0, "D": 3.0, "E": 1.25})
]


def fixed_point_problem(seed, prior):
    """Priors on all that is open, or enough data: the optimum is inside."""
    if prior == 1.0:
        network = random_network("CABDE", [(), *[(0,)] * 4], seed=seed)
        return network, hide(simulate(network, 2000, seed), ["C"])
    network = random_network("ABCDE", [(), (0,), (0, 1), (2,), (1, 2)], ("a", "b", "c"), seed)
    return network, remove_mcar(hide(simulate(network, 30, seed), ["B"]), 0.3, seed, ["A", "C", "E"])


@pytest.mark.parametrize(("seed", "prior"), [*FIXED_POINTS, (2, 1.0)])
def test_theorem_4(seed, prior):
    """An interior fixed point of EM is one of EDML, and the reverse."""
    network, dataset = fixed_point_problem(seed, prior)
    task, theta, unit = run_to_the_end(EM(), network, dataset, prior)
    assert theta.min() > 1e-6
    np.testing.assert_allclose(step_from(EDML(), task, theta, unit), theta, atol=1e-6)
    task, theta, unit = run_to_the_end(EDML(), network, dataset, prior)
    distinct, weights = merged(dataset)
    tables = oracles.em_step(
        plain_model(network)[0],
        network.scopes,
        task.layout.tables(theta),
        distinct,
        weights,
        filled_exponents(network, prior),
    )
    np.testing.assert_allclose(task.layout.flatten(tables), theta, atol=1e-6)


def merged(dataset):
    """Distinct rows and how often each occurs."""
    rows, weights = plain_data(dataset)
    found = oracles.projected_counts(rows, weights, range(len(dataset.variables)))
    return [list(row) for row in found], list(found.values())


def test_a_zero_is_left_where_its_derivative_says_so():
    """EM multiplies, and never leaves a zero; EDML has the derivative. H → A, with A's other value impossible."""
    network = random_network("HAB", [(), (0,), (0,)], seed=2)
    tables = [np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.3, 0.7]]), network.tables[2]]
    network = network.with_tables(tables)
    dataset = cells(network, ["?ab"] * 3 + ["?ba"] * 4 + ["?bb"])
    em, edml = (
        list(learn(network, dataset, m, start="current", stopping=Stopping(max_iter=1)))[-1].network().tables[1]
        for m in ("em", "edml")
    )
    assert em[0, 1] == 0
    assert edml[0, 1] > 0.1
    np.testing.assert_array_equal(edml, solve(network, dataset)[1])
    repeated = solve(network, dataset, learner=EDML(solver="fixed-point", local_steps=20_000))
    np.testing.assert_allclose(repeated[1], edml, atol=1e-6)


@pytest.mark.parametrize("tiny", [0.0, 5e-324, 1e-310, 1e-200])
def test_a_parameter_too_small_to_divide_by_has_its_derivative(tiny):
    network = random_network("HAB", [(), (0,), (0,)], seed=2)
    dataset = cells(network, ["?ab"] * 3 + ["?ba"] * 4 + ["?bb"])
    tables = [np.array([0.5, 0.5]), np.array([[1.0, tiny], [0.3, 0.7]]), network.tables[2]]
    expected = solve(network.with_tables([tables[0], np.array([[1.0, 0.0], [0.3, 0.7]]), tables[2]]), dataset)
    for found, table in zip(solve(network.with_tables(tables), dataset), expected, strict=True):
        np.testing.assert_allclose(found, table, atol=1e-9)


def test_parents_excluded_by_a_zero_are_no_evidence():
    """Given a configuration of probability 0 the parameters cannot matter: they stay."""
    network = random_network("HAB", [(), (0,), (0,)], seed=2)
    tables = [np.array([1.0, 0.0]), network.tables[1], np.array([[1.0, 0.0], [0.5, 0.5]])]
    network = network.with_tables(tables)
    dataset = cells(network, ["?aa", "?ba", "?aa"])
    solved = solve(network, dataset)
    np.testing.assert_array_equal(solved[1][1], network.tables[1][1])
    np.testing.assert_allclose(solved[1][0], [2 / 3, 1 / 3], atol=1e-12)


def test_a_set_seen_only_where_its_child_is_missing_stays():
    """Evidence that is neutral but for rounding must not move parameters: 300 rows, given u none of them sees X."""
    network = random_network("UX", [(), (0,)], ("a", "b", "c"), seed=5)
    dataset = cells(network, ["a?"] * 300 + ["bb", "ba", "cc"])
    np.testing.assert_allclose(solve(network, dataset)[1][0], network.tables[1][0], rtol=0, atol=1e-14)
    free = random_network("UXY", [(), (0,), (0, 1)], ("a", "b", "c"), seed=5)
    data = cells(free, ["a?a", "a??", "a?b"] * 100 + ["bba", "bab", "ccc"])
    tables = list(free.tables)
    tables[2] = np.repeat(tables[2][:, :1], 3, axis=1)  # Y says nothing about X
    same = free.with_tables(tables)
    np.testing.assert_allclose(solve(same, data)[1][0], same.tables[1][0], rtol=0, atol=1e-9)


def test_weak_evidence_is_weighed_like_strong():
    """An improbable configuration of parents has an optimum that depends on ratios only: λ − 1 of 1e-13 counts."""
    network = random_network("HAB", [(), (0,), (0,)], seed=4)
    dataset = cells(network, ["?aa", "?bb", "?ab", "?aa", "?ba"])
    found = []
    for rare in (1e-7, 1e-13):
        tables = [np.array([rare, 1 - rare]), *network.tables[1:]]
        found.append(solve(network.with_tables(tables), dataset)[1][0])
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    assert found[1].max() == pytest.approx(1, abs=1e-6)  # an almost linear function has its optimum in a corner


def test_fixed_damping_keeps_a_share_of_the_old():
    network, dataset = latent_class(), latent_data()
    task, theta, unit = prepare(network, dataset)
    whole, damped = (step_from(EDML(damping=d), task, theta, unit) for d in (0.0, 0.25))
    np.testing.assert_allclose(damped, 0.25 * theta + 0.75 * whole, atol=1e-15)


def test_damping_adapts_by_unit():
    """Half way to standing still after a loss, relaxed after a gain, given up when small."""
    network = random_network(
        [f"{kind}{i}" for i in range(2) for kind in "HABC"], [(), (0,), (0,), (0, 1), (), (4,), (4,), (4, 5)], seed=1
    )
    names = [v.name for v in network.variables if v.name.startswith("H")]
    dataset = hide(simulate(network, 40, 3), names)
    task, theta, _ = prepare(network, dataset)
    unit = np.arange(task.objective.n_components)
    learner = EDML()
    state, _ = learner.begin(Workspace(task.objective), theta, NEVER)
    assert (state.memory.damping == 0).all()
    losses = 0
    for _ in range(200):
        after, _ = learner.step(Workspace(task.objective), state, unit, NEVER)
        lost = after.objective < state.objective
        old, new = state.memory.damping, after.memory.damping
        relaxed = np.where(old < 0.05, 0.0, 0.7 * old)
        np.testing.assert_allclose(new, np.where(lost, (1 + old) / 2, relaxed), atol=1e-15)
        losses += int(lost.sum())
        state = after
    assert losses > 0  # EDML is not monotone


def test_rows_made_impossible_together_go_half_way():
    """H with A and B that must agree: each set alone may go to zero, both at once exclude the row."""
    network = random_network("HAB", [(), (0,), (0,)])
    start = network.with_tables(
        [np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.1, 0.9], [0.8, 0.2]])]
    )
    generator = np.random.default_rng(0)
    halved = 0
    for _ in range(60):
        tables = [generator.dirichlet(np.full(2, 0.3), size=table.shape[:-1]) for table in start.tables]
        candidate = start.with_tables(tables)
        dataset = cells(candidate, ["?ab", "?ba"])
        task, theta, unit = prepare(candidate, dataset)
        solved = task.layout.flatten(solve(candidate, dataset))
        whole = evaluate(task, solved).log_likelihood.sum()
        work = Workspace(task.objective)
        after, _ = EDML().step(work, EDML().begin(work, theta, NEVER)[0], unit, NEVER)
        assert np.isfinite(after.log_likelihood).all()
        if np.isneginf(whole):
            np.testing.assert_allclose(after.theta, (theta + solved) / 2, atol=1e-15)
            halved += 1
        else:
            np.testing.assert_array_equal(after.theta, solved)
    assert halved > 0


@pytest.mark.parametrize("damping", [-0.1, 1.0, float("nan")])
def test_damping_out_of_range_is_refused(damping):
    with pytest.raises(ModelError, match="damping must be at least 0 and below 1"):
        EDML(damping=damping)


def test_an_unknown_solver_is_refused():
    with pytest.raises(ModelError, match="'bisection' is not known; use 'newton' or 'fixed-point'"):
        EDML(solver="bisection")


def chain_of(*tables):
    nodes = tuple(Variable(name, ("a", "b")) for name in "ABC")
    return BayesianNetwork(nodes, ((), (0,), (1,)), tables)


@pytest.mark.parametrize("method", ["edml", "hybrid"])
def test_rows_of_next_to_no_weight_do_not_become_impossible(method):
    """Their best parameters are as small as their weight: at the wall, but not zero."""
    network = chain_of([0.5, 0.5], [[0.3, 0.7], [0.3, 0.7]], [[0.3, 0.7], [0.7, 0.3]])
    rows = [[(0, 1), "b", None], [None, (1, 1e-10), None], [None, (0, 1), (1, 1e-10)], ["a", (1e-300, 1), None]]
    data = make_dataset(network.variables, rows, [1e-20, 1e-20, 1, 1e-20])
    *_, last = learn(network, data, method, start="random", stopping=Stopping(tol=0, max_iter=40))
    assert -1e-17 < last.objective.sum() <= 0


@pytest.mark.parametrize("method", ["edml", "hybrid"])
def test_a_start_next_to_impossible_is_left(method):
    network = chain_of([1e-320, 1], [[1e-300, 1], [0, 1]], [[1e-160, 1], [1, 1e-160]])
    rows = [["a", (1e-300, 1), "a"], [(1, 1e-10), (1e-300, 1), "b"], [(1e-300, 1), "a", "a"]]
    data = make_dataset(network.variables, rows, [1e89, 1, 1e-89])
    found = [
        [*learn(network, data, m, start=network, stopping=Stopping(max_iter=40))][-1].objective.sum()
        for m in ("em", method)
    ]
    assert found[1] == pytest.approx(found[0], rel=1e-9)
