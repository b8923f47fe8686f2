"""Uncertain evidence: likelihoods (Pearl) and target marginals (Jeffrey, IPFP) against enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.inference.query import Evidence, meet_targets, query
from engine.inference.targets import fitting
from engine.inference.targets.meeting import SOLVERS
from engine.model.errors import ImpossibleEvidenceError, MemoryLimitError, ModelError, PgmError, UnknownNameError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.generators import grid_markov, random_dag
from tests import oracles, strategies

COIN = ("a", "b")


def joint_of(network, evidence=None):
    """Brute force: Pr(all variables, evidence), not normalised by the probability of the evidence."""
    cardinalities = [v.cardinality for v in network.variables]
    free = oracles.joint_weights(cardinalities, network.scopes, network.tables, {})
    joint = oracles.joint_weights(cardinalities, network.scopes, network.tables, evidence or {})
    return joint / free.sum()


def assert_marginals(network, posterior, joint):
    for v in range(len(network.variables)):
        expected = oracles.marginal(joint, (v,)) / joint.sum()
        np.testing.assert_allclose(posterior.marginal(v)[0], expected, rtol=0, atol=1e-9)


def with_virtual_children(network, likelihoods):
    """The network with a child true/false for each likelihood: Pr(true | x) = λ(x), at most 1 (Alg. 3)."""
    variables, parents, tables = list(network.variables), list(network.parents), list(network.tables)
    for name, vector in likelihoods.items():
        variables.append(Variable(f"seen {name}", ("true", "false")))
        parents.append((network.index[name],))
        tables.append(np.stack([vector, 1 - np.asarray(vector)], axis=-1))
    return BayesianNetwork(tuple(variables), tuple(parents), tuple(tables))


@st.composite
def questions(draw):
    """A Bayesian network, states of some variables, and likelihoods ≤ 1 of others."""
    network = draw(strategies.bayesian_networks())
    names = draw(st.permutations([v.name for v in network.variables]))
    hard = {
        name: draw(st.sampled_from(network.variables[network.index[name]].states))
        for name in names[: draw(st.integers(0, 2))]
    }
    soft = {}
    for name in names[len(hard) : len(hard) + draw(st.integers(0, 3))]:
        (soft[name],) = strategies.draw_likelihoods(draw, 1, network.variables[network.index[name]].cardinality)
    return network, hard, soft


def vectors(network, hard, soft):
    """Evidence as the oracle takes it."""
    found = {network.index[name]: np.asarray(vector) for name, vector in soft.items()}
    for name, state in hard.items():
        variable = network.variables[network.index[name]]
        found[network.index[name]] = np.eye(variable.cardinality)[variable.code(state)]
    return found


# --- likelihood evidence -----------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(questions())
def test_likelihood_evidence_equals_a_virtual_child_fixed_to_true(question):
    network, hard, soft = question
    joint = joint_of(network, vectors(network, hard, soft))
    assume(joint.sum() > 0)
    found = query(network, Evidence(hard, soft, {}))
    assert_marginals(network, found, joint)
    larger = with_virtual_children(network, soft)
    children = {f"seen {name}": "true" for name in soft}
    other = query(larger, Evidence({**hard, **children}, {}, {}))
    assert found.log_evidence[0] == pytest.approx(other.log_evidence[0], abs=1e-9)
    assert found.log_evidence[0] == pytest.approx(math.log(joint.sum()), abs=1e-9)
    for v in range(len(network.variables)):
        np.testing.assert_allclose(found.marginal(v), other.marginal(v), rtol=0, atol=1e-9)


def test_only_ratios_of_a_likelihood_matter_to_posteriors():
    network = random_dag(6, 2, 0.5, random_state=3)
    name = network.variables[4].name
    one = query(network, Evidence({}, {name: [0.4, 0.8]}, {}))
    two = query(network, Evidence({}, {name: [4e-200, 8e-200]}, {}))
    for v in range(6):
        np.testing.assert_allclose(one.marginal(v), two.marginal(v), rtol=0, atol=1e-12)
    assert one.log_evidence[0] - two.log_evidence[0] == pytest.approx(199 * math.log(10))


# --- a single target ---------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(questions(), st.data())
def test_a_single_target_is_jeffreys_rule(question, data):
    """Q(x) = Σ_k R(k) P(x | X = k, evidence) (Eq. 58), by enumeration."""
    network, hard, soft = question
    joint = joint_of(network, vectors(network, hard, soft))
    assume(joint.sum() > 0)
    free = [v.name for v in network.variables if v.name not in hard and v.name not in soft]
    assume(free)
    v = network.index[data.draw(st.sampled_from(free))]
    prior = oracles.marginal(joint, (v,)) / joint.sum()
    weights = data.draw(st.lists(st.integers(0, 5), min_size=len(prior), max_size=len(prior)))
    target = np.array(weights) * (prior > 0)
    assume(target.sum() > 0)
    target = target / target.sum()
    expected = np.zeros_like(joint)
    for k in np.flatnonzero(target):
        given_k = joint * np.eye(len(prior))[k].reshape([-1 if axis == v else 1 for axis in range(joint.ndim)])
        expected += target[k] * given_k / given_k.sum()
    found = query(network, Evidence(hard, soft, {network.variables[v].name: target}))
    assert_marginals(network, found, expected)
    assert found.log_evidence[0] == pytest.approx(math.log(joint.sum()), abs=1e-9)  # of the rest, not of the target


def test_a_target_is_not_a_likelihood_and_not_a_state():
    """Three readings of "0.8 / 0.2", three posteriors."""
    rain, wet = Variable("Rain", ("yes", "no")), Variable("Wet", ("yes", "no"))
    network = BayesianNetwork((rain, wet), ((), (0,)), ([0.2, 0.8], [[0.9, 0.1], [0.1, 0.9]]))
    readings = [
        Evidence({"Wet": "yes"}, {}, {}),
        Evidence({}, {"Wet": [0.8, 0.2]}, {}),
        Evidence({}, {}, {"Wet": [0.8, 0.2]}),
    ]
    state, likelihood, target = (query(network, reading).marginal(0)[0, 0] for reading in readings)
    assert state == pytest.approx(0.18 / 0.26)
    assert likelihood == pytest.approx(0.2 * (0.9 * 0.8 + 0.1 * 0.2) / (0.26 * 0.8 + 0.74 * 0.2))
    assert target == pytest.approx(0.8 * 0.18 / 0.26 + 0.2 * 0.02 / 0.74)


@pytest.mark.parametrize("target", [[0.3333333, 0.3333333, 0.3333333], [0.2000001, 0.3, 0.5000004]])
def test_a_target_rounded_in_print_is_met(target):
    """Its sum is 1 only to the printed digits, so it can be met only once it is scaled."""
    node = Variable("A", ("x", "y", "z"))
    network = BayesianNetwork((node,), ((),), ([0.5, 0.3, 0.2],))
    found = query(network, Evidence({}, {}, {"A": target})).marginal(0)[0]
    np.testing.assert_allclose(found, np.array(target) / sum(target), rtol=0, atol=1e-12)


# --- several targets ---------------------------------------------------------------------------


def targets_for(network, names, seed):
    """Random distributions, none of them near zero."""
    chance = np.random.default_rng(seed)
    return {name: chance.dirichlet(np.full(network.variables[network.index[name]].cardinality, 5.0)) for name in names}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["bayesian", "markov"])
def test_several_targets_are_met_by_the_i_projection(kind, seed):
    if kind == "bayesian":
        network = random_dag(7, 3, 0.6, cardinality=3, random_state=seed)
    else:
        network = grid_markov(2, 3, cardinality=3, random_state=seed)
    names = [network.variables[v].name for v in (0, 2, 4, 5)]
    *constrained, observed = names
    soft = network.variables[1].name
    hard = {observed: network.variables[network.index[observed]].states[1]}
    targets = targets_for(network, constrained, seed)
    joint = joint_of(network, vectors(network, hard, {soft: [0.5, 0.1, 0.9]}))
    expected = oracles.project_on_marginals(joint, {network.index[n]: t for n, t in targets.items()}, 300)
    found = query(network, Evidence(hard, {soft: [0.5, 0.1, 0.9]}, targets))
    assert_marginals(network, found, expected)
    for name, target in targets.items():  # all at once
        np.testing.assert_allclose(found.marginal(network.index[name])[0], target, rtol=0, atol=1e-9)
    assert found.log_evidence[0] == pytest.approx(math.log(joint.sum()), abs=1e-9)
    # Among other distributions that meet the targets, none is nearer to the model.
    prior = joint / joint.sum()
    nearest = oracles.divergence(expected, prior)
    chance = np.random.default_rng(seed)
    for _ in range(3):
        bent = prior * chance.uniform(0.5, 2, size=prior.shape)
        other = oracles.project_on_marginals(bent, {network.index[n]: t for n, t in targets.items()}, 300)
        assert oracles.divergence(other, prior) > nearest


def test_the_order_of_targets_does_not_matter():
    network = random_dag(7, 3, 0.6, random_state=9)
    targets = targets_for(network, [network.variables[v].name for v in (1, 3, 6)], 9)
    results = []
    for order in itertools.permutations(targets):
        found = query(network, Evidence({}, {}, {name: targets[name] for name in order}))
        results.append(np.concatenate([found.marginal(v)[0] for v in range(7)]))
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=0, atol=1e-9)


def copies(noise):
    """Y repeats X, but for the noise."""
    x, y = Variable("X", COIN), Variable("Y", COIN)
    return BayesianNetwork((x, y), ((), (0,)), ([0.5, 0.5], [[1 - noise, noise], [noise, 1 - noise]]))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("noise", [1e-2, 1e-12, 1e-20])
def test_targets_that_only_rare_states_can_meet_are_met(noise, solver):
    found = meet_targets(copies(noise), Evidence({}, {}, {"X": [0.2, 0.8], "Y": [0.7, 0.3]}), solver).posterior
    np.testing.assert_allclose(found.marginal(0)[0], [0.2, 0.8], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.marginal(1)[0], [0.7, 0.3], rtol=0, atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_target_for_a_state_of_the_smallest_probability_is_met(solver):
    """Its factor is beyond what a number holds: 0.5 / 1e-320."""
    network = BayesianNetwork((Variable("X", COIN),), ((),), ([1e-320, 1.0],))
    found = meet_targets(network, Evidence({}, {}, {"X": [0.5, 0.5]}), solver).posterior
    np.testing.assert_allclose(found.marginal(0)[0], [0.5, 0.5], rtol=0, atol=1e-9)


# --- what cannot be ----------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
def test_conflicting_targets_are_reported_and_not_looped_on(monkeypatch, solver):
    looked = []
    monkeypatch.setattr(fitting, "_look", lambda *args, look=fitting._look: looked.append(1) or look(*args))
    with pytest.raises(ImpossibleEvidenceError, match=r"target of 'X' by 0\.5.*cannot hold at once"):
        meet_targets(copies(0.0), Evidence({}, {}, {"X": [0.2, 0.8], "Y": [0.7, 0.3]}), solver)
    assert 10 < len(looked) < 100


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_conflict_that_empties_a_state_is_reported(solver):
    with pytest.raises(ImpossibleEvidenceError, match=r"target of 'Y' gives probability to Y=b.*exclude"):
        meet_targets(copies(0.0), Evidence({}, {}, {"X": [1, 0], "Y": [0.5, 0.5]}), solver)


def test_a_target_beyond_the_evidence_is_reported():
    with pytest.raises(ImpossibleEvidenceError, match=r"'Y'.*the evidence .*exclude"):
        query(copies(0.0), Evidence({"X": "a"}, {}, {"Y": [0.5, 0.5]}))


def test_a_target_outside_the_support_of_the_model_is_reported():
    node = Variable("A", ("x", "y", "z"))
    network = BayesianNetwork((node,), ((),), ([0.5, 0.5, 0.0],))
    with pytest.raises(ImpossibleEvidenceError, match=r"'A'.*the model"):
        query(network, Evidence({}, {}, {"A": [0.5, 0.25, 0.25]}))
    found = query(network, Evidence({}, {}, {"A": [0.25, 0.75, 0.0]}))
    np.testing.assert_allclose(found.marginal(0)[0], [0.25, 0.75, 0.0], rtol=0, atol=1e-12)


def test_impossible_states_and_likelihoods_are_reported():
    with pytest.raises(ImpossibleEvidenceError, match=r"X=a.*Y=b.*probability 0"):
        query(copies(0.0), Evidence({"X": "a", "Y": "b"}, {}, {}))
    with pytest.raises(ImpossibleEvidenceError, match=r"X=a.*'Y'.*probability 0"):
        query(copies(0.0), Evidence({"X": "a"}, {"Y": [0, 1]}, {}))


@pytest.mark.parametrize(
    ("given_evidence", "error", "message"),
    [
        (Evidence({"Z": "a"}, {}, {}), UnknownNameError, "no variable 'Z'"),
        (Evidence({}, {"Z": [1, 1]}, {}), UnknownNameError, "no variable 'Z'"),
        (Evidence({"X": "c"}, {}, {}), UnknownNameError, "no state 'c'"),
        (Evidence({"X": "a"}, {"X": [1, 1]}, {}), PgmError, "two kinds of evidence on 'X'"),
        (Evidence({}, {"X": [1, 1]}, {"X": [0.5, 0.5]}), PgmError, "two kinds of evidence on 'X'"),
        (Evidence({}, {"X": [1, 1, 1]}, {}), ModelError, "'X' has 2 states; got 3"),
        (Evidence({}, {"X": [0, 0]}, {}), ModelError, "not all 0"),
        (Evidence({}, {"X": [-1, 1]}, {}), ModelError, "≥ 0"),
        (Evidence({}, {"X": [math.inf, 1]}, {}), ModelError, "'X'"),
        (Evidence({}, {}, {"X": [math.nan, 1]}), ModelError, "'X'"),
        (Evidence({}, {}, {"X": [0.5, 0.51]}), ModelError, "sums to 1.01"),
    ],
)
def test_malformed_evidence_is_refused(given_evidence, error, message):
    with pytest.raises(error, match=message):
        query(copies(0.1), given_evidence)


def test_evidence_comes_first_and_the_partition_function_only_if_it_is_asked_for():
    """A grid too wide for the memory limit, unless its middle column is known."""
    network = grid_markov(7, 7, random_state=3)
    middle = {network.variables[v].name: network.variables[v].states[v % 2] for v in range(3, 49, 7)}
    limit = 30_000
    found = query(network, Evidence(middle, {}, {}), memory_limit=limit)
    roomy = query(network, Evidence(middle, {}, {}))
    for v in range(49):
        np.testing.assert_allclose(found.marginal(v), roomy.marginal(v), rtol=1e-9)
    with pytest.raises(MemoryLimitError):
        _ = found.log_evidence
    with pytest.raises(MemoryLimitError):
        query(network, Evidence({}, {}, {}), memory_limit=limit)
    assert np.isfinite(roomy.log_evidence[0])
