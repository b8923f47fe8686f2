"""The table of components: what each holds, what it has reached, and how far it can go."""

from __future__ import annotations

import panel as pn

from engine.learning.bounds import Bounds
from engine.learning.snapshot import Snapshot
from engine.model.network import MarkovNetwork
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.project.scene import Parts
from pgmgui.project.words import cut, name_factors, show_gap
from pgmgui.state.session import Session

COLUMNS = (
    Column("#", "head", "the component's number on the canvas", 36),
    Column("Variables", "text", "the variables whose parameters are learned together", 104),
    Column("Given", "text", "observed parents that belong to other components", 70),
    # In the middle, though it comes of the last two: a narrow table shows it without scrolling.
    Column("Gap", "number", "how far it is below its bound, in nats", 78),
    Column("Iterations", "number", "iterations it has made", 74),
    Column("Rows", "number", "distinct rows of its projected data, of all rows", 96),
    Column("Cells", "number", "the cells of its tables", 56),
    Column("Objective", "number", "its share of the objective, in nats", 92),
    Column("Bound", "number", "no parameters lift its share of the objective above this", 92),
)
MARKOV_COLUMNS = (
    COLUMNS[0],
    Column("Factors", "text", "the factors whose data belongs together", 130),
    Column("Open", "text", "what they share that is not observed in every row", 80),
    Column("Given", "text", "observed variables of their scopes", 80),
    *COLUMNS[5:7],
)
MOST_VARIABLES = 6
MOST_GIVEN = 4


class ComponentTable(pn.viewable.Viewer):
    """One row a component, those with something hidden first; linked to the component that is looked at."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._order: list[int] = []
        self._grid = Grid(shown=9, on_pick=self._pick, sizing_mode="stretch_width", margin=(4, 8, 4, 0))
        session.param.watch(lambda *_: self._sort(), "derived")
        session.param.watch(lambda *_: self._follow(), ["learned", "moment"])
        session.param.watch(lambda *_: self._highlight(), "component")
        self._sort()

    def _sort(self) -> None:
        parts = self._session.parts
        self._order = [] if parts is None else sort_components(parts)
        self._fill()
        self._highlight()

    def _follow(self) -> None:
        """Show what was learned; nothing is learned of a Markov network's components alone."""
        if not isinstance(self._session.network, MarkovNetwork):
            self._fill()

    def _fill(self) -> None:
        parts, learned = self._session.parts, self._session.reached
        self._grid.visible = parts is not None
        if parts is not None:
            self._grid.source = components_source(parts, self._order, learned)

    def _highlight(self) -> None:
        looked_at = self._session.component
        self._grid.picked = [self._order.index(looked_at)] if looked_at in self._order else []

    def _pick(self, row: int) -> None:
        self._session.look_at(self._order[row])

    def __panel__(self) -> pn.viewable.Viewable:
        return self._grid


def sort_components(parts: Parts) -> list[int]:
    """The components with something to iterate, then those that are counted."""
    components = parts.task.decomposition.components
    return sorted(range(len(components)), key=lambda k: (components[k].is_complete, k))


def components_source(parts: Parts, order: list[int], learned: Snapshot | None) -> Source:
    """The rows of the table, made as they are shown."""
    gaps = parts.gaps(learned)
    network = parts.task.network
    if isinstance(network, MarkovNetwork):
        return Source(
            MARKOV_COLUMNS,
            len(order),
            lambda first, last: [_markov_row(parts, network, k) for k in order[first : last + 1]],
            "Components",
        )

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [_row(parts, learned, gaps[k], k) for k in order[first : last + 1]]

    return Source(COLUMNS, len(order), cells, "Components")


def _markov_row(parts: Parts, network: MarkovNetwork, k: int) -> list[Cell]:
    """Its components have no objective, and so no bound, of their own."""
    component = parts.task.decomposition.components[k]
    names = [variable.name for variable in network.variables]
    factors = name_factors(network, component.factors)
    return [
        f"{k + 1}",
        _list(factors, MOST_VARIABLES),
        _list([names[v] for v in component.variables], MOST_VARIABLES),
        _list([names[v] for v in component.boundary], MOST_GIVEN),
        f"{parts.task.distinct_rows[k]:,} of {parts.task.decomposition.dataset.total_weight:,.6g}",
        f"{sum(network.tables[factor].size for factor in component.factors):,}",
    ]


def _list(names: list[str], most: int) -> Cell:
    return {"text": cut(names, most), "about": cut(names, 10 * most)}


def _row(parts: Parts, learned: Snapshot | None, gap: float | None, k: int) -> list[Cell]:
    task = parts.task
    component, network = task.decomposition.components[k], task.bayesian
    names = [network.variables[v].name for v in component.variables]
    given = [network.variables[v].name for v in component.boundary]
    total = task.decomposition.dataset.total_weight
    made, reached = "", ""
    if learned is not None:
        made, reached = f"{learned.iterations[learned.best, k]:,}", f"{learned.objective[learned.best, k]:,.2f}"
    return [
        f"{k + 1}",
        _list(names, MOST_VARIABLES),
        _list(given, MOST_GIVEN),
        "" if gap is None else show_gap(gap),
        made,
        f"{task.distinct_rows[k]:,} of {total:,.6g}",
        f"{sum(network.tables[v].size for v in component.variables):,}",
        reached,
        f"{parts.bounds.imap[k]:,.2f}" if isinstance(parts.bounds, Bounds) else "",
    ]
