"""What is known of the arrows that are shown follows the session, while somebody looks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.formats import DataDocument, Document
from engine.model.network import as_markov
from engine.simulation.sampling import simulate
from engine.structure import completion
from pgmgui.project.arrow_words import describe_arrow, describe_class, describe_worths
from pgmgui.project.arrows import NO_ARROWS, NO_DATA
from pgmgui.project.examples import find_example
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Hidden
from pgmgui.project.scene import Scene
from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.session import Session
from pgmgui.tabs.structure.arrow_table import arrows_source
from tests.pgmgui.state.test_predicting import at_once


def load_asia():
    session = Session()
    session.open_example(find_example("asia"))
    return session.network


ASIA = load_asia()


def open_asia(rows=500, **marks):
    session = Session()
    data = DataDocument(simulate(ASIA, rows, random_state=1)) if rows else None
    session.open(Scene("Asia", "", arrange(Document(ASIA)), data, marks))
    facts = ArrowFacts(session, at_once)
    return session, facts


def count_questions(facts):
    asked = []
    find = facts._find
    facts._find = lambda question: asked.append(question) or find(question)
    return asked


def test_nothing_is_computed_while_nobody_looks_and_the_canvas_counts_as_somebody():
    session, facts = open_asia()
    asked = count_questions(facts)
    session.connect("asia", "smoke")
    assert (asked, facts.facts) == ([], None)
    session.colour_arrows("worth")
    assert len(asked) == 1
    assert len(facts.facts.arrows) == 9
    session.colour_arrows("class")
    session.move({"asia": (5.0, 5.0)})
    assert len(asked) == 1


def test_facts_follow_the_arrows():
    session, facts = open_asia()
    facts.look(True)
    before = facts.facts
    assert set(before.worths) == set(ASIA.edges)
    session.remove([], [("smoke", "lung")])
    smoke, lung = ASIA.index["smoke"], ASIA.index["lung"]
    assert facts.facts.total == pytest.approx(before.total - before.worths[smoke, lung], abs=1e-9)
    session.undo()
    assert facts.facts.worths == before.worths


def test_without_data_or_arrows_it_says_so():
    session, facts = open_asia(rows=0)
    facts.look(True)
    assert (facts.facts.worths, facts.facts.trouble) == ({}, NO_DATA)
    assert facts.facts.pattern.compelled
    session.moralise()
    assert (facts.facts, facts.trouble) == (None, NO_ARROWS)


def test_hidden_variables_are_expected_by_the_network_that_is_shown():
    session, facts = open_asia(smoke=Hidden())
    facts.look(True)
    assert facts.facts.expected == "the network itself"
    assert "A search has another score, a higher one as a rule" in describe_worths(facts.facts)
    assert set(facts.facts.worths) == set(ASIA.edges)
    session.mark(["smoke"], None)
    assert facts.facts.expected == ""


def test_an_arrow_that_a_constraint_holds_is_not_called_reversible():
    session, facts = open_asia()
    facts.look(True)
    arrow = ASIA.index["smoke"], ASIA.index["bronc"]
    assert facts.facts.is_reversible(arrow)
    session.configure_search(required="smoke -> bronc")
    assert not facts.facts.is_reversible(arrow)
    assert "Held by a constraint" in describe_arrow(facts.facts, None, arrow)
    assert "that meet the constraints" in describe_class(facts.facts)
    row = arrows_source(facts.facts, None, [arrow]).cells(0, 0)[0]
    assert "by constraint" in row
    session.configure_search(required="smoke -> nobody")  # a search says what is wrong with it
    assert facts.facts.is_reversible(arrow)


def test_too_many_completions_are_told(monkeypatch):
    monkeypatch.setattr(completion, "MOST_CELLS", 100)
    session, facts = open_asia(smoke=Hidden())
    facts.look(True)
    assert (facts.facts.total, facts.facts.worths) == (None, {})
    assert facts.facts.trouble.startswith("What arrows are worth is not known: ")
    assert session.message == ""


def test_the_true_network_is_that_of_the_scene_and_choosing_one_can_be_undone():
    session, facts = open_asia()
    facts.look(True)
    assert facts.facts.comparison is None
    session.compare_with(as_markov(ASIA))
    assert "Markov" in facts.facts.untold
    session.compare_with(ASIA)
    assert facts.facts.comparison.distance == 0
    session.remove([], [("asia", "tub")])
    assert facts.facts.comparison.missing == ((ASIA.index["asia"], ASIA.index["tub"]),)
    for _ in range(3):
        session.undo()
    assert facts.facts.comparison is None


def test_rows_held_out_are_not_counted():
    session, facts = open_asia()
    facts.look(True)
    before = facts.facts.total
    session.hold_out(0.5, 1)
    train = session.parts.split.train
    scene = replace(session.scene, data=DataDocument(train), hold_out=None)
    other = Session()
    other.open(scene)
    alone = ArrowFacts(other, at_once)
    alone.look(True)
    assert facts.facts.total == pytest.approx(alone.facts.total, abs=1e-9)
    assert facts.facts.total > before


def test_one_arrow_is_selected_or_variables_are():
    session, _ = open_asia()
    session.select(["asia"])
    session.select_edge(("asia", "tub"))
    assert (session.selected, session.edge) == ([], ("asia", "tub"))
    session.select_edge(("asia", "nobody"))
    assert session.edge is None
    session.select_edge(("asia", "tub"))
    session.select(["tub"])
    assert session.edge is None
    session.select_edge(("asia", "tub"))
    session.remove([], [("asia", "tub")])
    assert session.edge is None
