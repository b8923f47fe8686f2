"""The junction tree as a diagram, and in words."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.inference.query import Evidence
from engine.insight.clique_tree import find_clique_tree
from engine.model.network import MarkovNetwork, as_markov
from engine.model.variable import Variable
from engine.simulation.generators import chain
from pgmgui.project.examples import find_example
from pgmgui.project.wanted import Supposed, Wanted
from pgmgui.state.inquiries import Found
from pgmgui.state.session import Session
from pgmgui.tabs.parts.tree_layout import TOP, choose_shown, draw_tree, hang
from pgmgui.tabs.parts.tree_view import COMPONENT, EVIDENCE, NETWORK, TreeView, describe_order, describe_tree, find_tree
from tests.engine.insight.test_separation import random_network

NOTHING = Evidence({}, {}, {})


@pytest.fixture
def asia():
    return find_example("asia").read()[0].network


def name_all(network):
    return [variable.name for variable in network.variables]


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_that_is_hung_up_otherwise_is_still_a_junction_tree(seed):
    network = random_network(np.random.default_rng(seed), 12)
    tree = find_clique_tree(network).tree
    hanging = hang(tree)
    roots = hanging.children[TOP]
    assert sorted(k for below in hanging.children for k in below) == list(range(len(tree.cliques)))
    assert tree.sizes[roots[0]] == tree.largest
    assert sum(hanging.weight[root] for root in roots) == tree.cells
    assert sum(hanging.size[root] for root in roots) == len(tree.cliques)
    for above, below in enumerate(hanging.children[:-1]):
        for k in below:
            shared = set(tree.cliques[above]) & set(tree.cliques[k])
            assert set(hanging.separators[k]) == shared
    # Running intersection: the cliques of each variable hang together, with one on top.
    above_of = {k: above for above, below in enumerate(hanging.children[:-1]) for k in below}
    for v in range(12):
        holding = {k for k, clique in enumerate(tree.cliques) if v in clique}
        assert sum(above_of.get(k) not in holding for k in holding) == 1


def overlap(one, other):
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def test_a_small_tree_is_drawn_whole(asia):
    drawing = draw_tree(hang(find_clique_tree(asia).tree), name_all(asia), (), ["xray", "either"])
    assert len(drawing.boxes) == 6
    assert len(drawing.lines) == 5
    assert not any(overlap(*pair) for pair in itertools.combinations(drawing.boxes, 2))
    assert [box.text for box in drawing.boxes if "picked" in box.look] == ["xray, either"]
    assert {box.detail for box in drawing.boxes if "strong" in box.look} == {"8 cells"}
    assert {line.text for line in drawing.lines} >= {"tub · 2", "either · 2"}
    assert drawing.label == "Junction tree of 6 cliques over 8 variables"


def test_of_a_large_tree_some_is_shown_and_more_can_be_opened():
    network = chain(1000)
    hanging = hang(find_clique_tree(network).tree)
    first = draw_tree(hanging, name_all(network), (), ())
    assert len(first.boxes) < 130
    more = next(box for box in first.boxes if box.key.startswith("open "))
    assert "more" in more.look
    opened = {int(more.key.removeprefix("open "))}
    assert len(choose_shown(hanging, opened)) == 240
    then = draw_tree(hanging, name_all(network), opened, ())
    assert len(then.boxes) > len(first.boxes) + 100
    assert max(box.x for box in then.boxes) < 400  # a long branch goes straight down
    counted = [box for box in then.boxes if box.key.startswith("open ")]
    hidden = sum(int(box.text.removeprefix("+ ").split()[0].replace(",", "")) for box in counted)
    assert hidden + len(then.boxes) - len(counted) == 999


def test_trees_that_are_not_shown_are_counted_too():
    network = as_markov(chain(400))
    known = range(1, 400, 2)
    drawing = draw_tree(hang(find_clique_tree(network, known).tree), name_all(network), (), ())
    assert drawing.boxes[-1].text == "+ 80 more trees, 80 cliques"
    assert (drawing.boxes[-1].key, drawing.lines) == (f"open {TOP}", ())
    assert (
        draw_tree(hang(find_clique_tree(network, known).tree), name_all(network), {TOP}, ()).boxes[-1].detail
        == "2 cells"
    )


def ask(network, evidence, *subject, supposed=None):
    return Found(network, Supposed(supposed or {}), subject, find_tree(network, evidence, subject))


def test_what_a_tree_costs_is_said(asia):
    found = ask(asia, NOTHING, NETWORK)
    assert describe_tree(found)[0].startswith(
        "The network as such: 8 variables in 6 cliques, width 2, largest table 8 cells, 40 in all."
    )
    assert describe_tree(found)[1].startswith("About 960 B of tables a row; a pass takes about ")
    order, fill_in = describe_order(name_all(asia), found.result.tree)
    assert order.startswith("Summed out in this order: ")
    assert fill_in.startswith("1 fill-in edge (dashed on the canvas): ")
    states = {"smoke": "yes", "either": "no"}
    given = ask(asia, Evidence(states, {"bronc": (0.5, 0.0)}, {}), EVIDENCE, supposed={"smoke": (1.0, 0.0)})
    assert given.result.tree.tree.cells < found.result.tree.tree.cells
    assert sorted(given.result.tree.order) == [asia.index[name] for name in ("asia", "tub", "lung", "xray", "dysp")]
    assert describe_tree(ask(asia, NOTHING, EVIDENCE))[0].startswith("Nothing is supposed yet")
    wanted = Supposed({}, Wanted({("smoke",): (0.5, 0.5)}))
    subject = (EVIDENCE,)
    aimed = Found(asia, wanted, subject, find_tree(asia, NOTHING, subject))
    assert describe_tree(aimed)[0].startswith("Targets are left out of this tree")


def test_a_component_has_a_tree_of_what_is_hidden_in_it():
    session = Session()
    session.open_example(find_example("asia"))
    network, parts = session.network, session.parts
    number = next(k for k, one in enumerate(parts.task.decomposition.components) if not one.is_complete)
    found = ask(network, NOTHING, COMPONENT, parts, number)
    told = describe_tree(found)[0]
    assert told.startswith(f"Component {number + 1}, given what is observed in every row: 2 variables in 1 clique")
    assert "distinct rows" in describe_tree(found)[1]
    complete = next(k for k, one in enumerate(parts.task.decomposition.components) if one.is_complete)
    assert "nothing is left to sum" in describe_tree(ask(network, NOTHING, COMPONENT, parts, complete))[0]


def test_a_network_that_is_too_wide_says_so():
    pairs = tuple(itertools.combinations(range(32), 2))
    variables = tuple(Variable(f"V{k}", ("a", "b")) for k in range(32))
    network = MarkovNetwork(variables, pairs, (np.ones((2, 2)),) * len(pairs))
    told = describe_tree(ask(network, NOTHING, NETWORK))
    assert "width 31, largest table 4,294,967,296 cells" in told[0]
    assert told[1] == "Too wide for exact inference: 96 GB of tables, over the limit of 2 GB."


def test_the_fill_in_is_on_the_canvas_while_the_tree_is_looked_at(monkeypatch):
    monkeypatch.setattr("pgmgui.tabs.parts.tree_view.work_beside", lambda do: do()())
    session = Session()
    session.open_example(find_example("asia"))
    view = TreeView(session)
    assert session.fill_in == []
    view.look(True)
    expected = find_clique_tree(session.network).fill_in
    names = name_all(session.network)
    assert expected
    assert session.fill_in == [(names[a], names[b]) for a, b in expected]
    assert "(dashed on the canvas)" in describe_order(names, find_clique_tree(session.network))[1]
    view.look(False)
    assert session.fill_in == []
