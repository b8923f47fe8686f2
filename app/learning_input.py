"""What the learning commands work on: the files, or the session, that they name."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.commands import read_model
from app.data_input import read_data
from app.evidence_input import split_assignment, split_names
from app.held_out import choose_hold_out
from app.sensor_input import parse_sensors
from engine.formats import Document
from engine.learning.hold_out import HoldOut, Split, split_rows
from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.network import Network
from engine.model.prior import Gaussian, Laplace, Prior
from engine.model.source import Source
from engine.model.table_prior import TablePrior, parse_prior
from engine.model.ties import Ties, find_ties
from engine.simulation.missingness import apply_reports
from engine.sources.ibis_table import IbisTable


@dataclass(frozen=True, eq=False)
class Input:
    """A problem to learn.

    Attributes
    ----------
    given : tuple of int
        The variables that all others are learned given.
    ties : groups of variables
        Those of a group share one table.
    notes : list of str
        What was noticed on reading.
    data : Source
        The rows to learn from.
    split : Split, optional
        These and others, where some are held out.
    fixed : bool
        Whether targets hold whatever else a row says.
    """

    document: Document
    data: Source
    prior: Prior
    given: tuple[int, ...]
    ties: Ties
    notes: list[str]
    split: Split | None = None
    fixed: bool = True

    @property
    def network(self) -> Network:
        return self.document.network


def read_input(options: argparse.Namespace) -> Input:
    """What the options name, without the rows that are held out."""
    problem, known = _read_session(options) if options.data is None else (_read_files(options), None)
    for name, confusion in parse_sensors(problem.network, options.sensor).items():
        problem = replace(problem, data=_apply_sensor(problem.data, name, confusion))
    if getattr(options, "non_fixed", False):
        problem = replace(problem, fixed=False)
    hold_out = choose_hold_out(options, known)
    if hold_out is None:
        return problem
    if isinstance(problem.data, IbisTable):
        raise PgmError(
            "rows are held out one by one, and these are only counted where they lie; "
            "put those to test on into a table of their own, or read the data with --engine memory"
        )
    split = split_rows(problem.data.rows(), hold_out)
    return replace(problem, data=split.train, split=split)


def _apply_sensor(data: Source, name: str, confusion: Floats) -> Source:
    """The data with a column of reports read as likelihoods; where it is not at hand, what its texts mean is."""
    if isinstance(data, IbisTable):
        return data.reread(apply_reports(data.meanings, name, confusion))
    return apply_reports(data.rows(), name, confusion)


def _read_files(options: argparse.Namespace) -> Input:
    """A network and a dataset."""
    document = read_model(options)
    network = document.network
    found = read_data(options, options.data, network.variables, network.scopes)
    if not found.data.n_rows:
        raise PgmError(f"{options.data}: the dataset has no rows; there is nothing to learn from")
    notes = [*document.notes, *found.notes]
    prior, given, ties = read_prior(network, options), _parse_given(network, options), _parse_ties(network, options)
    return Input(document, found.data, prior, given, ties, notes)


def _read_session(options: argparse.Namespace) -> tuple[Input, HoldOut | None]:
    """A session saved by the dashboard: its data as its marks let it be seen, and which rows it holds out.

    Its prior, its given variables and its tied tables hold where the options name no others.
    """
    from pgmgui.project.counted_data import see  # the dashboard's parts take a while to import
    from pgmgui.project.counting import recount
    from pgmgui.project.session_file import is_session, read_session

    path = options.network
    if not is_session(path):
        raise PgmError(f"{path}: a network needs data to learn from; give a data file too, or a session's file alone")
    scene = recount(read_session(path).scene)
    network = scene.document.network
    if scene.data is None or not scene.data.dataset.n_rows:
        raise PgmError(f"{path}: the session has no data; there is nothing to learn from")
    asked = any(getattr(options, name, None) for name in ("prior", "l1", "l2"))
    prior = read_prior(network, options) if asked else scene.whole_prior
    seen = see(scene.data.dataset, scene.marks)
    given = _parse_given(network, options) or scene.given
    ties = _parse_ties(network, options) or scene.tied
    return Input(scene.document, seen, prior, given, ties, [], fixed=scene.fixed_targets), scene.hold_out


def _parse_given(network: Network, options: argparse.Namespace) -> tuple[int, ...]:
    texts: Sequence[str] = getattr(options, "given", [])
    return tuple(network.index[name] for text in texts for name in split_names(network, text))


def _parse_ties(network: Network, options: argparse.Namespace) -> Ties:
    return find_ties(network, [split_names(network, text) for text in options.tie])


def read_prior(network: Network, options: argparse.Namespace) -> Prior:
    """``--l1 B``, ``--l2 SIGMA``; a prior on tables, ``logistic-normal:1.5``; or Dirichlet exponents, ``2`` for all
    parameters, ``X=2`` for those of a variable."""
    texts: Sequence[str] = getattr(options, "prior", [])
    l1, l2 = getattr(options, "l1", None), getattr(options, "l2", None)
    if sum(asked for asked in (bool(texts), l1 is not None, l2 is not None)) > 1:
        raise PgmError("--prior, --l1 and --l2 exclude each other; give one")
    if l1 is not None:
        return Laplace(l1)
    if l2 is not None:
        return Gaussian(l2)
    common: float | TablePrior = 1.0
    named = {}
    for text in texts:
        if "=" in text:
            variable, number = split_assignment(network, text, "--prior X=2", "")
            try:
                named[variable.name] = float(number)
            except ValueError:
                raise PgmError(f"--prior {text}: expected a variable and a number as in X=2") from None
        else:
            try:
                common = parse_prior(text)
            except PgmError as error:
                raise PgmError(f"--prior {text}: {error}") from None
    if isinstance(common, TablePrior):
        if len(texts) > 1:
            raise PgmError(f"--prior {common.name} is for all tables: give no other --prior beside it")
        return common
    return {variable.name: named.get(variable.name, common) for variable in network.variables} if named else common
