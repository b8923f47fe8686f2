"""What is on the page: a network, data, marks and a prior, as one immutable value; and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from engine.formats import Document
from engine.insight.held_out import HeldOutRows
from engine.learning.bounding import AnyBounds, bound_task
from engine.learning.hold_out import HoldOut, Split, split_rows
from engine.learning.markov_bounds import MarkovBounds
from engine.learning.snapshot import Snapshot
from engine.learning.targets.splitting import has_targets
from engine.learning.task import LearningTask, make_task
from engine.learning.workspace import NEVER
from engine.model.arrays import Floats
from engine.model.data_edits import DataEdit
from engine.model.dataset import Dataset
from engine.model.errors import MemoryLimitError, ModelError
from engine.model.network import BayesianNetwork, Network
from engine.model.prior import Prior
from engine.model.table_prior import TablePrior
from engine.model.ties import Ties, find_ties
from engine.sources.ibis_table import TooManyRowsError
from engine.sources.places import Place
from pgmgui.project.counted_data import WHY, AnyData, CountedData, Rows, see
from pgmgui.project.factor_prior import FactorPrior
from pgmgui.project.marks import Given, Mark

EMPTY = Document(BayesianNetwork((), (), ()))


@dataclass(frozen=True)
class CaseTarget:
    """A target of a case: its variables, the states of each, and a number for each combination of them."""

    variables: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    numbers: tuple[float, ...]


@dataclass(frozen=True)
class Case:
    """What a query supposed: by variable and state, a likelihood; and targets, fixed or not."""

    likelihoods: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    targets: tuple[CaseTarget, ...] = ()
    fixed: bool = True


@dataclass(frozen=True, eq=False)
class Scene:
    """All that undo brings back.

    Attributes
    ----------
    document : Document
        With a position for every variable: see :func:`pgmgui.project.layout.arrange`.
    marks : mapping from variable name to Mark
    prior : mapping from variable name to Dirichlet exponents
        A number or a table, for the variables that do not have the common exponent.
    common_prior : float
        The exponent of all other variables.
    example : str
        The id of the example that it began as, if it did.
    truth : Network, optional
        The network that the data was drawn from, if it was; or one that the user compares with.
    factor_prior : FactorPrior, optional
        The prior on the factors of a Markov network.
    cases : mapping from name to Case
        What was supposed in queries, and kept.
    hold_out : HoldOut, optional
        Which rows are not learned from, to test on; None holds out none.
    table_prior : TablePrior, optional
        The prior on the tables of a Bayesian network, where it is no Dirichlet: exponents are kept, and do not count.
    fixed_targets : bool
        Whether the targets of cells hold whatever else a row says, or only before that is known.
    ties : tuple of tuples of names
        Groups of variables that share one table.
    laid_out_for : float
        The shape of the pane that a file without positions was laid out for when it was opened; 0 for others.
    place : Place, optional
        Where the data lies, if it is yet to be counted there: nothing else is known of it then.
    """

    title: str = "Untitled"
    note: str = ""
    document: Document = EMPTY
    data: AnyData | None = None
    marks: Mapping[str, Mark] = field(default_factory=dict)
    prior: Mapping[str, float | Floats] = field(default_factory=dict)
    common_prior: float = 1.0
    example: str = ""
    truth: Network | None = None
    factor_prior: FactorPrior | None = None
    cases: Mapping[str, Case] = field(default_factory=dict)
    hold_out: HoldOut | None = None
    table_prior: TablePrior | None = None
    fixed_targets: bool = True
    ties: tuple[tuple[str, ...], ...] = ()
    laid_out_for: float = 0.0
    place: Place | None = None

    @property
    def tied(self) -> Ties:
        """The groups of variables that share one table, by number."""
        return find_ties(self.document.network, self.ties)

    @property
    def given(self) -> tuple[int, ...]:
        """The variables that all others are learned given."""
        index = self.document.network.index
        return tuple(sorted(index[name] for name, mark in self.marks.items() if isinstance(mark, Given)))

    @property
    def whole_prior(self) -> Prior:
        """The prior on the tables of a Bayesian network, else the Dirichlet exponents of every variable; or the prior
        on the factors. 1 is none."""
        if not isinstance(self.document.network, BayesianNetwork):
            return 1.0 if self.factor_prior is None else self.factor_prior
        if self.table_prior is not None:
            return self.table_prior
        names = [variable.name for variable in self.document.network.variables]
        return {name: self.prior.get(name, self.common_prior) for name in names}


def edit_scene(scene: Scene, edit: DataEdit) -> Scene:
    """The scene with other cells, weights or rows in its data."""
    if scene.data is None:
        raise ModelError("there is no data to edit; open or simulate some first")
    return replace(scene, data=edit_data(scene.data, edit))


def edit_data(data: AnyData, edit: DataEdit) -> AnyData:
    """Data with other cells, weights or rows."""
    if isinstance(data, CountedData):
        raise ModelError(f"the data cannot be edited: {WHY}; change it there, and open it again")
    return replace(data, dataset=edit.apply(data.dataset))


AT_ONCE = 100
"""Parameters of a Markov network up to which its bound is fitted at once: some hundredths of a second."""


@dataclass(eq=False)
class Parts:
    """How the learning problem falls apart, and how high each part can go.

    Attributes
    ----------
    bounds : bounds
        The tightest that are known. Tighter ones are put here where the page may be changed, and the session says so.
    split : Split, optional
        Where rows are held out: the task has the others alone.
    """

    task: LearningTask
    bounds: AnyBounds
    split: Split | None = None

    @classmethod
    def of(cls, task: LearningTask, split: Split | None = None) -> Parts:
        """Those of a learning problem, with the bounds that are found at once."""
        return cls(task, bound_task(task, fit=task.layout.size <= AT_ONCE), split)

    @cached_property
    def held_out(self) -> HeldOutRows | None:
        """The rows held out, planned to be scored. This may take a while: ask for it beside the page, not on it."""
        task = self.task
        if self.split is None:
            return None
        return HeldOutRows(task.network, self.split.test, task.given, fixed=not task.has_moving_targets)

    @property
    def is_tight(self) -> bool:
        """Whether no tighter bounds are to be had."""
        return not isinstance(self.bounds, MarkovBounds) or self.bounds.is_final

    def find_tightest(self, cancelled: Callable[[], bool] = NEVER) -> AnyBounds:
        """The tightest bounds to be had. This may take seconds: call it beside the page, not on it."""
        return bound_task(self.task, cancelled=cancelled)

    def gaps(self, reached: Snapshot | None) -> list[float | None]:
        """How far what was learned is from the bound, per component; None where nothing was, or it has no bound."""
        components = self.task.decomposition.components
        bounds = self.bounds
        if reached is None or isinstance(bounds, MarkovBounds) or reached.objective.shape[1] != len(components) + 1:
            return [None] * len(components)
        objective = reached.objective[reached.best]
        return [max(0.0, float(bounds.imap[k] - objective[k])) for k in range(len(components))]


@dataclass(frozen=True, eq=False)
class Derived:
    """What follows from a scene.

    Attributes
    ----------
    seen : Dataset or IbisTable, optional
        The data as the marks let it be seen; None without data.
    parts : Parts, optional
        None if there is nothing to learn, or no way to.
    obstacle : str
        Why there are no parts where one would expect some.
    """

    seen: Rows | None
    parts: Parts | None
    obstacle: str = ""


def derive(scene: Scene) -> Derived:
    """What follows from a scene. With much data this takes a while: call it beside the page, not on it."""
    if scene.data is None:
        return Derived(None, None)
    network = scene.document.network
    if scene.data.dataset.variables != network.variables:
        raise ModelError("the data is over other variables than the network; match its columns first")
    seen = see(scene.data.dataset, scene.marks)
    if not network.variables:
        return Derived(seen, None)
    if not network.tables:
        return Derived(seen, None, "There are no factors to learn: connect some variables.")
    if not seen.total_weight:
        lack = "all rows weigh 0" if seen.n_rows else "the data has no rows"
        return Derived(seen, None, f"There is nothing to learn from: {lack}. Load other data, or simulate.")
    split = None
    if scene.hold_out is not None:
        if not isinstance(seen, Dataset):
            return Derived(seen, None, f"Rows cannot be held out: {WHY}. Hold out none, among the options.")
        try:
            split = split_rows(seen, scene.hold_out)
        except ModelError as error:
            return Derived(seen, None, f"Rows cannot be held out: {error}.")
    rows, fixed = seen if split is None else split.train, scene.fixed_targets
    if not fixed and has_targets(rows) and not isinstance(network, BayesianNetwork):
        return Derived(seen, None, "Non-fixed targets are for Bayesian networks: have them fixed, among the options.")
    try:
        task = make_task(network, rows, scene.whole_prior, given=scene.given, ties=scene.tied, fixed=fixed)
    except (MemoryLimitError, TooManyRowsError) as error:
        # A network too wide to learn can still be looked at and edited.
        return Derived(seen, None, f"Learning is out of reach: {error}")
    except ModelError as error:
        # Data with targets that cannot be learned from can still be looked at, edited and read otherwise.
        if not seen.targets:
            raise
        return Derived(seen, None, f"There is no learning from these targets: {error}.")
    try:
        return Derived(seen, Parts.of(task, split))
    except TooManyRowsError as error:
        return Derived(seen, None, f"Learning is out of reach: {error}")


def prepare_derived(scene: Scene) -> Derived:
    """What follows from a scene, with all that a page will ask of its data: much of it would hold up the page."""
    derived = derive(scene)
    if derived.seen is not None:
        _ = derived.seen.roles, derived.seen.total_weight
    return derived


def derive_anew(scene: Scene, old: Scene, known: Derived) -> Derived:
    """What follows from a scene, when it is known of another: nothing new if only names and places differ."""
    return known if is_same_problem(scene, old) else derive(scene)


def with_data(scene: Scene, data: AnyData | None, truth: Network | None = None) -> Scene:
    """A scene with other data; what an example says it shows is of its own data, and is said no longer."""
    return replace(scene, data=data, truth=truth, place=None, note="" if scene.example else scene.note)


def is_same_problem(scene: Scene, old: Scene) -> bool:
    """Whether the same follows from two scenes, one of which was made of the other: only names and places differ."""
    return (
        scene.document.network is old.document.network
        and scene.data is old.data
        and scene.place == old.place
        and scene.marks == old.marks
        and scene.prior is old.prior
        and scene.common_prior == old.common_prior
        and scene.factor_prior == old.factor_prior
        and scene.table_prior == old.table_prior
        and scene.hold_out == old.hold_out
        and scene.fixed_targets == old.fixed_targets
        and scene.ties == old.ties
    )
