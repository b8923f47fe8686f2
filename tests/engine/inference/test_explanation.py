"""MPE and MAP against enumeration, ties included."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.inference.explanation import explain
from engine.inference.query import Evidence
from engine.model.errors import ImpossibleEvidenceError, MemoryLimitError, ModelError, PgmError, UnknownNameError
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from engine.simulation.generators import chain, grid_markov, random_dag
from tests import oracles, strategies

NOTHING = Evidence({}, {}, {})


@st.composite
def questions(draw):
    """A network of either kind, states of some variables, likelihoods of others, and chosen variables or None."""
    network = draw(st.one_of(strategies.bayesian_networks(), strategies.markov_networks()))
    names = draw(st.permutations([v.name for v in network.variables]))
    hard = {
        name: draw(st.sampled_from(network.variables[network.index[name]].states))
        for name in names[: draw(st.integers(0, 2))]
    }
    soft = {}
    for name in names[len(hard) : len(hard) + draw(st.integers(0, 2))]:
        (soft[name],) = strategies.draw_likelihoods(draw, 1, network.variables[network.index[name]].cardinality)
    return network, Evidence(hard, soft, {}), draw(st.one_of(st.none(), st.lists(st.sampled_from(names), unique=True)))


def enumerate_weights(network, evidence, scope):
    """Pr(scope | evidence) by brute force; zeros for impossible evidence."""
    vectors = {network.index[name]: np.asarray(vector) for name, vector in evidence.likelihoods.items()}
    for name, state in evidence.states.items():
        variable = network.variables[network.index[name]]
        vectors[network.index[name]] = np.eye(variable.cardinality)[variable.code(state)]
    sizes = [v.cardinality for v in network.variables]
    joint = oracles.joint_weights(sizes, network.scopes, network.tables, vectors)
    return oracles.marginal(joint, scope) / (joint.sum() or 1.0)


def codes_of(network, states):
    return tuple(network.variables[network.index[name]].code(state) for name, state in states.items())


@settings(max_examples=300, deadline=None)
@given(questions())
def test_an_explanation_is_what_enumeration_finds(question):
    network, evidence, chosen = question
    scope = [network.index[name] for name in chosen] if chosen is not None else list(range(len(network.variables)))
    weights = enumerate_weights(network, evidence, scope)
    if weights.sum() == 0:
        with pytest.raises(PgmError, match=r"probability 0|exclude every"):
            explain(network, evidence, chosen)
        return
    found = explain(network, evidence, chosen)
    assert list(found.states) == [network.variables[v].name for v in scope]
    best = float(weights.max())
    assert math.exp(found.log_probability) == pytest.approx(best, rel=1e-9)
    assert weights[codes_of(network, found.states)] == pytest.approx(best, rel=1e-9)
    # A gap that is neither rounding nor clear has no right answer.
    assume(not ((weights < best * (1 - 1e-12)) & (weights > best * (1 - 1e-6))).any())
    tied = np.argwhere(weights >= best * (1 - 1e-9))
    assert (found.other is not None) == (len(tied) > 1)
    if found.other is not None:
        assert found.other != found.states
        assert weights[codes_of(network, found.other)] == pytest.approx(best, rel=1e-9)


def test_the_most_probable_states_together_are_not_those_of_each_alone():
    """Pr(A) = 0.4, 0.6; B is certain given a and a coin given b."""
    nodes = Variable("A", ("a", "b")), Variable("B", ("x", "y"))
    network = BayesianNetwork(nodes, ((), (0,)), ([0.4, 0.6], [[1.0, 0.0], [0.5, 0.5]]))
    assert explain(network, NOTHING).states == {"A": "a", "B": "x"}
    assert explain(network, NOTHING, ["A"]).states == {"A": "b"}
    assert math.exp(explain(network, NOTHING, ["A"]).log_probability) == pytest.approx(0.6)


def test_what_is_known_is_part_of_the_explanation():
    network = chain(4)
    (first, *_) = network.variables
    found = explain(network, Evidence({first.name: first.states[1]}, {}, {}), [first.name])
    assert (found.states, found.log_probability, found.other) == ({first.name: first.states[1]}, 0.0, None)


def test_probabilities_far_below_the_smallest_number_are_found():
    """3,000 coins that agree with their neighbour seven times in ten: all the same, log ½ + 2,999 log 0.7."""
    variables = tuple(Variable(f"X{k}", ("a", "b")) for k in range(3_000))
    agree = np.array([[0.7, 0.3], [0.3, 0.7]])
    network = BayesianNetwork(variables, ((), *((k,) for k in range(2_999))), (np.array([0.5, 0.5]), *[agree] * 2_999))
    found = explain(network, NOTHING)
    assert found.log_probability == pytest.approx(math.log(0.5) + 2_999 * math.log(0.7))
    assert len(set(found.states.values())) == 1
    assert found.other is not None
    assert set(found.other.values()) == {"a", "b"} - set(found.states.values())


def test_summing_out_first_can_need_more_memory_than_all_variables():
    """In a naive Bayes model turned round, chosen leaves are joined by their hidden cause."""
    leaves = tuple(Variable(f"L{k}", ("a", "b")) for k in range(40))
    tables = (np.array([0.5, 0.5]), *[np.array([[0.9, 0.1], [0.2, 0.8]])] * 40)
    network = BayesianNetwork((Variable("C", ("a", "b")), *leaves), ((), *[(0,)] * 40), tables)
    with pytest.raises(MemoryLimitError, match=r"explanation would need.*joins 41 unobserved variables.*memory-limit"):
        explain(network, NOTHING, [leaf.name for leaf in leaves])
    assert explain(network, NOTHING).states["C"] == "a"
    assert explain(network, NOTHING, ["L0", "L1"]).states == {"L0": "a", "L1": "a"}


def test_a_hopeless_network_is_refused_at_once():
    """Its elimination is given up before the graph fills up: no order is found, and all that is left is told."""
    network = grid_markov(70, 70, random_state=0)
    with pytest.raises(MemoryLimitError, match="unobserved variables"):
        explain(network, NOTHING)
    with pytest.raises(MemoryLimitError, match="unobserved variables"):
        explain(network, NOTHING, [network.variables[0].name])


def test_what_cannot_be_asked_is_said():
    network = random_dag(4, 2, 0.5, random_state=3)
    name = network.variables[0].name
    with pytest.raises(PgmError, match=f"the target of '{name}' sums to 0.9"):
        explain(network, Evidence({}, {}, {name: [0.5, 0.4]}))
    with pytest.raises(UnknownNameError, match="no variable 'nobody'"):
        explain(network, NOTHING, ["nobody"])
    certain = BayesianNetwork((Variable("A", ("a", "b")),), ((),), ([1.0, 0.0],))
    with pytest.raises(ImpossibleEvidenceError, match="A=b"):
        explain(certain, Evidence({"A": "b"}, {}, {}))
    with pytest.raises(ModelError, match="exclude every configuration"):
        explain(MarkovNetwork(certain.variables, ((0,),), (np.zeros(2),)), NOTHING)
