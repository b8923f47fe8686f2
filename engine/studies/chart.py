"""What a figure shows, as numbers: how it is drawn is told elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Series:
    """One line of a chart.

    Attributes
    ----------
    points : tuple of (across, up)
    is_paper : bool
        Whether these are the paper's numbers; they have the colour of ours by the same name.
    """

    name: str
    points: Points
    is_paper: bool = False


@dataclass(frozen=True)
class Chart:
    """Lines over one pair of axes.

    Attributes
    ----------
    across, up : str
        What the axes are.
    across_base, up_base : int
        The base of a logarithmic axis, 0 for a linear one.
    labels : tuple of str
        Names of the places 0, 1, 2, … across, where it has no numbers; then no lines are drawn between them.
    has_bars : bool
        Whether numbers at names are bars, side by side: from 1 on a logarithmic axis, as ratios are, else from 0.
    """

    title: str
    across: str
    up: str
    series: tuple[Series, ...]
    across_base: int = 0
    up_base: int = 0
    labels: tuple[str, ...] = ()
    has_bars: bool = False


def make_series(name: str, points: Iterable[tuple[float, float | None]], is_paper: bool = False) -> Series:
    """A series of the points that there are."""
    return Series(name, tuple((x, y) for x, y in points if y is not None), is_paper)
