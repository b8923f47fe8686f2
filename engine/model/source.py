"""What learning asks of data, wherever its rows lie: in memory, or in tables that are too large for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from engine.model.arrays import Bools, Codes, Floats, Ints
from engine.model.dataset import Dataset, Role
from engine.model.variable import Variable


class Source(Protocol):
    """Weighted rows over variables, of which learning needs only the distinct ones over a few variables at a time.

    A :class:`~engine.model.dataset.Dataset` is one, and has all rows at hand; see there for what the attributes mean.
    """

    @property
    def variables(self) -> tuple[Variable, ...]: ...
    @property
    def likelihoods(self) -> Mapping[int, Floats]: ...
    @property
    def targets(self) -> Mapping[int, Bools]: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def total_weight(self) -> float: ...
    @property
    def roles(self) -> tuple[Role, ...]: ...
    @property
    def ranges(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def shares_seen(self) -> tuple[float, ...]: ...

    def count_codes(self, variable: int) -> tuple[Codes, Ints]:
        """The codes that the cells of a variable have, and how many cells have each."""

    def prepare(self, scopes: Iterable[Collection[int]]) -> None:
        """Say which sets of variables will be gathered, so that the data is gone through as seldom as possible."""

    def gather(self, columns: Sequence[int]) -> tuple[Mapping[int, Codes], Floats]:
        """The rows over some of the variables, and their weights; equal rows may be merged."""

    def project(self, columns: Sequence[int]) -> Dataset:
        """The distinct rows over some of the variables, with the weights of equal rows added up."""

    def can_merge(self, columns: Collection[int]) -> bool:
        """Whether the distinct rows over some of the variables are surely few enough to be gathered."""

    def rows(self) -> Dataset:
        """All rows, where they are few enough; equal rows may be merged."""
