"""Noisy sensors as the command line has them: confusion tables, Pr(reported | true), inline or in files."""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.formats.files import decode, read_bytes
from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.messages import count
from engine.model.network import Network, find_variable
from engine.model.variable import Variable, list_names
from engine.simulation.missingness import check_confusion

USAGE = "--sensor X=0.9, --sensor X=0.9,0.1/0.2,0.8 (a row for each true state) or --sensor X=FILE"
MOST_BYTES = 2**24
_NUMBERS = re.compile(r"[-+0-9.eE,/ ]+|nan|inf")


def add_sensor(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add the option."""
    parser.add_argument(
        "--sensor",
        action="append",
        default=[],
        metavar="X=TABLE",
        help=f"{meaning}. TABLE has a row for each true state, the probabilities of what is then reported: "
        "0.9,0.1/0.2,0.8; or 0.9, right in nine of ten cases and otherwise as often wrong in each way; or a file, a "
        "table between commas with a column for the true state and one for each reported state",
    )


def parse_sensors(network: Network, texts: Sequence[str]) -> dict[str, Floats]:
    """The confusion table of each variable that has a sensor."""
    found: dict[str, Floats] = {}
    for text in texts:
        variable, rest = _split(network, text)
        if variable.name in found:
            raise PgmError(f"the sensor of {variable.name!r} is given twice; give it once")
        found[variable.name] = _parse_table(variable, rest)
    return found


def _split(network: Network, text: str) -> tuple[Variable, str]:
    """``X=…`` as a variable and a text; the longest name that fits, for it may hold equals signs."""
    splits = [(text[:k], text[k + 1 :]) for k, character in enumerate(text) if character == "="]
    if not splits or not splits[0][1]:
        raise PgmError(f"{text!r} is not of the form {USAGE}")
    for name, rest in reversed(splits):
        if name in network.index and rest:
            return network.variables[network.index[name]], rest
    return network.variables[find_variable(network, splits[0][0])], splits[0][1]


def _parse_table(variable: Variable, text: str) -> Floats:
    n = variable.cardinality
    if not _NUMBERS.fullmatch(text):
        return check_confusion(variable, _read_table(variable, text))
    rows = [[_parse(number, f"--sensor {variable.name}") for number in row.split(",")] for row in text.split("/")]
    if len(rows) == len(rows[0]) == 1 and n > 1:
        if not 0 <= rows[0][0] <= 1:
            raise PgmError(f"the sensor of {variable.name!r} is right with probability {text}; expected from 0 to 1")
        wrong = (1 - rows[0][0]) / (n - 1)
        return np.full((n, n), wrong) + (rows[0][0] - wrong) * np.eye(n)
    if [len(row) for row in rows] != [n] * n:
        sizes = " and ".join(str(size) for size in sorted({len(row) for row in rows}))
        raise PgmError(
            f"the sensor of {variable.name!r} has {count(len(rows), 'row')} of {sizes} numbers; "
            f"expected {n} rows of {n}: for each of the true states {list_names(list(variable.states))}, "
            "how probably each is reported"
        )
    return check_confusion(variable, rows)


def _read_table(variable: Variable, path: str) -> Floats:
    """A table in a file: a column of true states, and one for each reported state, in any order."""
    lines = csv.reader(decode(read_bytes(Path(path), MOST_BYTES)).splitlines())
    head = [cell.strip() for cell in next(lines, [])]
    if sorted(head[1:]) != sorted(variable.states):
        raise PgmError(
            f"{path}, line 1: expected a column for the true state and one for each reported state "
            f"{list_names(list(variable.states))}; found {list_names(head)}"
        )
    columns = [variable.code(state) for state in head[1:]]
    found: dict[int, list[float]] = {}
    for line in lines:
        where = f"{path}, line {lines.line_num}"
        if not line:
            continue
        if len(line) != len(head):
            raise PgmError(f"{where}: {len(line)} cells; expected {len(head)}")
        try:
            state = variable.code(line[0].strip())
        except PgmError as error:
            raise PgmError(f"{where}: {error}") from None
        if state in found:
            raise PgmError(f"{where}: the state {line[0].strip()!r} is given twice")
        row = dict(zip(columns, (_parse(cell, where) for cell in line[1:]), strict=True))
        found[state] = [row[column] for column in range(len(columns))]
    absent = [state for code, state in enumerate(variable.states) if code not in found]
    if absent:
        raise PgmError(f"{path}: there is no row for the state {list_names(absent)} of {variable.name!r}; give all")
    return np.array([found[code] for code in range(variable.cardinality)])


def _parse(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise PgmError(f"{where}: {text.strip()!r} is not a number; expected a probability") from None
