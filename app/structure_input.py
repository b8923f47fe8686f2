"""What the command ``structure`` works on: the data, what is asked of a structure, and how it is looked for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from app.commands import check_seed
from app.evidence_input import split_names
from app.learning_input import read_prior
from engine.formats import read_dataset, read_network
from engine.model.dataset import Dataset, Role
from engine.model.errors import PgmError, UnknownNameError
from engine.model.messages import shorten
from engine.model.network import BayesianNetwork
from engine.model.prior import Prior
from engine.model.table_prior import TablePrior
from engine.model.variable import Variable, list_names
from engine.structure.comparison import align_structure
from engine.structure.constraints import Arrow, Constraints
from engine.structure.families import Parents
from engine.structure.hill_climbing import Climb
from engine.structure.scores import DEFAULT_SAMPLE_SIZE, SCORES
from engine.structure.search import SEARCHES, Search
from engine.structure.structural_em import add_hidden, make_network

EDGES = "l1"
"""The search for edges without arrows."""
BOUND_SECONDS = 1.0
MOST_STATES, MOST_VALUES = 100, 5_000
"""Of a hidden variable, and of a column: learning its parameters takes the square of it in memory, 200 MB."""


@dataclass(frozen=True, eq=False)
class StructureInput:
    """A problem of structure.

    Attributes
    ----------
    true : structure, optional
        That of the network to compare with.
    """

    data: Dataset
    constraints: Constraints
    search: Search
    prior: Prior
    true: Parents | None
    random_state: int
    notes: list[str]

    @property
    def is_complete(self) -> bool:
        """Whether every cell of the data is known."""
        return all(role is Role.OBSERVED for role in self.data.roles)

    @property
    def names(self) -> list[str]:
        return [variable.name for variable in self.data.variables]


def add_structure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("data", metavar="DATA", help="a data file; each of its columns is a variable")
    parser.add_argument(
        "--missing-code", action="append", default=[], metavar="CODE", help="a text that means a missing value"
    )
    parser.add_argument("--score", choices=list(SCORES), default="bic", help="default: %(default)s")
    parser.add_argument(
        "--equivalent-sample-size",
        type=float,
        default=DEFAULT_SAMPLE_SIZE,
        metavar="S",
        help="bde, bdeu: how many rows the prior is worth (default: %(default)g)",
    )
    parser.add_argument("--search", choices=(*SEARCHES, EDGES), default=SEARCHES[0], help="default: %(default)s")
    _add_constraints(parser)
    _add_search(parser)
    parser.add_argument(
        "--prior",
        action="append",
        default=[],
        metavar="PSI",
        help="Dirichlet exponents of the parameters, as in learn (default: 1, maximum likelihood)",
    )
    parser.add_argument(
        "--resamples", type=int, default=0, metavar="N", help="search in N resampled datasets too: how sure arrows are"
    )
    parser.add_argument(
        "--l1", type=float, metavar="B", help="l1: the width of the Laplace prior (default: by the number of rows)"
    )
    parser.add_argument("--truth", metavar="NETWORK", help="a network to compare the arrows with")
    parser.add_argument(
        "--bound-seconds",
        type=float,
        default=BOUND_SECONDS,
        metavar="SECONDS",
        help="about how long to look for a lower bound of the score (default: %(default)g)",
    )
    parser.add_argument("--markov", action="store_true", help="write a Markov network: each table becomes a factor")
    parser.add_argument("--out", metavar="FILE", help="where to write the network, parameters included")


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", metavar="X", help="chow-liu: where arrows lead away from; tan: the class")
    parser.add_argument("--order", metavar="X,Y,…", help="k2: all variables, parents first (default: as in the data)")
    parser.add_argument(
        "--tabu",
        type=int,
        default=Climb.tabu,
        metavar="K",
        help="hill-climbing: last steps not to undo (default: %(default)s)",
    )
    parser.add_argument(
        "--restarts",
        type=int,
        default=Climb.restarts,
        metavar="N",
        help="hill-climbing: how often to go on from the best after steps at random (default: %(default)s)",
    )
    parser.add_argument(
        "--max-seconds",
        type=float,
        default=Climb.max_seconds,
        metavar="SECONDS",
        help="hill-climbing (default: no limit)",
    )
    parser.add_argument("--random-state", type=int, default=0, metavar="S", help="seed (default: %(default)s)")


def _add_constraints(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-parents", type=int, metavar="K", help="default: no limit")
    parser.add_argument("--require", action="append", default=[], metavar="A->B", help="an arrow that must be there")
    parser.add_argument("--forbid", action="append", default=[], metavar="A->B", help="an arrow that must not")
    parser.add_argument(
        "--tiers",
        action="append",
        default=[],
        metavar="X,Y",
        help="variables of the first tier, then, given again, of the next: no arrow leads back",
    )
    parser.add_argument(
        "--hidden",
        action="append",
        default=[],
        metavar="H=2",
        help="a further variable that nobody has seen, and how many states it has",
    )


def read_structure_input(options: argparse.Namespace) -> StructureInput:
    """What the options name."""
    found = read_dataset(options.data, missing=options.missing_code)
    for variable in found.dataset.variables:
        if variable.cardinality > MOST_VALUES:
            raise PgmError(
                f"column {shorten(variable.name)} has {variable.cardinality:,} values, and at most {MOST_VALUES:,} are "
                "allowed; leave columns out that tell every row apart, or put their values into intervals"
            )
    data = add_hidden(found.dataset, [_parse_hidden(text) for text in options.hidden])
    empty = make_network(data.variables, ((),) * len(data.variables))
    constraints = Constraints(
        data.variables,
        frozenset(_parse_arrow(empty, text, "--require") for text in options.require),
        frozenset(_parse_arrow(empty, text, "--forbid") for text in options.forbid),
        tuple(tuple(_parse_names(empty, text)) for text in options.tiers),
        options.max_parents,
    )
    return StructureInput(
        data,
        constraints,
        _make_search(options, empty),
        _read_exponents(empty, options),
        None if options.truth is None else _read_truth(options.truth, data.variables),
        check_seed(options.random_state),
        list(found.notes),
    )


def _read_exponents(empty: BayesianNetwork, options: argparse.Namespace) -> Prior:
    """Refuse other priors before a search that may take long."""
    prior = 1.0 if options.search == EDGES else read_prior(empty, options)
    if isinstance(prior, TablePrior):
        raise PgmError("--prior takes Dirichlet exponents here; learn with another prior when the structure is known")
    return prior


def _make_search(options: argparse.Namespace, empty: BayesianNetwork) -> Search:
    if options.search == "tan" and options.root is None:
        raise PgmError("tan needs a class: name it with --root X")
    climbing = Climb(tabu=options.tabu, restarts=options.restarts, max_seconds=options.max_seconds)
    root = 0 if options.root is None else _find_column(empty, options.root)
    order = None if options.order is None else _parse_names(empty, options.order)
    return Search(options.search, climbing, root, order)


def _read_truth(path: str, variables: Sequence[Variable]) -> Parents:
    network = read_network(path).network
    if not isinstance(network, BayesianNetwork):
        raise PgmError(f"{path}: a Markov network has no arrows to compare with; give a Bayesian network")
    return align_structure(network, variables)


def _parse_names(empty: BayesianNetwork, text: str) -> list[int]:
    try:
        names = split_names(empty, text)
    except UnknownNameError:
        unknown = next((name for name in text.split(",") if name not in empty.index), text)
        return [_find_column(empty, unknown)]
    return [empty.index[name] for name in names]


def _find_column(empty: BayesianNetwork, name: str) -> int:
    if name not in empty.index:
        known = list_names([variable.name for variable in empty.variables])
        raise PgmError(f"the data has no column {shorten(name)}; it has {known}")
    return empty.index[name]


def _parse_arrow(empty: BayesianNetwork, text: str, option: str) -> Arrow:
    """``A->B``; the names may hold arrows too."""
    for arrow in ("->", "→"):
        pieces = text.split(arrow)
        for k in range(1, len(pieces)):
            names = arrow.join(pieces[:k]).strip(), arrow.join(pieces[k:]).strip()
            if all(name in empty.index for name in names):
                return empty.index[names[0]], empty.index[names[1]]
        if len(pieces) == 2:
            for name in pieces:
                _find_column(empty, name.strip())
    known = list_names([variable.name for variable in empty.variables])
    raise PgmError(f"{option} {text}: expected an arrow such as A->B between two of {known}")


def _parse_hidden(text: str) -> Variable:
    """``H=2``: a name and a number of states."""
    name, _, number = text.rpartition("=")
    if not name or not number.isdecimal() or not 2 <= int(number) <= MOST_STATES:
        raise PgmError(f"--hidden {text}: expected a name and 2 to {MOST_STATES} states, as in H=2")
    return Variable(name, tuple(str(k) for k in range(int(number))))
