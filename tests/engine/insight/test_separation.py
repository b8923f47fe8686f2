"""Separation against all trails listed, networkx, the moral graph, and the numbers of random tables."""

from __future__ import annotations

import itertools
import time

import networkx as nx
import numpy as np
import pytest

from engine.formats import read_network
from engine.insight import separation
from engine.insight.separation import Step, Trail, separate_sets
from engine.model.network import BayesianNetwork, MarkovNetwork, as_markov
from engine.model.variable import Variable
from pgmgui.project.examples import find_example
from tests import oracles
from tests.shared_data import DATA, needs_data

EVERY = 10**9


def separate(network, one, other, known=(), likely=()):
    return separate_sets(network, (one,), (other,), known, likely)


@pytest.fixture
def asia():
    return find_example("asia").read()[0].network


@pytest.fixture
def unlimited(monkeypatch):
    monkeypatch.setattr(separation, "MOST_LISTED", EVERY)
    monkeypatch.setattr(separation, "MOST_LOOKED_AT", EVERY)


def random_network(rng, size=6):
    order = rng.permutation(size)
    parents = [()] * size
    for k, v in enumerate(order):
        chosen = [int(u) for u in order[:k] if rng.random() < 0.4]
        parents[v] = tuple(chosen[:3])
    variables = tuple(Variable(f"V{k}", ("a", "b")) for k in range(size))
    tables = tuple(rng.dirichlet((1, 1), size=(2,) * len(own)) for own in parents)
    return BayesianNetwork(variables, tuple(parents), tables)


def random_question(rng, size=6):
    """Two variables, those that are known, and those with a likelihood."""
    one, other, *rest = (int(v) for v in rng.permutation(size))
    kinds = rng.choice(3, size=len(rest), p=[0.5, 0.3, 0.2])
    likely = {v for v, kind in zip(rest, kinds, strict=True) if kind == 2}
    likely |= {one} if rng.random() < 0.2 else set()
    return one, other, {v for v, kind in zip(rest, kinds, strict=True) if kind == 1}, likely


def with_witnesses(network, likely):
    """The arrows, with a child of its own for each variable that has a likelihood: known, it says the same."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(network.variables)))
    graph.add_edges_from(network.edges)
    graph.add_edges_from((v, ("witness of", v)) for v in likely)
    return graph


def is_active(graph, trail, known):
    """The definition, word for word."""
    for before, v, after in zip(trail, trail[1:], trail[2:], strict=False):
        if graph.has_edge(before, v) and graph.has_edge(after, v):
            if not ({v} | nx.descendants(graph, v)) & known:
                return False
        elif v in known:
            return False
    return True


def list_all(graph, one, other):
    return {tuple(trail) for trail in nx.all_simple_paths(graph.to_undirected(), one, other)}


@pytest.mark.parametrize("seed", range(200))
def test_trails_are_those_of_the_definition(unlimited, seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng)
    one, other, known, likely = random_question(rng)
    graph = with_witnesses(network, likely)
    everything = known | {("witness of", v) for v in likely}
    trails = list_all(graph, one, other)
    active = {trail for trail in trails if is_active(graph, trail, everything)}
    found = separate(network, one, other, known, likely)
    for trails_found, expected in ((found.active, active), (found.blocked, trails - active)):
        names = [trail.variables for trail in trails_found]
        assert len(names) == len(set(names))
        assert set(names) == expected
        assert [len(trail) for trail in names] == sorted(map(len, expected))
    assert found.is_separated == nx.is_d_separator(graph, one, other, everything)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_separated_is_independent_in_the_numbers_and_nothing_else_is(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 5)
    one, other, known, likely = random_question(rng, 5)
    evidence = {v: np.eye(2)[rng.integers(2)] for v in known} | {v: rng.random(2) for v in likely}
    joint = oracles.joint_weights([2] * 5, network.scopes, network.tables, evidence)
    pair = oracles.marginal(joint / joint.sum(), (one, other))
    apart = np.abs(pair - np.outer(pair.sum(axis=1), pair.sum(axis=0))).max()
    # In tables at random, dependence is never exactly none.
    assert (apart < 1e-12) == separate(network, one, other, known, likely).is_separated


@pytest.mark.parametrize("seed", range(60))
def test_separators_are_all_single_ones_or_a_smallest_set(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 7)
    if seed % 3 == 0:
        network = as_markov(network)
    one, other, known, likely = random_question(rng, 7)
    found = separate(network, one, other, known, likely)
    if found.is_separated:
        assert found.separators == ()
        return
    rest = [v for v in range(7) if v not in {one, other, *known}]
    for size in range(1, len(rest) + 1):
        sets = {
            added
            for added in itertools.combinations(rest, size)
            if separate(network, one, other, known | set(added), likely).is_separated
        }
        if sets:
            assert set(found.separators) <= sets
            assert size > 1 or set(found.separators) == sets
            assert found.separators
            return
    assert found.separators == ()


@pytest.mark.parametrize("seed", range(80))
def test_sets_are_separated_as_networkx_says_and_by_smallest_sets(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 7)
    order = [int(v) for v in rng.permutation(7)]
    ones, others, known, likely = set(order[:2]), set(order[2:4]), set(order[4:5]), set(order[5:6])
    graph = with_witnesses(network, likely)
    witnesses = {("witness of", v) for v in likely}
    found = separate_sets(network, ones, others, known, likely)
    assert found.is_separated == nx.is_d_separator(graph, ones, others, known | witnesses)
    for trail in (*found.active, *found.blocked):
        assert trail.variables[0] in ones
        assert trail.variables[-1] in others
        assert not (ones | others) & set(trail.variables[1:-1])
        assert is_active(graph, trail.variables, known | witnesses) == trail.is_active
    rest = set(order[5:])
    sets = [set(some) for size in (1, 2) for some in itertools.combinations(rest, size)]
    separating = [some for some in sets if nx.is_d_separator(graph, ones, others, known | witnesses | some)]
    if found.is_separated or not separating:
        assert found.separators == ()
    else:
        smallest = len(separating[0])
        assert all(set(one) in separating and len(one) == smallest for one in found.separators)
        assert found.separators


@pytest.mark.parametrize("seed", range(40))
def test_a_markov_network_is_separated_by_removal(unlimited, seed):
    rng = np.random.default_rng(seed)
    network = as_markov(random_network(rng))
    one, other, known, likely = random_question(rng)
    graph = nx.Graph(network.edges)
    graph.add_nodes_from(range(6))
    trails = list_all(graph, one, other)
    found = separate(network, one, other, known, likely)
    assert {trail.variables for trail in found.active} == {t for t in trails if not known & set(t[1:-1])}
    assert {trail.variables for trail in found.blocked} == {t for t in trails if known & set(t[1:-1])}
    graph.remove_nodes_from(known)
    assert found.is_separated == (not nx.has_path(graph, one, other))


def test_why_trails_are_open_or_blocked(asia):
    number = asia.index
    tub, either, lung, smoke, xray = (number[name] for name in ("tub", "either", "lung", "smoke", "xray"))
    found = separate(asia, tub, lung)
    assert found.is_separated
    assert found.blocked[0] == Trail((tub, either, lung), (Step(either, "collider", False, None),))
    # A likelihood below opens it as well, and names what did.
    for known, likely in (({xray}, ()), ((), {xray})):
        found = separate(asia, tub, lung, known, likely)
        assert found.active[0].steps == (Step(either, "collider", True, xray),)
        assert found.separators == ()
    # On what arrows pass through, a likelihood does not block, as knowing does.
    bronc, dysp = number["bronc"], number["dysp"]
    assert not separate(asia, smoke, dysp, {either}, {bronc}).is_separated
    assert separate(asia, smoke, dysp, {either, bronc}).is_separated
    found = separate(asia, bronc, lung)
    assert found.active[0] == Trail((bronc, smoke, lung), (Step(smoke, "fork", True, None),))
    assert found.separators == ((smoke,),)
    assert separate(asia, bronc, lung, {smoke}).blocked[0].steps == (Step(smoke, "fork", False, smoke),)


def test_what_is_known_depends_on_nothing(asia):
    assert separate(asia, 0, 1, {0}) == separation.Separation(True, (), (), ())


def test_a_variable_in_no_factor_is_separated_from_all():
    network = MarkovNetwork(tuple(Variable(name, ("a", "b")) for name in "AB"), (), ())
    assert separate(network, 0, 1) == separation.Separation(True, (), (), ())


@needs_data
def test_a_thousand_variables_take_a_second():
    network = read_network(DATA / "networks" / "net" / "munin.net").network
    rng = np.random.default_rng(0)
    spent = []
    for _ in range(5):
        one, other, *known = (int(v) for v in rng.permutation(len(network.variables))[:12])
        begin = time.process_time()
        found = separate(network, one, other, known[:5], known[5:])
        spent.append(time.process_time() - begin)
        assert found.is_separated != bool(found.active)
    print(f"separation in munin: at most {max(spent):.2f} s")
    assert max(spent) < 4
