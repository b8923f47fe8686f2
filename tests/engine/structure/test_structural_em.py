"""Structural EM: expected counts by brute force, scores that never fall, hidden variables that stay."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.model.dataset import TargetCell, make_dataset
from engine.model.errors import ImpossibleEvidenceError, ModelError
from engine.model.variable import Variable
from engine.simulation.generators import grid
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from engine.structure import completion
from engine.structure.completion import complete_rows
from engine.structure.hill_climbing import Climb
from engine.structure.snapshot import list_changes
from engine.structure.structural_em import StructuralEM, add_hidden, make_network
from tests import oracles
from tests.engine.structure.samples import draw_data, free, make_families, make_variables


def test_expected_counts_equal_brute_force():
    """Also of families that no table of the network has, with missing and likelihood cells."""
    variables = make_variables(2, 3, 2)
    generator = np.random.default_rng(1)
    shape = [(2,), (2, 3), (3, 2)]
    tables = [generator.dirichlet(np.ones(s[-1]), s[:-1] or None) for s in shape]
    network = make_network(variables, ((), (0,), (1,))).with_tables(tables)
    cells = [
        ["s0", None, None],
        [None, None, None],
        ["s1", (0.2, 0.0, 0.7), "s1"],
        ["s0", "s1", "s1"],
        ["s0", None, None],
    ]
    weights = [1.0, 2.0, 0.5, 1.0, 1.0]
    counts, likelihood = complete_rows(make_dataset(variables, cells, weights)).expect(network)
    plain = [[int(cell[1:]) if isinstance(cell, str) else cell for cell in row] for row in cells]
    model = [2, 3, 2], network.scopes, network.tables
    assert likelihood == pytest.approx(oracles.log_likelihood(*model, plain, weights))
    joint = oracles.joint_weights(*model, {})
    expected = np.zeros((2, 3, 2))
    for row, weight in zip(plain, weights, strict=True):
        found = oracles.row_joint([2, 3, 2], joint, row)
        expected += weight * found / found.sum()
    for child, parents in itertools.permutations(range(3), 2):
        configurations = counts.configurations((parents,))
        table = np.zeros((model[0][parents], model[0][child]))
        table[configurations.codes[0]] = counts.count(child, configurations)
        assert table == pytest.approx(oracles.marginal(expected, (parents, child)))


def make_incomplete(seed, hidden=()):
    network = grid(2, 4, random_state=seed)
    return hide(remove_mcar(simulate(network, 400, seed), 0.15, seed), [network.variables[v].name for v in hidden])


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu"])
@pytest.mark.parametrize("hidden", [(), (0,)])
def test_scores_never_fall(score, hidden):
    data = make_incomplete(3, hidden)
    rounds = list(StructuralEM(score, climbing=Climb(tabu=0)).run(data, free(data), random_state=1))
    assert len(rounds) > 2
    assert all(each.expected >= each.expected_before - 1e-9 for each in rounds)
    assert sum(each.expected > each.expected_before + 1e-6 for each in rounds) >= 1
    if score != "bdeu":
        assert all(b.objective >= a.objective - 1e-6 for a, b in itertools.pairwise(rounds))
    assert rounds[-1].stop == "optimum"
    assert all(each.number == k and not each.stop for k, each in enumerate(rounds[:-1]))


@pytest.mark.parametrize("restarts", [0, 3])
def test_operations_lead_from_one_round_to_the_next(restarts):
    data = make_incomplete(4)
    for before, now in itertools.pairwise(StructuralEM(climbing=Climb(restarts=restarts)).run(data, free(data))):
        arrows = set(before.network.edges)
        for step in now.operations:
            arrows ^= {(step.parent, step.child)}
            arrows |= {(step.child, step.parent)} if step.kind == "reverse" else set()
        assert arrows == set(now.network.edges)
        assert sum(step.gain for step in now.operations) == pytest.approx(now.expected - now.expected_before)


def test_changes_are_deleted_turned_and_added_arrows():
    families = make_families(draw_data(2, 3, 2, 2, seed=1))
    before, after = ((), (0,), (0, 1), (2,)), ((), (0, 2), (0,), (0,))
    changes = list_changes(families, before, after)
    assert [(step.kind, step.parent, step.child) for step in changes] == [
        ("delete", 2, 3),
        ("reverse", 1, 2),
        ("add", 0, 3),
    ]
    between = ((), (0,), (0, 1), ()), ((), (0, 2), (0,), ())
    totals = [families.total(each) for each in (before, *between, after)]
    assert [step.gain for step in changes] == pytest.approx([b - a for a, b in itertools.pairwise(totals)])


def test_a_prior_network_is_that_of_every_round():
    data = make_incomplete(3)
    uniform = make_network(data.variables, ((),) * len(data.variables))
    ways = StructuralEM("bde", 2.0, prior=uniform), StructuralEM("bdeu", 2.0)
    ours, theirs = ([now.expected for now in way.run(data, free(data), random_state=1)] for way in ways)
    assert ours == pytest.approx(theirs)


def test_likelihood_is_that_of_the_incomplete_data():
    data = make_incomplete(5, (1,))
    *_, last = StructuralEM(climbing=Climb(tabu=0)).run(data, free(data))
    network = last.network
    rows = [[None if x < 0 else int(x) for x in row] for row in data.codes.T]
    sizes = [v.cardinality for v in network.variables]
    expected = oracles.log_likelihood(sizes, network.scopes, network.tables, rows, data.weights)
    assert last.log_likelihood == pytest.approx(expected)
    assert last.objective == pytest.approx(
        expected - np.log(400) / 2 * sum(t.size // t.shape[-1] * (t.shape[-1] - 1) for t in network.tables)
    )


def test_a_hidden_cause_is_kept_and_used():
    """Four effects of one cause that nobody has seen: with it, fewer parameters say more."""
    generator = np.random.default_rng(2)
    cause = generator.integers(0, 2, 500)
    seen = np.where(generator.random((4, 500)) < 0.9, cause, 1 - cause).astype(np.int8)
    data = draw_data(2, 2, 2, 2, rows=500)
    data = type(data)(data.variables, seen, np.ones(500))
    with_cause = add_hidden(data, [Variable("H", ("a", "b"))])
    *_, last = StructuralEM().run(with_cause, free(with_cause), random_state=1)
    assert {frozenset(edge) for edge in last.network.edges} >= {frozenset((v, 4)) for v in range(4)}
    from engine.structure.exact import search_all

    *_, without = search_all(make_families(data), free(data))
    assert last.objective > without.best_score + 10


def test_constraints_hold():
    data = make_incomplete(6, (0,))
    constraints = free(data, required=frozenset({(3, 4)}), forbidden=frozenset({(0, 1)}), max_parents=2)
    for each in StructuralEM().run(data, constraints):
        assert constraints.is_met_by(tuple(tuple(sorted(p)) for p in each.network.parents))


def test_can_be_stopped_and_ends_after_some_rounds():
    data = make_incomplete(3)
    found = list(StructuralEM().run(data, free(data), cancelled=lambda: True))
    assert found[-1].stop == "cancelled"
    assert list(StructuralEM(max_rounds=1).run(data, free(data)))[-1].stop == "steps"


def test_too_many_completions_are_refused_in_words(monkeypatch):
    monkeypatch.setattr(completion, "MOST_CELLS", 50)
    with pytest.raises(ModelError, match="leave out the rows or columns with most missing cells"):
        complete_rows(make_incomplete(3))


def test_what_cannot_be_completed_is_refused():
    variables = make_variables(2, 2)
    with pytest.raises(ModelError, match="takes no targets"):
        complete_rows(make_dataset(variables, [["s0", TargetCell((0.3, 0.7))]]))
    with pytest.raises(ModelError, match="no rows that count"):
        complete_rows(make_dataset(variables, []))
    with pytest.raises(ModelError, match="column 'V1' already"):
        add_hidden(make_dataset(variables, [["s0", "s1"]]), [Variable("V1", ("a", "b"))])
    impossible = make_network(variables, ((), ())).with_tables([[1.0, 0.0], [0.5, 0.5]])
    with pytest.raises(ImpossibleEvidenceError, match="probability 0"):
        complete_rows(make_dataset(variables, [["s1", None]])).expect(impossible)
