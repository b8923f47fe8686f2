"""Upper bounds against counting row by row, and against every objective that was ever reached."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning.bounds import find_bounds
from engine.learning.imap.budget import Budget
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.dataset import Role, make_dataset
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from pgmgui.project.examples import load_gallery
from tests import oracles, strategies
from tests.engine.learning.models import cells, evaluate, random_network
from tests.engine.learning.problems import draw_latent_problem, draw_problem
from tests.plain import filled_exponents, plain_data

pytestmark = pytest.mark.filterwarnings("error")

COIN = ("a", "b")
EXAMPLES = [e for e in load_gallery() if e.id not in ("thesis-grid", "grid-corners", "thesis-triangle", "earthquake")]


def expected_bounds(task, prior):
    """Naive, decomposition and patterns bounds: row by row, with dictionaries."""
    network, dataset = task.decomposition.network, task.decomposition.dataset
    rows, weights = plain_data(dataset)
    constant = {v for v, variable in enumerate(network.variables) if variable.cardinality == 1}
    rows = [[0 if cell is None and v in constant else cell for v, cell in enumerate(row)] for row in rows]
    exponents = filled_exponents(network, prior)
    observed = [v for v, role in enumerate(dataset.roles) if role is Role.OBSERVED]
    naive = oracles.saturated_bound(rows, weights, observed, [])
    naive += oracles.soft_constant(rows, weights, range(len(network.variables)))
    naive += sum(oracles.dirichlet_maximum(psi - 1) for psi in exponents)
    decomposition, patterns = [], []
    for c in task.decomposition.components:
        if c.is_complete:
            (v,) = c.variables
            counts = np.zeros(network.tables[v].shape)
            for row, weight in zip(rows, weights, strict=True):
                counts[tuple(row[u] for u in network.scopes[v])] += weight
            decomposition.append(oracles.dirichlet_maximum(counts + exponents[v] - 1))
            patterns.append(decomposition[-1])
            continue
        bound = oracles.saturated_bound(rows, weights, c.observed, c.boundary)
        bound += oracles.soft_constant(rows, weights, c.variables)
        bound += sum(oracles.dirichlet_maximum(exponents[v] - 1) for v in c.variables)
        decomposition.append(bound)
        partial = [v for v in c.variables if v not in c.observed]
        patterns.append(bound + oracles.partial_bound(rows, weights, partial, [*c.boundary, *c.observed]))
    last = sum(oracles.dirichlet_maximum(exponents[v] - 1) for v in task.decomposition.pruned)
    return naive, [*decomposition, last], [*patterns, last]


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_bounds_equal_counting(data):
    network, dataset = data.draw(strategies.learning_problems(most_rows=10))
    prior = data.draw(strategies.priors(network))
    task = make_task(network, dataset, prior)
    bounds = find_bounds(task)
    naive, decomposition, patterns = expected_bounds(task, prior)
    assert bounds.naive == close(naive)
    assert bounds.decomposition.tolist() == close(decomposition)
    assert bounds.patterns.tolist() == close(patterns)


def assert_ordered(bounds):
    """By component: decomposition ≥ patterns ≥ I-map. As a whole: naive ≥ I-map."""
    slack = 1e-9 * max(1.0, abs(bounds.naive))
    assert (bounds.patterns <= bounds.decomposition + slack).all()
    assert (bounds.imap <= bounds.patterns + slack).all()
    assert bounds.imap.sum() <= bounds.naive + slack
    assert bounds.total == min(bounds.naive, bounds.imap.sum())


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_bounds_are_ordered_and_the_lowest_counts(data):
    network, dataset = data.draw(strategies.learning_problems(most_rows=10))
    task = make_task(network, dataset, data.draw(strategies.priors(network)))
    assert_ordered(find_bounds(task, Budget(data.draw(st.sampled_from([0.0, 0.01])))))


def test_the_bound_by_components_can_be_above_the_naive_one():
    """A and C are always alike, and each is learned in a component that the other one lends a variable to."""
    names = ("H", "A", "E", "K", "C", "F")  # H → A, E; C → E; K → C, F; A → F
    network = random_network(names, [(), (0,), (0, 4), (), (3,), (1, 3)])
    bounds = find_bounds(make_task(network, cells(network, ["?aa?aa", "?ba?ba"])))
    assert bounds.decomposition.sum() == pytest.approx(0)
    assert bounds.naive == pytest.approx(2 * math.log(1 / 2))
    # A and C each come before what the other component lends them to, and cost something in either.
    assert bounds.total == pytest.approx(4 * math.log(1 / 2))


def assert_bounded(network, dataset, prior, n_init, max_iter, method="d-em"):
    """No restart, at no iteration, has a component above its bound."""
    bounds = None
    stopping = Stopping(max_iter=max_iter, tol=0.0)
    for snapshot in learn(network, dataset, method, n_init=n_init, prior=prior, stopping=stopping):
        bounds = bounds or find_bounds(snapshot.task)
        slack = 1e-9 * np.maximum(1.0, np.abs(bounds.imap))
        assert (snapshot.objective <= bounds.imap + slack).all()
        assert (snapshot.objective.sum(axis=1) <= bounds.total + slack.sum()).all()
    return snapshot, bounds


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_bound_is_below_a_reached_objective(data):
    network, dataset = data.draw(strategies.learning_problems())
    assert_bounded(network, dataset, data.draw(strategies.priors(network)), n_init=4, max_iter=15)


@pytest.mark.parametrize(
    ("method", "first"), [("d-em", 0), ("d-edml", 100), ("d-hybrid", 200), ("d-lbfgs", 300), ("d-cg", 400)]
)
def test_no_learner_passes_a_bound(method, first):
    """More than a hundred problems with all kinds of cells, weights and priors; their own parameters are tried too."""
    for seed in range(first, first + 24):
        network, dataset, prior = (draw_problem if seed % 3 else draw_latent_problem)(seed)
        _, bounds = assert_bounded(network, dataset, prior, n_init=3, max_iter=12, method=method)
        assert_ordered(bounds)
        task = make_task(network, dataset)
        reached = evaluate(task, task.layout.flatten(network.tables)).objective
        assert (reached <= find_bounds(task).imap + 1e-9 * np.maximum(1.0, np.abs(reached))).all()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_bound_is_below_the_objective_of_a_deterministic_model(data):
    """The network's own tables, zeros and ones among them, are where bounds are met."""
    network, dataset = data.draw(strategies.learning_problems())
    task = make_task(network, dataset)
    state = evaluate(task, task.layout.flatten(network.tables))
    bounds = find_bounds(task)
    assert (state.objective <= bounds.imap + 1e-9 * np.maximum(1, np.abs(bounds.imap))).all()


@pytest.mark.parametrize("prior", [1.0, 2.0])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.id)
def test_examples_stay_under_their_bounds(example, prior):
    document, data = example.read()
    assert_bounded(document.network, data.dataset, prior, n_init=3, max_iter=60)


@pytest.mark.parametrize("prior", [1.0, 2.0, {"V1": 3.0}])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_complete_data_reach_every_component_bound(prior, data):
    network = data.draw(strategies.bayesian_networks())
    if isinstance(prior, dict) and "V1" not in network.index:
        prior = 1.5
    dataset = simulate(network, data.draw(st.integers(1, 20)), data.draw(st.integers(0, 9)))
    (*_, last) = learn(network, dataset, "counting", prior=prior)
    bounds = find_bounds(last.task)
    assert last.objective[0].tolist() == close(bounds.decomposition.tolist())
    assert last.objective[0].tolist() == close(bounds.patterns.tolist())
    assert last.objective[0].tolist() == close(bounds.imap.tolist())
    assert last.converged.all()


def hidden_cause():
    """H → A, H → B: A is partial, so that it is not in O, but its values still cost."""
    nodes = tuple(Variable(name, COIN) for name in ("H", "A", "B"))
    table = [[0.8, 0.2], [0.3, 0.7]]
    return BayesianNetwork(nodes, ((), (0,), (0,)), ([0.5, 0.5], table, table))


def test_partially_observed_variables_tighten_the_bound():
    network = hidden_cause()
    rows = [[None, "a", "a"], [None, "b", "a"], [None, None, "a"], [None, "b", "b"]]
    bounds = find_bounds(make_task(network, make_dataset(network.variables, rows)))
    b = 3 * math.log(3 / 4) + math.log(1 / 4)
    assert bounds.decomposition.tolist() == close([b, 0.0])
    # A given B = a is seen as a and b once each; given B = b, only b.
    assert bounds.patterns.tolist() == close([b + 2 * math.log(1 / 2), 0.0])
    assert bounds.total < bounds.decomposition.sum() - 1


def test_later_partial_variables_are_conditioned_on_what_was_seen_before():
    """B given what its row saw of A: a value, or nothing; not one pattern's counts for another's."""
    network = hidden_cause()
    rows = [[None, "a", "a"], [None, "a", "b"], [None, "b", "b"], [None, "b", None], [None, None, "a"]]
    bounds = find_bounds(make_task(network, make_dataset(network.variables, rows)))
    assert bounds.decomposition.tolist() == close([0.0, 0.0])
    assert bounds.patterns[0] == close(4 * math.log(1 / 2) + 2 * math.log(1 / 2))


def test_likelihood_cells_do_not_split_the_counts():
    """To a variable after them they are as good as missing: B is seen as a and b given the same."""
    network = hidden_cause()
    rows = [[None, (1.0, 0.5), "a"], [None, None, "b"], [None, (0.5, 1.0), None], [None, "a", None]]
    bounds = find_bounds(make_task(network, make_dataset(network.variables, rows, [1.0, 1.0, 1.0, 3.0])))
    assert bounds.patterns[0] == close(2 * math.log(1 / 2))


def test_a_likelihood_cell_adds_the_logarithm_of_its_maximum():
    network = hidden_cause()
    rows = [[(4.0, 2.0), "a", "a"], [None, "a", "a"]]
    bounds = find_bounds(make_task(network, make_dataset(network.variables, rows, [3.0, 1.0])))
    assert bounds.naive == close(3 * math.log(4.0))
    assert bounds.patterns[0] == close(3 * math.log(4.0))


def test_a_prior_adds_its_mode():
    network = hidden_cause()
    data = make_dataset(network.variables, [[None, "a", None], [None, "b", None]])
    without, with_prior = (find_bounds(make_task(network, data, p)) for p in (1.0, {"A": 2.0, "B": [3.0, 1.5]}))
    a_mode = 2 * 2 * math.log(1 / 2)
    b_mode = 2 * (2 * math.log(0.8) + 0.5 * math.log(0.2))
    assert with_prior.decomposition[0] - without.decomposition[0] == close(a_mode)
    assert with_prior.decomposition[-1] - without.decomposition[-1] == close(b_mode)  # B is pruned
    assert with_prior.naive - without.naive == close(a_mode + b_mode)


def test_components_without_observed_variables_contribute_nothing():
    network = hidden_cause()
    data = make_dataset(network.variables, [[None, (1.0, 0.5), None], [None, None, (1.0, 1.0)]])
    bounds = find_bounds(make_task(network, data))
    assert bounds.patterns.tolist() == close([0.0, 0.0])


def test_components_around_a_pruned_leaf_and_a_constant():
    """Each component has its own rows, whatever it shares with others."""
    nodes = (*(Variable(name, COIN) for name in ("H1", "H2", "A", "B", "L")), Variable("C", ("only",)))
    table = np.array([[0.9, 0.1], [0.3, 0.7]])
    network = BayesianNetwork(
        nodes,
        ((5,), (5,), (0,), (1,), (0, 1), ()),
        ([[0.4, 0.6]], [[0.8, 0.2]], table, table, np.full((2, 2, 2), 0.5), [1.0]),
    )
    rows = [[None, None, "a", "b", None, None], [None, None, "b", "b", None, "only"]]
    task = make_task(network, make_dataset(nodes, rows))
    bounds = find_bounds(task)
    assert bounds.patterns.tolist() == close([2 * math.log(0.5), 0.0, 0.0, 0.0])


def test_bounds_of_the_textbook_task_are_those_of_any_other():
    """The bounds belong to the data and the structure, not to how inference is done."""
    nodes = tuple(Variable(name, COIN) for name in "ABCDE")
    table = [[0.8, 0.2], [0.3, 0.7]]
    network = BayesianNetwork(nodes, ((), (0,), (1,), (2,), (3,)), ([0.5, 0.5], table, table, table, table))
    data = remove_mcar(hide(simulate(network, 50, 1), ["B"]), 0.3, 2, ["D"])
    other, textbook = (find_bounds(make_task(network, data, 2.0, condition=c)) for c in (True, False))
    assert len(other.patterns) == 4
    assert textbook.naive == close(other.naive)
    assert textbook.decomposition.tolist() == close(other.decomposition.tolist())
    assert textbook.patterns.tolist() == close(other.patterns.tolist())
    assert textbook.terms.tolist() == close(other.terms.tolist())


def test_no_rows_have_the_bound_zero():
    network = hidden_cause()
    bounds = find_bounds(make_task(network, make_dataset(network.variables, [])))
    assert (bounds.naive, bounds.total) == (0.0, 0.0)
