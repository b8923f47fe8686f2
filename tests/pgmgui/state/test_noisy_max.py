"""Noisy-MAX on a page: declared, edited, undone, kept, and given up where its table is another."""

from __future__ import annotations

import numpy as np
import pytest

from engine.formats import describe_losses
from engine.learning.learn import learn
from engine.model.noisy_max import NoisyMax, fit_noisy_max, stack
from pgmgui.project.examples import find_example
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.state.session import Session

NOISY = NoisyMax((np.array([[0.8, 0.2], [0.0, 1.0]]), np.array([[0.4, 0.6], [0.0, 1.0]])), np.array([0.1, 0.9]))


@pytest.fixture
def session():
    """Asia, of which dysp (of bronc and either) is a noisy-OR."""
    opened = Session()
    opened.open_example(find_example("asia"))
    assert opened.set_noisy("dysp", NOISY)
    return opened


def table_of(session, name="dysp"):
    return session.network.tables[session.network.index[name]]


def test_the_table_is_the_expanded_one_and_undo_brings_the_other_back(session):
    np.testing.assert_allclose(table_of(session), NOISY.expand())
    assert session.undoable == "change the noisy-MAX of dysp"
    session.undo()
    assert session.document.noisy == {}
    assert not np.allclose(table_of(session), NOISY.expand())
    session.redo()
    assert session.document.noisy["dysp"] is NOISY


def test_sessions_and_copies_keep_it(session):
    kept = parse(dump(Saved(session.scene))).scene.document
    np.testing.assert_array_equal(stack(kept.noisy["dysp"]), stack(NOISY))
    session.rename("dysp", "breath")
    assert session.duplicate(["breath", "either", "bronc"])
    assert set(session.document.noisy) == {"breath", "breath 2"}
    session.duplicate(["breath"])  # without its causes it is a plain table
    assert "breath 3" not in session.document.noisy
    np.testing.assert_allclose(table_of(session, "breath 3"), NOISY.expand().mean(axis=(0, 1)))


def test_a_new_parent_causes_nothing_and_a_lost_one_makes_the_table_plain(session):
    before = session.message
    session.connect("asia", "dysp")
    assert len(session.document.noisy["dysp"].causes) == 3
    assert session.message == before == ""
    np.testing.assert_allclose(session.document.noisy["dysp"].expand(), table_of(session))
    session.remove([], [("asia", "dysp")])
    assert session.document.noisy == {}
    assert "dysp is no longer noisy-MAX: it has a plain table" in session.message


@pytest.mark.parametrize(
    "edit",
    [
        lambda session: session.set_table(session.network.index["dysp"], np.full((2, 2, 2), 0.5)),
        lambda session: session.set_states("dysp", [(0, "yes"), (1, "no"), (None, "unclear")]),
        lambda session: session.set_states("bronc", [(0, "yes"), (1, "no"), (None, "unclear")]),
        lambda session: session.moralise(),
    ],
)
def test_another_table_is_a_plain_one_and_that_is_said(session, edit):
    assert edit(session)
    assert session.document.noisy == {}
    assert "no longer noisy-MAX" in session.message
    session.undo()
    assert session.document.noisy["dysp"] is NOISY


def test_what_was_learned_is_a_plain_table_and_that_is_said(session):
    for snapshot in learn(session.network, session.seen):
        if snapshot.iteration == 2:
            break
    assert session.apply(snapshot)
    assert session.document.noisy == {}
    assert "dysp is no longer noisy-MAX" in session.message


def test_to_keep_the_whole_table_changes_no_number(session):
    before = table_of(session)
    assert session.set_noisy("dysp", None)
    assert session.document.noisy == {}
    assert table_of(session) is before
    np.testing.assert_allclose(stack(fit_noisy_max(before)), stack(NOISY), atol=1e-12)


def test_formats_that_cannot_keep_it_are_named(session):
    assert describe_losses(session.document, "x.xdsl") == describe_losses(session.document, "x.json") == []
    assert "'dysp'" in describe_losses(session.document, "x.bif")[0]
