"""Session files: what is saved is what is read, and nothing else is believed."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats import DataDocument, Document
from engine.model.errors import FormatError
from pgmgui.project.examples import load_gallery
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Hidden, Partial, Sensor, Soft
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved, dump, dump_csv, is_session, parse, read_session, write_session
from pgmgui.project.settings import Settings
from pgmgui.project.simulated_data import Simulation, simulate_scene
from pgmgui.state.session import Session
from tests.strategies import learning_problems

MARKS = {
    "asia": Hidden(),
    "smoke": Partial(0.25, "nmar"),
    "bronc": Soft(0.7),
    "xray": Sensor(((0.9, 0.1), (0.25, 0.75))),
}


def asia():
    session = Session()
    session.open_example(load_gallery()[0])
    prior = {"dysp": 2.0, "lung": np.array([[1.0, 1.5], [2.0, 3.0]])}
    return replace(session.scene, marks=MARKS, prior=prior, common_prior=1.25, note="a <b>note</b>")


def assert_same(scene, other):
    assert (scene.title, scene.note, scene.common_prior) == (other.title, other.note, other.common_prior)
    assert dict(scene.marks) == dict(other.marks)
    ours, theirs = scene.document, other.document
    assert ours.network.variables == theirs.network.variables
    assert ours.network.scopes == theirs.network.scopes
    for a, b in zip(ours.network.tables, theirs.network.tables, strict=True):
        np.testing.assert_array_equal(a, b)
    assert dict(ours.positions) == dict(theirs.positions)
    assert list(scene.prior) == list(other.prior)
    for name, exponents in scene.prior.items():
        np.testing.assert_array_equal(exponents, other.prior[name])
    assert (scene.data is None) == (other.data is None)
    if scene.data is not None:
        assert_same_data(scene.data.dataset, other.data.dataset)
        assert tuple(scene.data.notes) == other.data.notes


def assert_same_data(data, other):
    np.testing.assert_array_equal(data.weights, other.weights)
    hard = data.codes >= -1
    np.testing.assert_array_equal(np.where(hard, data.codes, -2), np.where(hard, other.codes, -2))
    for i, row in np.argwhere(~hard):
        ours = data.likelihoods[i][-2 - data.codes[i, row]]
        np.testing.assert_array_equal(ours, other.likelihoods[i][-2 - other.codes[i, row]])


def test_a_session_comes_back_whole(tmp_path):
    path = tmp_path / "session.json"
    settings = Settings(("em", "d-edml"), "uniform", 7, 3, 1e-6, "parameters", 50)
    write_session(path, Saved(asia(), settings))
    assert is_session(path)
    found = read_session(path)
    assert found.settings == settings
    assert_same(asia(), found.scene)


def test_the_truth_behind_simulated_data_is_kept():
    scene = simulate_scene(asia(), Simulation(rows=20))
    truth = parse(dump(Saved(scene, Settings()))).scene.truth
    assert truth.variables == scene.truth.variables
    assert all(np.array_equal(a, b) for a, b in zip(truth.tables, scene.truth.tables, strict=True))
    assert parse(dump(Saved(asia(), Settings()))).scene.truth is None


@given(learning_problems(), st.text(max_size=12))
def test_any_scene_comes_back_whole(problem, title):
    network, dataset = problem
    scene = Scene(title or "Untitled", "", arrange(Document(network)), DataDocument(dataset))
    try:
        text = dump(Saved(scene, Settings()))
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair is no text
        return
    assert_same(scene, parse(text).scene)


@pytest.mark.parametrize("example", load_gallery(), ids=lambda example: example.id)
def test_every_example_can_be_saved(example):
    session = Session()
    session.open_example(example)
    assert_same(session.scene, parse(dump(Saved(session.scene, Settings()))).scene)


def test_data_beside_the_file_are_read_and_checked():
    scene = asia()
    content = dump_csv(scene.data).encode()
    digest = hashlib.sha256(content).hexdigest()
    text = dump(Saved(scene, Settings()), {"file": "data.csv", "sha256": digest})
    assert len(text) < len(content)
    assert_same(scene, parse(text, {"data.csv": content}.__getitem__).scene)
    with pytest.raises(FormatError, match="has changed"):
        parse(text, lambda name: content + b"\n")
    with pytest.raises(FormatError, match="beside the session"):
        parse(text)
    with pytest.raises(FormatError, match="beside the session"):
        parse(text.replace('"data.csv"', '"../data.csv"'), lambda name: content)


BAD = [
    (lambda r: r.update(format="other"), "not a session file"),
    (lambda r: r.update(version=99), "version 99"),
    (lambda r: r.update(network=[]), "'network'"),
    (lambda r: r["network"]["variables"].pop(), "asia|dysp|no known variable|unknown"),
    (lambda r: r.update(marks={"nobody": {"kind": "hidden"}}), "no variable"),
    (lambda r: r.update(marks={"asia": {"kind": "magic"}}), "no known kind"),
    (lambda r: r.update(marks={"asia": {"kind": "partial", "fraction": 7, "mechanism": "mcar"}}), "fraction of 7"),
    (lambda r: r.update(marks={"asia": {"kind": "partial", "fraction": 0.5, "mechanism": "x"}}), "mechanism 'x'"),
    (lambda r: r.update(marks={"asia": {"kind": "sensor", "confusion": [[1.0]]}}), "confusion matrix"),
    (lambda r: r.update(marks={"asia": {"kind": "soft", "reliability": "high"}}), "needs a number"),
    (lambda r: r.update(prior={"asia": [1, 2, 3]}), "3 numbers; expected 1 or 2"),
    (lambda r: r.update(common_prior=None), "common_prior"),
    (lambda r: r["settings"].update(methods=["magic"]), "unknown learners"),
    (lambda r: r["settings"].update(methods=[[]]), "unknown learners"),
    (lambda r: r["settings"].update(start="magic"), "unknown start"),
    (lambda r: r["settings"].update(start=[]), "unknown start"),
    (lambda r: r.update(marks={"asia": {"kind": []}}), "no known kind"),
    (lambda r: r["settings"].update(tol=-1), "tol must be"),
    (lambda r: r["settings"].update(restarts=0), "at least one restart"),
    (lambda r: r["settings"].update(criterion="magic"), "criterion"),
    (lambda r: r.update(data={"csv": ""}), "empty"),
    (lambda r: r.update(data=5), "'data'"),
]


@pytest.mark.parametrize(("spoil", "message"), BAD)
def test_a_bad_file_says_what_is_wrong(spoil, message, tmp_path):
    root = json.loads(dump(Saved(asia(), Settings())))
    spoil(root)
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(root), encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        read_session(path)
    assert "bad.json" in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"format": "pgmgui-session"}'])
def test_nonsense_is_refused(text):
    with pytest.raises(FormatError):
        parse(text)


def test_a_number_that_no_machine_number_holds_is_refused():
    root = json.loads(dump(Saved(asia())))
    root["common_prior"] = 10**400
    with pytest.raises(FormatError, match=r"^common_prior needs a number; got 10{59}$"):
        parse(json.dumps(root))
