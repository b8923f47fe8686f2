"""Copying part of a network and pasting it, against the joint distribution as one array."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.copying import copy_part, name_copies, paste_part
from engine.model.errors import ModelError, UnknownNameError
from engine.model.network import BayesianNetwork, MarkovNetwork, as_markov
from engine.model.variable import Variable
from tests import strategies
from tests.oracles import joint_weights

pytestmark = pytest.mark.filterwarnings("error")
NETWORKS = st.one_of(strategies.bayesian_networks(4), strategies.markov_networks(4))


def joint(network):
    """What a network says of each combination of states, up to a factor that keeps the numbers small."""
    tables = [table / max(table.max(), 1.0) for table in network.tables]
    return joint_weights([v.cardinality for v in network.variables], network.scopes, tables, {})


def names(network):
    return [variable.name for variable in network.variables]


@given(NETWORKS, NETWORKS)
def test_what_is_pasted_is_independent_of_what_was_there(network, part):
    if isinstance(network, BayesianNetwork) and isinstance(part, MarkovNetwork):
        network = as_markov(network)
    copies = name_copies(names(part), names(network))
    pasted = paste_part(network, part, copies)
    assert names(pasted) == [*names(network), *copies.values()]
    assert isinstance(pasted, type(network))
    np.testing.assert_allclose(joint(pasted), np.multiply.outer(joint(network), joint(part)), rtol=1e-9, atol=1e-300)


@given(NETWORKS)
def test_a_copy_of_all_is_the_same(network):
    whole = copy_part(network, names(network))
    assert whole.variables == network.variables
    weights = joint(network)  # a factor over no variable is no part of any
    np.testing.assert_allclose(joint(whole) * weights.sum(), weights * joint(whole).sum(), rtol=1e-9, atol=1e-300)


@given(strategies.bayesian_networks(5), st.data())
def test_a_part_has_the_arrows_among_its_variables_and_averages_over_the_others(network, data):
    kept = data.draw(st.lists(st.sampled_from(names(network)), min_size=1, unique=True))
    part = copy_part(network, kept)
    wanted = [name for name in names(network) if name in kept]  # in the network's order
    assert names(part) == wanted
    old, new = names(network), names(part)
    assert {(new[a], new[b]) for a, b in part.edges} == {
        (old[a], old[b]) for a, b in network.edges if old[a] in kept and old[b] in kept
    }
    for v, name in enumerate(wanted):
        table = network.tables[network.index[name]]
        scope = [old[u] for u in network.scopes[network.index[name]]]
        for at in np.ndindex(part.tables[v].shape):  # each cell is the average of those that agree with it
            state = dict(zip((new[u] for u in part.scopes[v]), at, strict=True))
            cells = [
                table[full]
                for full in np.ndindex(table.shape)
                if all(state.get(one, k) == k for one, k in zip(scope, full, strict=True))
            ]
            assert part.tables[v][at] == pytest.approx(sum(cells) / len(cells), abs=1e-12)


def test_factors_are_copied_where_they_tell_something_of_the_part_alone():
    a, b, c = (Variable(name, ("no", "yes")) for name in "ABC")
    generator = np.random.default_rng(0)
    over = {scope: generator.random((2,) * len(scope)) for scope in [(0,), (0, 1), (0, 1, 2), (1, 2)]}
    network = MarkovNetwork((a, b, c), tuple(over), tuple(over.values()))
    two = copy_part(network, ["B", "A"])
    assert (names(two), two.scopes) == (["A", "B"], ((0,), (0, 1), (0, 1)))
    np.testing.assert_allclose(two.tables[2], (over[0, 1, 2][..., 0] + over[0, 1, 2][..., 1]) / 2)
    one = copy_part(network, ["C"])
    assert one.scopes == ((0,),)
    np.testing.assert_array_equal(one.tables[0], [1, 1])


def test_factors_do_not_fit_among_arrows():
    coin = Variable("A", ("no", "yes"))
    bayesian = BayesianNetwork((coin,), ((),), (np.array([0.5, 0.5]),))
    with pytest.raises(ModelError, match="part of a Markov network"):
        paste_part(bayesian, as_markov(bayesian), {"A": "A 2"})
    with pytest.raises(UnknownNameError):
        copy_part(bayesian, ["B"])


@pytest.mark.parametrize(
    ("copied", "taken", "expected"),
    [
        (["a"], [], ["a"]),
        (["a"], ["a"], ["a 2"]),
        (["a"], ["a", "a 2"], ["a 3"]),
        (["a 2"], ["a 2"], ["a 3"]),
        (["a 2"], ["a", "a 2", "a 3"], ["a 4"]),
        (["a", "a 2"], ["a"], ["a 3", "a 2"]),
        (["a", "b"], ["a", "b"], ["a 2", "b 2"]),
        (["a 0"], ["a 0"], ["a 0 2"]),
        (["a" * 2000], ["a" * 2000], ["a" * 1000 + " 2"]),
    ],
)
def test_names_of_copies(copied, taken, expected):
    assert list(name_copies(copied, taken).values()) == expected


@given(st.lists(st.text(min_size=1), unique=True), st.lists(st.text(min_size=1), unique=True))
def test_names_of_copies_are_free(copied, taken):
    found = name_copies(copied, taken)
    assert list(found) == copied
    assert len({*found.values(), *taken}) == len(copied) + len(taken)
