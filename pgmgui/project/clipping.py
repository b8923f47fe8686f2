"""Part of a scene, to be pasted elsewhere: as a scene of its own, and as text for the clipboard.

The text is a session file without data: whatever else is pasted is read as strictly as such a file.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from engine.model.copying import copy_part, name_copies, paste_part
from engine.model.errors import FormatError, ModelError
from engine.model.network import BayesianNetwork
from pgmgui.project.following import Changes, follow
from pgmgui.project.layout import NODE_HEIGHT, label_width
from pgmgui.project.lines import Points
from pgmgui.project.marks import Absent, Given
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import FORMAT, Saved, dump, parse

LONGEST_TEXT = 20_000_000
"""Characters of a text that are pasted, or copied."""
STEP = np.array([40.0, 60.0])
"""How far from what it was copied from a node is pasted, or a multiple of that."""
MOST_STEPS = 12
"""Multiples that are tried to find room."""


def cut_out(scene: Scene, names: Collection[str]) -> Scene:
    """Some variables of a scene with all that is theirs: edges among them, tables, ties, marks, priors, notes."""
    plain = Scene(document=replace(scene.document, notes=()), marks=scene.marks, prior=scene.prior, ties=scene.ties)
    part, _ = follow(plain, copy_part(scene.document.network, names), Changes())
    return part


def dump_part(part: Scene) -> str:
    """The text of a part."""
    text = dump(Saved(part), indent=None)
    if len(text) > LONGEST_TEXT:
        raise ModelError("the tables of what is selected are too large to copy; select fewer variables")
    return text


def parse_part(text: str) -> Scene:
    """The part that a text stands for, which may be anything."""
    if len(text) > LONGEST_TEXT:
        raise FormatError("the text on the clipboard is too long to be pasted here")
    if f'"{FORMAT}"' not in text[:200]:
        raise FormatError("there are no variables on the clipboard; select some on the canvas and copy them (Ctrl+C)")
    try:
        return parse(text).scene
    except FormatError as error:
        raise FormatError(f"what is on the clipboard cannot be pasted: {error}") from None


def join(scene: Scene, part: Scene, at: tuple[float, float] | None = None) -> tuple[Scene, tuple[str, ...]]:
    """The scene with a part pasted into it, and the new names.

    Parameters
    ----------
    at : (x, y), optional
        Where the middle of the part shall be; None is where it was, or beside that where something is there.
    """
    old, document = scene.document, part.document
    names = name_copies(document.network.index, old.network.index)
    if not names:
        raise ModelError("there are no variables in what was copied; select some first")
    network = paste_part(old.network, document.network, names)
    places = _find_places(scene, part, at)
    pasted = {names[name]: (float(x), float(y)) for name, (x, y) in zip(document.network.index, places, strict=True)}
    joined, _ = follow(scene, network, Changes(positions=pasted))
    noisy = {names[name]: kept for name, kept in document.noisy.items()}
    properties = {names[name]: kept for name, kept in document.variable_properties.items() if name in names}
    # The data does not know the new variables, so nothing can be learned given them, nor decided by them.
    marks = {names[name]: mark for name, mark in part.marks.items() if not isinstance(mark, Given | Absent)}
    is_bayesian = isinstance(network, BayesianNetwork)
    prior = {names[name]: exponents for name, exponents in part.prior.items()} if is_bayesian else {}
    return (
        replace(
            joined,
            document=replace(
                joined.document,
                variable_properties={**joined.document.variable_properties, **properties},
                noisy={**joined.document.noisy, **noisy} if is_bayesian else {},
            ),
            marks={**joined.marks, **marks} if marks else joined.marks,
            prior={**joined.prior, **prior} if prior else joined.prior,
            ties=(*joined.ties, *(tuple(names[name] for name in group) for group in part.ties if is_bayesian)),
        ),
        tuple(names.values()),
    )


def _find_places(scene: Scene, part: Scene, at: tuple[float, float] | None) -> Points:
    """Where the nodes of a part are pasted: as they lie, where no node of the scene is."""
    names = list(part.document.network.index)
    points = np.array([part.document.positions[name] for name in names], dtype=np.float64)
    if at is not None:
        return np.asarray(points + at - (points.min(axis=0) + points.max(axis=0)) / 2, dtype=np.float64)
    taken = [scene.document.positions[variable.name] for variable in scene.document.network.variables]
    if not taken:
        return points
    box = np.array([max(map(label_width, names)), NODE_HEIGHT])
    tree = cKDTree(np.array(taken) / box)
    for k in range(MOST_STEPS):
        if np.min(tree.query((points + k * STEP) / box, p=np.inf)[0]) >= 1:
            return np.asarray(points + k * STEP, dtype=np.float64)
    return np.asarray(points + STEP, dtype=np.float64)
