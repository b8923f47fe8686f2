"""All tables by how far they moved: which networks there are, hidden states renamed, in words; and fresh tables."""

from __future__ import annotations

import numpy as np
import pytest

from engine.insight.movement import rank_tables
from engine.insight.relabelling import relabel_table
from engine.learning.learn import learn
from pgmgui.project.examples import find_example
from pgmgui.state.session import Session
from pgmgui.tabs.variable.fresh_tables import draw_tables, level_tables
from pgmgui.tabs.variable.ranking import describe_ranking, list_comparable, rank, ranking_source


@pytest.fixture
def session():
    session = Session()
    session.open_example(find_example("asia"))
    return session


def swap(network, v):
    """A network with the two states of a variable exchanged."""
    orders = {v: (1, 0)}
    tables = [relabel_table(t, scope, orders) for t, scope in zip(network.tables, network.scopes, strict=True)]
    return network.with_tables(tables)


def test_what_was_learned_is_compared_up_to_the_names_of_hidden_states(session):
    *_, last = learn(session.network, session.seen)
    session.report(last)
    networks = list_comparable(session)
    assert list(networks) == ["current", "learned"]
    lung = session.network.index["lung"]
    networks |= {"swapped": swap(networks["current"], lung)}
    found = rank(networks, ("current", "swapped"), session.parts.task, session.reached)
    assert found.renamed == ("lung",)
    assert all(movement.distance == pytest.approx(0, abs=1e-12) for movement in found.movements)
    assert rank_tables(networks["current"], networks["swapped"])[0].distance > 0.5
    without = rank(networks, ("current", "swapped"), None, None)
    assert without.renamed == ()
    assert without.movements[0].distance > 0.5


def test_the_list_names_the_variables_the_farthest_first(session):
    before = session.network
    v = before.index["smoke"]
    session.set_table(v, np.array([0.9, 0.1]))
    found = rank(list_comparable(session), ("current", "previous"), session.parts.task, None)
    source = ranking_source(found)
    assert source.n_rows == 8
    first, *others = source.cells(0, 7)
    assert first[0] == "smoke"
    assert first[1]["text"] == "40.00%"
    assert first[2] == "0.4000"
    assert all(row[1]["key"] == 0 for row in others)
    said = describe_ranking(found)
    assert "from current to previous" in said[0]
    assert "total variation" in said[0]
    assert len(said) == 1


def test_factors_are_ranked_too(session):
    session.moralise()
    session.set_tables("other", level_tables(session.network))
    networks = list_comparable(session)
    assert list(networks) == ["current", "previous"]
    found = rank(networks, ("previous", "current"), session.parts.task, None)
    assert found.movements[0].distance > 0.3
    names = [row[0] for row in ranking_source(found).cells(0, 7)]
    assert "bronc–either–dysp" in names
    assert "factor's variables" in describe_ranking(found)[0]


@pytest.mark.parametrize("markov", [False, True])
def test_all_tables_are_drawn_by_a_seed_in_one_step(session, markov):
    if markov:
        session.moralise()
    before = session.scene
    drawn = draw_tables(session.network, 7)
    assert session.set_tables("randomise all tables", drawn)
    for table, again, other in zip(
        session.network.tables, draw_tables(session.network, 7), draw_tables(session.network, 8), strict=True
    ):
        np.testing.assert_array_equal(table, again)
        assert not np.array_equal(table, other)
        if not markov:
            np.testing.assert_allclose(table.sum(axis=-1), 1)
    assert session.undoable == "randomise all tables"
    session.undo()
    assert session.scene is before
    session.set_tables("uniform", level_tables(session.network))
    assert all(np.ptp(table) == 0 for table in session.network.tables)
