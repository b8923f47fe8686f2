"""Drawing data from the model on the page."""

from __future__ import annotations

import re
from functools import partial

import panel as pn
import panel_material_ui as pmui

from engine.model.errors import PgmError
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.drawer import Drawer
from pgmgui.components.fields import TextField, make_button
from pgmgui.project.marks import MECHANISMS
from pgmgui.project.numbers import parse_fraction
from pgmgui.project.simulated_data import Simulation, simulate_scene
from pgmgui.project.words import count
from pgmgui.state.session import Session
from pgmgui.tabs.work import Work, settle

MOST_ROWS = 10_000_000
MOST_SEED = 2**63
HIDE_HEIGHT = 96
"""Pixels of the variables to hide: some lines; the rest is scrolled to."""
ABOUT_HIDING = "not seen. Its values are drawn all the same: take the mark away, and they are there"


class SimulateForm(pn.viewable.Viewer):
    """How many rows, from which seed, and what of them is to be seen."""

    def __init__(self, session: Session, work: Work) -> None:
        super().__init__()
        self._session, self._work = session, work
        self._hidden: set[str] = set()
        self._make_controls()
        self._view = Drawer(
            pn.Row(self._rows, self._seed, margin=0, sizing_mode="stretch_width"),
            self._hide,
            pn.Row(self._fraction, self._missing, margin=0, sizing_mode="stretch_width"),
            self._mechanism,
            make_button("Draw the data", "in place of the data on the page", self._draw, "contained"),
        )
        session.param.watch(lambda *_: self._look(), "scene")
        self._look()

    def _make_controls(self) -> None:
        self._rows = _field("Rows to draw", "1000", "How many rows to draw, for example 1000.")
        self._seed = _field("Seed of the data", "0", "A whole number; the same seed gives the same rows.")
        # Not a menu of Material's: it loses the focus with the entry that is chosen, so that Escape does not close it.
        self._hide = Choices(
            label="Variables to hide",
            on_press=self._toggle,
            max_height=HIDE_HEIGHT,
            sizing_mode="stretch_width",
            margin=(8, 8, 4, 0),
        )
        self._fraction = _field(
            "Hide a fraction", "0", "From 0 to 1: of the other variables, drawn at random, this fraction is hidden too."
        )
        self._missing = _field(
            "Fraction missing", "0", "From 0 to 1: of the cells of the variables that are not hidden."
        )
        self._mechanism = pmui.Select(
            label="Cells are missing",
            options={words: name for name, words in MECHANISMS.items()},
            value="mcar",
            description="What makes a cell go missing. Given other variables, half of them stay seen.",
            size="small",
            sizing_mode="stretch_width",
            margin=(8, 8, 4, 0),
        )

    @property
    def is_open(self) -> bool:
        """Whether the form is open."""
        return self._view.is_open

    def open(self, is_open: bool) -> None:
        """Open or close the form."""
        self._view.open(is_open)

    def _toggle(self, name: str) -> None:
        self._hidden ^= {name}
        self._look()

    def _look(self) -> None:
        """Offer the variables there are."""
        names = [variable.name for variable in self._session.network.variables]
        self._hidden &= set(names)
        buttons = tuple(Choice(name, name, f"{name}: {ABOUT_HIDING}", name in self._hidden) for name in names)
        groups = [Group("Hide these", buttons)]
        if groups != self._hide.groups:
            self._hide.groups = groups

    async def _draw(self, _event: object) -> None:
        await settle()
        try:
            simulation = self._read()
        except PgmError as error:
            self._session.say(f"{error}.")
            return
        what = f"Drawing {count(simulation.rows, 'row')}"
        await self._work.change(what, "simulate data", partial(simulate_scene, simulation=simulation))

    def _read(self) -> Simulation:
        return Simulation(
            rows=parse_whole(self._rows.value_input or "", "the number of rows", MOST_ROWS),
            seed=parse_whole(self._seed.value_input or "", "a seed", MOST_SEED),
            hide=tuple(v.name for v in self._session.network.variables if v.name in self._hidden),
            hide_fraction=parse_fraction(self._fraction.value_input or "", "the fraction to hide"),
            missing=parse_fraction(self._missing.value_input or "", "the fraction missing"),
            mechanism=self._mechanism.value,
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view.__panel__()


def parse_whole(text: str, what: str, most: int) -> int:
    """The whole number that a text stands for, perhaps with commas or spaces between thousands.

    >>> parse_whole(" 10,000 ", "rows", 10**6)
    10000
    """
    digits = re.sub(r"(?<=\d)[,_ ](?=\d{3})", "", text.strip())
    if not re.fullmatch(r"\d{1,20}", digits, re.ASCII) or int(digits) > most:
        raise PgmError(f"{text.strip()!r} is not {what}; type a whole number from 0 to {most:,}")
    return int(digits)


def _field(label: str, value: str, about: str) -> TextField:
    # Not a number field: it passes on what was typed only when it is left, and a quick click would come before.
    return TextField(
        label=label, value=value, description=about, size="small", sizing_mode="stretch_width", margin=(8, 8, 4, 0)
    )
