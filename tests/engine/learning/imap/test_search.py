"""The search for orders: it never loses, repeats itself, and finds what all orders have."""

from __future__ import annotations

import itertools

import pytest

from engine.learning.bounds import find_bounds
from engine.learning.imap import budget, search
from engine.learning.imap.budget import Budget, Meter
from engine.learning.imap.search import search_orders
from engine.learning.task import make_task
from engine.model.errors import ModelError
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from tests.engine.learning.imap.test_terms import make_terms
from tests.engine.learning.models import random_network
from tests.engine.learning.problems import draw_problem

PARENTS = [(), (0,), (0,), (1, 2), (3,), (3, 0), (5,), (2, 6)]


def problem(seed=0, rows=60):
    """A network of which every second variable is hidden, and the others partly missing."""
    network = random_network([f"V{k}" for k in range(8)], PARENTS, seed=seed)
    data = hide(simulate(network, rows, seed), ["V1", "V3", "V5"])
    return make_task(network, remove_mcar(data, 0.3, seed, ["V2", "V4", "V7"]))


@pytest.fixture
def one_component():
    task = problem()
    (k,) = (k for k, component in enumerate(task.decomposition.components) if not component.is_complete)
    return task, k


def test_the_best_of_all_orders_is_found(one_component):
    task, k = one_component
    terms = make_terms(task, k)
    lowest = min(terms.add_up(order) for order in itertools.permutations(terms.topological))
    assert lowest < terms.add_up(terms.topological) - 1
    (found,) = search_orders([make_terms(task, k)], [terms.topological], 0, Meter(10.0))
    assert terms.add_up(found) == pytest.approx(lowest, abs=1e-9)


def test_carrying_a_variable_changes_the_sum_as_it_says(one_component):
    task, k = one_component
    terms = make_terms(task, k)
    for order in itertools.islice(itertools.permutations(terms.topological), 0, 120, 7):
        for node in order:
            change, other = search._move(terms, order, node)
            assert sorted(other) == sorted(order)
            assert terms.add_up(other) - terms.add_up(order) == pytest.approx(change, abs=1e-9)
            assert change <= 0


def test_neighbours_that_are_independent_change_nothing():
    for seed in range(40):
        network, dataset, prior = draw_problem(seed)
        task = make_task(network, dataset, prior)
        for k, component in enumerate(task.decomposition.components):
            if component.is_complete:
                continue
            terms = make_terms(task, k)
            order = terms.topological
            for at in range(len(order) - 1):
                before = terms.given | sum(1 << node for node in order[:at])
                swapped = (*order[:at], order[at + 1], order[at], *order[at + 2 :])
                change = search._swap(terms, order[at], order[at + 1], before)
                assert terms.add_up(swapped) - terms.add_up(order) == pytest.approx(change or 0.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_more_search_is_never_worse_and_repeats_itself(seed):
    task = problem(seed)
    totals = [find_bounds(task, Budget(seconds, seed)).total for seconds in (0.0, 0.001, 0.01, 0.1)]
    assert totals == sorted(totals, reverse=True)
    first, second = (find_bounds(task, Budget(0.02, seed)) for _ in range(2))
    assert first.orders == second.orders
    assert first.terms.tolist() == second.terms.tolist()


def test_a_slow_machine_is_stopped_by_its_clock(monkeypatch, one_component):
    """Every look at the clock takes a second here; a budget of 2 is over at the fourth."""
    task, k = one_component
    clock = itertools.count()
    monkeypatch.setattr(budget.time, "thread_time", lambda: float(next(clock)))
    terms = make_terms(task, k)
    search_orders([terms], [terms.topological], 0, Meter(2.0))
    assert next(clock) == 5


def test_budgets_below_zero_are_refused():
    for seconds in (-1.0, float("nan")):
        with pytest.raises(ModelError, match="0 or more"):
            Budget(seconds)
