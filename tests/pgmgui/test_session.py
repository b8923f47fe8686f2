"""The session: the only writer, and what follows from what is written."""

from __future__ import annotations

import pytest

from engine.learners.learn import learn
from pgmgui.examples import load_gallery
from pgmgui.marks import Hidden
from pgmgui.picture import look_at
from pgmgui.session import Session
from pgmgui.words import describe_certificate, describe_savings


def opened(name):
    session = Session()
    session.open_example(next(item for item in load_gallery() if item.id == name))
    return session


def components(session):
    names = [v.name for v in session.document.network.variables]
    return [{names[v] for v in c.variables} for c in session.parts.task.decomposition.components]


def test_the_thesis_example_falls_apart_and_unhiding_gives_four():
    session = opened("thesis-chain")
    assert components(session) == [{"V"}, {"X"}, {"Y", "Z"}]
    session.mark(["X"], Hidden())
    assert components(session) == [{"V"}, {"X", "Y", "Z"}]
    session.toggle_hidden(["X"])
    assert components(session) == [{"V"}, {"X"}, {"Y", "Z"}]
    assert session.marks == {}


def test_marks_without_data_are_refused_with_a_message():
    session = opened("earthquake")
    session.mark(["Alarm"], Hidden())
    assert "no data to mark" in session.message
    assert session.parts is None


def test_a_markov_network_has_no_parts_yet():
    session = opened("thesis-grid")
    assert session.seen is not None
    assert session.parts is None


def test_opening_another_example_forgets_marks_and_selection():
    session = opened("asia")
    session.select(["smoke", "nobody"])
    session.mark(["smoke"], Hidden())
    assert session.selected == ["smoke"]
    session.open_example(load_gallery()[1])
    assert (session.marks, session.selected) == ({}, [])


def test_applying_gives_the_network_the_learned_parameters():
    session = opened("asia")
    *_, last = learn(session.document.network, session.seen)
    session.apply(last)
    assert session.document.network.tables[0] == pytest.approx(last.network().tables[0])
    assert session.document.positions


def test_the_look_tells_role_component_and_pruned_leaves():
    session = opened("thesis-chain")
    session.mark(["Z"], Hidden())
    look = look_at(session)
    assert [node["role"] for node in look.nodes] == ["observed", "observed", "hidden", "hidden"]
    assert [node["pruned"] for node in look.nodes] == [False, False, True, True]
    assert look.components == ()
    assert "hidden leaf" in look.nodes[3]["about"]
    assert "all complete: counting solves them" in describe_savings(session.parts.task)


def test_sentences_for_people():
    assert describe_certificate([-1.0, -2.0], [-1.0, -2.0], 10).startswith("Certified")
    text = describe_certificate([-1.0, -2.5], [-1.0, -2.0], 10)
    assert text == "Within 0.5 nats of the best possible (0.05 per row); component 2 is not certified."
    assert "1 iterated" in describe_savings(opened("asia").parts.task)
