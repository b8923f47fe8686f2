"""What the page says about a network and its data."""

import numpy as np
import pytest

from engine.learning.course import Course
from engine.learning.learn import STOPS as REASONS
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.structure.snapshot import STOPS as SEARCH_REASONS
from pgmgui.project.examples import load_gallery
from pgmgui.project.marks import Hidden, Partial
from pgmgui.project.words import (
    LEARNERS,
    SEARCH_STOPS,
    STOPS,
    describe_briefly,
    describe_component,
    describe_course,
    describe_run,
    describe_savings,
    describe_symmetries,
    describe_unseen,
    summarise,
)
from pgmgui.state.session import Session

GALLERY = {example.id: example for example in load_gallery()}


@pytest.mark.parametrize(
    ("identifier", "facts"),
    [
        ("asia", ["8 variables", "8 arrows", "18 parameters", "500 rows", "2 hidden: tub, lung"]),
        (
            "burglary",
            ["5 variables", "4 arrows", "10 parameters", "100,000 rows", "12 lines with weights", "1 hidden: Alarm"],
        ),
        ("earthquake", ["5 variables", "4 arrows", "10 parameters", "no data"]),
        ("thesis-grid", ["9 variables", "12 edges", "48 parameters", "4 rows", "3 partly missing: 1, 6, 8"]),
    ],
)
def test_summary(identifier, facts):
    document, data = GALLERY[identifier].read()
    assert summarise(document.network, data and data.dataset) == facts


def opened(name):
    session = Session()
    session.open_example(GALLERY[name])
    return session


def test_every_method_has_a_name_of_its_own_and_every_end_is_worded():
    assert set(STOPS) == set(REASONS)
    assert set(SEARCH_STOPS) == set(SEARCH_REASONS)
    assert len(set(LEARNERS.values())) == len(LEARNERS)


def test_savings_count_rows_that_are_propagated():
    """Recounted with Python's sets: rows of the whole, and of the component {tub, lung, either} given {asia, smoke}."""
    session = opened("asia")
    data = session.seen
    whole = {tuple(row) for row in data.codes.T.tolist()}
    index = session.network.index
    part = {tuple(data.codes[index[name], r] for name in ("asia", "smoke", "either")) for r in range(data.n_rows)}
    assert describe_savings(session.parts.task) == (
        "6 components: 5 solved by counting, 1 iterated. "
        f"One EM iteration takes {len(part)} inferences on up to 5 variables, instead of {len(whole)} on all 8."
    )
    session.mark(["asia", "smoke", "bronc", "either", "xray", "dysp"], Partial(0.5))
    assert describe_savings(session.parts.task).startswith("1 component: 1 iterated. ")


def test_the_bar_has_room_for_short_lines_only():
    assert describe_briefly(opened("asia").parts.task) == [
        "6 components: 5 counted, 1 iterated.",
        "An iteration: 7 small inferences, not 28.",
    ]
    assert describe_briefly(opened("hidden-cause").parts.task)[1] == "An iteration: 19 inferences."
    assert describe_briefly(opened("thesis-grid").parts.task)[1] == "An iteration: 7 inferences."
    assert describe_briefly(opened("cancer").parts.task) == ["5 components: 5 counted, 0 iterated."]


def test_a_run_in_a_sentence():
    session = opened("asia")
    snapshots = list(learn(session.network, session.seen, "d-em", stopping=Stopping(max_iter=1)))
    objective = snapshots[-1].objective.sum()
    assert (
        describe_run("d-em", snapshots[-1], "paused") == f"decomposed EM: {objective:,.4f} after 1 iteration, paused."
    )
    assert describe_run("d-em", None, "setting up") == "decomposed EM: setting up."


def test_unseen_configurations_in_a_sentence():
    """X is never 'b', so that Y given X = b is learned from nothing."""
    coin = ("a", "b")
    half = np.full(2, 0.5)
    network = BayesianNetwork((Variable("X", coin), Variable("Y", coin)), ((), (0,)), (half, np.stack([half, half])))
    data = make_dataset(network.variables, [["a", "a"], ["a", "b"]])
    last = list(learn(network, data, "em"))[-1]
    assert describe_unseen(last) == (
        "1 parent configuration of Y never occurs in the data and keeps its starting probabilities."
    )
    assert describe_unseen(list(learn(network, data, "em", prior=2.0))[-1]) == ""


def test_symmetric_starts_in_a_sentence():
    session = opened("asia")
    for number, table in enumerate(session.network.tables):
        session.set_table(number, np.full_like(table, 1 / table.shape[-1]))
    task = make_task(session.network, session.seen)
    start = next(learn(session.network, session.seen, start="current"))
    text = describe_symmetries(task, start.symmetries())
    assert text.startswith("A symmetric start: no table tells hidden states apart, of tub (yes, no), lung (yes, no).")
    assert "start at random" in text
    assert describe_symmetries(task, []) == ""


def test_a_component_in_words():
    session = opened("asia")
    session.mark(["dysp"], Hidden())
    task = session.parts.task
    k = task.decomposition.component_of[session.network.index["lung"]]
    assert describe_component(task, k) == [
        f"Component {k + 1} learns tub (hidden), lung (hidden), either.",
        "Given asia, smoke, observed in every row.",
        "Arrows: asia → tub, smoke → lung, lung → either, tub → either.",
    ]
    k = task.decomposition.component_of[session.network.index["asia"]]
    assert describe_component(task, k) == [f"Component {k + 1} learns asia."]


@pytest.mark.parametrize(
    ("course", "sentence"),
    [
        (Course(8, 0, 0, "", "counted"), "Nothing is missing: counted once."),
        (Course(8, 0, 0, "", "certified"), "The best of 8 restarts. It is at its bound."),
        (
            Course(9, 70, 0, "L-BFGS", "settled"),
            "The best of 9 restarts; of 70 variations and new starts, none was better; polished by L-BFGS. "
            "Nothing moves any more.",
        ),
        (
            Course(1, 1, 1, "", ""),
            "The best of 1 restart; of 1 variation and new start, one was better 1 time. It is not done yet.",
        ),
        (
            Course(8, 112, 3, "hybrid", "certified"),
            "The best of 8 restarts; of 112 variations and new starts, one was better 3 times; polished by hybrid. "
            "It is at its bound.",
        ),
    ],
)
def test_what_was_done_for_a_component(course, sentence):
    assert describe_course(course) == sentence
