"""What has been done on a page, and can be taken back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pgmgui.project.scene import Derived, Scene

MOST_STEPS = 200
"""Steps that can be taken back."""
MOST_DERIVED = 6
"""Steps of which is kept what follows from their scene: it can be large, and is found again in a moment."""


@dataclass(frozen=True, eq=False)
class Step:
    """A page as it was before a change, or after one that was taken back; the label says what the change was."""

    label: str
    scene: Scene
    derived: Derived | None
    selected: tuple[str, ...]


@dataclass
class History:
    """Steps back and steps forward, the nearest last."""

    past: list[Step] = field(default_factory=list)
    future: list[Step] = field(default_factory=list)

    def record(self, step: Step) -> None:
        """Remember how it was before a change; what was taken back before can no longer be done again."""
        _push(self.past, step)
        self.future.clear()

    def go_back(self, now: Step) -> None:
        """Take the last step off the past; what there is now becomes the next step of the future."""
        self.past.pop()
        _push(self.future, now)

    def go_forward(self, now: Step) -> None:
        """Take the next step off the future; what there is now becomes the last step of the past."""
        self.future.pop()
        _push(self.past, now)


def _push(steps: list[Step], step: Step) -> None:
    steps.append(step)
    del steps[:-MOST_STEPS]
    if len(steps) > MOST_DERIVED:
        steps[-1 - MOST_DERIVED] = replace(steps[-1 - MOST_DERIVED], derived=None)
