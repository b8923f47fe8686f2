"""What follows from a scene: the data as it is seen, and the parts of the learning problem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.formats import DataDocument, Document
from engine.learning import bounds
from engine.model.dataset import Dataset, Role
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.prior import Gaussian, Laplace
from engine.model.variable import Variable
from pgmgui.project.data_cells import make_edit
from pgmgui.project.examples import load_gallery
from pgmgui.project.layout import arrange
from pgmgui.project.links import parse_link
from pgmgui.project.marks import Given, Hidden, ReadAs
from pgmgui.project.scene import Scene, derive, derive_anew, is_same_problem
from pgmgui.state.session import Session

GALLERY = {item.id: item for item in load_gallery()}


def scene_of(identifier, **changes):
    document, data = GALLERY[identifier].read()
    return replace(Scene(identifier, "", arrange(document), data), **changes)


def test_without_data_nothing_follows():
    derived = derive(scene_of("earthquake"))
    assert (derived.seen, derived.parts, derived.obstacle) == (None, None, "")


def test_marks_are_seen_and_the_prior_counts():
    scene = scene_of("asia", marks={"smoke": Hidden()}, prior={"xray": 3.0}, common_prior=2.0)
    derived = derive(scene)
    index = scene.document.network.index
    assert derived.seen.roles[index["smoke"]] is Role.HIDDEN
    assert scene.data.dataset.roles[index["smoke"]] is Role.OBSERVED
    starts, exponents = derived.parts.task.layout.starts, derived.parts.task.exponents
    for name, v in index.items():
        assert set(exponents[starts[v] : starts[v + 1]]) == {3.0 if name == "xray" else 2.0}
    assert derived.parts.bounds.total == bounds.find_bounds(derived.parts.task).total


@pytest.mark.parametrize("network", [BayesianNetwork((), (), ()), MarkovNetwork((), (), ())])
def test_an_empty_network_with_data_has_no_parts(network):
    data = DataDocument(Dataset((), np.empty((0, 3), dtype=np.int8), np.ones(3)))
    assert derive(Scene(document=Document(network), data=data)).parts is None


def test_what_stands_in_the_way_of_learning_is_said():
    scene = scene_of("thesis-grid")
    network, dataset = scene.document.network, scene.data.dataset
    bare = replace(scene, document=replace(scene.document, network=MarkovNetwork(network.variables, (), ())))
    assert derive(bare).obstacle == "There are no factors to learn: connect some variables."
    empty = replace(scene, data=replace(scene.data, dataset=dataset.take(np.arange(0))))
    assert derive(empty).obstacle.startswith("There is nothing to learn from: the data has no rows.")
    weightless = replace(scene, data=replace(scene.data, dataset=replace(dataset, weights=np.zeros(dataset.n_rows))))
    assert derive(weightless).obstacle.startswith("There is nothing to learn from: all rows weigh 0.")
    assert derive(scene).obstacle == ""


def test_targets_that_cannot_be_learned_from_can_still_be_looked_at(monkeypatch):
    scene = scene_of("cancer")
    data = scene.data.dataset
    edit = make_edit(data, np.array([0]), [0], [["{0.3;0.7}"]])
    scene = replace(scene, data=replace(scene.data, dataset=edit.apply(data)))

    def refuse(*_args, **_options):
        raise ModelError("they contradict each other")

    monkeypatch.setattr("pgmgui.project.scene.make_task", refuse)
    found = derive(scene)
    assert found.parts is None
    assert found.seen.target_cells.sum() == 1
    assert found.obstacle == "There is no learning from these targets: they contradict each other."
    with pytest.raises(ModelError):
        derive(replace(scene, marks={scene.data.dataset.variables[0].name: ReadAs("likelihood")}))


def test_data_over_other_variables_is_refused():
    with pytest.raises(ModelError, match="match its columns"):
        derive(scene_of("asia", data=GALLERY["cancer"].read()[1]))


def test_only_what_matters_is_derived_anew():
    scene = scene_of("asia")
    known = derive(scene)
    moved = replace(scene, title="other", document=replace(scene.document, positions={}))
    assert derive_anew(moved, scene, known) is known
    for changes in (
        {"marks": {"smoke": Hidden()}},
        {"common_prior": 2.0},
        {"prior": {"asia": 2.0}},
        {"factor_prior": Laplace(2.0)},
        {"data": None},
    ):
        assert derive_anew(replace(scene, **changes), scene, known) is not known


def test_a_problem_too_wide_to_learn_can_still_be_opened_and_edited():
    """Sixty hidden causes of one observed effect each pair: no exact inference, but a network to look at."""
    session = Session()
    assert session.open(wide_scene())
    assert session.parts is None
    assert "Learning is out of reach" in session.message
    assert session.derived.obstacle == session.message
    assert session.mark([f"H{k}" for k in range(60)], None)
    assert session.rename("H0", "first")
    session.remove([v.name for v in session.network.variables if v.name.startswith("O")][20:])
    assert session.parts is not None
    assert session.message == ""


def wide_scene():
    """A complete graph of hidden variables under observed children of every two of them."""
    hidden = [Variable(f"H{k}", ("a", "b")) for k in range(60)]
    pairs = [(i, j) for i in range(60) for j in range(i)]
    effects = [Variable(f"O{i}-{j}", ("a", "b")) for i, j in pairs]
    half, even = np.full(2, 0.5), np.full((2, 2, 2), 0.5)
    network = BayesianNetwork((*hidden, *effects), ((),) * 60 + tuple(pairs), (half,) * 60 + (even,) * len(pairs))
    codes = np.zeros((len(network.variables), 2), dtype=np.int8)
    codes[:60] = -1
    places = {v.name: (0.0, 0.0) for v in network.variables}
    return Scene("wide", "", Document(network, positions=places), DataDocument(Dataset(network.variables, codes, half)))


def test_a_prior_on_factors_and_what_is_given_are_part_of_the_problem():
    scene = scene_of("thesis-grid", marks={"5": Given(), "2": Given()}, factor_prior=Gaussian(0.5))
    task = derive(scene).parts.task
    assert task.given == scene.given == (1, 4)
    assert task.geometry.prior == scene.whole_prior == Gaussian(0.5)


def test_what_cannot_be_given_is_refused():
    session = Session()
    session.open(scene_of("asia"))
    assert not session.mark(["smoke"], Given())
    assert "Given variables are for Markov networks" in session.message
    session.open(scene_of("thesis-grid"))
    assert not session.mark(["1"], Given())
    assert session.message.startswith("'1' is given, but not observed in every row")
    assert session.mark(["2"], Given())
    assert session.message == ""
    session.undo()
    assert session.parts.task.given == ()


def test_learning_sees_only_the_rows_that_are_not_held_out():
    scene = parse_link({"example": "asia", "hold-out": "0.2"}).scene
    derived = derive(scene)
    parts = derived.parts
    assert (derived.seen.n_rows, parts.split.test.n_rows, parts.task.decomposition.dataset.n_rows) == (500, 100, 400)
    assert parts.held_out.rows == 100
    apart = derive(replace(scene, data=replace(scene.data, dataset=parts.split.train), hold_out=None)).parts
    assert parts.bounds.total == apart.bounds.total
    assert not is_same_problem(scene, replace(scene, hold_out=None))
    assert derive(replace(scene, hold_out=None)).parts.held_out is None


def test_why_no_rows_can_be_held_out_is_said():
    derived = derive(parse_link({"example": "thesis-grid", "hold-out": "0.1"}).scene)
    assert derived.parts is None
    assert derived.obstacle.startswith("Rows cannot be held out: of 4 rows, a share of 0.1 leaves 0 held out")
