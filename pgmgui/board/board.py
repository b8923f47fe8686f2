"""The canvas at work: it draws the session, and what is done on it becomes a change of the session.

What the browser sends is checked here before it is believed: names are text, places are numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import param

from engine.formats.limits import FARTHEST
from engine.model.network import BayesianNetwork
from pgmgui.board.cards import look_into
from pgmgui.board.finding import find, find_related
from pgmgui.board.mark_bar import find_readings, kind_of, make_mark
from pgmgui.board.picture import draw, look_at, preview, trace
from pgmgui.components.canvas.canvas import Canvas
from pgmgui.components.canvas.graph import Graph
from pgmgui.project.layout import LONGEST_LABEL, NODE_HEIGHT
from pgmgui.project.supposing import Likelihood, find_state, toggle, weigh
from pgmgui.project.wanted import share_out
from pgmgui.state.answers import Answers
from pgmgui.state.session import Session

MOST_LISTED = 60
"""States that a menu lists."""
_WATCHED = [
    *("scene", "derived", "selected", "factor", "edge", "component", "colour", "factor_graph", "slack"),
    *("learned", "moment", "undoable", "redoable", "structure"),
]
_EDITS = {"hide", "mark", "add", "rename", "connect", "connect_all", "duplicate", "paste", "tie", "untie", "remove"}
"""What is not done to a network while the canvas shows other arrows than its own."""
SEARCHING = (
    "The canvas shows a structure that is looked for, not the network itself. Keep or discard it in the Structure tab "
    "first, then edit."
)


def make_canvas(session: Session, answers: Answers) -> Canvas:
    """The canvas, drawing the session and what it answers, and telling it what the user does."""
    canvas = Canvas(
        graph=_draw(session),
        look=look_at(session),
        beliefs=look_into(session, answers),
        trail=trace(session),
        preview=preview(session),
        selected=session.selected,
        factor=session.factor,
        edge=session.edge,
        history=(session.undoable, session.redoable),
        node_height=NODE_HEIGHT,
        longest_label=LONGEST_LABEL,
        on_op=partial(perform, session),
        on_ask=partial(list_options, session),
        on_copy=lambda names: session.copy([name for name in names if name in session.network.index]),
        on_find=lambda text: [(session.network.variables[v].name, why) for v, why in _find(session, text)],
        on_begin=lambda shape: session.fit_to(_shape(shape)),
        on_shape=lambda shape: session.know_shape(_shape(shape)),
        sizing_mode="stretch_both",
        margin=0,
    )

    def update(*events: param.parameterized.Event) -> None:
        changed = {event.name for event in events}
        if changed == {"structure"} and canvas.preview is not None and session.structure is not None:
            canvas.preview = preview(session)  # the next step of a search: all else is as it was
            return
        canvas.param.update(**_find_news(session, answers, canvas, changed))

    def believe(*_events: param.parameterized.Event) -> None:
        beliefs = look_into(session, answers)
        if beliefs != canvas.beliefs:
            canvas.beliefs = beliefs

    session.param.watch(update, _WATCHED)
    session.param.watch(believe, ["supposed", "bars"])
    session.param.watch(lambda *_: canvas.param.update(trail=trace(session)), ["trail", "fill_in"])
    answers.param.watch(believe, "answer")
    return canvas


def _find_news(session: Session, answers: Answers, canvas: Canvas, changed: set[str]) -> dict[str, object]:
    """What is drawn otherwise, now that some things of the session have changed."""
    news: dict[str, object] = {"history": (session.undoable, session.redoable)}
    news |= {"selected": session.selected, "factor": session.factor, "edge": session.edge}
    # A graph that is drawn already is not sent again: a mark leaves it as it is.
    if changed & {"scene", "factor_graph", "structure"}:
        graph, beliefs, shown = _draw(session), look_into(session, answers), preview(session)
        news |= {"graph": graph, "trail": trace(session)} if graph != canvas.graph else {}
        news |= {"beliefs": beliefs} if beliefs != canvas.beliefs else {}
        news |= {"preview": shown, "trail": trace(session)} if shown != canvas.preview else {}
    # A run reports many times a second; mostly nobody looks at its gaps.
    if changed - {"selected", "factor", "edge", "learned", "moment", "slack"} or session.colour == "gap":
        look = look_at(session)
        if look != canvas.look:
            news["look"] = look
    return news


def _draw(session: Session) -> Graph:
    """The network; without its factors while other edges than its own are shown."""
    return draw(session.document, session.scene.title, session.factor_graph and session.structure is None)


def perform(session: Session, message: Mapping[str, Any]) -> bool:
    """Do what the browser asks for. False if it is refused; the session's message says why."""
    if session.structure is not None and message.get("op") in _EDITS:
        session.say(SEARCHING)
        return False
    try:
        action = _OPERATIONS[message["op"]](session, message)
    except (KeyError, TypeError, ValueError):
        session.say("The canvas asked for something that makes no sense. Reload the page and try again.")
        return False
    return action() is not False


def list_options(session: Session, name: str) -> dict[str, Any] | None:
    """What can be supposed of a variable and is, and how it is marked; None where there is no such variable."""
    v = session.network.index.get(name)
    if v is None:
        return None
    states = session.network.variables[v].states
    shown = states[:MOST_LISTED]
    supposed, mark = find_state(session.evidence.get(name)), kind_of(session.marks.get(name))
    return {
        "states": list(shown),
        "left": len(states) - len(shown),
        "supposed": supposed,
        "mark": mark,
        "readings": find_readings(session, name),
    }


def suppose(session: Session, message: Mapping[str, Any]) -> bool:
    """Suppose what the browser asks for, elsewhere than on the canvas."""
    return perform(session, {**message, "op": "suppose"})


_Action = Callable[[], bool | None]
_OPERATIONS: dict[str, Callable[[Session, Mapping[str, Any]], _Action]] = {
    "select": lambda session, m: partial(session.select, _texts(m["names"])),
    "select_found": lambda session, m: partial(_select_found, session, _text(m["text"])),
    "select_related": lambda session, m: _select_related(session, _known(session, m["names"]), _text(m["relation"])),
    "factor": lambda session, m: partial(session.select_factor, _number_or_none(m["number"])),
    "edge": lambda session, m: partial(session.select_edge, _ends_or_none(m["ends"])),
    "hide": lambda session, m: partial(session.toggle_hidden, _known(session, m["names"])),
    "look": lambda session, m: partial(session.look_at, _number_or_none(m["component"])),
    "add": lambda session, m: partial(session.add_variable, _coordinate(m["x"]), _coordinate(m["y"])),
    "rename": lambda session, m: partial(session.rename, _text(m["name"]), _text(m["to"])),
    "connect_all": lambda session, m: partial(session.connect_all, _known(session, m["names"]), _text(m["to"])),
    "duplicate": lambda session, m: partial(session.duplicate, _known(session, m["names"])),
    "paste": lambda session, m: partial(session.paste, _text(m["text"]), _place_or_none(m["at"])),
    "tie": lambda session, m: partial(session.tie, _known(session, m["names"])),
    "untie": lambda session, m: partial(session.untie, _known(session, m["names"])),
    "mark": lambda session, m: partial(
        session.mark, _known(session, m["names"]), make_mark(session, _kind(session, m["kind"]))
    ),
    "connect": lambda session, m: partial(session.connect, _text(m["from"]), _text(m["to"])),
    "reverse": lambda session, m: partial(session.reverse, _text(m["from"]), _text(m["to"])),
    "remove": lambda session, m: partial(session.remove, _texts(m["names"]), _pairs(m["edges"])),
    "remove_factor": lambda session, m: partial(session.remove_factor, _number(m["number"])),
    "move": lambda session, m: partial(session.move, _places(m["places"])),
    "arrange": lambda session, m: partial(session.arrange, _shape(m["shape"])),
    "suppose": lambda session, m: _supposer(session, m),
    "bars": lambda session, m: partial(session.show_bars, _flag(m["shown"])),
    "factor_graph": lambda session, m: partial(session.show_factor_graph, _flag(m["shown"])),
    "open_query": lambda session, m: partial(session.turn_to, "Query"),
    "undo": lambda session, m: session.undo,
    "redo": lambda session, m: session.redo,
}


def _find(session: Session, text: str) -> list[tuple[int, str]]:
    return find(session.network, look_at(session), text)


def _select_found(session: Session, text: str) -> None:
    session.select([session.network.variables[v].name for v, _ in _find(session, text)])


def _select_related(session: Session, names: list[str], relation: str) -> _Action:
    """What selects those that are something to others; if there are none, the selection stays as it is."""
    return partial(session.select, find_related(session.network, look_at(session), names, relation) or session.selected)


def _supposer(session: Session, message: Mapping[str, Any]) -> _Action:
    """What supposes what the browser asks for: a state, another weight of one, or those of all.

    A weight is that of a likelihood, or of a target if the variable has one of its own.
    """
    name = _text(message["name"])
    size = session.network.variables[session.network.index[name]].cardinality
    supposed, target = session.evidence.get(name), session.wanted.of(name)
    if "target" in message:
        return partial(session.want, (name,), _likelihood(message["target"], size))
    if "likelihood" in message:
        return partial(session.suppose, name, _likelihood(message["likelihood"], size))
    state = _number_or_none(message["state"])
    if state is None or not 0 <= state < size:
        raise ValueError("expected the number of a state")
    if message["weight"] is None:
        return partial(session.suppose, name, toggle(supposed, size, state))
    weight = _weight(message["weight"])
    if target is not None:
        return partial(session.want, (name,), share_out(target, state, weight))
    return partial(session.suppose, name, weigh(supposed, size, state, weight))


def _likelihood(value: object, size: int) -> Likelihood | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != size:
        raise ValueError("expected a number for each state")
    return tuple(_weight(item) for item in value)


def _weight(value: object) -> float:
    weight = _coordinate(value)
    if not 0 <= weight <= 1:
        raise ValueError("expected a number from 0 to 1")
    return weight


def _shape(value: object) -> float:
    """Width over height of the canvas; what is no canvas at all is taken as one that is thin."""
    return min(max(_coordinate(value), 0.2), 10.0)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("expected true or false")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("expected a text")
    return value


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise TypeError("expected a list")
    return [_text(item) for item in value]


def _known(session: Session, value: object) -> list[str]:
    return [name for name in _texts(value) if name in session.network.index]


def _pairs(value: object) -> list[tuple[str, str]]:
    if not isinstance(value, list):
        raise TypeError("expected a list")
    return [(_text(a), _text(b)) for a, b in value]


def _ends_or_none(value: object) -> tuple[str, str] | None:
    return None if value is None else _pairs([value])[0]


def _coordinate(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError("expected a number")
    return min(max(float(value), -FARTHEST), FARTHEST)


def _number_or_none(value: object) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise TypeError("expected a whole number")
    return value


def _number(value: object) -> int:
    number = _number_or_none(value)
    if number is None:
        raise TypeError("expected a whole number")
    return number


def _place_or_none(value: object) -> tuple[float, float] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise TypeError("expected a list")
    x, y = value
    return _coordinate(x), _coordinate(y)


def _kind(session: Session, value: object) -> str:
    kind = _text(value)
    if kind == "given" and isinstance(session.network, BayesianNetwork):
        raise ValueError("expected a mark of a Bayesian network")
    return kind


def _places(value: object) -> dict[str, tuple[float, float]]:
    if not isinstance(value, list):
        raise TypeError("expected a list")
    return {_text(name): (_coordinate(x), _coordinate(y)) for name, x, y in value}
