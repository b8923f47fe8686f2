"""What every reader of network files produces, and the one place where it is checked and built.

A reader only parses: it fills :class:`NodeDraft` or :class:`FactorDraft` objects with names, numbers
and line numbers. :func:`build_document` then finds unknown parents, cycles, tables of the wrong
size and rows that do not sum to one, for all formats alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.formats.limits import FARTHEST, MOST_CELLS, MOST_LETTERS, MOST_STATES
from engine.model.arrays import Floats
from engine.model.errors import FormatError, ModelError, RowSumError
from engine.model.messages import shorten
from engine.model.network import MOST_AXES, BayesianNetwork, Cycle, MarkovNetwork, Network, topological_order
from engine.model.noisy_max import NoisyMax, makes_table
from engine.model.variable import Variable, list_names

ROUNDING = 1e-3
"""A row whose sum is this close to 1 was rounded when it was printed: renormalise, with a note."""
SILENT_ROUNDING = 1e-6
"""Closer than this, renormalise without a note."""
EXACT = 1e-12
"""Closer than this, keep the numbers as they are, so that a file written and read is the same."""
MOST_VARIABLES = 50_000
"""The most variables a file may have: graphs are sets of bits, of which each may need as many."""
MOST_SHOWN = 12
"""The most variables of a cycle that a message names."""
Position = tuple[float, float]

_NUMBER = r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*"
_POSITION = re.compile(rf"\({_NUMBER},{_NUMBER}\)", re.ASCII)


@dataclass(frozen=True, eq=False)
class Document:
    """A network file: the model, and what belongs to the file rather than to the model.

    Attributes
    ----------
    network : BayesianNetwork or MarkovNetwork
    name : str
        The network's own name, if the file has one.
    positions : mapping from variable name to (x, y)
        Where nodes are drawn; y grows downwards.
    properties : mapping from key to text
        Other properties of the network.
    variable_properties : mapping from variable name to mapping from key to text
        Other properties of variables (``label``, ``comment``, ...).
    notes : tuple of str
        What the reader changed or left out, for the user to see.
    noisy : mapping from variable name to NoisyMax
        The few numbers that the tables of some variables are made of.
    """

    network: Network
    name: str = ""
    positions: Mapping[str, Position] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    variable_properties: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    noisy: Mapping[str, NoisyMax] = field(default_factory=dict)

    def with_network(self, network: Network) -> Document:
        """The same about another network of these variables; a table that is noisy-MAX no longer is a plain one."""
        kept = {name: noisy for name, noisy in self.noisy.items() if makes_table(noisy, network, name)}
        return replace(self, network=network, noisy=kept)


@dataclass
class NodeDraft:
    """A node as a file states it.

    ``table`` is flat in the order parents..., child with the child fastest; ``None`` where the file
    has no table for the node (an error, raised when the network is built). ``noisy`` is what the table was made of.
    """

    name: str
    states: Sequence[str]
    line: int | None = None
    parents: Sequence[str] = ()
    table: Floats | None = None
    table_line: int | None = None
    noisy: NoisyMax | None = None
    position: Position | None = None
    properties: dict[str, str] = field(default_factory=dict)


@dataclass
class FactorDraft:
    """A factor as a file states it: variable names, and the flat table with the last one fastest."""

    scope: Sequence[str]
    table: Floats
    line: int | None = None


@dataclass
class NetworkDraft:
    """A whole file, parsed but not yet checked. ``factors`` is None for a Bayesian network."""

    nodes: list[NodeDraft] = field(default_factory=list)
    factors: list[FactorDraft] | None = None
    name: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def build_document(draft: NetworkDraft, normalise: bool = False) -> Document:
    """The checked document of a draft.

    Parameters
    ----------
    normalise : bool
        Rescale rows whose sum is off by more than rounding, instead of refusing the file.
    """
    notes = list(draft.notes)
    network: Network
    if draft.factors is None:
        network = _build_bayesian_network(draft.nodes, normalise, notes)
    else:
        network = _build_markov_network(draft.nodes, draft.factors)
    return Document(
        network,
        draft.name,
        {node.name: _near(node.position, node) for node in draft.nodes if node.position},
        draft.properties,
        {node.name: node.properties for node in draft.nodes if node.properties},
        tuple(notes),
        {node.name: node.noisy for node in draft.nodes if node.noisy is not None},
    )


def _build_bayesian_network(nodes: Sequence[NodeDraft], normalise: bool, notes: list[str]) -> BayesianNetwork:
    variables, index = _build_variables(nodes)
    parents = []
    for node in nodes:
        seen: set[str] = set()
        for name in node.parents:
            if name not in index:
                raise FormatError(
                    f"{shorten(node.name)} has the parent {shorten(name)}, which is not defined", node.table_line
                )
            if name in seen:
                raise FormatError(f"{shorten(node.name)} has the parent {shorten(name)} twice", node.table_line)
            seen.add(name)
        parents.append(tuple(index[name] for name in node.parents))
    if any(parent >= child for child, above in enumerate(parents) for parent in above):  # else there is no cycle
        order = topological_order(parents)
        if isinstance(order, Cycle):
            path = " → ".join(shorten(nodes[i].name) for i in order[:MOST_SHOWN])
            path += f" → … ({len(order) - 1} arrows)" if len(order) > MOST_SHOWN else ""
            raise FormatError(f"the arrows form a cycle: {path}", nodes[order[0]].table_line)
    tables = [_build_cpt(node, variables, index, normalise, notes) for node in nodes]
    return BayesianNetwork(variables, tuple(parents), tuple(tables))


def _build_markov_network(nodes: Sequence[NodeDraft], factors: Sequence[FactorDraft]) -> MarkovNetwork:
    variables, index = _build_variables(nodes)
    scopes, tables = [], []
    for factor in factors:
        seen: set[str] = set()
        for name in factor.scope:
            if name not in index:
                raise FormatError(f"a factor names the variable {shorten(name)}, which is not defined", factor.line)
            if name in seen:
                raise FormatError(f"a factor names the variable {shorten(name)} twice", factor.line)
            seen.add(name)
        scope = tuple(index[name] for name in factor.scope)
        shape = tuple(variables[i].cardinality for i in scope)
        what = f"the factor over {list_names(list(factor.scope))}"
        scopes.append(scope)
        tables.append(_shaped(factor.table, shape, what, factor.line))
    return MarkovNetwork(variables, tuple(scopes), tuple(tables))


def _build_variables(nodes: Sequence[NodeDraft]) -> tuple[tuple[Variable, ...], dict[str, int]]:
    variables: list[Variable] = []
    index: dict[str, int] = {}
    if len(nodes) > MOST_VARIABLES:
        raise FormatError(f"the network has {len(nodes):,} variables; at most {MOST_VARIABLES:,} are supported")
    for node in nodes:
        if node.name in index:
            raise FormatError(f"a second variable is named {shorten(node.name)}; names must differ", node.line)
        if len(node.states) > MOST_STATES:
            raise FormatError(
                f"{shorten(node.name)} has {len(node.states):,} states; at most {MOST_STATES:,}", node.line
            )
        longest = max(map(len, (node.name, *node.states)))
        if longest > MOST_LETTERS:
            what = f"{shorten(node.name)} has a name of {longest:,} characters"
            raise FormatError(f"{what}; at most {MOST_LETTERS:,} are supported", node.line)
        index[node.name] = len(variables)
        try:
            variables.append(Variable(node.name, tuple(node.states)))
        except ModelError as error:
            raise FormatError(str(error), node.line) from None
    return tuple(variables), index


def _build_cpt(
    node: NodeDraft, variables: Sequence[Variable], index: Mapping[str, int], normalise: bool, notes: list[str]
) -> Floats:
    if node.table is None:
        raise FormatError(f"{shorten(node.name)} has no probability table", node.line)
    scope = [*node.parents, node.name]
    shape = tuple(variables[index[name]].cardinality for name in scope)
    table = _shaped(node.table, shape, f"the table of {shorten(node.name)}", node.table_line or node.line)
    with np.errstate(over="ignore"):  # told below
        sums = table.sum(axis=-1, keepdims=True)
    if not sums.size:
        return table
    distance = np.abs(sums - 1)
    off = float(distance.max())
    if off <= EXACT:
        return table
    has_zeros = sums.min() <= 0
    worst = np.unravel_index(sums.argmin() if has_zeros else distance.argmax(), sums.shape)
    where = _configuration(scope[:-1], worst, variables, index)
    what = f"the table of {shorten(node.name)} has a row{where} that sums to {float(sums[worst]):.6g}, not 1"
    if has_zeros:
        raise FormatError(f"{what}; a row of zeros cannot be normalised: correct it", node.table_line or node.line)
    if off > ROUNDING and not normalise:
        raise RowSumError(f"{what}; correct it, or read with --normalise", node.table_line or node.line)
    if np.isinf(off):
        raise FormatError(f"{what}; its numbers are too large to be normalised", node.table_line or node.line)
    if off > SILENT_ROUNDING:
        count = int((distance > SILENT_ROUNDING).sum())
        notes.append(f"{what}; renormalised" + (f" ({count} such rows)" if count > 1 else ""))
    return np.asarray(table / sums, dtype=np.float64)


def _shaped(table: Floats, shape: tuple[int, ...], what: str, line: int | None) -> Floats:
    cells = math.prod(shape)
    if cells > MOST_CELLS:
        raise FormatError(f"{what} has {cells:,} cells; at most {MOST_CELLS:,} are supported", line)
    if len(shape) > MOST_AXES:
        raise FormatError(f"{what} is over {len(shape)} variables; at most {MOST_AXES} are supported", line)
    if table.size != cells:
        raise FormatError(f"{what} has {table.size:,} numbers; expected {cells:,}", line)
    if not np.isfinite(table).all() or (table < 0).any():
        raise FormatError(f"{what} holds a negative or infinite number", line)
    return table.reshape(shape)


def _near(position: Position, node: NodeDraft) -> Position:
    if max(map(abs, position)) > FARTHEST:
        at = ", ".join(f"{part:g}" for part in position)
        expected = f"expected numbers from {-FARTHEST:,.0f} to {FARTHEST:,.0f}"
        raise FormatError(f"the position of {shorten(node.name)} is ({at}); {expected}", node.line)
    return position


def _configuration(
    parents: Sequence[str], at: Sequence[np.intp], variables: Sequence[Variable], index: Mapping[str, int]
) -> str:
    """The parents' states of a row, as `` ('A'='yes', 'B'='no')``; nothing for a root."""
    states = [
        f"{shorten(name)}={shorten(variables[index[name]].states[k])}" for name, k in zip(parents, at, strict=False)
    ]
    return f" ({', '.join(states)})" if states else ""


def parse_position(text: str) -> Position | None:
    """The position that ``(x, y)`` stands for; None for any other text."""
    match = _POSITION.fullmatch(text)
    try:
        position = (float(match[1]), float(match[2])) if match else None
    except ValueError:
        return None
    return position if position and all(math.isfinite(part) for part in position) else None
