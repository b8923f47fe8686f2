"""A structure to be found: from which data, under which constraints, by which search; and its parameters afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from engine.learning.imap.budget import Budget
from engine.learning.learn import learn
from engine.learning.snapshot import Snapshot as LearningSnapshot
from engine.model.dataset import Dataset, Role
from engine.model.errors import PgmError
from engine.model.messages import shorten
from engine.model.network import BayesianNetwork, MarkovNetwork, Network, as_markov
from engine.model.prior import Prior
from engine.model.source import Source
from engine.model.table_prior import TablePrior
from engine.model.variable import Variable, list_names
from engine.structure.bound import EXACT, StructureBound, lower_bound
from engine.structure.constraints import Constraints
from engine.structure.counts import Counts, count_rows, find_constant
from engine.structure.families import Families, Parents
from engine.structure.hill_climbing import Climb
from engine.structure.markov import drop_ones, learn_pairs, suggest_scale
from engine.structure.scores import make_score
from engine.structure.search import Search
from engine.structure.snapshot import Operation, Snapshot
from engine.structure.structural_em import Round, StructuralEM, make_network
from pgmgui.project.counted_data import AnyData, Rows, known_rows
from pgmgui.project.structure_constraints import find_column, parse_constraints, parse_names
from pgmgui.project.structure_settings import EDGES, SCORE_TITLES, SEARCH_TITLES, StructureSettings

MOST_VALUES = 5_000
"""Of a column: learning its parameters takes the square of it in memory, 200 MB."""
BOUND_SECONDS = 3.0
"""About how long a lower bound is looked for."""
MOST_BOUNDED = 250
"""Columns up to which a bound is looked for: even the first one counts each variable with all others."""


@dataclass(frozen=True, eq=False)
class Stand:
    """Where a search stands.

    Attributes
    ----------
    now : Snapshot
        An edge without arrow has its lower number among the parents of the higher.
    network : Network, optional
        With parameters, where the search learns these too.
    changes : tuple of Operation
        Of a round of structural EM: which arrows it has changed.
    """

    now: Snapshot
    network: Network | None = None
    changes: tuple[Operation, ...] = ()


@dataclass(frozen=True, eq=False)
class StructureProblem:
    """A structure to be found.

    Attributes
    ----------
    directed : bool
        Whether arrows are looked for, or edges of a Markov network.
    """

    dataset: Dataset
    constraints: Constraints
    search: Search
    settings: StructureSettings
    directed: bool

    @property
    def is_complete(self) -> bool:
        """Whether every cell of the data is known."""
        return is_complete(self.dataset)

    @property
    def learns_parameters(self) -> bool:
        """Whether the search learns parameters as it goes."""
        return self.search.name == EDGES or not self.is_complete

    @property
    def has_bound(self) -> bool:
        """Whether a bound of the score is known."""
        return not self.learns_parameters and len(self.dataset.variables) <= MOST_BOUNDED

    @property
    def title(self) -> str:
        """What is done, in words."""
        if self.search.name == EDGES:
            return "L1 on all pairs"
        method = SEARCH_TITLES[self.search.name] if self.is_complete else "structural EM"
        return f"{method} by {SCORE_TITLES[self.settings.score]}"

    @property
    def counted(self) -> str:
        """What is counted of it."""
        if self.search.name == EDGES:
            return "iteration"
        return "step" if self.is_complete else "round"

    @cached_property
    def remark(self) -> str:
        """What is to be said of the data besides; empty if nothing."""
        return describe_constants(self.dataset)

    @cached_property
    def counts(self) -> Counts:
        """The distinct rows. With many rows this takes a while: ask for it beside the page."""
        return count_rows(self.dataset)

    def make_families(self, cancelled: Callable[[], bool]) -> Families:
        """The scores of families, which raise Cancelled where they would count in vain."""
        return Families(self.counts, make_score(self.settings.score, self.counts, self.settings.sample_size), cancelled)

    def run(self, cancelled: Callable[[], bool]) -> Iterator[Stand]:
        """Search, step by step; cancelled, it ends, perhaps with Cancelled."""
        if self.search.name == EDGES:
            scale = suggest_scale(self.dataset) if self.settings.width is None else self.settings.width
            return map(_stand_at_iteration, learn_pairs(self.dataset, scale, cancelled=cancelled))
        seed = self.settings.seed
        if not self.is_complete:
            method = StructuralEM(self.settings.score, self.settings.sample_size, self.search.climbing)
            rounds = method.run(self.dataset, self.constraints, random_state=seed, cancelled=cancelled)
            return map(_stand_at_round, rounds)
        found = self.search.run(self.make_families(cancelled), self.constraints, random_state=seed, cancelled=cancelled)
        return (Stand(now) for now in found)

    def bound(self, cancelled: Callable[[], bool]) -> Iterator[StructureBound]:
        """How high the score can be at most: ever lower."""
        return lower_bound(self.make_families(cancelled), self.constraints, Budget(BOUND_SECONDS), cancelled)

    def finish(self, stand: Stand, prior: Prior) -> Network:
        """The best structure with parameters: those that the search has learned, or by counting.

        Sets that no row speaks of stay uniform. Another prior than exponents is left to learning.
        """
        if stand.network is not None:
            return stand.network
        network = make_network(self.dataset.variables, stand.now.best)
        exponents = 1.0 if isinstance(prior, TablePrior) or not self.directed else prior
        *_, last = learn(network, self.dataset, "counting", start="current", prior=exponents)
        learned = last.network()
        assert isinstance(learned, BayesianNetwork)
        return learned if self.directed else as_markov(learned)


def is_complete(dataset: Source) -> bool:
    """Whether every cell of the data is known."""
    return all(role is Role.OBSERVED for role in dataset.roles)


def describe_constants(dataset: Dataset) -> str:
    """Which columns have one value only, in words; empty if none has."""
    names = [dataset.variables[v].name for v in find_constant(dataset)]
    if not names:
        return ""
    has, them = ("column has", "it") if len(names) == 1 else ("columns have", "them")
    return f"{list_names(names)}: the {has} the same value in every row, so that no arrow tells anything of {them}"


def check_values(variables: Sequence[Variable]) -> None:
    """Refuse columns with too many values."""
    for variable in variables:
        if variable.cardinality > MOST_VALUES:
            raise PgmError(
                f"column {shorten(variable.name)} has {variable.cardinality:,} values, and at most {MOST_VALUES:,} are "
                "allowed; leave columns out that tell every row apart, or put their values into intervals"
            )


def make_problem(dataset: Dataset, network: Network, settings: StructureSettings) -> StructureProblem:
    """What the settings ask for.

    Raises
    ------
    PgmError
        If constraints cannot be read or met, or the search is not for this data.
    """
    variables = dataset.variables
    check_values(variables)
    name, directed = settings.choose_search(network), not isinstance(network, MarkovNetwork)
    if directed:
        typed = (settings.required, settings.forbidden, settings.tiers)
        constraints = parse_constraints(variables, *typed, settings.max_parents)
    else:
        constraints = Constraints(variables)
    index = network.index
    if name == "tan" and not settings.root:
        raise PgmError("TAN needs a class: choose it among the variables")
    search = Search(
        name,
        Climb(restarts=settings.restarts),
        find_column(index, settings.root) if settings.root and name in ("tan", "chow-liu") else 0,
        parse_names(index, settings.order) if settings.order.strip() and name == "k2" else None,
    )
    if name not in ("hill-climbing", EDGES) and not is_complete(dataset):
        count_rows(dataset)  # says what is missing, and what to do
    return StructureProblem(dataset, constraints, search, settings, directed)


def find_rows(data: AnyData | None, seen: Rows | None, train: Dataset | None) -> Dataset:
    """The rows that a structure is learned from: those that are seen, and not held out."""
    if data is None or seen is None:
        raise PgmError("there is no data to learn a structure from; open a table in the Data tab")
    if train is not None:
        return train
    return known_rows(seen, "a structure is looked for in whole rows (pgmgui structure fetches the distinct ones)")


def _stand_at_round(found: Round) -> Stand:
    parents: Parents = tuple(tuple(sorted(family)) for family in found.network.parents)
    score = found.expected if found.objective is None else found.objective
    last = found.operations[-1] if found.operations else None
    now = Snapshot(found.number, found.seconds, parents, score, parents, score, last, stop=found.stop)
    return Stand(now, found.network, found.operations)


def _stand_at_iteration(found: LearningSnapshot) -> Stand:
    whole = found.network()
    assert isinstance(whole, MarkovNetwork)
    network = drop_ones(whole)
    families: list[list[int]] = [[] for _ in network.variables]
    for a, b in network.edges:
        families[max(a, b)].append(min(a, b))
    parents = tuple(tuple(sorted(family)) for family in families)
    score = float(found.objective.sum())
    stop = {"converged": "optimum", "iterations": "steps"}.get(found.stop, found.stop)
    now = Snapshot(found.iteration, found.seconds, parents, score, parents, score, stop=stop)
    return Stand(now, network)


def keep_above(bound: StructureBound, score: float) -> StructureBound:
    """A bound that what was reached is not above by rounding."""
    return replace(bound, value=max(bound.value, score))


def bound_exactly(score: float) -> StructureBound:
    """The bound that an exact search leaves."""
    return StructureBound(score, EXACT)
