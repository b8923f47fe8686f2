"""The one way in which the engine becomes random: from a seed or a generator that the caller gives."""

from __future__ import annotations

import numpy as np

from engine.model.errors import PgmError

RandomState = int | np.random.Generator
"""A seed, for a new generator, or a generator that is drawn from and so moves on."""


def make_generator(random_state: RandomState) -> np.random.Generator:
    """The generator of a seed; a generator is returned as it is."""
    if isinstance(random_state, int) and random_state < 0:
        raise PgmError(f"the random state is {random_state}; expected a whole number ≥ 0")
    return np.random.default_rng(random_state)
