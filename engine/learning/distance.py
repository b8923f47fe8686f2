"""How far an objective has still to climb, estimated from the rate of its last steps.

A small step does not mean that little is left: EM's steps can shrink so slowly that thousands of them add up to more
than all that a tolerance on each of them would suggest. Let a, b, c be the last three gains. If gains shrink by a ratio
r = c / b, those to come add up to c r / (1 − r) (Aitken). If the distance falls as a power of the iterations instead,
t^−q, the ratio tends to 1, and 1 / (1 − r) grows by s = 1 / (q + 1) with every step, which is seen from a, b and c; the
sum is then 1 / (1 − s) times as large. Geometric tails have s = 0.

Gains of single steps are rough, so the same is done with those of some steps together, and the largest of all estimates
of the last few iterations counts. Where gains do not shrink, some thousand steps of this size are taken to be left.

It is an estimate, not a bound: on a plateau, where steps shrink and later grow again, it is too small. Of 224 runs by
EM, EDML, hybrid and L-BFGS that it stopped at 10⁻³ nats, 4 had more to go (two of them 1.3 · 10⁻³, one, on a plateau,
0.15), of 125 by CG, whose steps are irregular, 7. EM was stopped where it had 0.8 · 10⁻³ to go, at the median.
"""

from __future__ import annotations

import numpy as np

from engine.model.arrays import Bools, Floats

WINDOWS = (1, 3)
"""Steps whose gains are taken together."""
AGREED = 3
"""Iterations whose estimates count."""
KEPT = 3 * max(WINDOWS) + AGREED
"""Objectives that an estimate is made of."""
HORIZON = 10_000
"""Steps that are taken to be left where they do not shrink."""
MOST_CORRECTED = 10.0
"""Times that a tail can be longer than a geometric one."""
ROUNDING = 4e-13
"""Relative: gains below this are none."""


def no_history(units: int) -> Floats:
    """The objectives of units that have made no step."""
    return np.full((units, KEPT), np.nan)


def remember(recent: Floats, objective: Floats, active: Bools | None = None) -> Floats:
    """The last objectives of units after another one, of all of them or of those that are active.

    Parameters
    ----------
    recent : array (units, KEPT)
        Newest first.
    """
    later = np.empty_like(recent)
    later[:, 0], later[:, 1:] = objective, recent[:, :-1]
    return later if active is None else np.where(active[:, None], later, recent)


def estimate_distance(recent: Floats) -> Floats:
    """Nats still to go, from the last objectives along the last axis; ∞ where there are too few of them."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        limits = np.concatenate([_extrapolate(recent, window) for window in WINDOWS], axis=-1)
        found = np.max(limits - recent[..., :1], axis=-1)
    return np.where(np.isnan(found), np.inf, found)


def _extrapolate(recent: Floats, window: int) -> Floats:
    """Where the objective will end, by each of the last iterations, from gains of some steps each."""
    gains = recent[..., :-window] - recent[..., window:]
    c, b, a = (gains[..., k * window : k * window + AGREED] for k in range(3))
    slowing = np.clip(b / (b - c) - a / (a - b), 0.0, 1 - 1 / MOST_CORRECTED)
    shrinking = c * c / (b - c) / (1 - slowing)
    steady = HORIZON / window * np.maximum(np.maximum(np.abs(a), np.abs(b)), np.abs(c))
    left = np.where((a > b) & (b > c) & (c > 0), shrinking, steady)
    now = recent[..., :AGREED]
    rounding = ROUNDING * np.maximum(1.0, np.abs(now))
    return now + np.where(np.abs(c) <= rounding, rounding, left)
