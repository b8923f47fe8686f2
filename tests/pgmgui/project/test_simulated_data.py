"""Data drawn from the model on the page."""

import numpy as np
import pytest

from engine.model.dataset import MISSING, Role
from engine.model.errors import ModelError
from engine.simulation.sampling import simulate
from pgmgui.project.examples import load_gallery
from pgmgui.project.marks import Hidden, Partial
from pgmgui.project.scene import EMPTY, Scene, derive
from pgmgui.project.simulated_data import Simulation, make_marks, simulate_scene

ASIA = Scene("Asia", "", load_gallery()[0].read()[0])
NAMES = [variable.name for variable in ASIA.document.network.variables]


def test_all_values_are_kept_and_marks_hide_them():
    scene = simulate_scene(ASIA, Simulation(rows=200, seed=3, hide=("lung", "tub")))
    assert np.array_equal(scene.data.dataset.codes, simulate(ASIA.document.network, 200, 3).codes)
    assert scene.marks == {"lung": Hidden(), "tub": Hidden()}
    seen = derive(scene).seen
    assert [v.name for v, role in zip(seen.variables, seen.roles, strict=True) if role is Role.HIDDEN] == [
        "tub",
        "lung",
    ]
    assert scene.data.notes == ("simulated from the model: 200 rows, seed 3",)


def test_a_fraction_of_the_others_is_hidden():
    marks = make_marks(NAMES, Simulation(seed=1, hide=("xray",), hide_fraction=0.5))
    assert len(marks) == 1 + 4  # of seven others, 3.5 rounds to 4
    assert "xray" in marks
    assert marks == make_marks(NAMES, Simulation(seed=1, hide=("xray",), hide_fraction=0.5))
    assert marks != make_marks(NAMES, Simulation(seed=2, hide=("xray",), hide_fraction=0.5))


@pytest.mark.parametrize("mechanism", ["mcar", "mar", "nmar"])
def test_a_fraction_of_the_cells_is_missing(mechanism):
    scene = simulate_scene(ASIA, Simulation(rows=4000, hide=("lung",), missing=0.3, mechanism=mechanism))
    partial = [name for name, mark in scene.marks.items() if isinstance(mark, Partial)]
    assert len(partial) == (3 if mechanism == "mar" else 7)
    seen = derive(scene).seen
    share = np.mean([np.mean(seen.codes[NAMES.index(name)] == MISSING) for name in partial])
    # 12,000 cells or more, each missing with probability 0.3: seven standard deviations are 0.03.
    assert share == pytest.approx(0.3, abs=0.03)


def test_markov_networks_are_drawn_from():
    grid = next(example for example in load_gallery() if "Grid" in example.title)
    scene = simulate_scene(Scene("Grid", "", grid.read()[0]), Simulation(rows=50, hide_fraction=0.2))
    assert scene.data.dataset.n_rows == 50
    assert derive(scene).seen.roles.count(Role.HIDDEN) == 2


@pytest.mark.parametrize(
    ("simulation", "message"),
    [
        (Simulation(rows=0), "0 rows to draw"),
        (Simulation(hide_fraction=1.5), "a fraction of 1.5"),
        (Simulation(missing=-1), "a fraction of -1"),
        (Simulation(hide=tuple(NAMES[1:]), missing=0.5, mechanism="mar"), "need two variables that are not hidden"),
    ],
)
def test_what_makes_no_sense_is_refused(simulation, message):
    with pytest.raises(ModelError, match=message):
        simulate_scene(ASIA, simulation)


def test_an_empty_page_has_nothing_to_draw():
    with pytest.raises(ModelError, match="there is no variable to draw values of"):
        simulate_scene(Scene("Empty", "", EMPTY), Simulation())
