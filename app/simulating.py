"""The command that draws data from a network."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.commands import check_seed, read_model, show
from app.evidence_input import split_names
from app.missing_input import KINDS, STRENGTH, Loss, parse_losses, remove
from app.sensor_input import parse_sensors
from engine.formats import write_chunks
from engine.model.arrays import Floats
from engine.model.dataset import Dataset, Role, find_role
from engine.model.errors import PgmError
from engine.model.messages import count
from engine.model.network import MarkovNetwork, Network
from engine.simulation.missingness import draw_names, hide, replace_by_reports
from engine.simulation.sampling import direct
from engine.simulation.sampling import simulate as draw_rows

CHUNK = 2**20
"""Rows that are drawn and written at a time."""
MOST_ROWS = 10**10
"""The most rows that are drawn: of twenty variables, in some hours."""


def add_rows(parser: argparse.ArgumentParser) -> None:
    """Add what is drawn, and what of it is not seen."""
    parser.add_argument("--rows", type=int, required=True, metavar="N")
    parser.add_argument("--random-state", type=int, default=0, metavar="S", help="seed (default: %(default)s)")
    hidden = parser.add_mutually_exclusive_group()
    hidden.add_argument("--hide", action="append", default=[], metavar="X,Y", help="variables to hide")
    hidden.add_argument("--hide-fraction", type=float, metavar="F", help="fraction of the variables to hide")
    parser.add_argument(
        "--missing",
        action="append",
        default=[],
        metavar="WHAT",
        help="what goes missing. 0.2: that fraction of the cells (with mar, of half of the variables, which may); "
        "X,Y=0.2: of the values of X and Y; 'X<-Y=yes:0.6,no:0.1': values of X, with a probability that the "
        "state of Y decides (at random), or that of X itself ('X<-X=…', not at random); 'X<-Y,Z=a/a:0.6,a/b:0.1,…': of "
        "both; 'X<-Y=0.2': on average so many, how being drawn. mcar:, mar: or nmar: before it draws causes where none "
        "are named (nmar:X=0.2), and is checked otherwise",
    )
    parser.add_argument("--mechanism", choices=KINDS, help="how a plain --missing FRACTION is meant (default: mcar)")
    parser.add_argument(
        "--strength",
        type=float,
        metavar="S",
        help=f"how much causes matter that are drawn: they move the log-odds from -S to S (default: {STRENGTH:g})",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="where to write the dataset")


def simulate(options: argparse.Namespace) -> None:
    """Draw a dataset and write it."""
    document = read_model(options)
    network = document.network
    if options.rows < 0:
        raise PgmError(f"--rows must be 0 or more; got {options.rows}")
    if options.rows > MOST_ROWS:
        raise PgmError(f"--rows: {options.rows:,} rows would take days; at most {MOST_ROWS:,} are drawn: ask for fewer")
    names = [name for text in options.hide for name in split_names(network, text)]
    losses = parse_losses(network, options.missing, options.mechanism)
    sensors = parse_sensors(network, options.sensor)
    if options.hide_fraction is not None and any(loss.causes for loss in losses):
        raise PgmError("--hide-fraction might hide what decides which values are missing; name the hidden with --hide")
    random = np.random.default_rng(check_seed(options.random_state))
    drawn = _Drawn()
    write_chunks(options.out, drawn.follow(_draw_chunks(network, options, losses, sensors, names, random)))
    roles = {role.value: [network.variables[v].name for v in drawn.find(role)] for role in Role}
    result = {"out": options.out, "rows": options.rows, "variables": len(network.variables), **roles}
    result["sensors"] = list(sensors)
    hidden = f", hidden: {', '.join(roles['hidden'])}" if roles["hidden"] else ""
    size = f"{count(options.rows, 'row')} of {count(len(network.variables), 'variable')}"
    lines = [f"wrote {size} to {options.out}{hidden}"]
    if sensors:
        lines.append(f"reported by a sensor: {', '.join(sensors)}; give learn the same --sensor")
    show(options, document.notes, result, lines)


def _draw_chunks(
    network: Network,
    options: argparse.Namespace,
    losses: Sequence[Loss],
    sensors: Mapping[str, Floats],
    hidden: list[str],
    random: np.random.Generator,
) -> Iterator[Dataset]:
    """The rows, so many at a time: what is drawn once, for all rows, is drawn with the first."""
    directed = direct(network) if isinstance(network, MarkovNetwork) else network
    # A mechanism that is drawn suits the rows that there are: all of them.
    step = max(options.rows, 1) if any(loss.is_drawn for loss in losses) else CHUNK
    for start in range(0, max(options.rows, 1), step):
        dataset = draw_rows(directed, min(step, options.rows - start), random)
        dataset = remove(dataset, losses, options.strength, {*hidden, *sensors}, random)
        for name, confusion in sensors.items():
            dataset = replace_by_reports(dataset, name, confusion, random)
        if not start and options.hide_fraction is not None:
            hidden = draw_names(network.variables, options.hide_fraction, random)
        yield hide(dataset, hidden) if hidden else dataset


class _Drawn:
    """What chunks of rows say about each variable."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []

    def follow(self, chunks: Iterator[Dataset]) -> Iterator[Dataset]:
        """The chunks, looked at as they pass."""
        for chunk in chunks:
            self._ranges = [
                (min(low, other[0]), max(high, other[1]))
                for (low, high), other in zip(self._ranges or chunk.ranges, chunk.ranges, strict=True)
            ]
            yield chunk

    def find(self, role: Role) -> list[int]:
        """The variables with a role."""
        return [v for v, (low, high) in enumerate(self._ranges) if find_role(low, high) is role]
