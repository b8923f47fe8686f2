"""Mechanisms that are said: what they take, the network expanded by an indicator, and the column that tells it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.dataset import MISSING, make_dataset
from engine.model.errors import ModelError, UnknownNameError
from engine.model.mechanism import ABSENT, Mechanism, classify, expand, indicate, name_indicator
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.generators import random_dag
from engine.simulation.removal import draw_mechanism, remove_by
from engine.simulation.sampling import simulate
from tests.oracles import joint_weights
from tests.strategies import bayesian_networks, markov_networks

ROWS = 20_000
NETWORK = random_dag(5, 2, 0.8, cardinality=3, random_state=1)
DATA = simulate(NETWORK, ROWS, random_state=2)
SMALL = make_dataset(
    [Variable("A", ("a", "b")), Variable("B", ("x", "y", "z"))], [["a", "x"], ["b", None], ["b", "z"], ["a", "y"]]
)


def draw_table(draw, network, causes):
    shape = tuple(network.variables[i].cardinality for i in causes)
    chances = st.floats(0, 1, allow_subnormal=False)
    return np.array(draw(st.lists(chances, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))).reshape(shape)


@given(st.data(), st.one_of(bayesian_networks(most=4), markov_networks(most=4)))
def test_the_expanded_joint_is_the_joint_times_the_mechanism(data, network):
    n = len(network.variables)
    causes = data.draw(st.lists(st.integers(0, n - 1), max_size=2, unique=True))
    chances = draw_table(data.draw, network, causes)
    names = [network.variables[i].name for i in causes]
    grown = expand(network, network.variables[0].name, names, chances)
    sizes = [variable.cardinality for variable in network.variables]
    before = joint_weights(sizes, network.scopes, network.tables, {})
    after = joint_weights([*sizes, 2], grown.scopes, grown.tables, {})
    for codes in np.ndindex(*sizes):
        absent = chances[tuple(codes[i] for i in causes)]
        np.testing.assert_allclose(after[codes], before[codes] * np.array([1 - absent, absent]), rtol=1e-12)


@pytest.mark.parametrize("causes", [(), ("X1",), ("X0",), ("X3", "X1")])
def test_each_combination_loses_its_share(causes):
    columns = [NETWORK.index[name] for name in causes]
    chances = np.random.default_rng(4).uniform(0.1, 0.9, size=(3,) * len(causes))
    seen = remove_by(DATA, Mechanism("X1", causes, chances), 5)
    gone = seen.codes[1] == MISSING
    np.testing.assert_array_equal(np.delete(seen.codes, 1, axis=0), np.delete(DATA.codes, 1, axis=0))
    np.testing.assert_array_equal(seen.codes[1, ~gone], DATA.codes[1, ~gone])
    for codes in np.ndindex(*chances.shape):
        at = np.ones(ROWS, dtype=bool)
        for i, code in zip(columns, codes, strict=True):
            at &= DATA.codes[i] == code
        error = np.sqrt(0.25 / max(1, at.sum()))
        assert abs(gone[at].mean() - chances[codes]) < 5 * error


def test_what_decides_is_the_rows_before_anything_went_missing():
    first = remove_by(DATA, Mechanism("X0", (), np.array(0.5)), 1)
    mechanism = Mechanism("X1", ("X0",), np.array([1.0, 0.0, 0.0]))
    both = remove_by(first, mechanism, 2, complete=DATA)
    np.testing.assert_array_equal(both.codes[1] == MISSING, DATA.codes[0] == 0)
    with pytest.raises(ModelError, match="'X0' cannot decide which values of 'X1' are missing"):
        remove_by(first, mechanism, 2)


def test_a_cell_without_a_state_is_not_taken_by_its_own_value():
    taken = remove_by(SMALL, Mechanism("B", ("B",), np.array([1.0, 1.0, 0.0])))
    assert taken.codes[1].tolist() == [MISSING, MISSING, 2, MISSING]


@pytest.mark.parametrize("causes", [("X1",), ("X0", "X2")])
def test_a_drawn_mechanism_meets_its_rate_over_the_rows(causes):
    mechanism = draw_mechanism(DATA, "X1", causes, 0.3, strength=3, random_state=7)
    columns = [NETWORK.index[name] for name in causes]
    assert mechanism.chances[tuple(DATA.codes[i] for i in columns)].mean() == pytest.approx(0.3, abs=1e-9)
    odds = np.log(mechanism.chances / (1 - mechanism.chances))
    assert np.ptp(odds) == pytest.approx(6 * len(causes), abs=1e-9)


@pytest.mark.parametrize(
    ("target", "causes", "observed", "kind"),
    [
        ("A", (), (), "mcar"),
        ("A", ("A",), ("A", "B"), "nmar"),
        ("A", ("B",), ("B",), "mar"),
        ("A", ("B", "C"), ("B",), "nmar"),
        ("A", ("B", "A"), ("A", "B"), "nmar"),
    ],
)
def test_a_mechanism_is_classified_by_what_its_causes_are(target, causes, observed, kind):
    assert classify(target, causes, observed) == kind


def test_the_indicator_tells_where_a_value_is():
    name = name_indicator(BayesianNetwork(SMALL.variables, ((), ()), (np.ones(2) / 2, np.ones(3) / 3)), "B")
    found = indicate(SMALL, "B", Variable(name, ("present", "absent")))
    assert found.variables[-1].name == "O_B"
    assert found.codes[-1].tolist() == [0, ABSENT, 0, 0]
    np.testing.assert_array_equal(found.codes[:-1], SMALL.codes)


def test_an_indicator_has_a_name_of_its_own():
    grown = expand(expand(NETWORK, "X0", ["X1"]), "X0", [])
    assert [variable.name for variable in grown.variables[-2:]] == ["O_X0", "O_X0 2"]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Mechanism("X0", (), np.array(1.2)), "'X0' is missing with a probability of 1.2"),
        (lambda: Mechanism("X0", ("X1", "X1"), np.ones((3, 3))), "'X1' is named twice"),
        (lambda: remove_by(DATA, Mechanism("X0", ("X1",), np.ones(2))), "one for each of the states"),
        (lambda: expand(NETWORK, "X0", ["X1"], np.ones(2)), "one for each of the states"),
        (lambda: draw_mechanism(DATA, "X0", ["X0"], 1.5), "a fraction of 1.5"),
        (lambda: draw_mechanism(DATA, "X0", ["X0"], 0.5, strength=-1), "a strength of -1"),
    ],
)
def test_what_is_no_mechanism_is_refused(make, said):
    with pytest.raises(ModelError, match=said):
        make()


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="'Z'"):
        remove_by(DATA, Mechanism("Z", (), np.array(0.5)))
    with pytest.raises(UnknownNameError, match="'Z'"):
        expand(NETWORK, "X0", ["Z"])
