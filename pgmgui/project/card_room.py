"""Room for the cards with bars below nodes: their sizes, as in canvas_bars.js, and a drawing stretched for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from engine.model.variable import Variable
from pgmgui.project.layers import GAP, Points

NARROWEST = 94.0
MOST_STATES = 6
"""States of a variable that have bars."""
CARD_GAP = 8.0
PAD = 3.0
TALLEST = 58.0
LOW_ROW, HIGH_ROW = 10.0, 15.0
SHAPE = 1.5
"""Width over height of the canvas, about."""
MOST_WIDENED = 2.0


def card_heights(variables: Sequence[Variable]) -> Points:
    """What each node takes below it."""
    rows = np.array([min(v.cardinality, MOST_STATES) + (v.cardinality > MOST_STATES) for v in variables])
    heights: Points = CARD_GAP + 2 * PAD + rows * np.clip(TALLEST / rows, LOW_ROW, HIGH_ROW)
    return heights


def stretch(points: Points, widths: Points, heights: Points) -> Points:
    """A drawing as much higher as it must be so that nothing lies on another, and wider if there is room at its sides.

    ``heights`` are those from a node's top to the end of what is below it.
    """
    reach = float(widths.max()) + GAP, float(heights.max()) + GAP
    pairs = cKDTree(points / reach).query_pairs(1.0, p=np.inf, output_type="ndarray")
    upper = np.where(points[pairs[:, 0], 1] <= points[pairs[:, 1], 1], pairs[:, 0], pairs[:, 1])
    lower = pairs.sum(axis=1) - upper
    across, down = np.abs(points[upper] - points[lower]).T
    is_below = (across < (widths[upper] + widths[lower]) / 2 + GAP / 2) & (down > 0)
    needed = (heights[upper] + GAP / 2)[is_below] / down[is_below]
    stretched: Points = points * (1.0, max([1.0, *needed.tolist()]))
    width, height = np.ptp(stretched, axis=0) + np.array([widths.max(), heights.max()])
    return stretched * (min(max(1.0, SHAPE * height / width), MOST_WIDENED), 1.0)
