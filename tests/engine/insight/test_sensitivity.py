"""Sensitivity: posteriors after a change of one entry, against enumeration with the table changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.inference.query import Evidence
from engine.insight.sensitivity import find_influences
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from tests import oracles, strategies


def enumerate_posterior(network, evidence, v, code):
    """Pr(v = code | evidence) by brute force; None for impossible evidence."""
    vectors = {network.index[name]: np.asarray(vector) for name, vector in evidence.likelihoods.items()}
    for name, state in evidence.states.items():
        known = network.variables[network.index[name]]
        vectors[network.index[name]] = np.eye(known.cardinality)[known.code(state)]
    sizes = [variable.cardinality for variable in network.variables]
    joint = oracles.joint_weights(sizes, network.scopes, network.tables, vectors)
    return oracles.marginal(joint, (v,))[code] / joint.sum() if joint.sum() > 0 else None


def with_odds(network, factor, cell, scale):
    """The network with so many times the odds of one entry, the others of its set in proportion; or the factor."""
    table = np.array(network.tables[factor])
    if isinstance(network, MarkovNetwork):
        table[cell] *= scale
    else:
        row = table[cell[:-1]]
        # Multiplying one entry and normalising multiplies its odds, and leaves the others in proportion.
        row[cell[-1]] *= scale
        row /= row.sum()
    tables = [table if k == factor else other for k, other in enumerate(network.tables)]
    return network.with_tables(tables)


@st.composite
def questions(draw):
    """A network of either kind, evidence on some variables, and a state of another."""
    network = draw(st.one_of(strategies.bayesian_networks(5), strategies.markov_networks(5)))
    names = draw(st.permutations([v.name for v in network.variables]))
    target = network.variables[network.index[names[0]]]
    hard = {
        name: draw(st.sampled_from(network.variables[network.index[name]].states))
        for name in names[1 : 1 + draw(st.integers(0, 2))]
    }
    soft = {}
    for name in names[: draw(st.integers(0, 2))]:
        if name not in hard:
            (soft[name],) = strategies.draw_likelihoods(draw, 1, network.variables[network.index[name]].cardinality)
    return network, Evidence(hard, soft, {}), target.name, draw(st.sampled_from(target.states))


@settings(max_examples=150, deadline=None)
@given(questions())
def test_posteriors_after_a_change_are_those_of_enumeration(question):
    network, evidence, name, state = question
    v = network.index[name]
    code = network.variables[v].code(state)
    posterior = enumerate_posterior(network, evidence, v, code)
    assume(posterior)
    found = find_influences(network, evidence, name, state, most=10**6)
    assert found.posterior == pytest.approx(posterior, abs=1e-9)
    listed = {(one.factor, one.cell): one for one in found.influences}
    swings = [abs(one.doubled - one.halved) for one in found.influences]
    assert swings == sorted(swings, reverse=True)
    for factor, table in enumerate(network.tables):
        for cell, value in np.ndenumerate(table):
            if value == 0 or (isinstance(network, BayesianNetwork) and value == 1):
                assert (factor, cell) not in listed
                continue
            half, double, less, more = (
                enumerate_posterior(with_odds(network, factor, cell, scale), evidence, v, code)
                for scale in (0.5, 2.0, np.exp(-1e-4), np.exp(1e-4))
            )
            one = listed.get((factor, cell))
            assert (one.halved if one else posterior) == pytest.approx(half, abs=1e-9)
            assert (one.doubled if one else posterior) == pytest.approx(double, abs=1e-9)
            if one is not None:
                assert one.value == value
                # By the logarithm of the odds, whose derivative by the entry is 1 / (θ (1 − θ)). Where θ is all but 1,
                # the others of its set tell 1 − θ to more digits.
                rest = np.delete(table[cell[:-1]], cell[-1]).sum()
                by_odds = one.derivative * (value * rest if isinstance(network, BayesianNetwork) else 1)
                assert by_odds == pytest.approx((more - less) / 2e-4, abs=1e-7)


def test_of_many_entries_those_that_move_most_are_told():
    rng = np.random.default_rng(3)
    variables = tuple(Variable(f"V{k}", tuple("abcd")) for k in range(5))
    tables = [rng.dirichlet(np.ones(4)), *(rng.dirichlet(np.ones(4), size=4) for _ in range(4))]
    network = BayesianNetwork(variables, ((), (0,), (1,), (2,), (3,)), tuple(tables))
    evidence = Evidence({"V4": "b"}, {}, {})
    every = find_influences(network, evidence, "V0", "a", most=1000).influences
    assert len(every) > 50
    assert find_influences(network, evidence, "V0", "a", most=7).influences == every[:7]


def test_what_nothing_moves_is_said():
    pair = Variable("A", ("a", "b")), Variable("B", ("a", "b"))
    network = BayesianNetwork(pair, ((), (0,)), ([0.3, 0.7], np.eye(2)))
    with pytest.raises(PgmError, match="A=a has probability 0 given the evidence"):
        find_influences(network, Evidence({"B": "b"}, {}, {}), "A", "a")
    with pytest.raises(PgmError, match="'B' is known: it has the state 'b'"):
        find_influences(network, Evidence({"B": "b"}, {}, {}), "B", "b")
    with pytest.raises(PgmError, match="no target marginals; leave out that of 'B'"):
        find_influences(network, Evidence({}, {}, {"B": [0.5, 0.5]}), "A", "a")
    (one, other) = find_influences(network, Evidence({}, {}, {}), "A", "a").influences
    assert {one.factor, other.factor} == {0}  # the copy's table is certain
