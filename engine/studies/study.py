"""What a study is: cells that are solved one by one, and a table and charts of what came out of them.

A study of a new table or figure is one file with a :class:`Study`, and one line in the catalogue. Its cells
are small and know their own seeds, so that a study that was ended goes on where it was: see
:mod:`engine.studies.kept`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from engine.learning.workspace import NEVER
from engine.model.dataset import Dataset
from engine.model.errors import Cancelled, MemoryLimitError, ModelError
from engine.model.network import Network
from engine.studies.chart import Chart, make_series
from engine.studies.live import Live
from engine.studies.problem import LearningProblem

Networks = Mapping[str, Network]
Datasets = Mapping[str, Dataset]


@dataclass(frozen=True)
class Settings:
    """The size of a study.

    Attributes
    ----------
    rows, datasets : int
        Rows of a dataset, or the most where a study has its own; datasets per network and hidden share.
    hidden : tuple of float
        Shares of the variables that are hidden.
    max_iter : int
    max_seconds : float
        The most processor time that one method may take on one problem.
    prior : float
        The Dirichlet exponent of every parameter.
    keep_leaves : bool
        Whether hidden leaves are learned along with the rest, as in the thesis, rather than given the
        prior's mode at once, as our learners do. EM takes many iterations to creep there, EDML one.
    random_state : int
    """

    rows: int = 1024
    datasets: int = 3
    hidden: tuple[float, ...] = (0.10, 0.25, 0.35, 0.50, 0.70)
    max_iter: int = 1000
    max_seconds: float = 60.0
    prior: float = 2.0
    keep_leaves: bool = False
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.rows < 1 or self.datasets < 1:
            raise ModelError(f"a study needs 1 row and 1 dataset at least; got {self.rows} and {self.datasets}")
        if not self.max_seconds > 0:
            raise ModelError(f"max_seconds must be more than 0; got {self.max_seconds}")
        if self.random_state < 0:
            raise ModelError(f"the random state is {self.random_state}; expected a whole number ≥ 0")


QUICK = Settings(rows=128, datasets=1, hidden=(0.25, 0.50), max_iter=50, max_seconds=2)
"""Little of everything, for a first look."""


class Outcome(Protocol):
    """What came out of a cell: a dataclass of texts, numbers, truth values, and tuples of these."""

    @property
    def network(self) -> str: ...

    @property
    def hidden(self) -> float: ...


O = TypeVar("O", bound=Outcome)  # noqa: E741 - an outcome


@dataclass(frozen=True)
class Cell(Generic[O]):
    """A piece of a study that is solved and kept by itself.

    Attributes
    ----------
    name : str
        Unlike that of any other cell of the study.
    pose : callable
        Draws the problem that it is about: data is drawn when a cell is solved, not when it is listed.
    solve : callable
        From that problem to the outcome. Asks what it is given whether to end, and then raises Cancelled.
    """

    name: str
    pose: Callable[[], LearningProblem]
    solve: Callable[[LearningProblem, Callable[[], bool]], O]


@dataclass(frozen=True)
class Finished(Generic[O]):
    """A cell that was solved, or was left out for a reason."""

    cell: str
    outcome: O | None
    reason: str = ""


@dataclass(frozen=True)
class Row:
    """One line of a table: our numbers and the thesis', by column; None where there is none."""

    category: str
    problems: int
    ours: Mapping[str, float | None]
    thesis: Mapping[str, float | None]


@dataclass(frozen=True)
class Table(Generic[O]):
    """A table of the thesis with our numbers beside, or the numbers of a figure.

    Attributes
    ----------
    unit : str
        Of every number: "%", "x", " s", or none.
    outcomes : tuple
        Per problem, what the numbers are made of.
    notes : tuple of str
        What a reader should know of problems that were cut short or left out.
    """

    title: str
    unit: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    outcomes: tuple[O, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """Whether what the paper saw was seen again, and how that is known."""

    is_confirmed: bool
    why: str


@dataclass(frozen=True)
class Measured(Generic[O]):
    """Lines of a study whose data is not simulated but read.

    Attributes
    ----------
    file : str
        The file that has all of it.
    names : tuple of str
        Of the datasets that the study wants of it.
    read : callable
        From the file's path to the datasets in it, by name.
    list_cells : callable
        The cells for some of these.
    """

    file: str
    names: tuple[str, ...]
    read: Callable[[Path], Datasets]
    list_cells: Callable[[Datasets, Settings], list[Cell[O]]]


@dataclass(frozen=True)
class Study(Generic[O]):
    """A table or figure of a paper that can be run again.

    Attributes
    ----------
    shows : str
        Where in the paper, and what it shows there, in a line: "Table 4.1 [thesis]: EDML has less error …".
    outcome : type
        What comes out of a cell.
    list_cells, tabulate, chart, judge : callable
        The cells for some networks; the table of outcomes and of notes on cells that were left out; its charts, and
        whether it confirms the paper.
    networks : tuple of str
        Those that are read from files, by name.
    drawn : mapping
        Those that are drawn at random: per name, what makes one from a random state.
    quick_networks : tuple of str
        Those of a first look; empty for the two with the smallest files.
    settings, quick : Settings
        As the paper did, and for a first look.
    stand_ins : tuple of str
        What the paper had and we have not, and what stands in for it.
    takes_markov : bool
        Whether the networks that are read may be Markov networks.
    live : Live
        How one of its problems is watched: see :mod:`engine.studies.live`.
    measured : Measured, optional
        What is learned from data that is read. The quick form does without.
    """

    shows: str
    outcome: type[O]
    list_cells: Callable[[Networks, Settings], list[Cell[O]]]
    tabulate: Callable[[Sequence[O], Sequence[str]], Table[O]]
    chart: Callable[[Table[O]], Sequence[Chart]]
    judge: Callable[[Table[O]], Verdict]
    live: Live
    networks: tuple[str, ...] = ()
    drawn: Mapping[str, Callable[..., Network]] = field(default_factory=dict)
    quick_networks: tuple[str, ...] = ()
    settings: Settings = Settings()
    quick: Settings = QUICK
    stand_ins: tuple[str, ...] = ()
    takes_markov: bool = False
    measured: Measured[O] | None = None

    @property
    def place(self) -> str:
        """Where in the paper it is: "Table 4.1 [thesis]"."""
        return self.shows.partition(": ")[0]

    @property
    def saw(self) -> str:
        """What the paper saw there."""
        return self.shows.partition(": ")[2]

    def list_all(self, networks: Networks, datasets: Datasets, settings: Settings) -> list[Cell[O]]:
        """The cells for data that was read, and for some networks, in this order."""
        first = self.measured.list_cells(datasets, settings) if self.measured else []
        return first + self.list_cells(networks, settings)

    def choose_live(self, known: Sequence[str]) -> str:
        """The network of the problem that is watched, of those that are drawn and those that are known, in this order.

        Empty where there is none: something has to stand in.
        """
        first = [name for name in self.quick_networks if name in self.drawn or name in known]
        others = [name for name in known if name in self.networks]
        return next(iter((*first, *others, *self.drawn)), "")

    def pose_live(self, name: str, network: Network) -> LearningProblem:
        """The problem that is watched: of the quick form the last one, with the most rows and the most hidden.

        Hidden leaves are not kept: on the page they are pruned, and seen to be.
        """
        quick = replace(self.quick, keep_leaves=False, datasets=1)
        cells = self.list_cells({name: network}, quick)
        if not cells:
            raise ModelError(f"{name} is a Markov network; {self.place} needs a Bayesian network")
        return cells[-1].pose()

    def table(self, finished: Iterable[Finished[O]]) -> Table[O]:
        """The table of the cells that are finished."""
        known = list(finished)
        left_out = [f"{each.cell} is left out: {each.reason}" for each in known if each.outcome is None]
        return self.tabulate([each.outcome for each in known if each.outcome is not None], left_out)


AnyStudy = Study[Any]


def run_cells(cells: Iterable[Cell[O]], cancelled: Callable[[], bool] = NEVER) -> Iterator[Finished[O]]:
    """Solve cell after cell. Cancelled, it ends with the last whole one."""
    for cell in cells:
        try:
            yield Finished(cell.name, cell.solve(cell.pose(), cancelled))
        except MemoryLimitError as error:
            yield Finished(cell.name, None, str(error))
        except Cancelled:
            return


def categorise(outcomes: Sequence[O]) -> dict[str, list[O]]:
    """Outcomes by network, by hidden share, and all of them."""
    groups: dict[str, list[O]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.network, []).append(outcome)
    for hidden in sorted({outcome.hidden for outcome in outcomes}):
        groups[f"hiding {hidden:.0%}"] = [outcome for outcome in outcomes if outcome.hidden == hidden]
    return {**groups, "average": list(outcomes)}


def chart_column(table: Table[O], column: str, up_base: int = 0) -> Chart:
    """One column of a table as a chart, its rows across, with the thesis' numbers where there are some."""
    series = [make_series(column, enumerate(row.ours[column] for row in table.rows))]
    thesis = make_series(column, enumerate(row.thesis[column] for row in table.rows), is_paper=True)
    series += [thesis] if thesis.points else []
    labels = tuple(row.category for row in table.rows)
    title, up = f"{table.title.split(':')[0]}: {column}", f"{column} ({table.unit})" if table.unit else column
    return Chart(title, "", up, tuple(series), up_base=up_base, labels=labels)


def describe_range(values: Sequence[float], unit: str = "") -> str:
    """The least and the most of some numbers, in words.

    >>> describe_range([3.14159, 100.0], "×"), describe_range([5.0]), describe_range([])
    ('3.1× to 100×', '5', 'unknown')
    """
    if not values:
        return "unknown"
    ends = list(dict.fromkeys(map(_round, (min(values), max(values)))))
    return " to ".join(f"{end}{unit}" for end in ends)


def _round(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"


def known_numbers(table: Table[O], column: str) -> list[float]:
    """The numbers of ours that there are in a column."""
    return [value for row in table.rows if (value := row.ours[column]) is not None]


def percentage(part: float, whole: float) -> float | None:
    """A share in percent, of something."""
    return 100 * part / whole if whole else None
