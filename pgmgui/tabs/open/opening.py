"""Opening a network or a whole session: a new one, a file of the user's, or a path on this machine."""

from __future__ import annotations

from functools import partial

import panel as pn

from engine.formats import DATA_FORMATS, NETWORK_FORMATS, PACKED
from engine.model.errors import RowSumError
from engine.model.network import BayesianNetwork
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.plain_text import PlainText
from pgmgui.project.apart import Apart
from pgmgui.project.data_reading import DataFile, is_table, read_scene
from pgmgui.project.network_files import NetworkFile
from pgmgui.project.scene import Derived, Scene, derive
from pgmgui.project.session_file import Saved
from pgmgui.project.words import count, count_edges
from pgmgui.state.race import Race
from pgmgui.state.session import Session, WayOut
from pgmgui.tabs.network_file_field import FieldWords, NetworkFileField

NORMALISE = "Normalise and open"
MOST_NOTES = 8
"""Notes of the reader that are shown."""
WORDS = FieldWords(
    "Choose a network file, or drop it here",
    f"Opens a network from one of: {', '.join(NETWORK_FORMATS)}, perhaps packed ({PACKED}); "
    f"a session that was saved; or a table ({', '.join(DATA_FORMATS)}), whose columns become variables with no "
    "arrows yet",
    ",".join((*NETWORK_FORMATS, *DATA_FORMATS, PACKED)),
    "Path on this machine",
    "A network or session file on the machine that pgmgui runs on.",
    "Open",
    "the network file at this path",
    "There is no path to open. Type the path of a network file on this machine first.",
)
NEW = Group(
    "",
    (
        Choice("bayesian", "New Bayesian network", "Draw a network with arrows", look="plain"),
        Choice("markov", "New Markov network", "Draw a network without arrows", look="plain"),
    ),
)
MORALISE = Choice(
    "moralise",
    "Moralise",
    "Make a Markov network of the one that is open: each table becomes a factor, so that parents of the same child are "
    "joined. It means the same; data and marks stay, and undo brings the arrows back",
    look="plain",
)
ADD_ARROWS = Choice(
    "arrows",
    "Add arrows",
    "Make a Bayesian network of the one that is open, with the same edges and meaning. It can be done if the graph is "
    "chordal (every cycle of four or more variables has a chord); if not, you are told which cycle has none",
    look="plain",
)


class Opening(pn.viewable.Viewer):
    """Buttons, a place for files, and what the reader had to say.

    A file is read apart from the page: until that is done, and if it fails, what is open stays open.
    """

    def __init__(self, session: Session, race: Race) -> None:
        super().__init__()
        self._session, self._race = session, race
        self._field = NetworkFileField(session, WORDS, self._read, self._tell_abandoned)
        self._status = PlainText(margin=(0, 0))
        self._kinds = Choices(label="New network, or one of the other kind", on_press=self._turn, margin=(4, 0))
        self._view = pn.Column(
            self._kinds,
            self._field,
            self._status,
            sizing_mode="stretch_width",
            margin=0,
        )
        session.param.watch(lambda event: self._look(event.old, event.new), "scene")
        self._look(session.scene, session.scene)

    # --- what the controls do

    def _turn(self, kind: str) -> None:
        self._field.work.end()
        if kind == MORALISE.key:
            self._session.moralise()
        elif kind == ADD_ARROWS.key:
            self._session.add_arrows()
        else:
            self._session.new(kind == "markov")

    def _tell_abandoned(self) -> None:
        self._status.write("Abandoned: what was open is still open.")

    # --- reading

    async def _read(self, file: NetworkFile, normalise: bool = False) -> None:
        is_data = is_table(file.name)
        read_network = partial(file.read, normalise, self._session.shape)
        read_one = partial(read_scene, DataFile(file.name, file.content)) if is_data else read_network
        reading: Apart[Scene | Saved] = Apart(read_one, file.name, file.size)

        def read() -> tuple[Scene | Saved, Derived] | RowSumError:
            try:
                found = reading.run()
                return found, derive(found if isinstance(found, Scene) else found.scene)
            except RowSumError as error:
                return error

        await self._field.work.run(f"Reading {file.name}", read, partial(self._finish, file), reading)

    def _finish(self, file: NetworkFile, found: tuple[Scene | Saved, Derived] | RowSumError) -> None:
        if not isinstance(found, RowSumError):
            opened, derived = found
            if isinstance(opened, Scene):
                if self._session.open(opened, derived) and is_table(file.name):
                    self._session.turn_to("Structure")
            else:
                self._race.open(opened, derived)
            return
        told = str(found).replace("read with --normalise", f"press “{NORMALISE}”") + "."
        about = "rescale every row of a table so that it sums to 1"
        self._session.offer(WayOut(told, NORMALISE, about, partial(self._read, file, normalise=True)))

    def _look(self, old: Scene, new: Scene) -> None:
        """Say what is open, what its reader noted, and whether data went with what was open before."""
        other = MORALISE if isinstance(new.document.network, BayesianNetwork) else ADD_ARROWS
        self._kinds.groups = [NEW, Group("", (other,))]
        lines = [f"Open: {new.title}, {count_edges(new.document.network)}."]
        if old.data is not None and new.data is None and old.title != new.title:
            rows = count(old.data.dataset.total_weight, "row")
            lines.append(f"The data of {old.title} ({rows}) was closed with it; undo brings both back.")
        notes = new.document.notes
        lines += [f"Note: {note}." for note in notes[:MOST_NOTES]]
        if len(notes) > MOST_NOTES:
            lines.append(f"And {count(len(notes) - MOST_NOTES, 'more note')}.")
        self._status.write(*lines)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
