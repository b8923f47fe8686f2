"""The picture of a network: where its nodes are, and what they look like given the data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.learning.bounds import CERTIFIED
from engine.learning.learn import learn
from pgmgui.board.picture import draw, look_at, shade, trace
from pgmgui.components.canvas.graph import Trail, is_other
from pgmgui.project.examples import load_gallery
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Given, Hidden
from pgmgui.project.trails import ShownTrail
from pgmgui.project.words import describe_gap
from pgmgui.state.session import Session

GALLERY = {example.id: example for example in load_gallery()}


def opened(name):
    session = Session()
    session.open_example(GALLERY[name])
    return session


def column(look, key):
    return [node[key] for node in look.nodes]


def tell(node):
    """The line for tooltips and screen readers."""
    return node["about"] + node["place"]


def test_drawing():
    graph = draw(arrange(GALLERY["thesis-chain"].read()[0]))
    assert [node["name"] for node in graph.nodes] == list("VXYZ")
    assert graph.edges == ((0, 1), (1, 2), (2, 3))
    assert graph.directed
    assert graph.label == "Bayesian network: 4 variables, 3 arrows"
    assert graph.factors == ()
    document = arrange(GALLERY["thesis-grid"].read()[0])
    grid = draw(document)
    assert (grid.directed, grid.factor_graph) == (False, False)
    assert grid.factors == document.network.scopes
    assert draw(document, factor_graph=True).factor_graph


def test_another_document_is_told_from_an_edit():
    session = opened("asia")

    def picture():
        return draw(session.document, session.scene.title)

    first = picture()
    assert is_other(None, first)
    edits = (
        lambda: session.rename("asia", "trip"),
        lambda: session.add_variable(0, 0),
        lambda: session.remove(["smoke", "lung", "either"]),
        lambda: session.move({"trip": (500, 500)}),
        lambda: session.arrange(),
    )
    for edit in edits:
        before = picture()
        edit()
        assert not is_other(before, picture())
    assert is_other(picture(), replace(first, title="Other"))
    session.new()
    empty = picture()
    session.add_variable(0, 0)
    assert not is_other(empty, picture())
    assert is_other(empty, replace(first, title=empty.title))


def test_the_look_tells_role_component_and_pruned_leaves():
    session = opened("thesis-chain")
    look = look_at(session)
    assert column(look, "role") == ["observed", "observed", "hidden", "observed"]
    assert column(look, "component") == [1, 2, 3, 3]
    assert look.components == ((2, 3),)
    assert tell(look.nodes[0]) == "V: v, ¬v. Observed. Component 1, lent to 2"
    session.mark(["Z"], Hidden())
    look = look_at(session)
    assert column(look, "role") == ["observed", "observed", "hidden", "hidden"]
    assert column(look, "pruned") == [False, False, True, True]
    assert column(look, "badge") == ["1 → 2", "2", "", ""]
    assert look.components == ()
    assert "hidden leaf" in tell(look.nodes[3])


def test_hulls_of_a_markov_network_hold_the_factors_of_their_component():
    look = look_at(opened("thesis-grid"))
    scopes = opened("thesis-grid").network.scopes
    held = [{tuple(v + 1 for v in scopes[f]) for f in factors} for factors in look.factors]
    assert held == [{(1, 2), (1, 4)}, {(3, 6), (5, 6), (6, 9)}, {(5, 8), (7, 8), (8, 9)}]
    assert set(look_at(opened("asia")).factors) == {()}


def test_without_data_there_is_little_to_tell():
    look = look_at(opened("earthquake"))
    assert (look.components, look.hulls, look.alone) == ((), (), 0)
    assert set(column(look, "role")) == {""}
    assert look_at(Session()).nodes == ()


def test_a_badge_names_few_of_the_components_served():
    session = opened("asia")
    for child in ("smoke", "bronc", "dysp"):
        session.connect("asia", child)
    badges = dict(zip(session.network.index, column(look_at(session), "badge"), strict=True))
    assert badges["asia"] == "1 → 2, 3, …"
    assert badges["smoke"] == "3 → 2, 4"
    assert badges["dysp"] == "6"
    assert tell(look_at(session).nodes[0]).endswith("Component 1, lent to 2, 3, 4, 6")


def test_looking_at_one_component_leaves_ghosts_and_loans():
    session = opened("asia")
    session.look_at(1)
    look = look_at(session)
    names = [variable.name for variable in session.network.variables]
    assert look.alone == 2
    assert {name for name, ghost in zip(names, column(look, "ghost"), strict=True) if ghost} == {
        "bronc",
        "xray",
        "dysp",
    }
    assert {name for name, lent in zip(names, column(look, "borrowed"), strict=True) if lent} == {"asia", "smoke"}
    session.look_at(0)  # complete: it is drawn around only now
    look = look_at(session)
    assert [(hull["number"], hull["ghost"]) for hull in look.hulls] == [(1, False), (2, True)]
    assert look.components[0] == (names.index("asia"),)


def test_one_component_is_drawn_around_only_to_show_its_gap_or_when_it_is_looked_at():
    session = opened("hidden-cause")
    assert look_at(session).hulls == ()
    session.look_at(0)
    assert [hull["number"] for hull in look_at(session).hulls] == [1]
    session.look_at(None)
    session.colour = "gap"
    assert [hull["label"] for hull in look_at(session).hulls] == ["1: no run yet"]


def test_gaps_are_the_distance_to_the_bound():
    session = opened("asia")
    session.colour = "gap"
    assert look_at(session).hulls[0]["label"] == "2: no run yet"
    assert look_at(session).hulls[0]["colour"] == "gap-none"
    *_, last = learn(session.network, session.seen, n_init=3)
    session.report(last)
    best = max(range(3), key=lambda restart: last.objective[restart].sum())
    gaps = session.parts.gaps(last)
    assert gaps == pytest.approx(
        [max(0, b - o) for b, o in zip(session.parts.bounds.patterns, last.objective[best], strict=True)][:-1]
    )
    assert gaps[1] <= CERTIFIED
    assert (look_at(session).hulls[0]["label"], look_at(session).hulls[0]["colour"]) == ("2: ✓ certified", "certified")
    session.colour = "component"
    assert look_at(session).hulls[0] == {"number": 2, "label": "2", "colour": "colour-1", "ghost": False}


@pytest.mark.parametrize(
    ("gap", "colour", "words"),
    [
        (None, "gap-none", "no run yet"),
        (0.0, "certified", "certified"),
        (0.005, "gap-1", "gap 0.005"),
        (0.05, "gap-2", "gap 0.05"),
        (0.5, "gap-3", "gap 0.5"),
        (5.0, "gap-4", "gap 5"),
        (50.0, "gap-5", "gap 50"),
        (500.0, "gap-6", "gap 500"),
        (12345.678, "gap-7", "gap 12,346"),
        (float("inf"), "gap-7", "gap inf"),
    ],
)
def test_shades_and_words_of_gaps(gap, colour, words):
    assert (shade(gap), describe_gap(gap)) == (colour, words)


def test_what_is_given_looks_so():
    session = opened("thesis-grid")
    session.mark(["2"], Given())
    look = look_at(session)
    assert column(look, "role")[:3] == ["partial", "given", "observed"]
    assert "Given" in tell(look.nodes[1])


def test_a_trail_is_drawn_as_long_as_its_variables_are_there():
    session = opened("asia")
    assert trace(session) is None
    session.show_trail(ShownTrail(("tub", "either", "lung"), ("either",)))
    number = session.network.index
    assert trace(session) == Trail((number["tub"], number["either"], number["lung"]), (number["either"],))
    session.remove(["either"])
    assert trace(session) is None


def test_what_is_also_given_and_a_fill_in_are_drawn_with_a_trail_or_without():
    session = opened("asia")
    number = session.network.index
    smoke, tub, lung = (number[name] for name in ("smoke", "tub", "lung"))
    session.show_trail(ShownTrail((), (), ("smoke",)))
    assert trace(session) == Trail(given=(smoke,))
    session.show_fill_in([("tub", "lung")])
    assert trace(session) == Trail(given=(smoke,), added=((tub, lung),))
    session.show_trail(None)
    assert trace(session) == Trail(added=((tub, lung),))
    session.remove(["tub"])
    assert trace(session) is None
