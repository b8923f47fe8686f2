"""How much of each state is missing, what can be told of it, and the bias of learning as if at random."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.insight.absence import (
    Bias,
    count_by_cause,
    count_shares,
    expect_shares,
    find_connected,
    identify,
    learn_both,
)
from engine.model.dataset import MISSING, Role, make_dataset
from engine.model.errors import Cancelled, ModelError
from engine.model.mechanism import Mechanism, expand, indicate
from engine.model.network import BayesianNetwork, as_markov
from engine.model.variable import Variable
from engine.simulation.removal import remove_by
from engine.simulation.sampling import simulate
from tests.oracles import are_separated, joint_weights
from tests.strategies import bayesian_networks, markov_networks

A, B, C = (Variable(name, ("yes", "no")) for name in "ABC")
CHAIN = BayesianNetwork((A, B, C), ((), (0,), (1,)), ([0.4, 0.6], [[0.9, 0.1], [0.2, 0.8]], [[0.85, 0.15], [0.1, 0.9]]))
OWN = Mechanism("B", ("B",), np.array([0.7, 0.1]))


@given(st.data(), st.one_of(bayesian_networks(most=4), markov_networks(most=4)))
def test_expected_shares_equal_brute_force(data, network):
    n = len(network.variables)
    target = data.draw(st.integers(0, n - 1))
    causes = data.draw(st.lists(st.integers(0, n - 1), max_size=2, unique=True))
    shape = tuple(network.variables[i].cardinality for i in causes)
    chances = np.random.default_rng(data.draw(st.integers(0, 99))).uniform(size=shape)
    names = tuple(network.variables[i].name for i in causes)
    sizes = [variable.cardinality for variable in network.variables]
    joint = joint_weights(sizes, network.scopes, network.tables, {})
    joint = joint / joint.sum()
    there, gone = np.zeros(sizes[target]), np.zeros(sizes[target])
    for codes in np.ndindex(*sizes):
        there[codes[target]] += joint[codes]
        gone[codes[target]] += joint[codes] * chances[tuple(codes[i] for i in causes)]
    found = expect_shares(network, Mechanism(network.variables[target].name, names, chances))
    assert found.whole == pytest.approx(gone.sum(), abs=1e-9)
    for share, one, all_of_it in zip(found.states, gone, there, strict=True):
        assert np.isnan(share) if all_of_it == 0 else share == pytest.approx(one / all_of_it, abs=1e-9)


def test_shares_in_data_are_counted_by_weight():
    complete = make_dataset([A, B], [["yes", "no"], ["yes", "yes"], ["no", "no"], ["no", None]], [1, 3, 2, 2])
    seen = make_dataset([A, B], [["yes", "no"], [None, "yes"], [None, "no"], ["no", None]], [1, 3, 2, 2])
    found = count_shares(complete, seen, 0)
    assert found.whole == pytest.approx(5 / 8)
    np.testing.assert_allclose(found.states, [3 / 4, 2 / 4])
    gone = (seen.codes[0] == MISSING).astype(float)
    np.testing.assert_allclose(count_by_cause(complete, gone, [1]), [1, 2 / 3])
    np.testing.assert_allclose(count_by_cause(complete, gone, [0, 1]), [[1, 0], [np.nan, 1]])
    np.testing.assert_allclose(count_by_cause(complete, gone, []), 5 / 8)


@given(bayesian_networks(most=5), st.data())
def test_what_is_connected_is_not_separated(network, data):
    n = len(network.variables)
    start = data.draw(st.integers(0, n - 1))
    known = data.draw(st.sets(st.integers(0, n - 1)).map(lambda found: found - {start}))
    expected = {
        v for v in range(n) if v != start and v not in known and not are_separated(network.parents, start, v, known)
    }
    assert find_connected(network, start, known) == expected


def test_what_is_connected_in_a_markov_network():
    network = as_markov(CHAIN)
    assert find_connected(network, 0, []) == {1, 2}
    assert find_connected(network, 0, [1]) == set()


OBSERVED, PARTIAL, HIDDEN = Role.OBSERVED, Role.PARTIAL, Role.HIDDEN
THREE = Variable("B", ("low", "middle", "high"))
WIDE = BayesianNetwork((A, THREE), ((), (0,)), (np.full(2, 0.5), np.full((2, 3), 1 / 3)))


@pytest.mark.parametrize(
    ("network", "target", "causes", "roles", "kind", "informants"),
    [
        (CHAIN, 1, (0,), (OBSERVED, PARTIAL, OBSERVED), "ignorable", ()),
        (CHAIN, 1, (), (OBSERVED, PARTIAL, OBSERVED), "ignorable", ()),
        (CHAIN, 1, (1,), (OBSERVED, PARTIAL, OBSERVED), "enough", (0, 2)),
        (CHAIN, 1, (1,), (HIDDEN, PARTIAL, HIDDEN), "none", ()),
        # What decides together with the value itself tells nothing of it.
        (CHAIN, 1, (0, 1), (OBSERVED, PARTIAL, HIDDEN), "none", ()),
        (CHAIN, 2, (1,), (OBSERVED, PARTIAL, PARTIAL), "none", ()),
        (WIDE, 1, (1,), (OBSERVED, PARTIAL), "few", (0,)),
    ],
)
def test_what_can_be_told_of_a_value_that_is_not_there(network, target, causes, roles, kind, informants):
    found = identify(network, target, causes, roles)
    assert (found.kind, found.informants) == (kind, informants)


def learn_last(*arguments, **options) -> Bias:
    *steps, last = learn_both(*arguments, **options)
    assert isinstance(last, Bias)
    assert {kind for kind, _ in steps} == {"ignoring", "modelling"}
    return last


@pytest.mark.parametrize("network", [CHAIN, as_markov(CHAIN)], ids=["bayesian", "markov"])
def test_with_the_mechanism_the_bias_goes(network):
    data = remove_by(simulate(CHAIN, 40_000, random_state=3), OWN, 4)
    found = learn_last(network, data, "B", ("B",), truth=CHAIN)
    np.testing.assert_allclose(found.true, [0.48, 0.52], atol=1e-12)
    assert abs(found.ignoring.marginal - found.true).max() > 0.08
    assert abs(found.modelling.marginal - found.true).max() < 0.02
    np.testing.assert_allclose(found.modelling.shares.states, OWN.chances, atol=0.03)
    assert found.ignoring.converged
    assert found.modelling.converged


def test_the_infinite_data_limit_of_both_ways_by_enumeration():
    """All rows with their exact probabilities as weights: as if at random by closed form, with the mechanism exact."""
    grown = expand(CHAIN, "B", ("B",), OWN.chances)
    joint = joint_weights([2, 2, 2, 2], grown.scopes, grown.tables, {})
    rows, weights = [], []
    for a, b, c, o in np.ndindex(*joint.shape):
        rows.append([A.states[a], None if o else B.states[b], C.states[c]])
        weights.append(1000 * joint[a, b, c, o])
    found = learn_last(CHAIN, make_dataset((A, B, C), rows, weights), "B", ("B",), truth=CHAIN)
    np.testing.assert_allclose(found.modelling.marginal, found.true, atol=2e-3)
    np.testing.assert_allclose(found.modelling.shares.states, OWN.chances, atol=5e-3)
    assert abs(found.ignoring.marginal - found.true).max() > 0.08


def test_tied_tables_stay_tied():
    """A table that two variables share is learned from both, also where the values of one are not all there."""
    pair = BayesianNetwork((A, B), ((), ()), ([0.3, 0.7], [0.3, 0.7]))
    data = remove_by(simulate(pair, 4000, random_state=3), OWN, 4)
    found = learn_last(pair, data, "B", ("B",), ties=[("A", "B")])
    known = [float((data.codes[i] == 0).sum()) for i in (0, 1)], [float((data.codes[i] >= 0).sum()) for i in (0, 1)]
    assert found.ignoring.marginal[0] == pytest.approx(sum(known[0]) / sum(known[1]), abs=1e-4)


def test_at_random_both_ways_learn_the_same():
    mechanism = Mechanism("B", ("A",), np.array([0.6, 0.1]))
    data = remove_by(simulate(CHAIN, 2000, random_state=3), mechanism, 4)
    found = learn_last(CHAIN, data, "B", ("A",), truth=CHAIN)
    np.testing.assert_allclose(found.ignoring.marginal, found.modelling.marginal, atol=1e-3)


def test_an_indicator_that_is_in_the_network_is_used_and_left_out():
    data = remove_by(simulate(CHAIN, 3000, random_state=3), OWN, 4)
    grown = expand(CHAIN, "B", ("B",))
    inside = learn_last(grown, indicate(data, "B", grown.variables[-1]), "B", ("B",), "O_B")
    beside = learn_last(CHAIN, data, "B", ("B",))
    assert inside.true is None
    for one, other in ((inside.ignoring, beside.ignoring), (inside.modelling, beside.modelling)):
        np.testing.assert_allclose(one.marginal, other.marginal, atol=1e-3)


def test_it_can_be_stopped_and_says_where_there_is_nothing_to_compare():
    data = simulate(CHAIN, 100, random_state=3)
    with pytest.raises(ModelError, match="none of its values is missing"):
        list(learn_both(CHAIN, data, "B", ("B",)))
    with pytest.raises(ModelError, match="no value of it is seen"):
        list(learn_both(CHAIN, remove_by(data, Mechanism("B", (), np.array(1.0))), "B", ("B",)))
    with pytest.raises(Cancelled):
        list(learn_both(CHAIN, remove_by(data, OWN), "B", ("B",), cancelled=lambda: True))
