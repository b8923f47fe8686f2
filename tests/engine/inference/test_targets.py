"""Target marginals over sets of variables, by every way, against IPFP on the enumerated joint."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.formats import read_network
from engine.inference.explanation import explain
from engine.inference.query import Evidence, meet_targets, query, query_joint
from engine.inference.targets import meeting
from engine.inference.targets.meeting import SOLVERS
from engine.model.errors import ImpossibleEvidenceError, MemoryLimitError, ModelError, PgmError, UnknownNameError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.generators import grid_markov, random_dag
from tests import oracles, strategies

ASIA = Path(__file__).parents[3] / "assets" / "examples" / "asia.bif"
COIN = ("a", "b")


def joint_of(network, evidence):
    cardinalities = [v.cardinality for v in network.variables]
    return oracles.joint_weights(cardinalities, network.scopes, network.tables, evidence)


@st.composite
def questions(draw):
    """A network of either kind, a state, a likelihood, and targets over sets of one to three variables.

    The targets are margins of one distribution with the support of the model, so that they can be met.
    """
    network = draw(st.one_of(strategies.bayesian_networks(most=5), strategies.markov_networks(most=5)))
    order = draw(st.permutations(range(len(network.variables))))
    hard = {v: draw(st.integers(0, network.variables[v].cardinality - 1)) for v in order[: draw(st.integers(0, 1))]}
    rest = order[len(hard) :]
    soft = {}
    for v in rest[: draw(st.integers(0, 1))]:
        (soft[v],) = strategies.draw_likelihoods(draw, 1, network.variables[v].cardinality)
    free = rest[len(soft) :]
    assume(free)
    vectors = {v: np.eye(network.variables[v].cardinality)[code] for v, code in hard.items()}
    joint = joint_of(network, {**vectors, **{v: np.asarray(vector) for v, vector in soft.items()}})
    assume(joint.sum() > 0)
    seed = draw(st.integers(0, 2**32 - 1))
    other = joint * np.random.default_rng(seed).uniform(0.3, 1.0, size=joint.shape)
    scopes = draw(
        st.lists(st.lists(st.sampled_from(free), min_size=1, max_size=3, unique=True), min_size=1, max_size=4)
    )
    targets = {tuple(scope): oracles.marginal(other, tuple(scope)) / other.sum() for scope in scopes}
    return network, hard, soft, joint, targets


def as_evidence(network, hard, soft, targets, **how):
    def name(v):
        return network.variables[v].name

    return Evidence(
        {name(v): network.variables[v].states[code] for v, code in hard.items()},
        {name(v): vector for v, vector in soft.items()},
        {tuple(name(v) for v in scope): target for scope, target in targets.items()},
        **how,
    )


@settings(max_examples=60, deadline=None)
@given(questions(), st.sampled_from([None, *SOLVERS]))
def test_every_way_finds_the_i_projection(question, solver):
    network, hard, soft, joint, targets = question
    expected = oracles.project_on_marginals(joint, targets, 300)
    off = max(abs(oracles.marginal(expected, scope) - target).max() for scope, target in targets.items())
    assume(off < 1e-12)
    met = meet_targets(network, as_evidence(network, hard, soft, targets), solver)
    for v in range(len(network.variables)):
        found = met.posterior.marginal(v)[0]
        np.testing.assert_allclose(found, oracles.marginal(expected, (v,)), rtol=0, atol=1e-8)
    for factor, scope in enumerate(network.scopes):
        found = met.posterior.family(factor)[0]
        np.testing.assert_allclose(found, oracles.marginal(expected, scope), rtol=0, atol=1e-8)
    last = met.rounds[-1]
    assert last.residuals.max(initial=0) <= 1e-10
    assert last.divergence == pytest.approx(oracles.divergence(expected, joint / joint.sum()), abs=1e-8)
    cardinalities = [v.cardinality for v in network.variables]
    whole = 1.0
    if not isinstance(network, BayesianNetwork):
        whole = oracles.joint_weights(cardinalities, network.scopes, network.tables, {}).sum()
    assert met.posterior.log_evidence[0] == pytest.approx(math.log(joint.sum() / whole), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(questions(), st.booleans())
def test_joints_and_explanations_honour_targets(question, fixed):
    """Of some variables together, under the distribution that meets the targets and knows the rest."""
    network, hard, soft, joint, targets = question
    prior = joint_of(network, {})
    if not fixed:
        bent = prior * np.random.default_rng(1).uniform(0.3, 1.0, size=prior.shape)
        targets = {scope: oracles.marginal(bent, scope) / bent.sum() for scope in targets}
    fitted = oracles.project_on_marginals(joint if fixed else prior, targets, 300)
    off = max(abs(oracles.marginal(fitted, scope) - target).max() for scope, target in targets.items())
    assume(off < 1e-12)
    if not fixed:
        fitted = np.divide(fitted * joint, prior, out=np.zeros_like(prior), where=prior > 0)
        fitted /= fitted.sum()
    evidence = as_evidence(network, hard, soft, targets, fixed=fixed)
    scope = tuple(reversed(range(min(3, prior.ndim))))
    names = [network.variables[v].name for v in scope]
    found = query_joint(network, evidence, names)
    np.testing.assert_allclose(found, oracles.marginal(fitted, scope), rtol=0, atol=1e-8)
    for chosen, over in ((None, tuple(range(prior.ndim))), (names, scope)):
        best = explain(network, evidence, chosen)
        weights = oracles.marginal(fitted, over)
        assert math.exp(best.log_probability) == pytest.approx(weights.max(), abs=1e-8)
        codes = tuple(network.variables[v].code(best.states[network.variables[v].name]) for v in over)
        assert weights[codes] == pytest.approx(weights.max(), abs=1e-8)


@settings(max_examples=40, deadline=None)
@given(questions(), st.sampled_from(SOLVERS))
def test_targets_that_are_not_fixed_hold_before_what_is_known(question, solver):
    """Q is fitted to the model alone; then the evidence is given, and it changes what the targets said."""
    network, hard, soft, joint, _ = question
    prior = joint_of(network, {})
    bent = prior * np.random.default_rng(1).uniform(0.3, 1.0, size=prior.shape)
    free = [v for v in range(prior.ndim) if v not in hard and v not in soft]
    targets = {tuple(free[:2]): oracles.marginal(bent, tuple(free[:2])) / bent.sum()}
    fitted = oracles.project_on_marginals(prior, targets, 300)
    known = np.divide(fitted * joint, prior, out=np.zeros_like(prior), where=prior > 0)
    met = meet_targets(network, as_evidence(network, hard, soft, targets, fixed=False), solver)
    for v in range(prior.ndim):
        expected = oracles.marginal(known, (v,)) / known.sum()
        np.testing.assert_allclose(met.posterior.marginal(v)[0], expected, rtol=0, atol=1e-8)
    assert met.posterior.log_evidence[0] == pytest.approx(math.log(known.sum()), abs=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_asia_fixed_and_not(solver):
    """The numbers of SPEC §6: dysp 0.7 and lung 0.2 as targets, smoke known."""
    network = read_network(ASIA).network
    targets = {"dysp": [0.7, 0.3], "lung": [0.2, 0.8]}
    numbers = {
        True: {"dysp": 0.7, "lung": 0.2, "bronc": 0.6740, "xray": 0.2449},
        False: {"dysp": 0.7939, "lung": 0.3026, "bronc": 0.7104, "xray": 0.3399},
    }
    for fixed, expected in numbers.items():
        found = meet_targets(network, Evidence({"smoke": "yes"}, {}, targets, fixed), solver).posterior
        for name, probability in expected.items():
            assert found.marginal(network.index[name])[0, 0] == pytest.approx(probability, abs=5e-5)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["bayesian", "markov"])
def test_how_many_plans_are_made_does_not_depend_on_the_rounds(monkeypatch, kind, solver):
    made = []
    monkeypatch.setattr(
        meeting, "make_plan", lambda *args, make=meeting.make_plan, **how: made.append(1) or make(*args, **how)
    )
    network = random_dag(7, 3, 0.6, random_state=9) if kind == "bayesian" else grid_markov(2, 4, random_state=9)
    chance = np.random.default_rng(9)
    targets = {network.variables[v].name: chance.dirichlet(np.full(2, 5.0)) for v in (1, 3, 6)}
    met = meet_targets(network, Evidence({}, {}, targets), solver)
    assert len(met.rounds) > 3
    assert len(made) <= 3
    # What it says it ran with is what it ran with.
    plan = met.posterior.plan
    again = meeting.propagate(plan, plan.network)
    for one, other in zip(itertools.chain(*again.blocks), itertools.chain(*met.posterior.results), strict=True):
        for scope, marginal in one.marginals.items():
            np.testing.assert_allclose(marginal, other.marginals[scope], rtol=0, atol=1e-12)


def test_residuals_fall_and_rounds_tell_what_they_cost():
    network = random_dag(8, 3, 0.6, random_state=2)
    targets = {network.variables[v].name: [0.3, 0.7] for v in (0, 3, 6)}
    for solver in SOLVERS:
        rounds = meet_targets(network, Evidence({}, {}, targets), solver).rounds
        assert [one.number for one in rounds] == list(range(len(rounds)))
        assert all(one.cells < other.cells for one, other in itertools.pairwise(rounds))
        assert rounds[0].divergence == 0
        assert rounds[0].residuals.max() > rounds[-1].residuals.max()


def test_a_wide_joint_is_met_along_the_tree():
    """Thirty targets of a chain: their table would have a billion cells."""
    nodes = tuple(Variable(f"X{k}", COIN) for k in range(60))
    parents = tuple((k - 1,) if k else () for k in range(60))
    network = BayesianNetwork(nodes, parents, ([0.5, 0.5], *[[[0.8, 0.2], [0.3, 0.7]]] * 59))
    targets = {f"X{k}": [0.6, 0.4] if k % 4 else [0.3, 0.7] for k in range(0, 60, 2)}
    met = meet_targets(network, Evidence({}, {}, targets))
    assert met.solver in ("bn-ipfp-1", "modified-tree")
    for name, target in targets.items():
        np.testing.assert_allclose(met.posterior.marginal(network.index[name])[0], target, rtol=0, atol=1e-9)
    with pytest.raises(MemoryLimitError, match=r"30 variables that have targets .*modified-tree"):
        meet_targets(network, Evidence({}, {}, targets), "bn-ipfp-2")


def test_a_way_is_chosen_if_none_is_named():
    network = read_network(ASIA).network
    few = meet_targets(network, Evidence({}, {}, {"dysp": [0.7, 0.3]}))
    assert few.solver in SOLVERS
    np.testing.assert_allclose(query(network, Evidence({}, {}, {"dysp": [0.7, 0.3]})).marginal(7)[0], [0.7, 0.3])


def pair():
    x, y = Variable("X", COIN), Variable("Y", ("c", "d", "e"))
    return BayesianNetwork((x, y), ((), (0,)), ([0.5, 0.5], [[0.2, 0.3, 0.5], [0.1, 0.9, 0.0]]))


def test_a_joint_target_is_met():
    target = [[0.1, 0.2, 0.3], [0.3, 0.1, 0.0]]
    for solver in SOLVERS:
        found = meet_targets(pair(), Evidence({}, {}, {("X", "Y"): target}), solver).posterior
        np.testing.assert_allclose(found.family(1)[0], target, rtol=0, atol=1e-12)
        swapped = meet_targets(pair(), Evidence({}, {}, {("Y", "X"): np.transpose(target)}), solver).posterior
        np.testing.assert_allclose(swapped.family(1)[0], target, rtol=0, atol=1e-12)


SIXTH = np.ones((2, 3)) / 6


@pytest.mark.parametrize(
    ("marginals", "error", "message"),
    [
        ({("X", "Z"): SIXTH}, UnknownNameError, "no variable 'Z'"),
        ({("X", "X"): SIXTH}, PgmError, "target of 'X', 'X' must name each of its variables once"),
        ({("X", "Y"): SIXTH[:, :2]}, ModelError, "target of 'X', 'Y' needs 2 × 3 numbers; got 2 × 2"),
        ({("X", "Y"): 6 * SIXTH}, ModelError, "target of 'X', 'Y' sums to 6; expected 1"),
        ({("X", "Y"): -SIXTH}, ModelError, "target of 'X', 'Y' must be ≥ 0"),
        (
            {"X": [0.2, 0.8], ("Y", "X"): SIXTH.T},
            ImpossibleEvidenceError,
            r"'X' and the .* 'Y', 'X' differ by up to 0.3",
        ),
        ({("X", "Y"): SIXTH}, ImpossibleEvidenceError, "gives probability to X=b, Y=e, which the model"),
    ],
)
def test_targets_that_cannot_be_say_which_one(marginals, error, message):
    with pytest.raises(error, match=message):
        meet_targets(pair(), Evidence({}, {}, marginals))


def test_targets_that_agree_to_the_digits_of_print_are_met():
    """0.3333 on one side, 0.33330004 on the other: no distribution has both exactly."""
    marginals = {"X": [0.3333, 0.6667], ("X", "Y"): [[0.1, 0.1, 0.13330004], [0.3, 0.36669996, 0.0]]}
    found = query(pair(), Evidence({}, {}, marginals))
    assert found.marginal(0)[0, 0] == pytest.approx(0.3333, abs=1e-6)


def test_a_state_and_a_joint_target_of_one_variable_are_refused():
    with pytest.raises(PgmError, match="two kinds of evidence on 'X'"):
        query(pair(), Evidence({"X": "a"}, {}, {("X", "Y"): np.ones((2, 3)) / 6}))
    with pytest.raises(PgmError, match="no solver 'magic'"):
        meet_targets(pair(), Evidence({}, {}, {"X": [0.5, 0.5]}), "magic")
