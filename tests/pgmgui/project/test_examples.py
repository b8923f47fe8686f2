"""The gallery: every example reads, its data fit its network, and it can be drawn."""

import numpy as np
import pytest

from engine.formats import read_network
from engine.model.dataset import Role
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.simulation.missingness import hide
from pgmgui.project.examples import load_gallery
from pgmgui.project.folders import assets_folder
from pgmgui.project.layout import label_width, needed_scale
from tests.shared_data import DATA, needs_data

GALLERY = {example.id: example for example in load_gallery()}


def roles(identifier: str) -> dict[str, Role]:
    """What is known of each variable when the example opens."""
    example = GALLERY[identifier]
    seen = hide(example.read()[1].dataset, example.hide)
    return {v.name: role for v, role in zip(seen.variables, seen.roles, strict=True)}


def names_with(identifier: str, role: Role) -> set[str]:
    return {name for name, found in roles(identifier).items() if found is role}


@pytest.mark.parametrize("example", GALLERY.values(), ids=GALLERY)
def test_example_reads_and_its_data_fit(example):
    document, data = example.read()
    assert document.notes == ()
    assert example.title
    assert len(example.shows) <= 70
    if data is not None:
        assert data.dataset.variables == document.network.variables
        assert data.dataset.n_rows > 0
        assert Role.OBSERVED in data.dataset.roles


@pytest.mark.parametrize("example", GALLERY.values(), ids=GALLERY)
def test_example_has_a_drawing_of_its_own(example):
    document, _ = example.read()
    names = [variable.name for variable in document.network.variables]
    points = np.array([document.positions[name] for name in names])
    assert needed_scale(points, np.array([label_width(name) for name in names])) <= 1.0
    if isinstance(document.network, BayesianNetwork) and example.id not in ("thesis-chain", "naive-bayes", "chain-12"):
        assert all(points[parent, 1] < points[child, 1] for parent, child in document.network.edges)


def test_no_file_is_left_out_of_the_gallery():
    named = {path.name for example in GALLERY.values() for path in (example.network, example.data) if path}
    assert {path.name for path in (assets_folder() / "examples").iterdir()} == named | {"index.json"}


def test_the_first_example_has_data():
    assert load_gallery()[0].data is not None


@pytest.mark.parametrize(
    ("identifier", "hidden", "partial"),
    [
        ("asia", {"tub", "lung"}, set()),
        ("burglary", {"Alarm"}, set()),
        ("sprinkler", set(), {"Sprinkler", "Rain"}),
        ("student", {"Intelligence"}, set()),
        ("cancer", set(), set()),
        ("thesis-chain", {"Y"}, set()),
        ("thesis-grid", set(), {"1", "6", "8"}),
        ("thesis-triangle", set(), set()),
        ("naive-bayes", set(), {"Diagnosis"}),
        ("latent-class", {"Class"}, set()),
    ],
)
def test_what_is_missing_is_what_the_line_says(identifier, hidden, partial):
    assert names_with(identifier, Role.HIDDEN) == hidden
    assert names_with(identifier, Role.PARTIAL) == partial


def test_the_triangle_has_the_counts_of_the_thesis():
    document, data = GALLERY["thesis-triangle"].read()
    table = np.zeros((2, 2, 2))
    np.add.at(table, tuple(data.dataset.codes), data.dataset.weights)
    assert table.reshape(-1).tolist() == [4, 18, 2, 13, 1, 1, 42, 19]
    assert {frozenset(edge) for edge in document.network.edges} == {frozenset(e) for e in ((0, 1), (1, 2), (0, 2))}


def test_the_grid_has_the_factors_and_rows_of_the_thesis():
    document, data = GALLERY["thesis-grid"].read()
    assert isinstance(document.network, MarkovNetwork)
    names = [variable.name for variable in document.network.variables]
    factors = {"".join(names[i] for i in scope) for scope in document.network.scopes}
    assert factors == {"12", "23", "45", "56", "78", "89", "14", "25", "36", "47", "58", "69"}
    letters = np.array(["t", "f", "?"])
    rows = ["".join(letters[list(column)]) for column in data.dataset.codes.T]
    assert rows == ["tffft?t?t", "?ttft?f?f", "tftfftt?t", "?ttff?fft"]


def test_the_chain_is_complete_but_for_the_mark_on_y():
    document, data = GALLERY["thesis-chain"].read()
    assert [document.network.variables[i].name for i in document.network.topological_order] == list("VXYZ")
    assert data.dataset.n_rows == 200
    assert set(data.dataset.roles) == {Role.OBSERVED}
    assert GALLERY["thesis-chain"].hide == ("Y",)


def test_burglary_and_naive_bayes_have_their_size():
    assert GALLERY["burglary"].read()[1].dataset.total_weight == 100_000
    document, data = GALLERY["naive-bayes"].read()
    assert len(document.network.variables) == 23
    assert (data.dataset.codes[0] >= 0).sum() == 80


@needs_data
@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake"])
def test_the_numbers_are_those_of_the_literature(name):
    ours = GALLERY[name].read()[0].network
    theirs = read_network(DATA / "networks" / "bif" / f"{name}.bif").network
    assert {v.name: v.states for v in ours.variables} == {v.name: v.states for v in theirs.variables}
    for variable in ours.variables:
        i, j = ours.index[variable.name], theirs.index[variable.name]
        order = [ours.variables[k].name for k in ours.scopes[i]]
        axes = [[theirs.variables[k].name for k in theirs.scopes[j]].index(found) for found in order]
        np.testing.assert_allclose(ours.tables[i], theirs.tables[j].transpose(axes), atol=1e-12)
