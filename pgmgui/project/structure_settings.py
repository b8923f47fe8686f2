"""How to look for a structure, as the user has chosen it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.formats.schema import number, one_of, optional, record, text, whole
from engine.model.network import MarkovNetwork, Network
from engine.structure.scores import DEFAULT_SAMPLE_SIZE
from engine.structure.search import SEARCHES

EDGES = "l1"
"""The search for edges without arrows."""
TREE = "chow-liu"
SEARCH_TITLES: Mapping[str, str] = {
    "hill-climbing": "hill climbing",
    TREE: "Chow–Liu",
    "tan": "TAN",
    "exact": "exact search",
    "k2": "K2",
    EDGES: "L1",
}
"""What the searches are called."""
SCORE_TITLES: Mapping[str, str] = {
    "bic": "BIC",
    "aic": "AIC",
    "bde": "BDe",
    "bdeu": "BDeu",
    "likelihood": "likelihood",
}
PACES = {"1 s a step": 1.0, "¼ s a step": 0.25, "no pause": 0.0}
"""How long each step is looked at."""
LONGEST = 20_000
"""Characters of the constraints of a kind."""
RANGES = {
    "sample_size": (1e-6, 1e9),
    "max_parents": (0, 1000),
    "restarts": (0, 1000),
    "seed": (0, 10**15),
    "width": (1e-12, 1e12),
}
"""The least and the most that a number may be, wherever it is from."""


@dataclass(frozen=True)
class StructureSettings:
    """How to look for a structure: what the next search is started with.

    Attributes
    ----------
    search : str
        One of :data:`SEARCH_TITLES`.
    sample_size : float
        How many rows the prior of BDe and BDeu is worth.
    max_parents : int, optional
        None for no cap.
    restarts : int, optional
        Of hill climbing; None for as many as the data is worth.
    seed : int
        Of hill climbing.
    root : str
        The variable that a tree's arrows lead away from, or the class of TAN; empty for the first.
    order : str
        Names with commas between, parents first, for K2; empty for the order of the columns.
    width : float, optional
        That of the Laplace prior of L1; None for one by the number of rows.
    required, forbidden, tiers : str
        As typed: arrows, and groups of variables. See :mod:`pgmgui.project.structure_constraints`.
    pace : float
        Seconds that each step is shown.
    """

    search: str = SEARCHES[0]
    score: str = "bic"
    sample_size: float = DEFAULT_SAMPLE_SIZE
    max_parents: int | None = None
    restarts: int | None = None
    seed: int = 0
    root: str = ""
    order: str = ""
    width: float | None = None
    required: str = ""
    forbidden: str = ""
    tiers: str = ""
    pace: float = 0.25

    def choose_search(self, network: Network) -> str:
        """The search that a kind of network is found by: the chosen one, or the first that there is for it."""
        offered = list_searches(network)
        return self.search if self.search in offered else offered[0]


def list_searches(network: Network) -> tuple[str, ...]:
    """The searches for networks of a kind."""
    return (EDGES, TREE) if isinstance(network, MarkovNetwork) else SEARCHES


_PLAIN = StructureSettings()
_SEARCH = record(
    {
        "search": optional(one_of(SEARCH_TITLES), _PLAIN.search),
        "score": optional(one_of(SCORE_TITLES), _PLAIN.score),
        "sample_size": optional(number(*RANGES["sample_size"]), _PLAIN.sample_size),
        "max_parents": optional(whole(*RANGES["max_parents"]), None),
        "restarts": optional(whole(*RANGES["restarts"]), None),
        "seed": optional(whole(*RANGES["seed"]), _PLAIN.seed),
        "root": optional(text(), ""),
        "order": optional(text(LONGEST), ""),
        "width": optional(number(*RANGES["width"]), None),
        "required": optional(text(LONGEST), ""),
        "forbidden": optional(text(LONGEST), ""),
        "tiers": optional(text(LONGEST), ""),
        "pace": optional(number(0.0, max(PACES.values())), _PLAIN.pace),
    }
)


def parse_search(item: Any, place: str) -> StructureSettings:
    """The settings in a session's file, which may hold anything."""
    return StructureSettings(**_SEARCH(item, place))
