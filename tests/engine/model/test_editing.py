"""Editing networks by hand, against the joint distribution as one array."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.model import editing
from engine.model.dataset import Role, TargetCell, make_dataset
from engine.model.errors import ModelError, UnknownNameError
from engine.model.network import BayesianNetwork, MarkovNetwork, as_markov
from engine.model.variable import Variable
from tests import strategies
from tests.oracles import joint_weights, marginal
from tests.plain import plain_rows

pytestmark = pytest.mark.filterwarnings("error")

COIN = ("a", "b")
NETWORKS = st.one_of(strategies.bayesian_networks(5), strategies.markov_networks(5))


def joint(network):
    """The distribution of a network, by brute force."""
    weights = joint_weights([v.cardinality for v in network.variables], network.scopes, network.tables, {})
    return weights / weights.sum()


def names(network):
    return [v.name for v in network.variables]


def graph(network):
    found = nx.DiGraph() if isinstance(network, BayesianNetwork) else nx.Graph()
    found.add_nodes_from(range(len(network.variables)))
    found.add_edges_from(network.edges)
    return found


def chain(*cardinalities):
    """V0 → V1 → ..., with tables drawn at random."""
    generator = np.random.default_rng(len(cardinalities))
    variables = [Variable(f"V{i}", tuple(f"s{k}" for k in range(n))) for i, n in enumerate(cardinalities)]
    shapes = [cardinalities[max(0, i - 1) : i + 1] for i in range(len(cardinalities))]
    tables = [generator.dirichlet(np.ones(shape[-1]), shape[:-1]) for shape in shapes]
    return BayesianNetwork(tuple(variables), tuple((i - 1,) if i else () for i in range(len(variables))), tuple(tables))


# --- variables


@given(NETWORKS, st.integers(1, 4))
def test_a_new_variable_is_uniform_and_independent(network, states):
    edited = editing.add_variable(network, Variable("new", tuple(map(str, range(states)))))
    np.testing.assert_allclose(joint(edited), joint(network)[..., None] / np.ones(states) / states, atol=1e-12)
    assert edited.edges == network.edges


@given(NETWORKS, st.data())
def test_renaming_changes_a_name_and_nothing_else(network, data):
    name = data.draw(st.sampled_from(names(network)))
    edited = editing.rename_variable(network, name, "<other>")
    assert names(edited) == ["<other>" if old == name else old for old in names(network)]
    assert edited.scopes == network.scopes
    assert all(np.array_equal(a, b) for a, b in zip(edited.tables, network.tables, strict=True))
    assert editing.rename_variable(network, name, name).variables == network.variables


@given(strategies.bayesian_networks(5))
def test_removing_a_leaf_sums_it_out(network):
    leaf = network.topological_order[-1]
    edited = editing.remove_variables(network, [network.variables[leaf].name])
    np.testing.assert_allclose(joint(edited), joint(network).sum(axis=leaf), atol=1e-12)


@given(strategies.markov_networks(5))
def test_removing_a_variable_of_one_factor_sums_it_out(network):
    uses = [sum(v in scope for scope in network.scopes) for v in range(len(network.variables))]
    assume(1 in uses)
    v = uses.index(1)
    edited = editing.remove_variables(network, [network.variables[v].name])
    np.testing.assert_allclose(joint(edited), joint(network).sum(axis=v), atol=1e-12)


@given(NETWORKS, st.data())
def test_removing_keeps_the_rest_of_the_graph_in_any_order(network, data):
    gone = data.draw(st.lists(st.sampled_from(names(network)), unique=True))
    at_once = editing.remove_variables(network, gone)
    one_by_one = network
    for name in gone:
        one_by_one = editing.remove_variables(one_by_one, [name])
    expected = graph(network)
    expected.remove_nodes_from([network.index[name] for name in gone])
    kept = [network.index[name] for name in names(at_once)]
    found = {tuple(sorted((kept[a], kept[b]))) for a, b in at_once.edges}
    assert found == {tuple(sorted(edge)) for edge in expected.edges}
    assert names(one_by_one) == names(at_once)
    for a, b in zip(one_by_one.tables, at_once.tables, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_removing_a_parent_leaves_the_average_over_it():
    network = chain(2, 3)
    edited = editing.remove_variables(network, ["V0"])
    np.testing.assert_allclose(edited.tables[0], (network.tables[1][0] + network.tables[1][1]) / 2)


def test_removing_everything_leaves_an_empty_network():
    network = chain(2, 2)
    assert editing.remove_variables(network, ["V1", "V0"]).variables == ()


# --- arrows and edges


@settings(max_examples=150)
@given(strategies.bayesian_networks(5), st.data())
def test_an_arrow_changes_no_probability_or_is_refused_for_its_reason(network, data):
    a, b = data.draw(st.tuples(*[st.sampled_from(range(len(network.variables)))] * 2))
    names_of = names(network)
    if a == b:
        expected = "itself"
    elif (a, b) in network.edges:
        expected = f"there is an arrow from '{names_of[a]}' to '{names_of[b]}' already"
    elif (b, a) in network.edges:
        expected = "remove it first to turn it round"
    elif nx.has_path(graph(network), b, a):
        expected = "would close a cycle"
    else:
        edited = editing.connect(network, names_of[a], names_of[b])
        assert sorted(edited.edges) == sorted([*network.edges, (a, b)])
        np.testing.assert_allclose(joint(edited), joint(network), atol=1e-15)
        return
    with pytest.raises(ModelError, match=expected):
        editing.connect(network, names_of[a], names_of[b])


def test_a_cycle_is_named_by_its_shortest_way():
    network = chain(2, 2, 2, 2)
    with pytest.raises(ModelError, match="a cycle: V0 → V1 → V2 → V3 → V0"):
        editing.connect(network, "V3", "V0")
    shorter = editing.connect(network, "V0", "V2")
    with pytest.raises(ModelError, match="a cycle: V0 → V2 → V3 → V0"):
        editing.connect(shorter, "V3", "V0")


@given(strategies.bayesian_networks(5), st.data())
def test_an_arrow_is_turned_round_or_a_cycle_is_named(network, data):
    assume(network.edges)
    first, second = data.draw(st.sampled_from(network.edges))
    a, b = names(network)[first], names(network)[second]
    wanted = graph(network)
    wanted.remove_edge(first, second)
    wanted.add_edge(second, first)
    if not nx.is_directed_acyclic_graph(wanted):
        with pytest.raises(ModelError, match=f"an arrow from '{b}' to '{a}' would close a cycle"):
            editing.reverse(network, a, b)
        return
    turned = editing.reverse(network, a, b)
    assert set(graph(turned).edges) == set(wanted.edges)
    for table in turned.tables:
        np.testing.assert_allclose(table.sum(axis=-1), 1.0)
    if set(network.parents[second]) - {first} == set(network.parents[first]):
        np.testing.assert_allclose(joint(turned), joint(network), atol=1e-12)


def test_a_turned_arrow_keeps_the_distribution_where_it_can():
    rain, sprinkler, wet = (Variable(name, COIN) for name in ("R", "S", "W"))
    tables = (
        np.array([0.2, 0.8]),
        np.array([[0.0, 1.0], [0.5, 0.5]]),
        np.array([[[0.9, 0.1], [1, 0]], [[1, 0], [0, 1]]]),
    )
    network = BayesianNetwork((rain, sprinkler, wet), ((), (0,), (1, 0)), tables)
    turned = editing.reverse(network, "S", "W")
    assert turned.parents == ((), (0, 2), (0,))
    np.testing.assert_allclose(joint(turned), joint(network), atol=1e-15)
    # A state that never happens leaves the other open: Pr(W = b | R = a) is 0.
    certain = network.with_tables([tables[0], tables[1], np.array([[[1, 0], [1, 0]], [[1, 0], [0, 1]]], dtype=float)])
    np.testing.assert_allclose(editing.reverse(certain, "S", "W").tables[1][0, 1], [0.5, 0.5])


def test_what_is_no_arrow_cannot_be_turned_round():
    network = chain(2, 2, 2)
    with pytest.raises(ModelError, match="no arrow from 'V1' to 'V0'"):
        editing.reverse(network, "V1", "V0")
    with pytest.raises(ModelError, match="have no direction"):
        editing.reverse(as_markov(network), "V0", "V1")


@given(strategies.markov_networks(5), st.data())
def test_an_edge_changes_no_probability_or_is_refused(network, data):
    assume(len(network.variables) > 1)
    a, b = data.draw(st.permutations(range(len(network.variables))))[:2]
    if (min(a, b), max(a, b)) in network.edges:
        with pytest.raises(ModelError, match="connected already"):
            editing.connect(network, *(network.variables[v].name for v in (a, b)))
        return
    edited = editing.connect(network, network.variables[a].name, network.variables[b].name)
    assert set(edited.edges) == {*network.edges, (min(a, b), max(a, b))}
    np.testing.assert_allclose(joint(edited), joint(network), atol=1e-15)


@given(strategies.bayesian_networks(5), st.data())
def test_without_an_arrow_a_table_is_the_average_over_the_lost_parent(network, data):
    assume(network.edges)
    parent, child = data.draw(st.sampled_from(network.edges))
    ends = [network.variables[v].name for v in data.draw(st.permutations([parent, child]))]
    edited = editing.disconnect(network, *ends)
    assert edited.parents[child] == tuple(p for p in network.parents[child] if p != parent)
    axis = network.parents[child].index(parent)
    for x in np.ndindex(edited.tables[child].shape):
        rows = [(*x[:axis], k, *x[axis:]) for k in range(network.variables[parent].cardinality)]
        expected = sum(float(network.tables[child][row]) for row in rows) / len(rows)
        assert edited.tables[child][x] == pytest.approx(expected, abs=1e-15)
    for v in range(len(network.variables)):
        assert v == child or np.array_equal(edited.tables[v], network.tables[v])


@given(strategies.markov_networks(5), st.data())
def test_without_an_edge_no_factor_holds_both_ends(network, data):
    assume(network.edges)
    a, b = data.draw(st.sampled_from(network.edges))
    edited = editing.disconnect(network, network.variables[b].name, network.variables[a].name)
    assert set(edited.edges) == set(network.edges) - {(a, b)}
    both = [k for k, scope in enumerate(network.scopes) if {a, b} <= set(scope)]
    if all(len(network.scopes[k]) == 2 for k in both):
        rest = [k for k in range(len(network.scopes)) if k not in both]
        expected = joint_weights(
            [v.cardinality for v in network.variables],
            [network.scopes[k] for k in rest],
            [network.tables[k] for k in rest],
            {},
        )
        np.testing.assert_allclose(joint(edited), expected / expected.sum(), atol=1e-12)


def test_a_factor_of_three_falls_into_two_averages():
    variables = tuple(Variable(name, COIN) for name in "ABC")
    table = np.arange(1.0, 9.0).reshape(2, 2, 2)
    edited = editing.disconnect(MarkovNetwork(variables, ((2, 0, 1),), (table,)), "A", "B")
    assert edited.scopes == ((2, 1), (2, 0))
    np.testing.assert_allclose(edited.tables[0], [[2, 3], [6, 7]])
    np.testing.assert_allclose(edited.tables[1], [[1.5, 3.5], [5.5, 7.5]])


@given(strategies.markov_networks(5), st.data())
def test_a_factor_that_is_removed_no_longer_counts(network, data):
    assume(network.scopes)
    number = data.draw(st.integers(0, len(network.scopes) - 1))
    edited = editing.remove_factor(network, number)
    assert edited.variables == network.variables
    assert edited.scopes == network.scopes[:number] + network.scopes[number + 1 :]
    ones = np.ones_like(network.tables[number])
    np.testing.assert_allclose(joint(edited), joint(editing.set_table(network, number, ones)), atol=1e-12)


@pytest.mark.parametrize("network", [chain(2, 2), MarkovNetwork(chain(2).variables, ((0,),), (np.ones(2),))])
def test_a_factor_that_is_not_there_cannot_be_removed(network):
    for number in (-1, len(network.scopes)):
        with pytest.raises(ModelError, match="no factor"):
            editing.remove_factor(network, number)


@pytest.mark.parametrize("network", [chain(2, 2, 2), MarkovNetwork(chain(2, 2, 2).variables, ((0,),), (np.ones(2),))])
def test_what_is_not_connected_cannot_be_disconnected(network):
    for a, b in (("V0", "V2"), ("V0", "V0")):
        with pytest.raises(ModelError, match="not connected"):
            editing.disconnect(network, a, b)


def test_tables_too_large_for_the_hand_are_refused():
    variables = tuple(Variable(f"V{i}", tuple(map(str, range(101)))) for i in range(4))
    network = BayesianNetwork(variables, ((),) * 4, (np.full(101, 1 / 101),) * 4)
    network = editing.connect(network, "V0", "V3")
    with pytest.raises(ModelError, match=r"the table of 'V3' would have 1,030,301 cells.*fewer parents or states"):
        editing.connect(network, "V1", "V3")
    with pytest.raises(ModelError, match="of 'V3' would have 1,010,000 cells"):
        editing.set_states(network, "V0", [(None, str(k)) for k in range(10_000)])


@pytest.mark.parametrize(
    "edit",
    [
        lambda n: editing.remove_variables(n, ["V0", "nobody"]),
        lambda n: editing.rename_variable(n, "nobody", "x"),
        lambda n: editing.connect(n, "V0", "nobody"),
        lambda n: editing.disconnect(n, "nobody", "V0"),
        lambda n: editing.set_states(n, "nobody", [(0, "a")]),
    ],
)
def test_unknown_names_are_told(edit):
    with pytest.raises(UnknownNameError, match="no variable 'nobody' in this network; it has 'V0', 'V1'"):
        edit(chain(2, 2))


@pytest.mark.parametrize(("to", "reason"), [("V1", "a variable 'V1' already"), ("", "needs a name")])
def test_names_must_differ_and_not_be_empty(to, reason):
    with pytest.raises(ModelError, match=reason):
        editing.rename_variable(chain(2, 2), "V0", to)


# --- states


@given(NETWORKS, st.data())
def test_reordering_states_permutes_the_joint_and_keeps_every_bit(network, data):
    v = data.draw(st.sampled_from(range(len(network.variables))))
    variable = network.variables[v]
    order = data.draw(st.permutations(range(variable.cardinality)))
    edited = editing.set_states(network, variable.name, [(old, f"new {old}") for old in order])
    assert edited.variables[v].states == tuple(f"new {old}" for old in order)
    np.testing.assert_allclose(joint(edited), joint(network).take(order, axis=v), atol=1e-12)
    back = [(order.index(k), variable.states[k]) for k in range(variable.cardinality)]
    again = editing.set_states(edited, variable.name, back)
    assert again.variables == network.variables
    assert all(a.tobytes() == b.tobytes() for a, b in zip(again.tables, network.tables, strict=True))


@given(NETWORKS, st.data())
def test_removing_a_state_is_knowing_that_it_is_not_the_case(network, data):
    """True of a Markov network; of a Bayesian one where the variable has no parents."""
    fitting = range(len(network.variables))
    if isinstance(network, BayesianNetwork):
        fitting = [v for v in fitting if not network.parents[v]]
    v = data.draw(st.sampled_from(fitting))
    variable = network.variables[v]
    kept = data.draw(st.lists(st.sampled_from(range(variable.cardinality)), unique=True, min_size=1))
    expected = joint(network).take(kept, axis=v)
    assume(expected.sum() > 0)
    edited = editing.set_states(network, variable.name, [(old, variable.states[old]) for old in kept])
    np.testing.assert_allclose(joint(edited), expected / expected.sum(), atol=1e-9)


@given(strategies.bayesian_networks(4), st.data())
def test_a_new_state_has_an_equal_share_and_the_others_keep_their_odds(network, data):
    v = data.draw(st.sampled_from(range(len(network.variables))))
    variable = network.variables[v]
    n = variable.cardinality
    edited = editing.set_states(network, variable.name, [*enumerate(variable.states), (None, "new")])
    np.testing.assert_allclose(edited.tables[v][..., n], 1 / (n + 1))
    np.testing.assert_allclose(edited.tables[v][..., :n], network.tables[v] * (n / (n + 1)), atol=1e-15)
    for child in (c for p, c in network.edges if p == v):
        axis = network.parents[child].index(v)
        before, after = np.moveaxis(network.tables[child], axis, 0), np.moveaxis(edited.tables[child], axis, 0)
        np.testing.assert_array_equal(after[:n], before)
        np.testing.assert_allclose(after[n], sum(before) / n, atol=1e-15)


def test_all_states_may_be_new():
    edited = editing.set_states(chain(2, 3), "V0", [(None, "x"), (None, "y"), (None, "z")])
    np.testing.assert_allclose(edited.tables[0], 1 / 3)
    assert edited.tables[1].shape == (3, 3)


def test_a_row_that_loses_all_its_mass_becomes_uniform():
    network = BayesianNetwork((Variable("A", ("x", "y", "z")),), ((),), (np.array([0.0, 0.0, 1.0]),))
    edited = editing.set_states(network, "A", [(0, "x"), (1, "y")])
    np.testing.assert_array_equal(edited.tables[0], [0.5, 0.5])


@pytest.mark.parametrize(
    ("states", "reason"),
    [
        ([], "no states"),
        ([(0, "same"), (1, "same")], "'same' twice"),
        ([(0, "a"), (1, "")], "empty name"),
        ([(0, "a"), (0, "b")], "at most once, from 0 to 1"),
        ([(0, "a"), (2, "b")], "at most once, from 0 to 1"),
        ([(-1, "a")], "at most once, from 0 to 1"),
    ],
)
def test_states_that_cannot_be_are_refused(states, reason):
    with pytest.raises(ModelError, match=reason):
        editing.set_states(chain(2, 2), "V0", states)


# --- tables


@given(NETWORKS, st.data())
def test_a_table_replaces_one_and_no_other(network, data):
    assume(network.tables)
    number = data.draw(st.sampled_from(range(len(network.tables))))
    shape = network.tables[number].shape
    table = np.random.default_rng(0).dirichlet(np.ones(shape[-1]), shape[:-1]) if shape else np.array(2.0)
    edited = editing.set_table(network, number, table)
    for k, (after, before) in enumerate(zip(edited.tables, network.tables, strict=True)):
        assert np.array_equal(after, table if k == number else before)


def test_a_table_that_is_no_distribution_is_refused():
    for wrong, reason in (([0.5, 0.6], "sum to 1"), ([1.5, -0.5], "negative"), ([1.0, 0.0, 0.0], "shape")):
        with pytest.raises(ModelError, match=reason):
            editing.set_table(chain(2, 2), 0, np.array(wrong))


@given(st.lists(st.lists(st.floats(0, 1e308), min_size=3, max_size=3), min_size=1, max_size=4))
def test_normalised_rows_are_distributions_with_the_same_odds(rows):
    found = editing.normalise(np.array(rows))
    np.testing.assert_allclose(found.sum(axis=-1), 1, atol=1e-12)
    for row, normal in zip(rows, found, strict=True):
        if not any(row):
            np.testing.assert_allclose(normal, 1 / 3)
        for a, b in itertools.permutations(range(3), 2):
            assert row[a] <= row[b] or normal[a] >= normal[b]


@given(strategies.bayesian_networks(4), st.data())
def test_a_table_of_exponents_follows_its_axes(network, data):
    """Carried like the table of a distribution that ignores what is new."""
    assume(network.edges)
    parent, child = data.draw(st.sampled_from(network.edges))
    before = [names(network)[v] for v in network.scopes[child]]
    table = np.random.default_rng(1).random(network.tables[child].shape)
    sizes = dict(zip(before, table.shape, strict=True))
    axis = before.index(names(network)[parent])
    without = editing.follow_table(table, before, {n: s for n, s in sizes.items() if n != before[axis]})
    np.testing.assert_allclose(without, table.mean(axis=axis))
    with_new = editing.follow_table(table, before, {"new": 3, **sizes})
    assert with_new.shape == (3, *table.shape)
    assert all(np.array_equal(part, table) for part in with_new)
    order = data.draw(st.permutations(range(table.shape[axis])))
    moved = editing.follow_table(table, before, sizes, {before[axis]: order})
    np.testing.assert_array_equal(moved, table.take(order, axis=axis))
    turned = editing.follow_table(table, before, dict(reversed(sizes.items())))
    np.testing.assert_array_equal(turned, marginal(table, tuple(reversed(range(table.ndim)))))


# --- the data


def expected_cell(cell, origin, states):
    """What becomes of a cell: hard, missing, a vector or a target."""
    if cell is None or origin is None:
        return cell
    if isinstance(cell, int):
        return origin.index(cell) if cell in origin else None
    numbers = cell.shares if isinstance(cell, TargetCell) else cell
    moved = tuple(0.0 if old is None else numbers[old] for old in origin)
    assert len(moved) == states
    if not any(moved):
        return None
    return TargetCell(tuple(number / sum(moved) for number in moved)) if isinstance(cell, TargetCell) else moved


def rounded(rows):
    """Targets rounded, which two ways of scaling may leave apart in their last bits."""
    return [
        [
            TargetCell(tuple(round(number, 12) for number in cell.shares)) if isinstance(cell, TargetCell) else cell
            for cell in row
        ]
        for row in rows
    ]


def with_targets(dataset, draw):
    """Data in which some likelihoods are targets of the same ratios."""
    cells = []
    for row in plain_rows(dataset):
        read = [
            variable.states[x] if isinstance(x, int) else x for variable, x in zip(dataset.variables, row, strict=True)
        ]
        cells.append(
            [
                TargetCell(tuple(number / sum(x) for number in x))
                if isinstance(x, tuple) and draw(st.booleans())
                else x
                for x in read
            ]
        )
    return make_dataset(dataset.variables, cells, dataset.weights)


@settings(max_examples=150)
@given(st.data())
def test_recoding_moves_every_cell(data):
    before = data.draw(strategies.variables(4))
    dataset = with_targets(data.draw(strategies.datasets(before)), data.draw)
    columns = data.draw(st.lists(st.sampled_from([None, *range(len(before))]), max_size=5))
    variables, origins = [], {}
    for i, column in enumerate(columns):
        states = data.draw(st.integers(1, 3)) if column is None else before[column].cardinality
        if column is not None and data.draw(st.booleans()):
            old = list(range(states))
            origin = data.draw(st.lists(st.sampled_from([*old, None]), min_size=1, max_size=4))
            known = [k for k in origin if k is not None]
            assume(len(set(known)) == len(known))
            origins[i], states = origin, len(origin)
        variables.append(Variable(f"W{i}", tuple(f"t{k}" for k in range(states))))
    recoded = editing.recode(dataset, variables, columns, origins)
    assert recoded.variables == tuple(variables)
    assert recoded.weights.tolist() == dataset.weights.tolist()
    expected = [
        [
            None if c is None else expected_cell(row[c], origins.get(i), variables[i].cardinality)
            for i, c in enumerate(columns)
        ]
        for row in plain_rows(dataset)
    ]
    found = plain_rows(recoded)
    assert rounded(found) == rounded(expected)
    for i in range(len(columns)):
        codes = recoded.codes[i].tolist()
        for (cell, code), (other, other_code) in itertools.combinations(
            zip([row[i] for row in found], codes, strict=True), 2
        ):
            assert (cell == other) == (code == other_code)


def test_recoding_nothing_shares_the_codes():
    coin = Variable("A", COIN)
    dataset = make_dataset([coin], [["a"], [None], [(0.2, 0.8)]])
    recoded = editing.recode(dataset, [Variable("B", COIN)], [0])
    assert recoded.codes is dataset.codes
    assert plain_rows(recoded) == plain_rows(dataset)


def test_vectors_that_become_equal_get_one_code_and_empty_ones_say_nothing():
    three = Variable("A", ("a", "b", "c"))
    dataset = make_dataset([three], [[(0.5, 0.5, 0.1)], [(0.5, 0.5, 0.9)], [(0.0, 0.0, 1.0)], ["c"], ["b"]])
    recoded = editing.recode(dataset, [Variable("A", ("b", "a"))], [0], {0: [1, 0]})
    assert recoded.codes.tolist() == [[-2, -2, -1, -1, 0]]
    assert recoded.likelihoods[0].tolist() == [[0.5, 0.5]]
    lost = editing.recode(dataset.take(np.array([2])), [Variable("A", ("a", "b"))], [0], {0: [0, 1]})
    assert lost.roles == (Role.HIDDEN,)


def test_a_target_that_loses_a_state_has_the_others_scaled():
    three = Variable("A", ("a", "b", "c"))
    cells = [TargetCell((0.25, 0.25, 0.5)), (0.5, 0.5, 1.0), TargetCell((0.0, 0.0, 1.0)), TargetCell((0.1, 0.9, 0.0))]
    dataset = make_dataset([three], [[cell] for cell in (*cells, (0.5, 0.5, 0.3))])
    recoded = editing.recode(dataset, [Variable("A", ("b", "a", "new"))], [0], {0: [1, 0, None]})
    likelihood = (0.5, 0.5, 0.0)
    assert [row[0] for row in plain_rows(recoded)] == [
        TargetCell(likelihood), likelihood, None, TargetCell((0.9, 0.1, 0.0)), likelihood
    ]  # fmt: skip
    assert recoded.codes[0, 0] != recoded.codes[0, 1] == recoded.codes[0, 4]


def test_a_drawn_markov_network_has_a_factor_for_each_edge_alone():
    network = MarkovNetwork((), (), ())
    for name in "ABC":
        network = editing.add_variable(network, Variable(name, ("yes", "no")))
    assert network.scopes == ((0,), (1,), (2,))
    network = editing.set_table(network, 2, np.array([1.0, 3.0]))
    network = editing.connect(editing.connect(network, "A", "B"), "B", "C")
    assert network.scopes == ((2,), (0, 1), (1, 2))  # what C was given stays
    network = editing.disconnect(network, "A", "B")
    assert network.scopes == ((2,), (1, 2), (0,))  # what is alone again has a factor again
    assert network.tables[2].tolist() == [1.0, 1.0]


# --- many at once


@given(strategies.bayesian_networks(5), st.data())
def test_connecting_many_is_connecting_each(network, data):
    to = data.draw(st.sampled_from(names(network)))
    before = {
        name for name in names(network) if not nx.has_path(graph(network), network.index[to], network.index[name])
    }
    assume(before)
    sources = data.draw(st.lists(st.sampled_from(sorted(before)), unique=True, min_size=1))
    parents = {network.variables[p].name for p in network.parents[network.index[to]]}
    if parents >= set(sources):
        with pytest.raises(ModelError, match="connected with"):
            editing.connect_all(network, sources, to)
        return
    edited = editing.connect_all(network, sources, to)
    assert {edited.variables[p].name for p in edited.parents[edited.index[to]]} == parents | set(sources)
    np.testing.assert_allclose(joint(edited), joint(network), atol=1e-12)  # arrows change no probability


def test_many_are_refused_together_and_the_arrow_is_named():
    with pytest.raises(ModelError, match="an arrow from 'V3' to 'V1' would close a cycle: V1 → V2 → V3 → V1"):
        editing.connect_all(chain(2, 2, 2, 2), ["V0", "V3", "V2"], "V1")


def test_edges_that_are_there_are_not_made_again():
    network = MarkovNetwork(chain(2, 2, 2).variables, ((0, 1),), (np.full((2, 2), 0.3),))
    edited = editing.connect_all(network, ["V0", "V2", "V1"], "V1")
    assert edited.scopes == ((0, 1), (2, 1))
    np.testing.assert_array_equal(edited.tables[0], network.tables[0])
