"""What bounds see of rows with several targets: one of them, split, and the others dropped.

The nearest distribution in which some of the targets hold is no further away than that in which all do, so that the
rows reach no less. Components are independent given what is observed in every row: each keeps a target of its own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.inference.plan import Block
from engine.learning.targets.splitting import split_targets
from engine.learning.task import LearningTask
from engine.model.arrays import Floats
from engine.model.dataset import Dataset


def relax_blocks(task: LearningTask) -> tuple[tuple[Block | None, ...], Floats]:
    """Per component its rows, as bounds are to see them, and per variable what its cells add whatever is learned."""
    data = task.decomposition.dataset
    if not data.targets:
        return task.blocks, task.constants
    blocks, constants = [], task.constants.copy()
    for block in task.blocks:
        if block is None or not any(v in data.targets for v in block.codes):
            blocks.append(block)
            continue
        names = list(block.codes)
        rows = Dataset(
            tuple(data.variables[v] for v in names),
            np.stack([block.codes[v] for v in names]),
            block.weights,
            {k: data.likelihoods[v] for k, v in enumerate(names) if v in data.likelihoods},
            {k: data.targets[v] for k, v in enumerate(names) if v in data.targets},
        )
        split = split_targets(rows, relax=True)
        codes = dict(zip(names, split.dataset.codes, strict=True))
        blocks.append(replace(block, weights=split.dataset.weights, codes=codes, parts=(), complete=()))
        constants[names] += split.entropies
    return tuple(blocks), constants
