"""What a browser tab works on and looks at: the single source of truth."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import param

from engine.insight.slack import Share
from engine.learning.hold_out import HoldOut
from engine.learning.snapshot import Snapshot
from engine.model.arrays import Floats
from engine.model.data_edits import DataEdit
from engine.model.errors import PgmError
from engine.model.network import Network
from pgmgui.project.arrows import COLOURINGS
from pgmgui.project.axes import Axes
from pgmgui.project.cases import fit_case, make_case, name_case
from pgmgui.project.counted_data import WHY, CountedData, need_rows
from pgmgui.project.layers import SHAPE
from pgmgui.project.layout import place_structure
from pgmgui.project.look import LARGEST_PANE, Look
from pgmgui.project.marks import Partial, Soft
from pgmgui.project.scene import Derived, Parts, Scene, edit_scene
from pgmgui.project.settings import Settings
from pgmgui.project.structure_settings import StructureSettings
from pgmgui.project.trails import ShownTrail
from pgmgui.state.editor import Editor
from pgmgui.state.frames import Frame
from pgmgui.state.shown_structure import ShownStructure


@dataclass(frozen=True, eq=False)
class Slack:
    """The gap of a component by variable; or why it is not known."""

    parts: Parts
    component: int
    shares: tuple[Share, ...]
    trouble: str = ""


@dataclass(frozen=True, eq=False)
class WayOut:
    """What the user can do about a message at once; ``action`` may be a coroutine."""

    message: str
    label: str
    about: str
    action: Callable[[], Awaitable[None] | None]


class Session(Editor):
    """What is open, how to learn from it, what was learned, and what of all that is looked at."""

    settings = param.ClassSelector(default=Settings(), class_=Settings, allow_None=False, doc="How to learn.")
    axes = param.ClassSelector(default=Axes(), class_=Axes, allow_None=False, doc="What the plot of a run shows.")
    component = param.Integer(default=None, allow_None=True, doc="The component looked at alone, from 0; or None.")
    colour: Any = param.Selector(default="component", objects=["component", "gap"], doc="What the hulls' colours show.")
    learned = param.ClassSelector(class_=Snapshot, allow_None=True, doc="The best that the last run has reached.")
    row = param.Integer(default=None, allow_None=True, doc="The row of the data looked at, from 0; or None.")
    slack = param.ClassSelector(class_=Slack, allow_None=True, doc="Where the component looked at is below its bound.")
    trail = param.ClassSelector(class_=ShownTrail, allow_None=True, doc="The trail that the canvas shows; or None.")
    arrow_colour: Any = param.Selector(default="", objects=list(COLOURINGS), doc="What the arrows' colours show.")
    fill_in = param.List(
        default=[], item_type=tuple, doc="Pairs of names: the edges of a fill-in that the canvas shows."
    )
    search = param.ClassSelector(
        default=StructureSettings(), class_=StructureSettings, allow_None=False, doc="How to look for a structure."
    )
    structure = param.ClassSelector(
        class_=ShownStructure, allow_None=True, doc="What the canvas shows instead of the network's arrows; or None."
    )
    way_out = param.ClassSelector(class_=WayOut, allow_None=True, doc="What can be done about a message.")
    bounded = param.Event(doc="Happens when a tighter bound of the problem has been found.")
    moment = param.ClassSelector(class_=Frame, allow_None=True, doc="The past iteration or restart looked at.")
    foretold = param.String(doc="The variable of the rows held out that is foretold; empty before one is chosen.")
    viewed: Any = param.Selector(default="current", objects=["current", "learned"], doc="Whose parameters are shown.")
    bars = param.Boolean(default=False, doc="Whether the canvas shows the posterior of each variable.")
    factor_graph = param.Boolean(default=False, doc="Whether the canvas shows a Markov network's factor graph.")
    scale: Any = param.Selector(
        default="values", objects=["values", "logs", "scale-free"], doc="How factors are shown."
    )
    partial = param.ClassSelector(default=Partial(0.5), class_=Partial, doc="The mark for what is partly missing.")
    soft = param.ClassSelector(default=Soft(0.8), class_=Soft, doc="The mark for what a sensor sees.")
    lecture = param.Boolean(default=False, doc="Whether the type is large, for a room full of people.")
    dark = param.Boolean(default=False, doc="Whether the theme is the dark one.")
    tab = param.String(default="", doc="The tab that is open; empty for the first.")
    step = param.String(default="", doc="Where the guide is: see pgmgui.project.lessons.list_steps; empty at first.")
    side = param.Integer(default=0, doc="Pixels of the side panel's width; 0 for the usual one.")
    strip = param.Integer(default=0, doc="Pixels of the strip's height; 0 for the usual one.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._made: tuple[Snapshot, Network] | None = None

    @property
    def reached(self) -> Snapshot | None:
        """What a run has learned: at the moment that is looked at, or at its newest."""
        return self.learned if self.moment is None else self.moment.snapshot

    @property
    def held_out_rows(self) -> float:
        """How many rows are held out."""
        split = None if self.parts is None else self.parts.split
        return 0.0 if split is None else split.test.total_weight

    @property
    def gap_shares(self) -> dict[int, Share]:
        """By variable, its share of the gap of the component that is looked at; empty while none is known.

        What no row says anything of has none.
        """
        slack = self.slack
        if slack is None or slack.component != self.component or self.reached is None:
            return {}
        return {share.variable: share for share in slack.shares if share.bound or share.reached}

    @property
    def viewed_network(self) -> Network:
        """The network with the parameters that are shown: its own, or those that were learned."""
        reached = self.reached
        if reached is None or self.viewed == "current":
            return self.network
        if self._made is None or self._made[0] is not reached:
            self._made = reached, reached.network()
        return self._made[1]

    @property
    def viewed_title(self) -> str:
        """Whose parameters are shown, in words."""
        if self.learned is None or self.viewed == "current":
            return "the network itself"
        return "the newest iteration" if self.moment is None else self.moment.title

    def offer(self, way_out: WayOut) -> None:
        """Tell the user that something went wrong, and offer what to do."""
        self.param.update(way_out=way_out, message=way_out.message)

    # --- learning

    def configure(self, **changes: Any) -> None:
        """Change how to learn."""
        self.settings = replace(self.settings, **changes)

    def configure_search(self, **changes: Any) -> None:
        """Change how to look for a structure."""
        self.search = replace(self.search, **changes)

    def hold_out(self, share: float, seed: int) -> bool:
        """Hold a share of the rows out, to test on; 0 holds out none."""
        wanted = HoldOut(share, seed) if share else None
        if wanted is not None and isinstance(self.data, CountedData):
            self.say(f"Rows cannot be held out: {WHY}. Put those to test on into a table of their own.")
            return False
        return wanted == self.scene.hold_out or self._change("hold rows out", replace(self.scene, hold_out=wanted))

    def fix_data_targets(self, fixed: bool) -> bool:
        """Have the targets of cells hold whatever else a row says, or only before that is known."""
        return fixed == self.scene.fixed_targets or self._change(
            "fix targets" if fixed else "let targets move", replace(self.scene, fixed_targets=fixed)
        )

    def report(self, snapshot: Snapshot | None) -> None:
        """Show what a run has reached; None forgets it."""
        if snapshot is None:
            self.param.update(learned=None, slack=None, moment=None, viewed="current")
        else:
            self.learned = snapshot

    def prepare(self, mark: Partial | Soft) -> None:
        """Set the numbers that the next mark of its kind has."""
        if isinstance(mark, Partial):
            self.partial = mark
        else:
            self.soft = mark

    # --- data and tables

    def edit_data(self, label: str, edit: DataEdit, scene: Scene | None = None, derived: Derived | None = None) -> bool:
        """Change cells, weights or rows of the data; marks stay.

        ``scene`` and ``derived`` are what comes of it, where that was found beforehand.
        """
        if self.data is None:
            return False
        try:
            scene = scene or edit_scene(self.scene, edit)
            back = edit.invert(need_rows(self.data.dataset, "the data cannot be edited"))
        except PgmError as error:
            self.refuse(error)
            return False
        return self._change(label, scene, derived, back=back)

    def set_tables(self, label: str, tables: Sequence[Floats]) -> bool:
        """Give all variables (or factors) other tables, as one step."""
        return self._edit(label, lambda network: network.with_tables(tables))

    # --- cases

    def keep_case(self) -> None:
        """Keep what is supposed as a case, named by what it supposes."""
        scene, case = self.scene, make_case(self.supposed, self.network)
        if not self.supposed.is_nothing and case not in scene.cases.values():
            name = name_case(self.supposed, self.network, scene.cases)
            self._change(f"keep the case {name}", replace(scene, cases={**scene.cases, name: case}))

    def drop_case(self, name: str) -> None:
        """Forget a case."""
        cases = {other: case for other, case in self.scene.cases.items() if other != name}
        self._change(f"remove the case {name}", replace(self.scene, cases=cases))

    def suppose_case(self, name: str) -> None:
        """Suppose a case again, as far as the network has its variables and states."""
        supposed, _ = fit_case(self.scene.cases[name], self.network)
        fixed = supposed.wanted.fixed if supposed.wanted.tables else self.wanted.fixed
        self.suppose_all(replace(supposed, wanted=replace(supposed.wanted, fixed=fixed, solver=self.wanted.solver)))

    # --- what is looked at

    def look_at(self, component: int | None) -> None:
        """Look at one component alone, or at all again."""
        parts = self.parts
        known = parts is not None and component in range(len(parts.task.decomposition.components))
        self.component = component if known else None

    def look_at_row(self, row: int | None) -> None:
        """Look at one row of the data, again if need be; at none where there is no such row."""
        seen, before = self.seen, self.row
        self.row = row if seen is not None and row in range(seen.n_rows) else None
        if self.row is not None and self.row == before:
            self.param.trigger("row")

    def travel_to(self, moment: Frame | None) -> None:
        """Look at what was learned at a past iteration, or by another restart; None is the newest."""
        if self.learned is not None:
            self.param.update(moment=moment, viewed="learned")

    def view(self, viewed: str) -> None:
        """Show the network's own parameters ("current") or those that were learned ("learned")."""
        self.viewed = viewed if self.learned is not None else "current"

    def foretell(self, name: str) -> None:
        """Foretell this variable of the rows held out."""
        self.foretold = name

    def show_bars(self, shown: bool) -> None:
        """Show the posterior of each variable on the canvas, or hide it."""
        self.bars = shown

    def show_trail(self, trail: ShownTrail | None) -> None:
        """Draw a trail on the canvas, or none."""
        if trail != self.trail:
            self.trail = trail

    def show_fill_in(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Draw edges that eliminating variables adds on the canvas, or none."""
        self.fill_in = list(pairs)

    def show_structure(self, structure: ShownStructure | None) -> None:
        """Draw other arrows than the network's own on the canvas; None draws these."""
        if structure != self.structure:
            self.structure = structure

    def arrange(self, shape: float = SHAPE) -> bool:
        """Lay the whole graph out automatically, as the canvas shows it."""
        shown, names = self.structure, [variable.name for variable in self.network.variables]
        if shown is None:
            return super().arrange(shape)
        document = replace(self.document, positions=place_structure(names, shown.parents, shown.directed, shape))
        return self._change("lay out", replace(self.scene, document=document))

    def show_factor_graph(self, shown: bool) -> None:
        """Show the factor graph of a Markov network on the canvas, or the graph of its variables."""
        self.factor_graph = shown

    def show_scale(self, scale: str) -> None:
        """Show the numbers of factors as they are ("values"), their logarithms ("logs"), or these "scale-free"."""
        self.scale = scale

    def show_axes(self, axes: Axes) -> None:
        """Choose what the plot of a run shows."""
        if axes != self.axes:
            self.axes = axes

    def colour_by(self, what: str) -> None:
        """Let the hulls' colours show which component it is ("component"), or how far it is from its bound ("gap")."""
        self.colour = what

    def colour_arrows(self, what: str) -> None:
        """Let the arrows' colours show one of :data:`COLOURINGS`."""
        self.arrow_colour = what

    def compare_with(self, truth: Network) -> None:
        """Take a network for the true one, that others are compared with."""
        self._change("compare with a network", replace(self.scene, truth=truth))

    def enlarge(self, large: bool) -> None:
        """Use large type, or the usual."""
        self.lecture = large

    def darken(self, dark: bool) -> None:
        """Use the dark theme, or the light one."""
        self.dark = dark

    def widen_side(self, pixels: int) -> None:
        """Let the side panel be that wide; 0 for as usual."""
        self.side = min(pixels, LARGEST_PANE)

    def heighten_strip(self, pixels: int) -> None:
        """Let the strip be that high; 0 for as usual."""
        self.strip = min(pixels, LARGEST_PANE)

    def turn_to(self, tab: str) -> None:
        """Open a tab; the first if it has no name."""
        self.tab = tab

    def go_to_step(self, step: str) -> None:
        """Remember where the guide is."""
        self.step = step

    @property
    def look(self) -> Look:
        """How the page looks."""
        return Look(self.dark, self.lecture, self.bars, self.tab, self.step, self.side, self.strip, self.arrow_colour)

    def wear(self, look: Look) -> None:
        """Let the page look so."""
        sizes = {"step": look.scene, "side": look.side, "strip": look.strip}
        shown = {"bars": look.bars, "arrow_colour": look.arrows}
        self.param.update(dark=look.dark, lecture=look.large, tab=look.tab, **shown, **sizes)

    def _let_go(self) -> dict[str, object]:
        return {"component": None, "row": None, "learned": None, "slack": None, "moment": None, "viewed": "current"}
