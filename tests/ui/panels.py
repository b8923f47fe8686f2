"""The one place where tests build the page's panels: a session in a known state, and views of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import panel as pn

from app.main import read_files
from engine.formats import DataDocument, Document
from engine.learning.learn import learn
from engine.model.network import BayesianNetwork, as_markov
from engine.model.variable import Variable
from engine.simulation.generators import chain
from engine.simulation.sampling import simulate
from pgmgui.board.arrow_layer import with_arrows
from pgmgui.board.beside import work_beside
from pgmgui.board.board import make_canvas
from pgmgui.board.counting_beside import CountingBeside
from pgmgui.board.mark_bar import MarksBar
from pgmgui.board.message import Message
from pgmgui.board.summary import Summary
from pgmgui.board.type_size import make_type_controls
from pgmgui.components.lazy_tabs import Watcher
from pgmgui.project.examples import find_example
from pgmgui.project.layout import arrange
from pgmgui.project.links import parse_link
from pgmgui.project.marks import Hidden
from pgmgui.project.scene import Scene
from pgmgui.project.store import Store
from pgmgui.state.answers import Answers
from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.desk import Desk
from pgmgui.state.first_run import FirstRun
from pgmgui.state.keeper import Keeper
from pgmgui.state.playback import Playback
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.slacks import Slacks
from pgmgui.state.standings import Standings
from pgmgui.state.structuring import Structuring
from pgmgui.state.tightening import Tightening
from pgmgui.state.travel import Traveller
from pgmgui.strip.run_keys import make_run_keys
from pgmgui.strip.strip import LearnStrip
from pgmgui.tabs.catalogue import TABS

NODES, EDGES = 500, 700
VAST = 2000


def open_example(session: Session, name: str) -> None:
    """Open an example of the gallery."""
    session.open_example(find_example(name))


def open_learned(session: Session) -> None:
    """Asia after three iterations of learning, with the gaps as colours."""
    open_example(session, "asia")
    for snapshot in learn(session.network, session.seen):
        if snapshot.iteration == 3:
            session.report(snapshot)
    session.colour = "gap"


def open_drawn(session: Session) -> None:
    """Asia with data that was drawn from it, all of it seen; and the network that it was drawn from."""
    open_example(session, "asia")
    network = session.network
    data = DataDocument(simulate(network, 500, random_state=1))
    session.open(Scene("Drawn", "", session.document, data, truth=network))


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


def open_vast(session: Session) -> None:
    """A chain of so many variables that not all are drawn, a fifth of it hidden."""
    network = chain(VAST)
    marks = {f"X{k}": Hidden() for k in range(2, VAST, 5)}
    session.open(Scene("Vast", "", arrange(Document(network)), DataDocument(simulate(network, 10, 0)), marks))


def open_vast_markov(session: Session) -> None:
    """The same chain as a Markov network, to and fro over the page, without data."""
    network = as_markov(chain(VAST))
    places = {f"X{k}": (140.0 * (k % 50 if k // 50 % 2 else 49 - k % 50), 90.0 * (k // 50)) for k in range(VAST)}
    session.open(Scene("Vast", "", Document(network, positions=places)))


SCENES: dict[str, Callable[[Session], object]] = {
    "empty": lambda session: session.new(),
    "markov": lambda session: session.new(markov=True),
    "learned": open_learned,
    "unlearned": open_unlearned,
    "drawn": open_drawn,
    "large": open_large,
    "vast": open_vast,
    "vast markov": open_vast_markov,
}


def make_desk(scene: str | tuple[Path, ...], folder: Path) -> Desk:
    """What the panels of a page share, on a scene: one of ``SCENES``, an example, a link from its ?, or files."""
    session = Session()
    session.count_first = CountingBeside(session)
    race = Race(session)
    if isinstance(scene, tuple):
        race.open(*read_files(*(*scene, None)[:2]))
    elif scene in SCENES:
        SCENES[scene](session)
    elif scene.startswith("?"):
        link = parse_link(dict(parse_qsl(scene.removeprefix("?"))))
        race.open(link.saved)
    else:
        open_example(session, scene)
    keeper = Keeper(session, race, Store(folder), "", lambda: False)
    tightening = Tightening(session, work_beside)
    tightening.begin()
    answers, slacks = Answers(session, work_beside), Slacks(session, work_beside)
    standings = Standings(session, race, work_beside)
    traveller, first_run = Traveller(session, race), FirstRun(session)
    playback = Playback(session, race, traveller)
    seen = (traveller, playback, answers, slacks, first_run, keeper, tightening, standings)
    return Desk(session, race, *seen, Structuring(session), ArrowFacts(session, work_beside))


def make_board(desk: Desk) -> tuple[list, list]:
    """The canvas with what says that something went wrong, and a field that is not part of it."""
    field = pn.widgets.TextInput(label="Elsewhere", height=40, margin=0)
    canvas = with_arrows(make_canvas(desk.session, desk.answers), desk.session, desk.arrow_facts)
    return [], [pn.Column(field, Message(desk.session), canvas, height=560, sizing_mode="stretch_width", margin=0)]


def make_room(desk: Desk, panels: tuple[str, ...]) -> tuple[list, list]:
    """Panels beside the canvas, as they are on the page; and the strip below, if it is among them."""
    session = desk.session
    board = pn.Column(
        MarksBar(session),
        Message(session),
        with_arrows(make_canvas(session, desk.answers), session, desk.arrow_facts),
        sizing_mode="stretch_both",
        margin=0,
    )
    room = pn.Row(board, sizing_mode="stretch_both", margin=0)
    for name in panels:
        if name != "strip":
            panel = TABS[name.capitalize()](desk)
            if isinstance(panel, Watcher):
                panel.look(True)
            room.append(pn.Column(panel, css_classes=["beside"], sizing_mode="stretch_both", max_width=440, margin=0))
    if "strip" not in panels:
        return [Summary(session)], [room]
    keys = make_run_keys(desk.race, desk.traveller, desk.playback)
    return [Summary(session), *make_type_controls(session, keys)], [
        room,
        LearnStrip(session, desk.race, desk.traveller, desk.playback),
    ]
