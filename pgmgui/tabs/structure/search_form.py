"""How to look for a structure: search, score, constraints."""

from __future__ import annotations

from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui

from engine.model.errors import PgmError
from engine.model.network import MarkovNetwork
from engine.structure.search import SEARCHES
from pgmgui.components.drawer import Drawer
from pgmgui.components.fields import make_area, make_button, make_field, make_select
from pgmgui.project.numbers import Number, show_number
from pgmgui.project.structure_settings import (
    EDGES,
    LONGEST,
    PACES,
    RANGES,
    SCORE_TITLES,
    SEARCH_TITLES,
    list_searches,
)
from pgmgui.state.session import Session

SEARCH = (
    "Hill climbing adds, removes and turns the arrow that gains most; with missing cells it goes on by structural EM. "
    "Chow–Liu: the best tree. TAN: a class is parent of all, and the rest a tree. Exact: the best of all, up to 20 "
    "variables. K2: parents in a given order. For Markov networks: L1 on all pairs, or the Chow–Liu tree."
)
SCORE = (
    "BIC, BDe and BDeu weigh fit against size (BDe and BDeu are Bayesian: the prior is worth some rows); AIC wants "
    "less simplicity; likelihood none: it only ever adds."
)
PACE = "How long each step is looked at. A search takes milliseconds where nobody looks."
NUMBERS = {
    "sample_size": Number(
        "Equivalent sample size",
        "How many rows the prior of BDe and BDeu is worth.",
        *RANGES["sample_size"],
        whole=False,
    ),
    "max_parents": Number("Most parents", "Of each variable; empty for no limit.", *RANGES["max_parents"]),
    "restarts": Number(
        "Restarts",
        "How often hill climbing goes on from the best with many arrows turned or left out. Empty: by the data.",
        *RANGES["restarts"],
    ),
    "seed": Number("Seed", "The same seed gives the same steps at random.", *RANGES["seed"]),
    "width": Number(
        "L1 width",
        "That of the Laplace prior: the smaller, the fewer edges. Empty: by the number of rows.",
        *RANGES["width"],
        whole=False,
    ),
}
OPTIONAL = ("max_parents", "restarts", "width")
"""Numbers that may be left empty."""
ABOUT_CONSTRAINTS = "arrows that must or must not be there, and tiers"
OPTIONS = ("max_parents", "restarts", "seed")
"""Numbers that few have to change."""
AREAS = {
    "required": ("Required arrows", "Arrows that must be there, such as smoke -> lung: one a line, or commas between."),
    "forbidden": ("Forbidden arrows", "Arrows that must not be there: one a line, or commas between."),
    "tiers": (
        "Tiers",
        "Groups of variables in their order, such as asia, smoke; tub, lung: no arrow leads to an earlier group. "
        "One a line, or semicolons between.",
    ),
}
SHOWN_FOR = {
    "sample_size": lambda search, score: score in ("bde", "bdeu") and search != EDGES,
    "max_parents": lambda search, score: search in ("hill-climbing", "exact", "k2"),
    "restarts": lambda search, score: search == "hill-climbing",
    "seed": lambda search, score: search == "hill-climbing",
    "width": lambda search, score: search == EDGES,
    "root": lambda search, score: search in ("chow-liu", "tan"),
    "order": lambda search, score: search == "k2",
    "score": lambda search, score: search != EDGES,
}
FIRST = "the first"


class SearchForm(pn.viewable.Viewer):
    """The settings of a search; those that it has no use for are not shown."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._showing = False
        self._search = make_select("Search", SEARCH, {SEARCH_TITLES[name]: name for name in SEARCHES}, self._choose)
        self._score = make_select(
            "Score", SCORE, {title: name for name, title in SCORE_TITLES.items()}, partial(self._set, "score")
        )
        self._pace = make_select("Pace", PACE, {words: words for words in PACES}, self._choose_pace)
        self._root = make_select("Root", "", {FIRST: ""}, partial(self._set, "root"))
        self._order = make_field(
            "Order",
            "All variables with commas between, parents first. Empty: as in the data.",
            partial(self._set, "order"),
        )
        self._fields = {
            name: make_field(number.label, number.about, partial(self._type, name)) for name, number in NUMBERS.items()
        }
        self._areas = {
            name: make_area(label, about, LONGEST, partial(self._set, name)) for name, (label, about) in AREAS.items()
        }
        own = [field for name, field in self._fields.items() if name not in OPTIONS]
        self._options = Drawer(_row(*(self._fields[name] for name in OPTIONS)))
        self._constraints = Drawer(*self._areas.values())
        self._open_options = self._make_toggle("Options…", "most parents, restarts, seed", self._options)
        self._toggle = self._make_toggle("Constraints…", ABOUT_CONSTRAINTS, self._constraints)
        self._view = pn.Column(
            _row(self._search, self._score, self._pace),
            _row(self._root, self._order, *own),
            pn.Row(self._open_options, self._toggle, margin=0),
            self._options,
            self._constraints,
            sizing_mode="stretch_width",
            margin=0,
        )
        session.param.watch(lambda *_: self._show(), ["search", "scene"])
        self._show()

    def _make_toggle(self, name: str, about: str, drawer: Drawer) -> pmui.Button:
        return make_button(name, f"{about}; again to close", lambda _: drawer.open(not drawer.is_open))

    def _choose(self, name: str) -> None:
        self._set("search", name)

    def _choose_pace(self, words: str) -> None:
        self._set("pace", PACES[words])

    def _set(self, name: str, value: Any) -> None:
        if not self._showing and value is not None and value != getattr(self._session.search, name):
            self._session.configure_search(**{name: value})

    def _type(self, name: str, text: str) -> None:
        if self._showing:
            return
        number = NUMBERS[name]
        try:
            value = None if name in OPTIONAL and not text.strip() else number.parse(text)
        except PgmError as error:
            self._session.say(f"{number.label}: {error}.")
        else:
            self._session.configure_search(**{name: value})
        self._show()

    def _show(self) -> None:
        self._showing = True
        try:
            self._write()
        finally:
            self._showing = False

    def _write(self) -> None:
        settings, network = self._session.search, self._session.network
        search = settings.choose_search(network)
        offered = {SEARCH_TITLES[name]: name for name in list_searches(network)}
        self._search.param.update(options=offered, value=search)
        self._score.value, self._pace.value = settings.score, find_pace(settings.pace)
        names = [variable.name for variable in network.variables]
        is_class = search == "tan"
        self._root.param.update(
            label="Class" if is_class else "Root",
            description="The parent of all others." if is_class else "Where the arrows of the tree lead away from.",
            options={("choose one" if is_class else FIRST): "", **{name: name for name in names}},
            value=settings.root if settings.root in network.index else "",
        )
        self._order.value = settings.order
        for name, field in self._fields.items():
            value = getattr(settings, name)
            shown = "" if value is None else f"{value}" if NUMBERS[name].whole else show_number(value)
            field.value = shown
        for name, area in self._areas.items():
            area.value = getattr(settings, name)
        parts: dict[str, Any] = {**self._fields, "root": self._root, "order": self._order, "score": self._score}
        for name, part in parts.items():
            part.visible = SHOWN_FOR[name](search, settings.score)
        is_markov = isinstance(network, MarkovNetwork)
        self._toggle.visible = not is_markov
        self._open_options.visible = any(SHOWN_FOR[name](search, settings.score) for name in OPTIONS)
        if is_markov:
            self._constraints.open(False)
            self._options.open(False)
        typed = sum(bool(getattr(settings, name).strip()) for name in AREAS)
        label = f"Constraints ({typed})…" if typed else "Constraints…"
        self._toggle.param.update(label=label, description=f"{label}: {ABOUT_CONSTRAINTS}; again to close")

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def find_pace(seconds: float) -> str:
    """The pace that is nearest to some seconds a step."""
    return min(PACES, key=lambda words: abs(PACES[words] - seconds))


def _row(*parts: pn.viewable.Viewable) -> pn.Row:
    """Parts side by side, as many as have room."""
    for part in parts:
        part.styles = {"flex": "1 1 7rem", "min-width": "6.5rem"}
    return pn.Row(*parts, sizing_mode="stretch_width", margin=0, styles={"flex-wrap": "wrap"})
