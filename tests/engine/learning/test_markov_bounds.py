"""Bounds of Markov networks: the numbers of SPEC §5, closed forms against fits, and never below what is reached."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning.learn import learn
from engine.learning.markov_bounds import MarkovBounds, find_markov_bounds
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.dataset import make_dataset
from engine.model.network import MarkovNetwork
from engine.model.prior import Gaussian, Laplace
from engine.model.variable import Variable
from tests import strategies
from tests.engine.learning.models import COIN, positive

pytestmark = pytest.mark.filterwarnings("error")

GRID = [(1, 2), (1, 4), (2, 3), (2, 5), (3, 6), (4, 5), (4, 7), (5, 6), (5, 8), (6, 9), (7, 8), (8, 9)]


def make_network(names, scopes, states=COIN):
    nodes = tuple(Variable(name, states) for name in names)
    return MarkovNetwork(nodes, tuple(scopes), tuple(np.ones((len(states),) * len(scope)) for scope in scopes))


def bounds_of(network, dataset, **options) -> MarkovBounds:
    return find_markov_bounds(make_task(network, dataset, **options))


def grid_problem():
    """The paper's 3 × 3 grid with 1, 6 and 8 hidden: all 64 rows over the rest, row k of weight (7k mod 11) + 1."""
    network = make_network("123456789", [(a - 1, b - 1) for a, b in GRID])
    observed = [2, 3, 4, 5, 7, 9]
    rows = []
    for values in itertools.product(COIN, repeat=6):
        seen = dict(zip(observed, values, strict=True))
        rows.append([seen.get(k) for k in range(1, 10)])
    return network, make_dataset(network.variables, rows, [float(7 * k % 11 + 1) for k in range(64)])


def test_the_numbers_of_the_grid():
    network, data = grid_problem()
    found = bounds_of(network, data)
    assert found.naive == pytest.approx(-1528.2148, abs=5e-5)
    assert found.cliques.value == pytest.approx(-1577.8107, abs=5e-5)
    assert found.scopes.value == pytest.approx(-1579.7565, abs=5e-5)
    assert (found.scopes.kind, found.cliques.kind) == ("certified", "certified")
    assert (found.total, found.kind) == (found.scopes.value, "certified")
    assert found.naive > found.triangulated > found.cliques.value
    *_, last = learn(network, data, "d-lbfgs", n_init=15, stopping=Stopping(1e-9, "likelihood", max_iter=2000))
    assert last.objective.sum(axis=1).max() == pytest.approx(-1580.5059, abs=1e-3)


def test_the_triangle_on_complete_data():
    """§5.5 [thesis]: its one clique is saturated, its scopes are not; the best is what IPF finds."""
    network = make_network("ABC", [(0, 1), (1, 2), (0, 2)])
    rows = list(itertools.product(COIN, repeat=3))
    found = bounds_of(network, make_dataset(network.variables, rows, [4.0, 18.0, 2.0, 13.0, 1.0, 1.0, 42.0, 19.0]))
    assert found.scopes.value == pytest.approx(-155.513378, abs=1e-5)
    assert found.scopes.kind == "certified"
    assert found.cliques.value == found.naive == found.triangulated == pytest.approx(-155.288049, abs=1e-6)
    assert found.cliques.kind == "exact"


def test_a_chain_is_closed_and_met_where_every_other_is_hidden():
    network = make_network("ABCDE", [(0, 1), (1, 2), (2, 3), (3, 4)])
    generator = np.random.default_rng(0)
    rows = [[str(generator.choice(COIN)) if v % 2 == 0 else None for v in range(5)] for _ in range(60)]
    data = make_dataset(network.variables, rows)
    found = bounds_of(network, data)
    assert (found.scopes.kind, found.kind) == ("exact", "exact")
    # Its own network: A - C - E, fitted by itself.
    pairs = make_network("ACE", [(0, 1), (1, 2)])
    *_, fit = learn(
        pairs,
        make_dataset(pairs.variables, [row[::2] for row in rows]),
        "lbfgs",
        stopping=Stopping(1e-12, "likelihood", max_iter=2000),
    )
    assert found.scopes.value == pytest.approx(fit.objective.sum(), abs=1e-6)
    assert found.total == found.scopes.value


def test_variables_in_no_factor_are_uniform():
    network = make_network("AB", [(0,)], ("a", "b", "c"))
    data = make_dataset(network.variables, [["a", "b"], ["b", "b"], ["a", "c"]])
    found = bounds_of(network, data)
    expected = 2 * math.log(2 / 3) + math.log(1 / 3) - 3 * math.log(3)
    assert found.total == pytest.approx(expected)
    assert found.kind == "exact"


def test_given_variables_have_the_naive_bound_of_the_rest():
    network = make_network("AB", [(0, 1)])
    data = make_dataset(network.variables, [["a", "b"], ["b", "b"], ["a", "a"], ["a", "a"]])
    found = bounds_of(network, data, given=[0])
    assert found.total == pytest.approx(2 * math.log(2 / 3) + math.log(1 / 3))
    assert found.kind == "certified"
    *_, last = learn(network, data, "lbfgs", given=[0], stopping=Stopping(1e-12, "likelihood", max_iter=500))
    assert last.objective.sum() == pytest.approx(found.total, abs=1e-6)


def test_no_rows_and_nothing_observed():
    network = make_network("AB", [(0, 1)])
    assert bounds_of(network, make_dataset(network.variables, [])).total == 0
    assert bounds_of(network, make_dataset(network.variables, [[None, None]] * 3)).total == 0


METHODS = ["d-lbfgs", "d-em", "edml-in-turn", "d-edml", "cg"]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_bound_is_below_what_is_reached(data):
    """All learners and restarts, weights and likelihood cells, priors; a bound is what says it is one."""
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    network = positive(data.draw(strategies.markov_networks(5)), generator)
    dataset = data.draw(strategies.datasets(network.variables))
    prior = data.draw(st.sampled_from([1.0, 1.0, Gaussian(1.0), Laplace(0.5)]))
    method = data.draw(st.sampled_from(METHODS if prior == 1.0 else ["d-lbfgs", "d-em", "cg"]))
    found = bounds_of(network, dataset, prior=prior)
    *_, last = learn(network, dataset, method, prior=prior, n_init=2, stopping=Stopping(max_iter=30))
    slack = 1e-9 * (1 + abs(found.total))
    assert last.objective.sum(axis=1).max() <= found.total + slack
    assert found.total <= min(found.naive, found.triangulated)
    for fit in (found.scopes, found.cliques):
        if fit is not None and fit.kind != "estimate":
            assert last.objective.sum(axis=1).max() <= fit.value + slack


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_what_is_exact_or_certified_equals_a_fit(data):
    """The likelihood of the best network with these scopes, climbed to by another learner over complete data."""
    network = data.draw(strategies.markov_networks(4))
    network = network.with_tables([np.ones_like(table) for table in network.tables])
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    rows = [[str(generator.choice(v.states)) for v in network.variables] for _ in range(12)]
    dataset = make_dataset(network.variables, rows)
    found = bounds_of(network, dataset).scopes
    *_, fit = learn(network, dataset, "ipf", start="current", stopping=Stopping(1e-11, "likelihood", max_iter=2000))
    assert found.kind in ("exact", "certified")
    assert found.value == pytest.approx(fit.objective.sum(), rel=1e-6, abs=1e-6)
