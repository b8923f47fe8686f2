"""The pictures of the meta-network, and when there are none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.formats import DataDocument, Document
from engine.insight.meta_network import count_sets
from engine.simulation.sampling import simulate
from pgmgui.project.examples import find_example
from pgmgui.project.layout import arrange
from pgmgui.project.scene import Scene
from pgmgui.state.session import Session
from pgmgui.tabs.parts.meta_view import (
    GENERATORS,
    ISLANDS,
    PRUNED,
    WHOLE,
    describe_picture,
    draw_picture,
    find_meta,
    find_obstacle,
)
from tests.engine.insight.test_separation import random_network


@pytest.fixture
def session():
    made = Session()
    made.open_example(find_example("asia"))
    return made


@pytest.fixture
def meta(session):
    return find_meta(session.network, None, (session.seen,))


def is_apart(one, other):
    return (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )


def holds(frame, box):
    across = frame.x <= box.x and box.x + box.width <= frame.x + frame.width
    return across and frame.y <= box.y and box.y + box.height <= frame.y + frame.height


@pytest.mark.parametrize("picture", [WHOLE, GENERATORS, ISLANDS, PRUNED])
def test_nothing_lies_on_anything_else(session, meta, picture):
    drawing = draw_picture(meta, picture, session.document.positions)
    shown = {WHOLE: meta.whole, GENERATORS: meta.generated, ISLANDS: meta.deleted, PRUNED: meta.pruned}[picture]
    assert len(drawing.boxes) == len(shown.nodes)
    assert len(drawing.lines) == len(shown.edges)
    assert all(is_apart(*pair) for pair in itertools.combinations(drawing.boxes, 2))
    assert all(is_apart(*pair) for pair in itertools.combinations(drawing.frames, 2))
    framed = [box for box in drawing.boxes if any(holds(frame, box) for frame in drawing.frames)]
    assert len(drawing.boxes) - len(framed) == (0 if picture == ISLANDS else 18)


def test_what_is_observed_is_seen_in_the_copies(session, meta):
    drawing = draw_picture(meta, WHOLE, session.document.positions)
    copies = [box for box in drawing.boxes if "round" in box.look]
    assert {box.detail for box in copies if box.text in ("tub", "lung")} == {"?"}
    assert all(("hidden" in box.look) == (box.text in ("tub", "lung")) for box in copies)
    assert drawing.frames[0].title == f"Row 1, {meta.weights[0]:.0f} times"
    assert "The parameters of tub given asia=yes" in [box.about for box in drawing.boxes]


def test_pictures_are_told(meta):
    assert "Fig. 3.2" in describe_picture(meta, WHOLE)[0]
    assert "nothing has changed" in describe_picture(meta, GENERATORS)[0]
    assert describe_picture(meta, ISLANDS)[1].startswith("21 islands remain, 18 of them with one θ each")
    told = describe_picture(meta, PRUNED)[1]
    assert told.startswith("Among these rows ")
    assert told.endswith("of 18 sets are then alone: nothing has to be approximated there.")
    assert describe_picture(meta, WHOLE)[-1] == "Copies of the 3 most frequent distinct rows; there are 25 more."


def test_why_there_is_no_meta_network(session):
    assert find_obstacle(session) == ""
    session.set_data(None)
    assert "a copy of the network for every row of data" in find_obstacle(session)
    session.undo()
    session.moralise()
    assert "Only the parameters of a Bayesian network" in find_obstacle(session)
    network = random_network(np.random.default_rng(0), 40)
    session.open(Scene("Large", "", arrange(Document(network)), DataDocument(simulate(network, 5, 0))))
    assert find_obstacle(session).startswith(f"This network has {count_sets(network)} parameter sets; the meta-network")
