"""Positions for long, thin graphs: in lines, as a text is written, but each second one from right to left.

So each arrow is short: from the end of a line it goes straight down to the next one. Arrows back to the left, as in a
text, would cross all that stands between.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
"""One row (x, y) per node."""

STEP_GAP = 34.0
"""From one node of a line to the next: room for an arrow."""
ROW = 66.0
"""From one node of a layer to the next below it."""
LINE_GAP = 84.0
"""From a line to the next."""


def write_lines(layers: Sequence[Sequence[int]], widths: Points, shape: float) -> Points:
    """Positions for layers of nodes that follow each other, each with few nodes.

    Parameters
    ----------
    layers : sequence of sequence of int
        The nodes of each, from the top; those ≥ len(widths) only take room.
    shape : float
        Width over height of the pane.
    """
    step = float(widths.max()) + STEP_GAP
    high = (max(len(layer) for layer in layers) - 1) * ROW + LINE_GAP
    # As many a line as make the whole of the pane's shape: across · step = shape · lines · high.
    across = math.ceil(math.sqrt(shape * high * len(layers) / step))
    lines = math.ceil(len(layers) / across)
    across = math.ceil(len(layers) / lines)  # no last line of a few
    points = np.zeros((len(widths), 2))
    for k, layer in enumerate(layers):
        line, place = divmod(k, across)
        column = across - 1 - place if line % 2 else place
        for row, node in enumerate(layer):
            if node < len(widths):
                points[node] = column * step, line * high + row * ROW
    return points
