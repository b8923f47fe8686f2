"""A list of array operations over preallocated arrays: products and sums of tables.

The batch of rows is the last axis of every table; the other axes are variables.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

import numpy as np

from engine.model.arrays import Floats

LARGE = 2**10
"""Cells of a table from which on the sums over it share what they have in common."""
SHORT = 64
"""Rows below which the last axis is too short to sum along others quickly."""

Scope = tuple[int, ...]


class Operations:
    """What is done, one after the other, at every run.

    Parameters
    ----------
    cardinalities : mapping from variable to int
        How many states each variable has.
    rows : int
        The length of every table's last axis.
    """

    def __init__(self, cardinalities: Mapping[int, int], rows: int) -> None:
        self._cardinalities, self._rows = cardinalities, rows
        self._list: list[tuple[Callable[..., object], tuple[object, ...]]] = []
        self._idle: defaultdict[int, list[Floats]] = defaultdict(list)  # by size

    def run(self, check: Callable[[], object] | None = None) -> None:
        """Do everything; call something in between, which may raise to stop."""
        if check is None:
            for function, arguments in self._list:
                function(*arguments)
        else:
            for function, arguments in self._list:
                function(*arguments)
                check()

    def do(self, function: Callable[..., object], *arguments: object) -> None:
        """Add an operation. On arrays of one shape without gaps it takes less time if they have one axis."""
        self._list.append((function, _flatten(arguments) if isinstance(function, np.ufunc) else arguments))

    def multiply(self, inputs: list[Floats], table: Floats) -> None:
        """The product of arrays that broadcast against the table. One may stand in the table.

        Those that begin with the same axis are multiplied with each other first, the last axis before the others:
        what is over few axes is multiplied while it is small.
        """
        inputs.sort(key=lambda array: (-_first_axis(array), array.size, np.may_share_memory(array, table)))
        is_taken = bool(inputs) and np.may_share_memory(inputs[-1], table)
        ours = {id(table): table}  # what may be overwritten

        def multiply(a: Floats, b: Floats) -> Floats:
            shape = tuple(map(max, a.shape, b.shape))  # equal, or 1
            free = [array for array in (a, b) if id(array) in ours and array.shape == shape]
            if shape == table.shape and (not is_taken or b is inputs[-1]):
                out = table
            else:
                out = free[0] if free else self._borrow(shape)
            self.do(np.multiply, a, b, out)
            for array in (a, b):
                if id(array) in ours and array is not out and array is not table:
                    self._give_back(ours.pop(id(array)))
            ours[id(out)] = out
            return out

        groups = [functools.reduce(multiply, group) for _, group in itertools.groupby(inputs, _first_axis)]
        product = functools.reduce(multiply, groups) if groups else np.ones((1,) * table.ndim)
        if not np.may_share_memory(product, table):
            self.do(np.copyto, table, product)

    def sum_all(self, table: Floats, scope: Scope, wanted: list[Scope], found: dict[Scope, Floats]) -> None:
        """Sum a table over a scope to some scopes inside it.

        What several of them do not hold is summed out once for all of these.
        """
        while wanted:
            if scope in wanted:  # this table itself, which is written over later
                wanted = [some for some in wanted if some != scope]
                found[scope] = np.empty(table.shape)
                self.do(np.copyto, found[scope], table)
                continue
            times = Counter(itertools.chain.from_iterable(wanted))
            lost = [v for v in scope if not times[v]] or [min(scope, key=times.__getitem__)]
            apart = [some for some in wanted if lost[0] not in some]
            wanted = [some for some in wanted if lost[0] in some]
            if len(apart) == 1:
                found[apart[0]] = np.empty(self._shape(apart[0]))
                self.sum_along(table, other_axes(scope, apart[0]), found[apart[0]])
            else:
                kept = tuple(v for v in scope if v not in lost)
                rest = self._borrow(self._shape(kept))
                self.sum_along(table, other_axes(scope, kept), rest)
                self.sum_all(rest, kept, apart, found)
                self._give_back(rest)

    def sum_along(self, table: Floats, axes: tuple[int, ...], out: Floats) -> None:
        """Sum along axes; over a large table of few rows, along those that are side by side at a time."""
        beside = sum(axis == axes[0] + k for k, axis in enumerate(axes))
        if not axes:
            self.do(np.copyto, out, table)
        elif len(axes) == 1:
            self.add_up(table, axes[0], out)
        elif self._rows >= SHORT or table.size < LARGE:
            self.do(np.add.reduce, table, axes, None, out)
        else:
            first, shape = axes[0], table.shape
            kept = (*shape[:first], *shape[first + beside :])
            flat = table.reshape(math.prod(shape[:first]), math.prod(shape[first : first + beside]), -1)
            rest = out if beside == len(axes) else self._borrow(kept)
            self.add_up(flat, 1, rest.reshape(flat.shape[0], -1))
            if beside < len(axes):
                self.sum_along(rest, tuple(axis - beside for axis in axes[beside:]), out)
                self._give_back(rest)

    def _borrow(self, shape: tuple[int, ...]) -> Floats:
        """An array for what is needed until it is given back: what comes later may be written over it."""
        idle = self._idle[math.prod(shape)]
        return (idle.pop() if idle else np.empty(math.prod(shape))).reshape(shape)

    def _give_back(self, array: Floats) -> None:
        self._idle[array.size].append(array.reshape(-1))

    def add_up(self, array: Floats, axis: int, out: Floats) -> None:
        """Sum along an axis. One of two entries, the most frequent, takes less time by plain addition."""
        if array.shape[axis] == 2:
            before: tuple[slice | int, ...] = (slice(None),) * axis
            self.do(np.add, array[(*before, 0)], array[(*before, 1)], out)
        else:
            self.do(np.add.reduce, array, axis, None, out)

    def _shape(self, scope: Scope) -> tuple[int, ...]:
        return (*(self._cardinalities[v] for v in scope), self._rows)


def other_axes(whole: Scope, scope: Scope) -> tuple[int, ...]:
    """The axes of a table over the whole that are not in the scope.

    >>> other_axes((3, 1, 4), (1,))
    (0, 2)
    """
    return tuple(axis for axis, v in enumerate(whole) if v not in scope)


def _first_axis(array: Floats) -> int:
    """The first axis that has more than one entry; the number of axes if none has."""
    return next((axis for axis, size in enumerate(array.shape) if size > 1), array.ndim)


def _flatten(arguments: tuple[object, ...]) -> tuple[object, ...]:
    """Arrays without gaps, all of the same shape, with one axis each; any other arguments as they are."""
    flat: list[Floats] = []
    shape = getattr(arguments[0], "shape", None)
    for array in arguments:
        if not isinstance(array, np.ndarray) or array.shape != shape or not array.flags.c_contiguous:
            return arguments
        flat.append(array.reshape(-1))
    return tuple(flat)
