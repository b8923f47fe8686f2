"""Tables that several variables share: against EM by hand with added counts, and against what ties must not change."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.insight.doctor import examine
from engine.insight.microscope import look_closely
from engine.learning.bounds import CERTIFIED, find_bounds
from engine.learning.estimates import find_predictive
from engine.learning.imap.budget import Budget
from engine.learning.learn import learn
from engine.learning.learners.gradient import find_gradient
from engine.learning.methods import METHODS
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from engine.model.dataset import make_dataset
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, as_markov
from engine.model.table_prior import LogisticNormal
from engine.model.ties import find_ties
from engine.model.variable import Variable
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from tests import oracles, strategies
from tests.engine.learning.models import chain, chain_data, evaluate, random_network
from tests.plain import filled_exponents, plain_data, plain_model

pytestmark = pytest.mark.filterwarnings("error")

BAYESIAN = [name for name, method in METHODS.items() if BayesianNetwork in method.kinds and not method.complete]


def hidden_markov(length=4, states=("a", "b"), seed=2):
    """H1 → H2 → …, each with an observation: the network, and its two shared tables."""
    names = [f"{kind}{k}" for k in range(length) for kind in "HX"]
    parents = [() if k == 0 else (k - 2,) if k % 2 == 0 else (k - 1,) for k in range(2 * length)]
    network = random_network(names, parents, states, seed)
    ties = (tuple(range(2, 2 * length, 2)), tuple(range(1, 2 * length, 2)))
    return share(network, ties), ties


def share(network, ties):
    """The network with the table of the first of each group in the others."""
    tables = list(network.tables)
    for first, *others in ties:
        for other in others:
            tables[other] = tables[first]
    return network.with_tables(tables)


def hidden_markov_data(network, rows=40, seed=3):
    data = simulate(network, rows, seed)
    return hide(data, [v.name for v in network.variables if v.name.startswith("H")])


def chain_problem(rows=50, n=9):
    """A chain whose transitions are shared, in components of different kinds: complete, partly and wholly hidden."""
    ties = (tuple(range(1, n)),)
    return share(chain(n), ties), chain_data(rows, n), ties


def tie_alike(network):
    """Groups of all variables whose tables have the same shape."""
    shapes = {}
    for v, table in enumerate(network.tables):
        shapes.setdefault(table.shape, []).append(v)
    return tuple(tuple(group) for group in shapes.values() if len(group) > 1)


def em_by_hand(network, dataset, ties, steps, prior=1.0):
    """EM on the joint distribution, with the counts of tied tables added: tables and the objective after each step."""
    cardinalities, scopes, tables = plain_model(network)
    tables, exponents, (rows, weights) = list(tables), filled_exponents(network, prior), plain_data(dataset)
    groups = [*ties, *((v,) for v in range(len(tables)) if not any(v in group for group in ties))]

    def reach():
        once = [
            exponents[v] if any(group[0] == v for group in groups) else np.ones_like(t) for v, t in enumerate(tables)
        ]
        return oracles.log_likelihood(cardinalities, scopes, tables, rows, weights) + oracles.log_prior(tables, once)

    path = [reach()]
    for _ in range(steps):
        counts = oracles.expected_counts(cardinalities, scopes, tables, rows, weights)
        for group in groups:
            added = sum(counts[v] for v in group) + exponents[group[0]] - 1
            total = added.sum(axis=-1, keepdims=True)
            table = np.where(total > 0, added / np.where(total > 0, total, 1), tables[group[0]])
            for v in group:
                tables[v] = table
        path.append(reach())
    return tables, path


def run(network, dataset, method, ties, steps=10, **options):
    stopping = options.pop("stopping", None) or Stopping(tol=0, max_iter=steps)
    options.setdefault("start", "current")
    return list(learn(network, dataset, method, ties=ties, stopping=stopping, **options))


def assert_shared(snapshot, ties):
    for theta in snapshot.theta:
        tables = snapshot.task.layout.tables(theta)
        for first, *others in ties:
            for other in others:
                np.testing.assert_array_equal(tables[other], tables[first])


PROBLEMS = {
    "chain": chain_problem,
    "hidden Markov": lambda: ((found := hidden_markov())[0], hidden_markov_data(found[0]), found[1]),
    "three states": lambda: (
        (found := hidden_markov(3, ("a", "b", "c")))[0],
        remove_mcar(hidden_markov_data(found[0]), 0.2, 1, ["X1", "X2"]),
        found[1],
    ),
}


@pytest.mark.parametrize("prior", [1.0, 2.5])
@pytest.mark.parametrize("method", ["em", "d-em", "em-textbook"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_em_adds_the_counts_of_tied_tables(problem, method, prior):
    network, dataset, ties = PROBLEMS[problem]()
    tables, path = em_by_hand(network, dataset, ties, 10, prior)
    snapshots = run(network, dataset, method, ties, prior=prior)
    assert [s.objective.sum() for s in snapshots] == pytest.approx(path, rel=1e-11)
    for learned, expected in zip(snapshots[-1].network().tables, tables, strict=True):
        np.testing.assert_allclose(learned, expected, atol=1e-9)
    assert_shared(snapshots[-1], ties)


def test_numerical_em_adds_them_too_and_counts_one_prior():
    network, dataset, ties = chain_problem()
    _, path = em_by_hand(network, dataset, ties, 5, 2.0)
    found = run(network, dataset, "numerical-em", ties, 5, prior=2.0)
    assert [s.objective.sum() for s in found] == pytest.approx(path, abs=1e-6)
    assert_shared(found[-1], ties)


@pytest.mark.parametrize("width", [0.3, 3.0])
def test_a_shared_table_has_one_prior_without_a_formula(width):
    """At the end its slope is 0: n − θN of the added counts, less (log θ − mean log θ) / width² once."""
    network, dataset, ties = chain_problem()
    prior, stopping = LogisticNormal(width), Stopping(tol=1e-12, max_iter=3000)
    found = run(network, dataset, "d-numerical-em", ties, prior=prior, stopping=stopping)
    assert np.diff([s.objective.sum() for s in found]).min() > -1e-9
    assert_shared(found[-1], ties)
    tables = found[-1].network().tables
    counts = oracles.expected_counts(*plain_model(found[-1].network()), *plain_data(dataset))
    value = oracles.log_likelihood(*plain_model(found[-1].network()), *plain_data(dataset))
    groups = [*ties, *((v,) for v in range(len(tables)) if not any(v in group for group in ties))]
    for group in groups:
        added, logs = sum(counts[v] for v in group), np.log(tables[group[0]])
        centred = logs - logs.mean(axis=-1, keepdims=True)
        slope = added - tables[group[0]] * added.sum(axis=-1, keepdims=True) - centred / width**2
        np.testing.assert_allclose(slope, 0, atol=1e-4)
        value -= (centred**2).sum() / (2 * width**2)
    assert found[-1].objective.sum() == pytest.approx(value, abs=1e-8)
    bounds = find_bounds(found[-1].task)
    assert found[-1].objective.sum() <= bounds.total + 1e-9


def test_the_predictive_of_a_shared_table_is_of_the_added_counts():
    network, dataset, ties = chain_problem()
    last = run(network, dataset, "d-em", ties, 5, prior=2.0)[-1]
    found = last.task.layout.tables(find_predictive(last))
    counts = oracles.expected_counts(*plain_model(last.network()), *plain_data(dataset))
    for group in ties:
        weights = sum(counts[v] for v in group) + 2.0
        for v in group:
            np.testing.assert_allclose(found[v], weights / weights.sum(axis=-1, keepdims=True), rtol=1e-9)


@cache
def settled_chain():
    """A problem, and where EM by hand ends."""
    network, dataset, ties = chain_problem(30, 6)
    tables, path = em_by_hand(network, dataset, ties, 300)
    assert path[-1] - path[-2] < 1e-10
    return network, dataset, ties, tables, path[-1]


@pytest.mark.parametrize("method", BAYESIAN)
def test_every_learner_ends_where_em_does(method):
    """A peak with one way up: the parameters that EM by hand ends at are the fixed point of all."""
    network, dataset, ties, tables, highest = settled_chain()
    stopping = Stopping(tol=1e-11, max_iter=600 if method != "auto" else 150)
    found = run(network, dataset, method, ties, stopping=stopping)
    assert found[-1].objective.sum(axis=1).max() == pytest.approx(highest, abs=1e-7)
    assert_shared(found[-1], ties)
    for learned, expected in zip(found[-1].network().tables, tables, strict=True):
        np.testing.assert_allclose(learned, expected, atol=1e-4)
    if METHODS[method].learner.monotone:
        best = np.array([s.objective.sum(axis=1).max() for s in found])
        assert (np.diff(best) >= -1e-9 * np.abs(best[1:])).all()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_slope_is_that_of_the_objective(data):
    network, dataset, ties, prior = data.draw(tied_problems())
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    task = make_task(network, dataset, prior, ties=ties)
    geometry, work = task.geometry, Workspace(task.objective)
    eta = geometry.to_free(geometry.random(generator))
    state = evaluate(task, geometry.from_free(eta))
    slope = find_gradient(work, state)
    step = 1e-5 * generator.standard_normal(len(eta))

    def reach(at):
        return float(evaluate(task, geometry.from_free(at)).objective.sum())

    weight = max(1.0, dataset.total_weight + float(np.abs(task.prior_counts).sum()))
    assert reach(eta + step) - reach(eta - step) == pytest.approx(2 * float(slope @ step), abs=1e-8 * weight)


@st.composite
def tied_problems(draw):
    """A network and incomplete data; all tables of one shape are tied, with one prior for each."""
    network, dataset = draw(strategies.learning_problems(most_rows=6))
    ties = tuple(tuple(draw(st.permutations(group))) for group in tie_alike(network))
    prior = draw(strategies.priors(network))
    if isinstance(prior, dict):
        names = [variable.name for variable in network.variables]
        for first, *others in ties:
            for other in others:
                prior[names[other]] = prior.get(names[first], 1.0)
    return network, dataset, ties, prior


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_learner_passes_the_bounds_and_whole_is_as_decomposed(data):
    network, dataset, ties, prior = data.draw(tied_problems())
    bounds = find_bounds(make_task(network, dataset, prior, ties=ties), Budget(0.02))
    _, path = em_by_hand(share(network, ties), dataset, ties, 0, prior)
    options = {"start": "random", "n_init": 2, "prior": prior}
    ends = {}
    for method in ("em", "d-em", "d-hybrid", "d-edml", "edml"):
        found = run(network, dataset, method, ties, 8, **options)
        reached = max(s.objective.sum(axis=1).max() for s in found)
        rounding = 1e-9 * (1 + abs(reached))
        assert reached <= min(bounds.naive, bounds.decomposition.sum(), bounds.patterns.sum(), bounds.total) + rounding
        assert_shared(found[-1], ties)
        ends[method] = found[-1].objective.sum(axis=1)
    assert path[-1] <= bounds.total + 1e-9 * (1 + abs(bounds.total))
    np.testing.assert_allclose(ends["d-em"], ends["em"], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_em_by_hand_on_networks_at_random(seed):
    generator = np.random.default_rng(seed)
    parents = [tuple(generator.permutation(k)[: generator.integers(0, min(k, 2) + 1)].tolist()) for k in range(6)]
    network = random_network("ABCDEF", parents, seed=seed)
    ties = tie_alike(network)
    assert ties
    network = share(network, ties)
    names = [v.name for v in network.variables]
    dataset = remove_mcar(hide(simulate(network, 30, seed), [names[0]]), 0.3, seed, names[1:3])
    tables, path = em_by_hand(network, dataset, ties, 6, 1.5)
    # The textbook's EM: hidden leaves are not left out, as they are not by hand.
    snapshots = run(network, dataset, "em-textbook", ties, 6, prior=1.5)
    assert [s.objective.sum() for s in snapshots] == pytest.approx(path, rel=1e-10)
    for learned, expected in zip(snapshots[-1].network().tables, tables, strict=True):
        np.testing.assert_allclose(learned, expected, atol=1e-9)
    ended = run(network, dataset, "d-em", ties, prior=1.5, stopping=Stopping(tol=1e-12, max_iter=3000))[-1]
    whole = run(network, dataset, "em-textbook", ties, prior=1.5, stopping=Stopping(tol=1e-12, max_iter=3000))[-1]
    assert ended.objective.sum() == pytest.approx(whole.objective.sum(), abs=1e-6)


def test_complete_data_is_counted_in_one_step_and_certified():
    network, ties = hidden_markov()
    dataset = simulate(network, 60, 1)
    (tables, path), names = em_by_hand(network, dataset, ties, 1, 2.0), [v.name for v in network.variables]
    found = run(network, dataset, "counting", ties, stopping=Stopping(), prior=2.0, start="random")[-1]
    assert found.objective.sum() == pytest.approx(path[-1], rel=1e-12)
    for learned, expected in zip(found.network().tables, tables, strict=True):
        np.testing.assert_allclose(learned, expected, atol=1e-12)
    bounds = find_bounds(make_task(network, dataset, 2.0, ties=ties))
    assert bounds.imap.sum() - found.objective.sum() == pytest.approx(0, abs=1e-9)
    assert (np.abs(bounds.imap - found.objective[0]) < CERTIFIED).all()
    apart = find_bounds(make_task(network, dataset, dict.fromkeys((names[0], names[1], names[2]), 2.0)))
    assert bounds.total < apart.total - 1, "without ties more could be reached"


def test_the_bound_counts_the_one_prior_of_a_shared_table_once():
    """Where bounds are tight, those that count it for each variable would be passed."""
    network = random_network("AB", [(), ()])
    dataset = make_dataset(network.variables, [("a", None), ("b", None), (None, "a"), (None, "b")])
    bounds = find_bounds(make_task(network, dataset, 5.0, ties=((0, 1),)))
    reached = run(network, dataset, "d-em", ((0, 1),), prior=5.0)[-1].objective.sum()
    assert reached == pytest.approx((4 + 2 * 4) * np.log(0.5))
    assert bounds.total == pytest.approx(reached)


def test_components_that_share_a_table_stop_together():
    network, dataset, ties = chain_problem()
    task = make_task(network, dataset, ties=ties)
    apart = make_task(network, dataset)
    assert len(task.decomposition.components) == len(apart.decomposition.components) > 2
    root = task.decomposition.component_of[0]
    others = np.delete(task.objective.stops_with, [root, task.objective.n_components - 1])
    assert len(set(others.tolist())) == 1
    last = run(network, dataset, "d-em", ties, stopping=Stopping(tol=1e-4), n_init=2)[-1]
    assert last.stop == "converged"
    for iterations in last.iterations:
        assert len(set(np.delete(iterations, [root, len(iterations) - 1]).tolist())) == 1
    np.testing.assert_allclose(last.log_likelihood[0], evaluate(apart, last.theta[0]).log_likelihood, rtol=1e-12)
    assert np.isfinite(last.distance).all()


def test_a_hidden_leaf_has_the_table_that_is_learned():
    network = random_network("ABC", [(), (0,), (1,)])
    ties = ((2, 1),)  # the leaf leads
    dataset = hide(simulate(network, 50, 1), ["C"])
    tables, _ = em_by_hand(share(network, ties), dataset, ties, 120)
    for method in ("d-em", "d-edml", "d-lbfgs"):
        found = run(network, dataset, method, ties, stopping=Stopping(tol=1e-10), start="random")[-1]
        assert found.task.decomposition.pruned == (2,)
        np.testing.assert_allclose(found.network().tables[2], tables[1], atol=1e-5)
        assert_shared(found, ties)
        assert not found.unseen()
        assert not [finding for finding in examine(found.task) if finding.kind == "pruned"]


def test_a_component_is_solved_by_counting_if_all_that_share_its_table_are():
    network, dataset, ties = chain_problem()
    apart, tied = make_task(network, dataset), make_task(network, dataset, ties=ties)
    assert apart.iterated == tuple(not component.is_complete for component in apart.decomposition.components)
    assert tied.iterated == (False, *[True] * (len(tied.decomposition.components) - 1))
    network, ties = hidden_markov()
    assert not any(make_task(network, simulate(network, 60, 1), ties=ties).iterated)


def test_auto_certifies_what_is_counted_and_searches_the_rest_together():
    network, ties = hidden_markov(3)
    found = run(network, simulate(network, 60, 1), "auto", ties, stopping=Stopping(max_iter=20), start="random")[-1]
    assert {course.end for course in found.courses} == {"counted"}
    network, dataset, ties = chain_problem(30, 6)
    last = run(network, dataset, "auto", ties, stopping=Stopping(max_iter=20), start="random")[-1]
    together = last.task.objective.stops_with
    assert len({id(last.courses[k]) for k in np.flatnonzero(together == together[-2])}) == 1
    assert_shared(last, ties)


def test_states_that_a_shared_table_tells_apart_elsewhere_are_no_symmetry():
    """A hidden parent whose states a uniform table does not tell apart; but one that is seen shares the table."""
    network = random_network("HXAB", [(), (0,), (), (2,)])
    dataset = hide(simulate(network, 30, 1), ["H"])
    start = network.with_tables([np.full_like(table, 0.5) for table in network.tables])
    apart = run(start, dataset, "d-em", (), 5)
    assert [symmetry.variable for symmetry in apart[0].symmetries()] == [0]
    tied = run(start, dataset, "d-em", ((1, 3),), 5)
    assert tied[0].symmetries() == []
    learned = tied[-1].network().tables[1]
    assert np.abs(learned[0] - learned[1]).max() > 1e-3
    both = run(start, hide(dataset, ["A"]), "d-em", ((1, 3),), 5)
    assert [symmetry.variable for symmetry in both[0].symmetries()] == [0, 2]
    learned = both[-1].network().tables[1]
    np.testing.assert_array_equal(learned[0], learned[1])


def test_the_microscope_and_the_doctor_see_the_added_counts():
    network, dataset, ties = chain_problem()
    tables, _ = em_by_hand(network, dataset, ties, 1)
    task = make_task(network, dataset, ties=ties)
    view = look_closely(task, task.layout.flatten(network.tables), 0, 4)
    np.testing.assert_allclose(view.after, tables[4], atol=1e-9)
    assert view.counts.sum() == pytest.approx(8 * dataset.total_weight)
    pair = random_network("ABCD", [(), (0,), (), (2,)])
    rows = make_dataset(pair.variables, [("a", "a", "b", "a"), ("a", "b", "b", "b")])
    unseen = [f.variable for f in examine(make_task(pair, rows)) if f.kind == "unseen"]
    assert unseen == [1, 3]
    assert not [f for f in examine(make_task(pair, rows, ties=((1, 3),))) if f.kind == "unseen"]


def test_starts_are_shared():
    network, ties = chain(4), ((2, 1, 3),)
    dataset = hide(simulate(network, 20, 1), ["X1"])
    for start in ("random", "uniform", "current", chain(4, seed=5)):
        first = run(network, dataset, "d-em", ties, 0, start=start, n_init=3)[0]
        assert_shared(first, ties)
        if start == "current":
            np.testing.assert_array_equal(first.network(0).tables[1], network.tables[2])


def test_workers_and_a_resumed_run_find_the_same():
    network, dataset, ties = chain_problem(100)
    stopping = Stopping(tol=1e-4)
    here = run(network, dataset, "d-em", ties, stopping=stopping, n_init=2, prior=1.5)[-1]
    with ProcessPoolExecutor(2) as executor:
        there = run(network, dataset, "d-em", ties, stopping=stopping, n_init=2, prior=1.5, executor=executor)[-1]
    np.testing.assert_array_equal(there.theta, here.theta)
    np.testing.assert_array_equal(there.counts, here.counts)
    np.testing.assert_array_equal(there.iterations, here.iterations)
    half = run(network, dataset, "d-em", ties, 5, n_init=2, prior=1.5)[-1]
    after = run(network, dataset, "d-em", ties, stopping=stopping, n_init=2, prior=1.5, resume=half)[-1]
    np.testing.assert_allclose(after.theta, here.theta, atol=1e-3)
    assert after.stop == "converged"


def test_a_problem_without_ties_is_unchanged():
    network, dataset = chain(), chain_data()
    task = make_task(network, dataset)
    assert task.geometry.lead is None
    np.testing.assert_array_equal(task.objective.stops_with, np.arange(task.objective.n_components))


def odd_network():
    """A: 2 states; B, C: 3; D given A, E given B, F given A and B: 2."""
    sizes, parents = [2, 3, 3, 2, 2, 2], [(), (), (), (0,), (1,), (0, 1)]
    variables = tuple(Variable(name, tuple("xyz"[:size])) for name, size in zip("ABCDEF", sizes, strict=True))
    tables = [np.full((*(sizes[p] for p in u), s), 1 / s) for s, u in zip(sizes, parents, strict=True)]
    return BayesianNetwork(variables, tuple(parents), tuple(tables))


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([["A", "B"]], "'A' and 'B' cannot share a table: 'A' has 2 states, 'B' has 3"),
        ([["A", "D"]], "'A' and 'D' cannot share a table: 'A' has 0 parents, 'D' has 1"),
        ([["D", "E"]], "'D' and 'E' cannot share a table: their parents number 1, 'A' and 'B', have 2 and 3 states"),
        ([["B", "C"], ["C", "B"]], "'C' is tied twice; name each variable once"),
        ([["B", "B"]], "'B' is tied twice"),
        ([["B"]], "a table is shared by two variables or more; got 'B'"),
        ([["B", "Z"]], "no variable 'Z' in this network; it has"),
    ],
)
def test_ties_that_cannot_be_are_refused(groups, said):
    with pytest.raises(ModelError, match=said):
        find_ties(odd_network(), groups)


def test_a_markov_network_is_refused():
    with pytest.raises(ModelError, match="tied tables are for Bayesian networks: the factors of a Markov network"):
        find_ties(as_markov(odd_network()), [["B", "C"]])


def test_different_priors_of_one_table_are_refused():
    network = odd_network()
    dataset = simulate(network, 5, 1)
    with pytest.raises(ModelError, match="'B' and 'C' share a table, but their Dirichlet exponents differ"):
        make_task(network, dataset, {"B": 2.0}, ties=((1, 2),))
