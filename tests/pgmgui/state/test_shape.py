"""What is opened is laid out for the shape of the canvas, where it has no positions of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.formats import Document, read_network
from engine.formats.networks import json_network
from pgmgui.board.board import make_canvas
from pgmgui.project.layers import SHAPE
from pgmgui.project.layout import arrange
from pgmgui.project.network_files import NetworkFile, open_scene
from pgmgui.project.store import Store
from pgmgui.state.answers import Answers
from pgmgui.state.keeper import Keeper
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from tests.command_line import EXAMPLES


@pytest.fixture
def document():
    return Document(read_network(EXAMPLES / "naive-bayes.bif").network)


@pytest.fixture
def session(document):
    session = Session()
    session.open(open_scene(document, "mine.bif"))
    return session


def places(document, shape):
    return arrange(replace(document, positions={}), shape).positions


def test_a_file_is_laid_out_for_the_shape_that_is_known(document):
    assert places(document, 0.5) != places(document, SHAPE)
    scene = NetworkFile("mine.json", json_network.dump(document).encode()).read(shape=0.5)
    assert (scene.document.positions, scene.laid_out_for) == (places(document, 0.5), 0.5)


def test_what_was_opened_before_the_canvas_was_there_is_laid_out_for_it_and_is_no_change(session, document, tmp_path):
    keeper = Keeper(session, Race(session), Store(tmp_path))
    sent = []
    canvas = make_canvas(session, Answers(session, lambda do: do()()))
    canvas._send_msg = sent.append
    canvas._handle_msg({"type": "ready", "shape": 0.5})
    assert session.document.positions == places(document, 0.5)
    (load,) = [message for message in sent if message["type"] == "load"]
    assert {node["name"]: (node["x"], node["y"]) for node in load["nodes"]} == places(document, 0.5)
    assert keeper.is_done
    assert not session.undoable
    canvas._handle_msg({"type": "shape", "shape": 3.0})  # the window is another: what is seen stays
    assert session.document.positions == places(document, 0.5)
    assert session.shape == 3.0
    session.rename("Diagnosis", "Illness")
    assert not keeper.is_done


def test_what_was_changed_or_has_positions_of_its_own_stays(session, document):
    session.move({session.network.variables[0].name: (7.0, 7.0)})
    before = session.document.positions
    session.fit_to(0.5)
    assert session.document.positions == before
    drawn = Document(
        document.network, positions={v.name: (90.0 * k, 60.0 * k) for k, v in enumerate(document.network.variables)}
    )
    session.open(open_scene(drawn, "drawn.net"))
    before = session.document.positions
    session.fit_to(0.5)
    assert session.document.positions == before
    for nonsense in (None, "wide", float("inf"), True, -1):
        canvas = make_canvas(session, Answers(session, lambda do: do()()))
        canvas._handle_msg({"type": "ready", "shape": nonsense})
        canvas._handle_msg({"type": "shape", "shape": nonsense})
    assert session.shape == 0.5
