"""What the command ``structure`` works on: the data, what is asked of a structure, and how it is looked for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from app.commands import check_seed
from app.data_input import read_data
from app.learning_input import read_prior
from engine.formats import read_network
from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from engine.model.prior import Prior
from engine.model.table_prior import TablePrior
from engine.model.variable import Variable, list_names
from engine.structure.comparison import align_structure
from engine.structure.constraints import Constraints
from engine.structure.families import Parents
from engine.structure.hill_climbing import Climb
from engine.structure.scores import DEFAULT_SAMPLE_SIZE, SCORES
from engine.structure.search import SEARCHES, Search
from engine.structure.structural_em import add_hidden, make_network
from pgmgui.project.structure_constraints import find_column, parse_arrow, parse_names
from pgmgui.project.structure_problem import check_values, describe_constants, is_complete
from pgmgui.project.structure_settings import EDGES

BOUND_SECONDS = 1.0
CLIMBING = ("tabu", "restarts", "max_seconds")
"""Options of hill climbing alone."""
MOST_STATES = 100
"""Of a hidden variable."""


@dataclass(frozen=True, eq=False)
class StructureInput:
    """A problem of structure.

    Attributes
    ----------
    prior_network : BayesianNetwork, optional
        That of the score ``bde``.
    true : structure, optional
        That of the network to compare with.
    n_rows : int
        Those of the data; equal ones may be merged there.
    """

    data: Dataset
    constraints: Constraints
    search: Search
    prior: Prior
    prior_network: BayesianNetwork | None
    true: Parents | None
    random_state: int
    notes: list[str]
    n_rows: int

    @property
    def is_complete(self) -> bool:
        """Whether every cell of the data is known."""
        return is_complete(self.data)

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
        metavar="S",
        help=f"bde, bdeu: how many rows the prior is worth (default: {DEFAULT_SAMPLE_SIZE:g})",
    )
    parser.add_argument(
        "--prior-network", metavar="NETWORK", help="bde: what was known before (default: frequencies, no arrows)"
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
        help="about how long to look for a tighter upper bound of the score (default: %(default)g)",
    )
    parser.add_argument("--markov", action="store_true", help="write a Markov network: each table becomes a factor")
    parser.add_argument("--out", metavar="FILE", help="where to write the network, parameters included")


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", metavar="X", help="chow-liu: where arrows lead away from; tan: the class")
    parser.add_argument("--order", metavar="X,Y,…", help="k2: all variables, parents first (default: as in the data)")
    parser.add_argument(
        "--tabu",
        type=int,
        metavar="K",
        help=f"hill-climbing: last steps not to undo (default: {Climb.tabu})",
    )
    parser.add_argument(
        "--restarts",
        type=int,
        metavar="N",
        help="hill-climbing: how often to go on from the best, some arrows turned or dropped (default: by data)",
    )
    parser.add_argument(
        "--max-seconds",
        type=float,
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
    if options.resamples < 0:
        raise PgmError(f"--resamples must be 0 or more; got {options.resamples}")
    if options.equivalent_sample_size is None:
        options.equivalent_sample_size = DEFAULT_SAMPLE_SIZE
    elif options.score not in ("bde", "bdeu") or options.search == EDGES:
        raise PgmError("--equivalent-sample-size is for --score bde and bdeu; leave it out")
    prior_network = None if options.prior_network is None else _read_prior_network(options)
    found = read_data(options, options.data, None if prior_network is None else prior_network.variables)
    if found.absent:
        raise PgmError(
            f"{options.prior_network}: the data has no column for {list_names(found.absent)}; give a network of its "
            "columns alone"
        )
    check_values(found.data.variables)
    data = add_hidden(found.data.rows(), [_parse_hidden(text) for text in options.hidden])
    empty = make_network(data.variables, ((),) * len(data.variables))
    index = empty.index
    constraints = Constraints(
        data.variables,
        frozenset(parse_arrow(index, text, "--require") for text in options.require),
        frozenset(parse_arrow(index, text, "--forbid") for text in options.forbid),
        tuple(parse_names(index, text) for text in options.tiers),
        options.max_parents,
    )
    remark = describe_constants(data)
    return StructureInput(
        data,
        constraints,
        _make_search(options, empty),
        _read_exponents(empty, options),
        prior_network,
        None if options.truth is None else _read_truth(options.truth, data.variables),
        check_seed(options.random_state),
        [*found.notes, *([remark] if remark else [])],
        found.data.n_rows,
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
    if options.root is not None and options.search not in ("chow-liu", "tan"):
        raise PgmError("--root is for --search chow-liu and tan; leave it out")
    if options.order is not None and options.search != "k2":
        raise PgmError("--order is for --search k2; leave it out, or use --tiers")
    given = {name: getattr(options, name) for name in CLIMBING if getattr(options, name) is not None}
    if given and options.search != "hill-climbing":
        raise PgmError(f"{_show_option(next(iter(given)))} is for --search hill-climbing; leave it out")
    climbing = Climb(**given)
    root = 0 if options.root is None else find_column(empty.index, options.root)
    order = None if options.order is None else parse_names(empty.index, options.order)
    return Search(options.search, climbing, root, order)


def _show_option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _read_prior_network(options: argparse.Namespace) -> BayesianNetwork:
    if options.score != "bde" or options.search == EDGES:
        raise PgmError("--prior-network is for --score bde, with a search for arrows; leave it out")
    if options.hidden:
        raise PgmError("--hidden adds variables that --prior-network says nothing of; leave one of them out")
    return _read_bayesian(options.prior_network, "is no prior here; give a Bayesian network")


def _read_truth(path: str, variables: Sequence[Variable]) -> Parents:
    return align_structure(_read_bayesian(path, "has no arrows to compare with; give a Bayesian network"), variables)


def _read_bayesian(path: str, why: str) -> BayesianNetwork:
    network = read_network(path).network
    if not isinstance(network, BayesianNetwork):
        raise PgmError(f"{path}: a Markov network {why}")
    return network


def _parse_hidden(text: str) -> Variable:
    """``H=2``: a name and a number of states."""
    name, _, number = text.rpartition("=")
    if not name or not number.isdecimal() or not 2 <= int(number) <= MOST_STATES:
        raise PgmError(f"--hidden {text}: expected a name and 2 to {MOST_STATES} states, as in H=2")
    return Variable(name, tuple(str(k) for k in range(int(number))))
