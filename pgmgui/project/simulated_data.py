"""Data drawn from the model on the page, with marks that say what of it is seen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.formats import DataDocument
from engine.model.errors import ModelError
from engine.model.randomness import make_generator
from engine.simulation.sampling import simulate
from pgmgui.project.marks import Absent, Hidden, Mark, Partial
from pgmgui.project.scene import Scene, with_data
from pgmgui.project.words import count


@dataclass(frozen=True)
class Simulation:
    """What to draw, and what of it is to be seen.

    Attributes
    ----------
    hide : names of variables that are hidden
    hide_fraction : of the other variables, drawn at random
    missing : the fraction of missing cells of the variables that are left
    mechanism : one of :data:`pgmgui.project.marks.MECHANISMS`
    """

    rows: int = 1000
    seed: int = 0
    hide: tuple[str, ...] = ()
    hide_fraction: float = 0.0
    missing: float = 0.0
    mechanism: str = "mcar"


def simulate_scene(scene: Scene, simulation: Simulation) -> Scene:
    """The scene with data drawn from its network. All values are in the data; marks hide some, and can be lifted."""
    network = scene.document.network
    if not network.variables:
        raise ModelError("there is no variable to draw values of; add one on the canvas or open a network")
    if simulation.rows < 1:
        raise ModelError(f"{simulation.rows} rows to draw; expected 1 or more")
    # A mechanism is a wish for data to come too.
    marks: dict[str, Mark] = {name: mark for name, mark in scene.marks.items() if _takes_values(mark)}
    marks |= make_marks([variable.name for variable in network.variables], simulation)
    dataset = simulate(network, simulation.rows, simulation.seed)
    note = f"simulated from the model: {count(simulation.rows, 'row')}, seed {simulation.seed}"
    return replace(with_data(scene, DataDocument(dataset, (note,)), network), marks=marks)


def _takes_values(mark: Mark) -> bool:
    return isinstance(mark, Absent) and bool(mark.chances)


def make_marks(names: list[str], simulation: Simulation) -> dict[str, Mark]:
    """The marks of a simulation. The same seed marks the same variables."""
    for fraction in (simulation.hide_fraction, simulation.missing):
        if not 0 <= fraction <= 1:
            raise ModelError(f"a fraction of {fraction:g}; expected from 0 to 1")
    generator = make_generator(simulation.seed)
    hidden = [name for name in names if name in simulation.hide]
    others = [name for name in names if name not in simulation.hide]
    hidden += _draw(others, round(simulation.hide_fraction * len(others)), generator)
    marks: dict[str, Mark] = dict.fromkeys(hidden, Hidden())
    left = [name for name in names if name not in marks]
    if simulation.missing and left:
        if simulation.mechanism == "mar":
            # What is missing depends on what is seen, so half of the variables stay seen.
            if len(left) < 2:
                raise ModelError(
                    "cells missing at random given other variables need two variables that are not hidden; "
                    "hide fewer or choose another mechanism"
                )
            left = _draw(left, len(left) // 2, generator)
        marks |= dict.fromkeys(left, Partial(simulation.missing, simulation.mechanism))
    return marks


def _draw(names: list[str], number: int, generator: np.random.Generator) -> list[str]:
    chosen = set(generator.choice(len(names), size=number, replace=False).tolist()) if number else set()
    return [name for k, name in enumerate(names) if k in chosen]
