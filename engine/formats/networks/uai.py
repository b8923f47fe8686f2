"""UAI networks, and the evidence files that go with them.

A file is a preamble (``BAYES`` or ``MARKOV``, the cardinalities, a scope per function) and a table per
function, last variable of the scope fastest; in a Bayesian network that is the child. The files of
2006 and 2008 (``.erg``) have no header: one list of parents per variable, the child not named.
Variables and states have no names; they are called "0", "1", ...
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.formats.limits import MOST_CELLS, MOST_STATES
from engine.formats.networks.draft import Document, FactorDraft, NetworkDraft, NodeDraft
from engine.formats.networks.number_stream import NumberStream
from engine.model.arrays import Floats, Ints
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.network import MOST_AXES, BayesianNetwork, Network

MOST_PREAMBLE = 1_000_000
"""The most numbers of a preamble: each becomes a Python object."""
MOST_STATES_IN_ALL = 500_000
"""The most states of all variables together: a short file may declare many."""

_ONE_EACH = "in a Bayesian network every variable is the child of one function"
_USE_MARKOV = "correct the scopes, or write MARKOV in place of BAYES"
_PUT_LAST = "this file seems to list the child first, which the UAI format does not allow: put it last"
_COMMENT = re.compile(r"#[^\n]*|//[^\n]*|^c(?!\S)[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL | re.MULTILINE)
_NAMES = re.compile(r"/\*\s*names\s*\*/", re.IGNORECASE)
_HEADER = re.compile(r"\s*(\S*)")


@dataclass(frozen=True)
class _Function:
    """A function of the file: its scope, its flat table and the line of the table."""

    scope: tuple[int, ...]
    table: Floats
    line: int


def parse(text: str) -> NetworkDraft:
    """The draft of a UAI or Ergo file."""
    plain = _strip_comments(text)
    header = _HEADER.match(plain)
    assert header is not None
    kind = header[1].upper()
    if kind in ("BAYES", "MARKOV"):
        # Blanks in place of the header keep the lines of the numbers right.
        body = "\n" * plain.count("\n", 0, header.end()) + plain[header.end() :]
        return _read_uai(NumberStream(body), kind == "BAYES")
    if not kind[:1].isdigit():
        got = shorten(header[1]) if kind else "an empty file"
        line = plain.count("\n", 0, header.start(1)) + 1
        raise FormatError(f"expected BAYES, MARKOV or the number of variables, got {got}", line)
    numbers, *names = _NAMES.split(text, maxsplit=1)
    draft = _read_ergo(NumberStream(_strip_comments(numbers)))
    if names:
        draft.notes.append("the names of variables and states at the end of the file were not read")
    return draft


def _strip_comments(text: str) -> str:
    def blank(match: re.Match[str]) -> str:
        if match[0].startswith("/*") and (len(match[0]) < 4 or not match[0].endswith("*/")):
            raise FormatError("a comment is not closed by */", text.count("\n", 0, match.start()) + 1)
        return " " + "\n" * match[0].count("\n")

    return _COMMENT.sub(blank, text)


def _read_uai(numbers: NumberStream, is_bayesian: bool) -> NetworkDraft:
    cardinalities = _read_cardinalities(numbers)
    count = numbers.whole("the number of functions")
    if is_bayesian and count != len(cardinalities):
        numbers.position -= 1
        numbers.fail(
            f"the file has {count:,} functions for {len(cardinalities):,} variables; {_ONE_EACH}; {_USE_MARKOV}"
        )
    starts, scopes = [], []
    for f in range(count):
        starts.append(numbers.position)
        scopes.append(_read_scope(numbers, len(cardinalities), f"function {f}"))
    if is_bayesian:
        _check_children(numbers, starts, scopes)
    return _draft(cardinalities, _read_tables(numbers, scopes, cardinalities), is_bayesian)


def _read_ergo(numbers: NumberStream) -> NetworkDraft:
    cardinalities = _read_cardinalities(numbers)
    if not len(cardinalities):
        numbers.fail("the file has no variables; expected BAYES, MARKOV or the number of variables")
    scopes = []
    for child in range(len(cardinalities)):
        parents = _read_scope(numbers, len(cardinalities), f"variable {child}")
        if child in parents:
            numbers.fail(f"variable {child} is among its own parents")
        scopes.append((*parents, child))
    return _draft(cardinalities, _read_tables(numbers, scopes, cardinalities), is_bayesian=True)


def _read_cardinalities(numbers: NumberStream) -> Ints:
    count = numbers.whole("the number of variables")
    start = numbers.position
    cardinalities = numbers.wholes(count, "the number of states of each variable")
    wrong = np.flatnonzero((cardinalities < 1) | (cardinalities > MOST_STATES))
    if wrong.size:
        numbers.position = start + int(wrong[0])
        numbers.fail(
            f"variable {wrong[0]} has {cardinalities[wrong[0]]:,} states; expected from 1 to {MOST_STATES:,} states"
        )
    if cardinalities.sum() > MOST_STATES_IN_ALL:
        numbers.fail(
            f"the variables have {cardinalities.sum():,} states together; at most {MOST_STATES_IN_ALL:,} are supported"
        )
    return cardinalities


def _read_scope(numbers: NumberStream, variables: int, what: str) -> tuple[int, ...]:
    if numbers.position > MOST_PREAMBLE:
        numbers.fail(f"the scopes go beyond {MOST_PREAMBLE:,} numbers; at most that many are supported")
    size = numbers.whole(f"the size of the scope of {what}")
    if size > MOST_AXES:
        numbers.position -= 1
        numbers.fail(f"the scope of {what} has {size:,} variables; at most {MOST_AXES} are supported")
    scope: tuple[int, ...] = tuple(numbers.wholes(size, f"the variables in the scope of {what}").tolist())
    if scope and max(scope) >= variables:
        numbers.position -= size
        numbers.fail(f"the scope of {what} names variable {max(scope)}; the variables are 0 to {variables - 1}")
    if len(set(scope)) < size:
        numbers.position -= size
        numbers.fail(f"the scope of {what} names a variable twice; each may appear once")
    return scope


def _check_children(numbers: NumberStream, starts: Sequence[int], scopes: Sequence[tuple[int, ...]]) -> None:
    """In a Bayesian network every variable is the last of exactly one scope; there are as many scopes."""
    owner: dict[int, int] = {}
    for f, scope in enumerate(scopes):
        problem = None
        if not scope:
            problem = f"function {f} has an empty scope, so no child; {_ONE_EACH}; {_USE_MARKOV}"
        elif owner.setdefault(scope[-1], f) != f:
            is_child_first = len({scope[0] for scope in scopes if scope}) == len(scopes)
            problem = (
                f"function {f} has the child {scope[-1]} (the last variable of its scope), "
                f"as function {owner[scope[-1]]} has; {_ONE_EACH}; {_PUT_LAST if is_child_first else _USE_MARKOV}"
            )
        if problem:
            numbers.position = starts[f]
            numbers.fail(problem)


def _read_tables(numbers: NumberStream, scopes: Sequence[tuple[int, ...]], cardinalities: Ints) -> list[_Function]:
    states = cardinalities.tolist()
    starts, tables = [], []
    for f, scope in enumerate(scopes):
        cells = math.prod(states[v] for v in scope)
        starts.append(numbers.position)
        size = numbers.whole(f"the number of entries of function {f}")
        if size != cells or cells > MOST_CELLS:
            numbers.position -= 1
            if size != cells:
                numbers.fail(f"function {f} declares {size:,} entries; its scope has {cells:,}")
            numbers.fail(f"function {f} has {cells:,} entries; at most {MOST_CELLS:,} are supported")
        tables.append(numbers.take(cells, f"the {cells:,} entries of function {f}"))
    if numbers.left:
        numbers.fail(f"{numbers.left:,} more numbers follow the last table; expected the end of the file")
    lines = numbers.find_lines(starts)
    return [_Function(*found) for found in zip(scopes, tables, lines, strict=True)]


def _draft(cardinalities: Ints, functions: Sequence[_Function], is_bayesian: bool) -> NetworkDraft:
    states = {k: tuple(map(str, range(k))) for k in set(cardinalities.tolist())}
    nodes = [NodeDraft(str(v), states[k]) for v, k in enumerate(cardinalities.tolist())]
    draft = NetworkDraft(nodes)
    zero_row = _find_zero_row(functions, cardinalities) if is_bayesian else None
    if zero_row is not None:
        # A row of zeros is no distribution and cannot be scaled to one. Linkage files have such rows
        # where evidence was multiplied into the tables: as factors they are right as they stand.
        draft.notes.append(
            f"line {zero_row.line}: the table of '{zero_row.scope[-1]}' has a row of zeros, so the functions are "
            "not all conditional distributions; read as a Markov network with the same functions"
        )
    if not is_bayesian or zero_row is not None:
        draft.factors = [FactorDraft([str(v) for v in f.scope], f.table, f.line) for f in functions]
        return draft
    for function in functions:
        *parents, child = function.scope
        node = nodes[child]
        node.parents = [str(v) for v in parents]
        node.table, node.table_line = function.table, function.line
    return draft


def _find_zero_row(functions: Sequence[_Function], cardinalities: Ints) -> _Function | None:
    for function in functions:
        rows = function.table.reshape(-1, int(cardinalities[function.scope[-1]]))
        if (rows == 0).all(axis=1).any():
            return function
    return None


def dump(document: Document) -> str:
    """The UAI text of a network; the names of variables and states are not part of the format."""
    network = document.network
    is_bayesian = isinstance(network, BayesianNetwork)
    lines = [
        "BAYES" if is_bayesian else "MARKOV",
        str(len(network.variables)),
        " ".join(str(variable.cardinality) for variable in network.variables),
        str(len(network.scopes)),
        *(" ".join(map(str, (len(scope), *scope))) for scope in network.scopes),
    ]
    for table in network.tables:
        lines += ["", str(table.size)]
        rows = table.reshape(-1, table.shape[-1] if table.ndim else 1)
        lines += [" " + " ".join(map(repr, row)) for row in rows.tolist()]
    return "\n".join(lines) + "\n"


def parse_evidence(text: str, network: Network) -> dict[int, int]:
    """The evidence of a UAI evidence file: from a variable's index to the code of its state.

    Read are ``k v1 x1 ... vk xk`` (2014, and with comments 2006 and 2008) and the same after a count of
    samples, which must be 1 (2010, 2012). ``0`` is no evidence, whatever follows: merlin's samples
    switch evidence off in this way.
    """
    numbers = NumberStream(_strip_comments(text))
    if not numbers.left:
        raise FormatError("the evidence file is empty; expected the number of observed variables (0 for none)")
    first = numbers.whole("the number of observed variables")
    if first == 0:
        return {}
    # One sample with its count of samples in front is an even number of numbers, this is an odd one.
    if numbers.left == 2 * first:
        return _read_pairs(numbers, first, network)
    if not _holds_samples(numbers, first):
        numbers.position = 0
        numbers.fail(
            f"the file declares {first:,} observed variables; expected {2 * first:,} more numbers, "
            f"a variable and its state for each, got {numbers.left - 1:,}"
        )
    numbers.position = 1
    if first > 1:
        numbers.fail(f"the file holds {first:,} samples of evidence; only one is read, keep that one in the file")
    return _read_pairs(numbers, numbers.whole("the number of observed variables"), network)


def _holds_samples(numbers: NumberStream, samples: int) -> bool:
    """Whether the rest of the file is as many samples, each ``k`` and then k pairs."""
    for _ in range(samples):
        if not numbers.left:
            return False
        pairs = 2 * numbers.whole("the number of observed variables")
        if pairs > numbers.left:
            return False
        numbers.take(pairs, "pairs of a variable and its state")
    return not numbers.left


def _read_pairs(numbers: NumberStream, count: int, network: Network) -> dict[int, int]:
    evidence: dict[int, int] = {}
    for _ in range(count):
        variable = _read_variable(numbers, network)
        state = numbers.whole("a state")
        cardinality = network.variables[variable].cardinality
        problem = None
        if state >= cardinality:
            problem = f"variable {variable} is observed in state {state}; its states are 0 to {cardinality - 1}"
        elif evidence.setdefault(variable, state) != state:
            problem = f"variable {variable} is observed in states {evidence[variable]} and {state}; keep one of them"
        if problem:
            numbers.position -= 1
            numbers.fail(problem)
    return evidence


def parse_virtual_evidence(text: str, network: Network) -> dict[int, Floats]:
    """The likelihood vectors of merlin's virtual evidence: ``n``, then per variable ``v states λ...``."""
    numbers = NumberStream(_strip_comments(text))
    evidence: dict[int, Floats] = {}
    for _ in range(numbers.whole("the number of variables with virtual evidence")):
        variable = _read_variable(numbers, network)
        size = numbers.whole("the number of states")
        cardinality = network.variables[variable].cardinality
        problem = None
        if size != cardinality:
            problem = f"variable {variable} is given {size:,} likelihoods; it has {cardinality} states"
        elif variable in evidence:
            problem = f"a second likelihood for variable {variable}; keep one"
        if problem:
            numbers.position -= 1
            numbers.fail(problem)
        values = numbers.take(size, f"the {size} likelihoods of variable {variable}")
        if not np.isfinite(values).all() or (values < 0).any() or not values.any():
            numbers.position -= size
            numbers.fail(f"the likelihood of variable {variable} is negative, infinite or all zero")
        evidence[variable] = values.copy()
    if numbers.left:
        numbers.fail(f"{numbers.left:,} more numbers follow the last likelihood; expected the end of the file")
    return evidence


def _read_variable(numbers: NumberStream, network: Network) -> int:
    variable = numbers.whole("a variable")
    if variable >= len(network.variables):
        numbers.position -= 1
        numbers.fail(f"no variable {variable}; the network's are 0 to {len(network.variables) - 1}")
    return variable
