"""What targets in the data mean for a run, in a sentence."""

from __future__ import annotations

from engine.learning.targets.splitting import has_targets
from engine.learning.task import LearningTask

MOVING = (
    "Targets are non-fixed: they hold before the rest of a row is known. What is learned need not get better at every "
    "step then; the best iterate is kept when the run ends."
)
FIXED = (
    "Targets are fixed: every row is completed such that they hold, and what is lost by that counts against the "
    "log-likelihood."
)


def describe_targets(task: LearningTask) -> str:
    """Whether the targets of a problem's data are fixed, and what follows; nothing if it has none."""
    if not has_targets(task.dataset):
        return ""
    return MOVING if task.has_moving_targets else FIXED
