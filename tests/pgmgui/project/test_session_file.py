"""Session files: what is saved is what is read, and nothing else is believed."""

import hashlib
import json
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats import DataDocument, Document
from engine.learning.hold_out import HoldOut
from engine.model.dataset import TargetCell, make_dataset
from engine.model.errors import FormatError, PgmError
from engine.model.prior import Gaussian, Laplace
from engine.model.table_prior import make_table_prior
from pgmgui.project.axes import Axes
from pgmgui.project.cases import make_case
from pgmgui.project.examples import find_example, load_gallery
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Given, Hidden, Partial, ReadAs, Sensor, Soft
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved, dump, dump_csv, is_session, parse, read_session, write_session
from pgmgui.project.settings import Settings
from pgmgui.project.simulated_data import Simulation, simulate_scene
from pgmgui.project.wanted import Supposed, Wanted
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from tests.pgmgui.state.test_race import follow
from tests.strategies import learning_problems

MARKS = {
    "asia": Hidden(),
    "smoke": Partial(0.25, "nmar"),
    "bronc": Soft(0.7),
    "xray": Sensor(((0.9, 0.1), (0.25, 0.75))),
    "either": ReadAs("target"),
}


LIKELIHOOD, TARGET = (0.5, 1.5), TargetCell((0.25, 0.75))


def asia():
    session = Session()
    session.open_example(load_gallery()[0])
    prior = {"dysp": 2.0, "lung": np.array([[1.0, 1.5], [2.0, 3.0]])}
    return replace(
        session.scene, marks=MARKS, prior=prior, common_prior=1.25, note="a <b>note</b>", hold_out=HoldOut(0.25, 7)
    )


def grid():
    """The grid of the paper as a conditional random field with a prior."""
    session = Session()
    session.open_example(find_example("thesis-grid"))
    session.mark(["2", "5"], Given())
    session.set_factor_prior(Gaussian(0.75))
    return session.scene


def assert_same(scene, other):
    assert (scene.title, scene.note, scene.common_prior) == (other.title, other.note, other.common_prior)
    assert (scene.factor_prior, scene.given, scene.hold_out) == (other.factor_prior, other.given, other.hold_out)
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
        assert data.vector(i, int(data.codes[i, row])) == other.vector(i, int(other.codes[i, row]))


def test_a_session_comes_back_whole(tmp_path):
    path = tmp_path / "session.json"
    settings = Settings(("em", "d-edml"), "uniform", 7, 3, 1e-6, "parameters", 50)
    axes = Axes("inferences", "log gap", "all")
    write_session(path, Saved(asia(), settings, axes=axes))
    assert is_session(path)
    found = read_session(path)
    assert (found.settings, found.axes) == (settings, axes)
    assert_same(asia(), found.scene)


def test_targets_in_data_and_how_they_are_read_come_back():
    session = Session()
    session.open_example(load_gallery()[0])
    cells = [[LIKELIHOOD, TARGET, *["no"] * 6], [TARGET, None, *["no"] * 6], ["yes", (0.5, 0.5), *["no"] * 6]]
    data = replace(session.scene.data, dataset=make_dataset(session.network.variables, cells))
    marks = {"asia": ReadAs("likelihood"), "tub": ReadAs("target")}
    scene = replace(session.scene, data=data, marks=marks)
    found = parse(dump(Saved(scene, Settings()))).scene
    assert_same(scene, found)
    assert found.data.dataset.target_cells.tolist() == data.dataset.target_cells.tolist()
    root = json.loads(dump(Saved(scene, Settings())))
    for wrong in ({"kind": "read"}, {"kind": "read", "meaning": "hard"}, {"kind": "read", "meaning": ["target"]}):
        root["marks"]["asia"] = wrong
        with pytest.raises(FormatError, match=r"marks\.asia"):
            parse(json.dumps(root))
    root["marks"] = {}
    root["data"]["csv"] = root["data"]["csv"].replace("{0.25;0.75}", "{0.25;0.85}")
    with pytest.raises(FormatError, match=r"data: column 'asia' has '\{0.25;0.85\}', which is not a target"):
        parse(json.dumps(root))


@pytest.mark.parametrize(("looser", "fit"), [(True, "bounds"), (False, "curves")])
def test_axes_of_an_older_session_come_back(looser, fit):
    root = json.loads(dump(Saved(asia(), Settings())))
    root["axes"] = {"across": "seconds", "up": "objective", "looser": looser}
    assert parse(json.dumps(root)).axes == Axes("seconds", "objective", fit)
    root["axes"]["fit"] = "everything"
    with pytest.raises(FormatError, match=r"axes\.fit"):
        parse(json.dumps(root))


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


HUGE = 10**4000
BAD = [
    (lambda r: r.update(format="other"), "not a session file"),
    (lambda r: r.update(version=99), "version 99"),
    (lambda r: r.update(version=[HUGE]), "a session of version"),
    (lambda r: r.update(version=True), "a session of version True"),
    (lambda r: r.update(title=["x"]), "title: expected a text of at most 1,000,000 characters, got a list"),
    (lambda r: r.update(note="\ud800"), r"note: expected text without half of a character, got '\\ud800'"),
    (lambda r: r.update(network=[]), "network: expected an object, got a list"),
    (lambda r: r["network"]["variables"].pop(), "network: "),
    (lambda r: r["network"].update(name="\udfff"), "network.name: expected text without half"),
    (lambda r: r["network"].update(name={}), "network: name: expected a text .* got an object"),
    (
        lambda r: r["network"]["variables"][0].update(position=[0, 1e308]),
        r"network: the position of 'asia' is \(0, 1e\+308\); expected numbers from -1,000,000,000",
    ),
    (lambda r: r.update(marks=None), "marks: expected an object, got null"),
    (lambda r: r.update(marks={"nobody": {"kind": "hidden"}}), "marks: 'nobody' is no variable"),
    (lambda r: r.update(marks={"asia": {"kind": "magic"}}), "marks.asia.kind: expected one of 'hidden', 'partial'"),
    (lambda r: r.update(marks={"asia": {"kind": []}}), "marks.asia.kind: expected one of .* got a list"),
    (lambda r: r.update(marks={"asia": {"kind": "partial", "fraction": 7, "mechanism": "mcar"}}), "from 0 to 1, got 7"),
    (
        lambda r: r.update(marks={"asia": {"kind": "partial", "fraction": 0.5, "mechanism": "x"}}),
        "asia.mechanism: .*'x'",
    ),
    (lambda r: r.update(marks={"asia": {"kind": "sensor", "confusion": [[1.0]]}}), "confusion: expected 2 rows of 2"),
    (lambda r: r.update(marks={"asia": {"kind": "sensor", "confusion": [[1, 0], [1]]}}), "expected 2 rows of 2"),
    (
        lambda r: r.update(marks={"asia": {"kind": "sensor", "confusion": [[1, 0], [9, 0]]}}),
        r"confusion\[1\]\[0\]: .* 9",
    ),
    (lambda r: r.update(marks={"asia": {"kind": "sensor", "confusion": [[1, 0], [0, 0]]}}), "marks: "),
    (lambda r: r.update(marks={"asia": {"kind": "soft", "reliability": "high"}}), "reliability: expected a number"),
    (lambda r: r.update(prior={"asia": [1, 2, 3]}), "prior.asia: expected 1 or 2 numbers, got 3"),
    (lambda r: r.update(prior={"asia": [HUGE]}), r"prior.asia\[0\]: expected a number from 1 to 1e\+15, got 1000"),
    (lambda r: r.update(common_prior=None), "common_prior: expected a number"),
    (lambda r: r.update(common_prior=float("nan")), "common_prior: expected a number .* got nan"),
    (lambda r: r.update(common_prior=HUGE), "common_prior: expected a number"),
    (lambda r: r["settings"].update(methods=["magic"]), r"settings.methods\[0\]: expected one of .* got 'magic'"),
    (lambda r: r["settings"].update(methods=[[]]), r"settings.methods\[0\]"),
    (lambda r: r["settings"].update(start="magic"), "settings.start: expected one of 'random', 'uniform', 'current'"),
    (lambda r: r["settings"].update(start=[]), "settings.start: "),
    (lambda r: r["settings"].update(tol=-1), "settings.tol: .* got -1"),
    (lambda r: r["settings"].update(restarts=0), "settings.restarts: .* got 0"),
    (lambda r: r["settings"].update(restarts=10**9), "settings.restarts: .* from 1 to 1,000, got 1000000000"),
    (lambda r: r["settings"].update(restarts=True), "settings.restarts: .* got True"),
    (lambda r: r["settings"].update(seed=1.5), "settings.seed: expected a whole number"),
    (lambda r: r["settings"].update(seed=HUGE), "settings.seed: expected a whole number"),
    (lambda r: r["settings"].update(criterion="magic"), "settings.criterion"),
    (lambda r: r.update(data={"csv": ""}), "data: .*empty"),
    (lambda r: r.update(data=5), "data: expected an object, got 5"),
    (lambda r: r["data"].update(csv=5), "data.csv: expected a text"),
    (lambda r: r["data"].update(notes=5), "data.notes: expected a list"),
    (lambda r: r["data"].update(notes=[None]), r"data.notes\[0\]: expected a text"),
    (lambda r: r.update(data={"file": "../x"}), "data.file: .* beside"),
    (lambda r: r.update(data={"file": "a\0b", "sha256": ""}), "data.file: .* beside"),
    (lambda r: r.update(data={}), "data.file: .* beside"),
    (lambda r: r.update(truth=5), "truth: expected an object"),
    (lambda r: r.update(truth={}), "truth: "),
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


def test_notes_may_be_null():
    root = json.loads(dump(Saved(asia(), Settings())))
    root["data"]["notes"] = root["note"] = root["example"] = None
    scene = parse(json.dumps(root)).scene
    assert (scene.data.notes, scene.note, scene.example) == ((), "", "")


ODD = [
    None,
    True,
    -1,
    0,
    1.5,
    1e308,
    HUGE,
    float("nan"),
    -float("inf"),
    "",
    "\ud800",
    "x" * 100,
    [],
    {},
    [[]],
    {"a": []},
]


def places(value):
    """Every list and object in a value, with each of its keys."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def test_whatever_is_changed_becomes_a_session_or_one_sentence():
    pair = (0.1, 0.2, 0.3, 0.4)
    supposed = Supposed({"asia": (0.5, 1.0)}, Wanted({("smoke", "bronc"): pair, ("dysp",): (0.7, 0.3)}, fixed=False))
    cases = {"case": make_case(supposed, asia().document.network)}
    small = replace(asia(), data=None, cases=cases)
    session = Session()
    session.open_example(load_gallery()[2])
    race = Race(session)
    race.begin()
    follow(race)
    texts = [dump(Saved(small, Settings(), supposed)), dump(race.saved())]
    chance, said = random.Random(11), []
    for number in range(400):
        root = json.loads(texts[number % 2])
        for holder, key in chance.sample(list(places(root)), chance.randint(1, 2)):
            holder[key] = chance.choice(ODD)
        try:
            saved = parse(json.dumps(root))
            Race(Session()).open(saved)
        except PgmError as error:
            said.append(str(error))
    assert 200 < len(said) < 400
    assert max(map(len, said)) < 1000
    assert not any("\n" in sentence for sentence in said)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "9" * 5000, '{"format": "pgmgui-session"}'])
def test_nonsense_is_refused(text):
    with pytest.raises(FormatError):
        parse(text)


def test_a_number_that_no_machine_number_holds_is_refused():
    root = json.loads(dump(Saved(asia())))
    root["common_prior"] = 10**400
    with pytest.raises(FormatError, match=r"^common_prior: expected a number from 1 to 1e\+15, got 10{59}…$"):
        parse(json.dumps(root))


@pytest.mark.parametrize("prior", [Gaussian(0.75), Laplace(2.0), None])
def test_the_prior_and_what_is_given_of_a_markov_network_are_kept(prior):
    scene = replace(grid(), factor_prior=prior)
    found = parse(dump(Saved(scene))).scene
    assert_same(scene, found)
    assert [scene.document.network.variables[v].name for v in found.given] == ["2", "5"]


@pytest.mark.usefixtures("installed_priors")
@pytest.mark.parametrize("name", ["logistic-normal", "near"])
def test_a_prior_on_tables_is_kept_by_name(name):
    scene = replace(asia(), table_prior=make_table_prior(name, 0.75))
    text = dump(Saved(scene))
    assert json.loads(text)["table_prior"] == {"name": name, "width": 0.75}
    assert parse(text).scene.table_prior == scene.table_prior
    older = json.loads(text)
    del older["table_prior"]
    assert parse(json.dumps(older)).scene.table_prior is None


@pytest.mark.parametrize(
    ("scene", "changes", "message"),
    [
        (grid, {"table_prior": {"name": "logistic-normal", "width": 1}}, "table_prior: only Bayesian networks"),
        (
            asia,
            {"table_prior": {"name": "os:system", "width": 1}},
            "table_prior: the prior 'os:system' is not installed",
        ),
        (
            asia,
            {"table_prior": {"name": "near", "width": 1}},
            "table_prior: the prior 'near' is not installed; use one",
        ),
        (asia, {"table_prior": {"name": "logistic-normal", "width": 0}}, r"table_prior\.width: expected a number from"),
        (asia, {"table_prior": {"name": 3, "width": 1}}, r"table_prior\.name: expected a text"),
        (grid, {"factor_prior": {"kind": "l3", "width": 1}}, r"factor_prior\.kind: expected one of 'l2', 'l1'"),
        (grid, {"factor_prior": {"kind": "l2", "width": 0}}, r"factor_prior\.width: expected a number from 1e-15"),
        (grid, {"factor_prior": {"kind": "l2"}}, r"factor_prior\.width: expected a number"),
        (asia, {"factor_prior": {"kind": "l2", "width": 1}}, "factor_prior: only Markov networks"),
        (asia, {"marks": {"asia": {"kind": "given"}}}, r"marks\.asia: only variables of a Markov network"),
    ],
)
def test_a_prior_or_a_given_variable_of_the_wrong_kind_is_refused(scene, changes, message):
    root = json.loads(dump(Saved(scene()))) | changes
    with pytest.raises(FormatError, match=f"^{message}"):
        parse(json.dumps(root))


def test_what_is_held_out_is_read_strictly_and_may_be_left_out():
    root = json.loads(dump(Saved(asia())))
    del root["hold_out"]
    assert parse(json.dumps(root)).scene.hold_out is None
    for item in (
        {"share": 0.95, "seed": 0},
        {"share": 0.5, "seed": -1},
        {"share": "0.5", "seed": 0},
        {"share": 0.5},
        [],
    ):
        with pytest.raises(FormatError, match="hold_out"):
            parse(json.dumps({**root, "hold_out": item}))
    assert parse(json.dumps({**root, "hold_out": {"share": 0, "seed": 3}})).scene.hold_out is None
