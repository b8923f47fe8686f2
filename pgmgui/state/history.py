"""What has been done on a page, and can be taken back."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field, replace

from engine.model.data_edits import DataEdit
from pgmgui.project.counted_data import AnyData
from pgmgui.project.scene import Derived, Scene, edit_data

MOST_STEPS = 200
"""Steps that can be taken back."""
MOST_DERIVED = 6
"""Steps of which is kept what follows from their scene: it can be large, and is found again in a moment."""


@dataclass(frozen=True, eq=False)
class Step:
    """A page as it was before a change, or after one that was taken back; the label says what the change was.

    Data can be large. Where that of the page that the step leads from is the same, or differs by an edit, the step
    holds no data but how to get there: 200 steps hold no 200 copies.

    Attributes
    ----------
    scene : Scene
        Without its data, if they are found otherwise.
    shares_data : bool
        Whether its data are found from those of the page that the step leads from.
    edit : DataEdit, optional
        What leads to its data from those; None if they are the same.
    known, known_data : weak references
        Its scene with its data, and these, while anyone else has them: a run knows its problem by them.
    """

    label: str
    scene: Scene
    derived: Derived | None
    selected: tuple[str, ...]
    shares_data: bool = False
    edit: DataEdit | None = None
    known: weakref.ref[Scene] | None = None
    known_data: weakref.ref[AnyData] | None = None

    def restore(self, now: Scene) -> Scene:
        """Its scene with its data, if this is the page that it leads from."""
        if not self.shares_data:
            return self.scene
        scene = None if self.known is None else self.known()
        if scene is not None:
            return scene
        data = now.data
        if self.edit is not None and data is not None:
            known = None if self.known_data is None else self.known_data()
            data = known or edit_data(data, self.edit)
        return replace(self.scene, data=data)


def make_step(
    label: str,
    scene: Scene,
    derived: Derived | None,
    selected: tuple[str, ...],
    after: Scene,
    edit: DataEdit | None = None,
) -> Step:
    """A step that leads back to a scene from another one.

    ``edit`` is what leads to the data of the scene from the other's, if they differ by an edit.
    """
    if edit is None and scene.data is not after.data:
        return Step(label, scene, derived, selected)
    if scene.data is None:
        return Step(label, scene, derived, selected)
    kept = replace(scene, data=None)
    return Step(label, kept, derived, selected, True, edit, weakref.ref(scene), weakref.ref(scene.data))


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
