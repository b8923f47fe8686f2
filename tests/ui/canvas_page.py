"""A page with nothing but the canvas, for its tests: run as a module, it serves itself and prints its address.

The address takes ``?scene=``: one of ``SCENES``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import panel as pn

from engine.formats import DataDocument, Document
from engine.learning.learn import learn
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.sampling import simulate
from pgmgui.board.beside import work_beside
from pgmgui.board.board import make_canvas
from pgmgui.board.message import Message
from pgmgui.project.examples import load_gallery
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Hidden
from pgmgui.project.scene import Scene
from pgmgui.state.answers import Answers
from pgmgui.state.session import Session
from tests.ui.serving import serve_page

NODES, EDGES = 500, 700


def open_example(session: Session, name: str) -> None:
    """Open an example of the gallery."""
    session.open_example(next(example for example in load_gallery() if example.id == name))


def open_learned(session: Session) -> None:
    """Asia after three iterations of learning, with the gaps as colours."""
    open_example(session, "asia")
    for snapshot in learn(session.network, session.seen):
        if snapshot.iteration == 3:
            session.report(snapshot)
    session.colour = "gap"


def open_unlearned(session: Session) -> None:
    """Asia with the gaps as colours, before there are any."""
    open_example(session, "asia")
    session.colour = "gap"


def open_large(session: Session) -> None:
    """A network of 500 variables and 700 arrows, each node with few parents, a fifth of it hidden."""
    rng = np.random.default_rng(1)
    parents: list[set[int]] = [set() for _ in range(NODES)]
    while sum(map(len, parents)) < EDGES:
        child = int(rng.integers(1, NODES))
        if len(parents[child]) < 4:
            parents[child].add(int(rng.integers(max(0, child - 40), child)))
    variables = tuple(Variable(f"N{k}", ("no", "yes")) for k in range(NODES))
    tables = tuple(rng.dirichlet((1, 1), size=(2,) * len(scope)) for scope in parents)
    network = BayesianNetwork(variables, tuple(tuple(sorted(scope)) for scope in parents), tables)
    data = DataDocument(simulate(network, 50, random_state=1))
    marks = {f"N{k}": Hidden() for k in range(0, NODES, 5)}
    session.open(Scene("Large", "", arrange(Document(network)), data, marks))


SCENES: dict[str, Callable[[Session], object]] = {
    "empty": lambda session: session.new(),
    "markov": lambda session: session.new(markov=True),
    "chain": lambda session: open_example(session, "thesis-chain"),
    "asia": lambda session: open_example(session, "asia"),
    "learned": open_learned,
    "unlearned": open_unlearned,
    "large": open_large,
}


def build_page() -> pn.viewable.Viewable:
    """The page of one tab."""
    session = Session()
    scene = pn.state.session_args.get("scene", [b"empty"])[0].decode()
    SCENES[scene](session)
    field = pn.widgets.TextInput(name="Elsewhere", height=40, margin=0)
    canvas = make_canvas(session, Answers(session, work_beside))
    return pn.Column(field, Message(session), canvas, height=560, sizing_mode="stretch_width", margin=0)


if __name__ == "__main__":
    serve_page(build_page)
