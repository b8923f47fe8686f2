"""Tied tables on the canvas: what is written at nodes, how they are found, and what the menu asks for."""

from __future__ import annotations

import pytest

from pgmgui.board.board import perform
from pgmgui.board.finding import find, find_related
from pgmgui.board.picture import look_at
from pgmgui.project.examples import find_example
from pgmgui.project.tying import describe_ties
from pgmgui.project.words import describe_savings, summarise
from pgmgui.state.session import Session


@pytest.fixture
def session():
    opened = Session()
    opened.open_example(find_example("asia"))
    assert perform(opened, {"op": "tie", "names": ["xray", "bronc", "lung"]})
    return opened


def tied(session):
    nodes = look_at(session).nodes
    return {v.name: node["tied"] for v, node in zip(session.network.variables, nodes, strict=True) if node["tied"]}


def test_nodes_say_that_they_are_tied_and_with_whom(session):
    assert tied(session) == dict.fromkeys(("lung", "bronc", "xray"), "tied")
    about = look_at(session).nodes[session.network.index["lung"]]["about"]
    assert about.endswith(". Tied: one table with xray, bronc")
    assert perform(session, {"op": "tie", "names": ["asia", "smoke"]})
    assert tied(session) == {**dict.fromkeys(("lung", "bronc", "xray"), "tied 1"), "asia": "tied 2", "smoke": "tied 2"}
    assert perform(session, {"op": "untie", "names": ["asia"]})
    assert tied(session) == dict.fromkeys(("lung", "bronc", "xray"), "tied")
    assert not perform(session, {"op": "tie", "names": "lung"})


def test_they_are_found_by_the_word_and_by_each_other(session):
    names = [variable.name for variable in session.network.variables]
    assert [names[v] for v, why in find(session.network, look_at(session), "tied") if why == "tied"] == [
        "lung",
        "bronc",
        "xray",
    ]
    assert find_related(session.network, look_at(session), ["lung"], "tied") == ["lung", "bronc", "xray"]
    assert find_related(session.network, look_at(session), ["smoke"], "tied") == []


def test_the_summary_and_the_parts_know_of_it(session):
    facts = summarise(session.network, session.seen, ties=session.scene.ties)
    assert "14 parameters" in facts  # of 18
    task = session.parts.task
    assert describe_savings(task).startswith("6 components: 3 solved by counting, 3 iterated.")
    assert describe_ties(task) == ["Tied: xray, bronc, lung share one table; components 2, 4, 5 stop together."]
