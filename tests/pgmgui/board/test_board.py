"""What the browser asks for on the canvas becomes a change of the session, if it makes sense."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats.limits import FARTHEST
from pgmgui.board.beside import work_beside
from pgmgui.board.board import make_canvas, perform
from pgmgui.board.picture import look_at
from pgmgui.project.data_cells import make_edit
from pgmgui.project.examples import find_example, load_gallery
from pgmgui.project.marks import Partial, ReadAs
from pgmgui.state.answers import Answers
from pgmgui.state.session import Session

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def session():
    opened = Session()
    opened.open_example(next(example for example in load_gallery() if example.id == "thesis-chain"))
    return opened


@pytest.fixture
def wire(session):
    """A canvas on the session, and what it sends to the browser."""
    canvas = make_canvas(session, Answers(session, work_beside))
    canvas.sent = []
    canvas._send_msg = canvas.sent.append
    canvas._handle_msg({"type": "ready"})
    canvas.sent.clear()
    return canvas


def kinds(canvas):
    said = [message["type"] for message in canvas.sent]
    canvas.sent.clear()
    return said


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"op": "explode"},
        {"op": ["add"]},
        {"op": "add"},
        {"op": "add", "x": "1", "y": 2},
        {"op": "add", "x": float("nan"), "y": 2},
        {"op": "add", "x": True, "y": 2},
        {"op": "rename", "name": "V", "to": None},
        {"op": "connect", "from": ["V"], "to": "X"},
        {"op": "reverse", "from": ["V"], "to": "X"},
        {"op": "connect_all", "names": "V", "to": "X"},
        {"op": "connect_all", "names": ["V"], "to": None},
        {"op": "duplicate", "names": [None]},
        {"op": "paste", "text": None, "at": None},
        {"op": "paste", "text": ""},
        {"op": "paste", "text": "", "at": [1]},
        {"op": "paste", "text": "", "at": [1, float("nan")]},
        {"op": "paste", "text": "", "at": "12"},
        {"op": "mark", "names": ["V"], "kind": "evil"},
        {"op": "mark", "names": ["V"], "kind": None},
        {"op": "mark", "names": ["V"], "kind": "given"},
        {"op": "move", "places": {"V": [1, 2]}},
        {"op": "move", "places": [["V", 1]]},
        {"op": "move", "places": [["V", 1, float("inf")]]},
        {"op": "remove", "names": "V", "edges": []},
        {"op": "remove", "names": [], "edges": [["V"]]},
        {"op": "select", "names": [1]},
        {"op": "select_found", "text": 1},
        {"op": "select_related", "names": ["V"], "relation": "cousins"},
        {"op": "select_related", "names": "V", "relation": "role"},
        {"op": "look", "component": "1"},
        {"op": "bars", "shown": "yes"},
        {"op": "bars"},
        {"op": "factor", "number": "0"},
        {"op": "remove_factor", "number": None},
        {"op": "factor_graph", "shown": 1},
        {"op": "suppose", "name": "nobody", "state": 0, "weight": None},
        {"op": "suppose", "name": ["V"], "state": 0, "weight": None},
        {"op": "suppose", "name": "V", "state": 2, "weight": None},
        {"op": "suppose", "name": "V", "state": -1, "weight": None},
        {"op": "suppose", "name": "V", "state": None, "weight": None},
        {"op": "suppose", "name": "V", "state": True, "weight": None},
        {"op": "suppose", "name": "V", "state": 0},
        {"op": "suppose", "name": "V", "state": 0, "weight": "1"},
        {"op": "suppose", "name": "V", "state": 0, "weight": 1.5},
        {"op": "suppose", "name": "V", "state": 0, "weight": float("nan")},
        {"op": "suppose", "name": "V", "likelihood": [1]},
        {"op": "suppose", "name": "V", "likelihood": [1, -1]},
        {"op": "suppose", "name": "V", "likelihood": "11"},
    ],
)
def test_nonsense_is_refused_and_changes_nothing(session, message):
    before = session.scene
    assert not perform(session, message)
    assert "makes no sense" in session.message
    assert session.scene is before
    assert (session.evidence, session.bars, session.factor_graph) == ({}, False, False)


def test_names_that_do_not_exist_are_refused(session):
    before = session.scene
    for message in (
        {"op": "rename", "name": "nobody", "to": "W"},
        {"op": "connect", "from": "nobody", "to": "V"},
        {"op": "reverse", "from": "nobody", "to": "V"},
        {"op": "remove", "names": ["nobody"], "edges": []},
        {"op": "hide", "names": ["nobody"]},
    ):
        assert not perform(session, message)
    assert session.scene is before
    assert perform(session, {"op": "select", "names": ["nobody", "V"]})
    assert session.selected == ["V"]
    assert perform(session, {"op": "look", "component": 99})
    assert session.component is None


def test_nothing_is_put_out_of_the_world(session):
    assert perform(session, {"op": "move", "places": [["V", 1e300, -1e300]]})
    assert session.document.positions["V"] == (FARTHEST, -FARTHEST)


def test_an_op_is_answered_after_what_follows_from_it(session, wire):
    wire._perform({"op": "add", "x": 10, "y": 20, "seq": 7})
    assert {message["seq"] for message in wire.sent} == {7}
    assert wire.sent[-1] == {"type": "ack", "seq": 7, "done": True}
    loaded = next(message for message in wire.sent if message["type"] == "load")
    assert loaded["nodes"][-1] == {"name": "A", "x": 10.0, "y": 20.0}
    assert not loaded["fit"]
    said = kinds(wire)
    assert said.index("load") < said.index("style") < said.index("ack")
    assert {"select", "history"} <= set(said)


def test_a_refused_op_is_answered_with_the_graph_as_it_was(session, wire):
    wire._perform({"op": "connect", "from": "Z", "to": "V", "seq": 1})
    assert "cycle" in session.message
    assert wire.sent[-1] == {"type": "ack", "seq": 1, "done": False}
    loaded = next(message for message in wire.sent if message["type"] == "load")
    assert loaded["edges"] == [[0, 1], [1, 2], [2, 3]]


def test_selecting_sends_no_picture_and_a_new_document_is_to_be_fitted(session, wire):
    wire._perform({"op": "select", "names": ["V"], "seq": 1})
    assert kinds(wire) == ["select", "ack"]
    session.open_example(load_gallery()[0])
    assert [message["fit"] for message in wire.sent if message["type"] == "load"] == [True]


def test_what_a_text_may_mean_is_told_and_selected(session, wire):
    wire._handle_msg({"type": "find", "text": ["V"]})
    assert wire.sent == []
    wire._handle_msg({"type": "find", "text": "hidden"})
    assert wire.sent == [{"type": "found", "seq": 0, "text": "hidden", "count": 1, "first": [["Y", "hidden"]]}]
    wire.sent.clear()
    wire._perform({"op": "select_found", "text": "obs", "seq": 1})
    assert session.selected == ["V", "X", "Z"]
    assert kinds(wire) == ["select", "ack"]


def test_relatives_are_selected_if_there_are_any(session):
    assert perform(session, {"op": "select_related", "names": ["Y"], "relation": "ancestors"})
    assert session.selected == ["V", "X"]
    assert perform(session, {"op": "select_related", "names": ["V"], "relation": "ancestors"})
    assert session.selected == ["V", "X"]


def test_factors_are_selected_and_removed_and_their_graph_is_drawn(session, wire):
    assert not perform(session, {"op": "remove_factor", "number": 0})  # a table of a Bayesian network
    assert perform(session, {"op": "factor", "number": 0})
    assert session.factor is None
    session.open_example(find_example("thesis-grid"))
    before = session.network.scopes
    wire.sent.clear()
    wire._perform({"op": "factor", "number": 3, "seq": 1})
    assert wire.sent[0] == {"type": "select", "seq": 1, "names": [], "factor": 3}
    assert kinds(wire) == ["select", "ack"]
    wire._perform({"op": "factor_graph", "shown": True, "seq": 2})
    loaded = wire.sent[0]
    assert (loaded["factorGraph"], loaded["factors"], loaded["fit"]) == (True, [list(scope) for scope in before], False)
    assert perform(session, {"op": "factor", "number": len(before)})
    assert session.factor is None
    perform(session, {"op": "factor", "number": 3})
    session.set_table(3, session.network.tables[3] + 1)
    assert session.factor == 3
    assert perform(session, {"op": "remove_factor", "number": 3})
    assert session.network.scopes == before[:3] + before[4:]
    assert session.factor is None  # numbers have changed
    perform(session, {"op": "factor", "number": 3})
    perform(session, {"op": "select", "names": ["1"]})
    assert session.factor is None


def test_what_is_no_message_is_ignored(wire):
    for data in (None, "op", [], {"type": "op"}, {"type": "op", "seq": "1", "op": "undo"}, {"type": "other"}):
        wire._handle_msg(data)
    assert wire.sent == []
    wire._handle_msg({"type": "ready"})
    assert kinds(wire) == ["load", "style", "bars", "select", "history"]


def test_supposing_a_state_again_lets_it_go(session):
    def do(**message):
        assert perform(session, {"op": "suppose", "name": "V", **message})
        return session.evidence

    assert do(state=1, weight=None) == {"V": (0.0, 1.0)}
    assert do(state=0, weight=None) == {"V": (1.0, 0.0)}
    assert do(state=0, weight=None) == {}
    assert do(state=0, weight=0.25) == {"V": (0.25, 1.0)}
    assert do(state=1, weight=0.5) == {"V": (0.25, 0.5)}
    assert do(state=1, weight=0.25) == {}  # it tells no states apart
    assert do(state=0, weight=0) == {"V": (0.0, 1.0)}
    assert do(likelihood=[1, 0.5]) == {"V": (1.0, 0.5)}
    assert do(likelihood=None) == {}


def test_a_weight_of_a_variable_with_a_target_is_another_target(session):
    session.want(("V",), (0.5, 0.5))
    assert perform(session, {"op": "suppose", "name": "V", "state": 0, "weight": 0.8})
    assert session.wanted.of("V") == (0.8, 0.2)
    assert perform(session, {"op": "suppose", "name": "V", "target": [0.25, 0.75]})  # a drag that is given up
    assert session.wanted.of("V") == (0.25, 0.75)
    for odd in ([0.5], [0.5, "x"], "no", [2, -1]):
        assert not perform(session, {"op": "suppose", "name": "V", "target": odd})
    assert not perform(session, {"op": "suppose", "name": "V", "target": [0.5, 0.6]})
    assert "sums to 1.1" in session.message
    assert session.wanted.of("V") == (0.25, 0.75)
    assert perform(session, {"op": "suppose", "name": "V", "state": 1, "weight": None})
    assert (session.evidence, session.wanted.of("V")) == ({"V": (0.0, 1.0)}, None)


def test_bars_are_sent_while_they_are_shown(session, wire):
    wire._perform({"op": "suppose", "name": "V", "state": 0, "weight": None, "seq": 1})
    assert wire.sent[0] == {"type": "bars", "seq": 1, "shown": False, "cards": [], "supposed": [(0, "V = v")]}
    assert kinds(wire) == ["bars", "ack"]
    wire._perform({"op": "bars", "shown": True, "seq": 2})
    card = wire.sent[-2]["cards"][0]
    assert (card["name"], card["after"], card["hard"]) == ("V", (1.0, 0.0), 0)
    assert set(kinds(wire)) == {"bars", "ack"}
    session.rename("V", HOSTILE)
    said = kinds(wire)
    assert said.index("load") < said.index("style") < said.index("bars")
    assert session.evidence == {HOSTILE: (1.0, 0.0)}


# --- what is sent of a look


class Browser:
    """What the browser knows of the looks, from the messages that it was sent."""

    def __init__(self):
        self.nodes, self.hulls = [], {}

    def take(self, messages):
        for message in messages:
            if message["type"] == "load":
                self.nodes = [{} for _ in message["nodes"]]
            elif message["type"] == "style":
                for k, changes in message["nodes"]:
                    self.nodes[k] |= changes
                kept = {} if message["whole"] else self.hulls
                new = {hull["number"]: hull for hull in message["hulls"]}
                self.hulls = {n: hull for n, hull in {**kept, **new}.items() if n not in message["gone"]}


def test_a_mark_sends_only_what_looks_otherwise(session, wire):
    session.open_example(find_example("asia"))
    wire.sent.clear()
    session.mark(["asia"], Partial(0.25))
    before = next(message for message in wire.sent if message["type"] == "style")
    assert kinds(wire) == ["history", "style"]
    assert not before["whole"]
    touched = {session.network.variables[k].name for k, _ in before["nodes"]}
    assert "asia" in touched
    wire.sent.clear()
    session.mark(["asia"], Partial(0.5))  # what is missing of it is more: it alone looks otherwise
    after = next(message for message in wire.sent if message["type"] == "style")
    (change,) = after["nodes"]
    assert change[0] == session.network.index["asia"]
    assert set(change[1]) == {"share", "about"}
    assert 0.4 < change[1]["share"] < 0.6
    assert f"seen in {100 * session.seen.shares_seen[change[0]]:.1f}% of the rows" in change[1]["about"]


STEPS = {
    "hide": lambda session, k, name: session.toggle_hidden([name]),
    "partial": lambda session, k, name: session.mark([name], Partial(0.5)),
    "look": lambda session, k, name: session.look_at(k),
    "connect": lambda session, k, name: session.connect("asia", name),
    "undo": lambda session, k, name: session.undo(),
    "gap": lambda session, k, name: session.colour_by("gap" if k % 2 else "component"),
    "move": lambda session, k, name: session.move({name: (k, k)}),
}


@given(st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 7))))
@settings(max_examples=60, deadline=None)
def test_what_the_browser_was_told_adds_up_to_the_look(steps):
    session = Session()
    session.open_example(find_example("asia"))
    canvas, browser = make_canvas(session, Answers(session, work_beside)), Browser()
    canvas._send_msg = lambda message: browser.take([message])
    canvas._handle_msg({"type": "ready"})
    for step, k in steps:
        STEPS[step](session, k, session.network.variables[k].name)
        look = look_at(session)
        assert browser.nodes == list(look.nodes)
        around = zip(look.hulls, look.components, look.factors, strict=True)
        assert browser.hulls == {
            hull["number"]: {**hull, "members": list(members), "factors": list(factors)}
            for hull, members, factors in around
        }


def test_a_copy_is_sent_as_text_and_pasted_where_the_pointer_is(session, wire):
    wire._handle_msg({"type": "copy", "names": ["X", "nobody"]})
    (copied,) = wire.sent
    assert copied["type"] == "copied"
    assert perform(session, {"op": "paste", "text": copied["text"], "at": [10, 20]})
    assert session.document.positions["X 2"] == (10.0, 20.0)
    assert perform(session, {"op": "duplicate", "names": ["X 2", "nobody"]})
    assert session.selected == ["X 3"]
    wire.sent.clear()
    for names in ("X", [1], None):
        wire._handle_msg({"type": "copy", "names": names})
    wire._handle_msg({"type": "ask", "node": ["X"]})
    wire._handle_msg({"type": "ask", "node": "nobody"})
    assert wire.sent == []


def test_a_menu_asks_for_states_and_marks(session, wire):
    session.suppose("X", [0.0, 1.0])
    perform(session, {"op": "mark", "names": ["X", "Z"], "kind": "partial"})
    wire.sent.clear()
    wire._handle_msg({"type": "ask", "node": "X"})
    (options,) = wire.sent
    assert options["type"] == "options"
    assert (options["states"], options["left"]) == (list(session.network.variables[1].states), 0)
    assert (options["supposed"], options["mark"]) == (1, "partial")
    assert perform(session, {"op": "mark", "names": ["X"], "kind": ""})
    assert set(session.marks) == {"Y", "Z"}
    assert options["readings"] == []


def test_a_menu_offers_to_read_what_is_uncertain_otherwise(session, wire):
    data = session.data.dataset
    edit = make_edit(data, np.array([0, 1]), [session.network.index["X"]], [["[0.4;0.8]"], ["?"]])
    session.edit_data("type a likelihood", edit)
    wire.sent.clear()
    wire._handle_msg({"type": "ask", "node": "X"})
    assert wire.sent[0]["readings"] == ["target"]
    assert perform(session, {"op": "mark", "names": ["X"], "kind": "target"})
    assert session.marks["X"] == ReadAs("target")
    wire.sent.clear()
    wire._handle_msg({"type": "ask", "node": "X"})
    assert (wire.sent[0]["readings"], wire.sent[0]["mark"]) == (["target"], "target")
