"""Evidence as the command line has it: options of states, likelihoods and target marginals, and files."""

from __future__ import annotations

import argparse
import csv
import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from app.sensor_input import parse_sensors
from engine.formats import read_evidence
from engine.formats.files import decode, read_bytes
from engine.inference.query import Evidence
from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.network import Network, find_variable
from engine.model.variable import Variable, list_names

MARGINAL = "--marginal Z=a:0.2,b:0.8 or --marginal Y,Z=a/a:0.2,a/b:0.3,…"
MOST_CELLS = 100_000
"""Of a target marginal: more are not written by hand."""
MOST_BYTES = 2**24
"""Of a file with one."""
PROBABILITY = "probability"


def parse_evidence(network: Network, options: argparse.Namespace) -> Evidence:
    """What is known, and what shall be."""
    states: dict[str, str] = {}
    if options.evidence_file:
        for i, code in read_evidence(options.evidence_file, network).items():
            states[network.variables[i].name] = network.variables[i].states[code]
    for text in options.evidence:
        variable, state = split_assignment(network, text, "--evidence X=a", "")
        if states.get(variable.name, state) != state:
            raise PgmError(f"{variable.name!r} has two states in the evidence: {states[variable.name]!r} and {state!r}")
        states[variable.name] = state
    likelihoods = _parse_likelihoods(network, options.likelihood)
    for name, confusion in parse_sensors(network, options.sensor).items():
        if name not in states:
            raise PgmError(f"--sensor {name}: there is no report of it to read; give --evidence {name}=… with it")
        if name in likelihoods:
            raise PgmError(f"{name!r} has a report that --sensor reads, and a --likelihood: give one of the two")
        variable = network.variables[network.index[name]]
        likelihoods[name] = confusion[:, variable.code(states.pop(name))].tolist()
    return Evidence(states, likelihoods, _parse_marginals(network, options), not options.non_fixed)


def _parse_likelihoods(network: Network, texts: Sequence[str]) -> dict[str, list[float]]:
    usage = "--likelihood Y=a:0.7,b:0.3"
    vectors: dict[str, list[float]] = {}
    for text in texts:
        variable, values = split_assignment(network, text, usage, ":")
        if variable.name in vectors:
            raise PgmError(f"{variable.name!r} is given twice with --likelihood; give it once")
        vectors[variable.name] = parse_numbers([variable], values, usage)
    return vectors


# --- target marginals


def _parse_marginals(network: Network, options: argparse.Namespace) -> dict[str | tuple[str, ...], Floats]:
    """The target marginals, by the name of their variable, or by all names where there are several."""
    found: dict[str | tuple[str, ...], Floats] = {}
    seen: set[frozenset[str]] = set()
    for variables, table in itertools.chain(
        (_parse_marginal(network, text) for text in options.marginal),
        (_read_marginal(network, path) for path in options.marginal_file),
    ):
        names = tuple(variable.name for variable in variables)
        if frozenset(names) in seen:
            raise PgmError(f"a target of {list_names(list(names))} is given twice; give it once")
        seen.add(frozenset(names))
        found[names if len(names) > 1 else names[0]] = table
    return found


def _parse_marginal(network: Network, text: str) -> tuple[list[Variable], Floats]:
    """``Y,Z=a/b:0.2,…`` as variables and a table over them; names may hold commas, slashes and equals signs."""
    ends = [k for k, character in enumerate(text) if character == "="]
    if not ends:
        raise PgmError(f"{text!r} is not of the form {MARGINAL}")
    for end in ends:
        variables = find_names(network, text[:end])
        if variables is not None and any(text[end + 1 :].startswith(f"{label}:") for label in _labels(variables)):
            break
    else:
        end = ends[0]
        variables = [network.variables[network.index[name]] for name in split_names(network, text[:end])]
    numbers = parse_numbers(variables, text[end + 1 :], MARGINAL)
    return variables, np.array(numbers).reshape([variable.cardinality for variable in variables])


def find_names(network: Network, text: str) -> list[Variable] | None:
    """The variables of ``X,Y``; None if there is one that is unknown."""
    try:
        return [network.variables[network.index[name]] for name in split_names(network, text)]
    except PgmError:
        return None


def _labels(variables: Sequence[Variable]) -> Iterator[str]:
    """What the combinations of some variables' states are called: ``a/b``."""
    size = math.prod(variable.cardinality for variable in variables)
    if size > MOST_CELLS:
        names = list_names([variable.name for variable in variables])
        raise PgmError(f"{names} have {size:,} combinations of states; a target has at most {MOST_CELLS:,}")
    return map("/".join, itertools.product(*(variable.states for variable in variables)))


def _read_marginal(network: Network, path: str) -> tuple[list[Variable], Floats]:
    """A table in a file: a column for each variable, and one of probabilities; what is left out has 0."""
    text = decode(read_bytes(Path(path), MOST_BYTES))
    try:
        lines = [(number, line) for number, line in enumerate(csv.reader(text.split("\n")), 1) if line]
    except csv.Error as error:
        raise PgmError(f"{path} is not a table: {error}") from None
    if not lines or len(lines[0][1]) < 2 or lines[0][1][-1].strip() != PROBABILITY:
        raise PgmError(f"{path}: the first line must name the variables, and last {PROBABILITY!r}, between commas")
    variables = [network.variables[find_variable(network, name.strip())] for name in lines[0][1][:-1]]
    _labels(variables)  # not too many
    table, seen = np.zeros([variable.cardinality for variable in variables]), set()
    for number, line in lines[1:]:
        if len(line) != len(variables) + 1:
            raise PgmError(f"{path}, line {number}: {len(line)} cells; expected {len(variables) + 1}")
        try:
            codes = tuple(variable.code(cell.strip()) for variable, cell in zip(variables, line[:-1], strict=True))
        except PgmError as error:
            raise PgmError(f"{path}, line {number}: {error}") from None
        if codes in seen:
            raise PgmError(f"{path}, line {number}: {'/'.join(line[:-1])} is given twice")
        seen.add(codes)
        table[codes] = parse_number(line[-1], f"{path}, line {number}", "a probability")
    return variables, table


# --- parts of options


def parse_number(text: str, where: str, usage: str) -> float:
    """The number of a text; where it has none, an error that says where, and what is expected."""
    try:
        return float(text)
    except ValueError:
        raise PgmError(f"{text!r} in {where} is not a number; expected {usage}") from None


def parse_numbers(variables: Sequence[Variable], text: str, usage: str) -> list[float]:
    """``a:0.7,b:0.3`` as one number per state, or combination of states; their names may hold commas and colons."""
    labels = {label: k for k, label in enumerate(_labels(variables))}
    names = list_names([variable.name for variable in variables])
    what = "state" if len(variables) == 1 else "states"
    if len(labels) < math.prod(variable.cardinality for variable in variables):
        raise PgmError(f"the states of {names} cannot be told apart with slashes between them; use --marginal-file")
    found: dict[str, float] = {}
    pending: str | None = None
    for piece in text.split(","):
        pending = piece if pending is None else f"{pending},{piece}"
        label, _, number = pending.rpartition(":")
        if label in labels:
            if label in found:
                raise PgmError(f"the {what} {label!r} of {names} is given twice in {text!r}")
            found[label] = parse_number(number, repr(text), usage)
            pending = None
    absent = [label for label in labels if label not in found]
    if pending:
        first = pending.split(",")[0]  # what follows may be right, but was not told from it
        for text_of_label in (first.rpartition(":")[0] or first, pending.rpartition(":")[0] or pending):
            _check_label(variables, text_of_label)
    if absent:
        raise PgmError(f"{text!r} gives no number for the {what} {list_names(absent)} of {names}; give all")
    if pending:
        raise PgmError(f"{pending!r} in {text!r} is not of the form {what}:number; expected {usage}")
    return [found[label] for label in labels]


def _check_label(variables: Sequence[Variable], label: str) -> None:
    """Raise an error that names the state which is unknown, if it can be found out."""
    states = [label] if len(variables) == 1 else label.split("/")
    if len(states) == len(variables):
        for variable, state in zip(variables, states, strict=True):
            variable.code(state)


def split_assignment(network: Network, text: str, usage: str, after: str) -> tuple[Variable, str]:
    """``X=a`` as a variable and a text; ``after`` is what follows the name of a state in the text.

    The name itself may hold equals signs: of several variables that fit, the one whose state follows.
    """
    splits = [(text[:k], text[k + 1 :]) for k, character in enumerate(text) if character == "="]
    if not splits:
        raise PgmError(f"{text!r} is not of the form {usage}")
    known = [(network.variables[network.index[name]], rest) for name, rest in splits if name in network.index]
    if not known:
        find_variable(network, splits[0][0])
    for variable, rest in known:
        if any(rest == state or (after and rest.startswith(state + after)) for state in variable.states):
            return variable, rest
    return known[0]


def split_names(network: Network, text: str) -> list[str]:
    """``X,Y`` as names; one that holds a comma is found too."""
    names = []
    pending: str | None = None
    for piece in text.split(","):
        pending = piece if pending is None else f"{pending},{piece}"
        if pending in network.index:
            names.append(pending)
            pending = None
    if pending:
        find_variable(network, pending)
    return names
