"""The search for a structure of a page: what is shown of it, and what becomes of the network."""

import time
from dataclasses import replace

import numpy as np
import pytest

from engine.model.errors import Cancelled, PgmError
from engine.structure.bound import EXACT
from engine.structure.snapshot import Operation
from pgmgui.board.board import SEARCHING, perform
from pgmgui.board.picture import look_at, preview
from pgmgui.project.examples import find_example
from pgmgui.project.marks import Hidden
from pgmgui.project.structure_problem import StructureProblem, bound_exactly
from pgmgui.project.words import show_nats
from pgmgui.state.session import Session
from pgmgui.state.structure_runner import SearchRunner
from pgmgui.state.structure_words import describe_operation, describe_search
from pgmgui.state.structuring import STALE, Structuring, pose_problem

BEST = -11212.3947
"""The score of the best structure, by BIC, as the command line tells it; hill climbing finds it too."""


@pytest.fixture
def session():
    session = Session()
    session.open_example(find_example("asia-rows"))
    session.configure_search(pace=0.0)
    return session


@pytest.fixture
def structuring(session):
    structuring = Structuring(session)
    yield structuring
    structuring.close()


def finish(structuring, seconds=30.0):
    """Look at a search until it and its bound have ended."""
    end = time.monotonic() + seconds
    while (structuring.running or structuring.bounding) and time.monotonic() < end:
        structuring.tick()
        time.sleep(0.01)
    assert not structuring.running


def search(structuring, **settings):
    structuring._session.configure_search(**settings)
    structuring.begin()
    finish(structuring)


def keep(session, structuring):
    """What the panel's Keep does, without a thread."""
    structuring.begin_keeping()
    assert session.replace_scene("keep the structure", structuring.keep_in(session.scene))
    structuring.end_keeping()


def name_arrows(session):
    names = [variable.name for variable in session.network.variables]
    return {(names[a], names[b]) for a, b in session.network.edges}


def test_a_search_ends_under_its_bound_and_leaves_the_network_alone(session, structuring):
    before = session.scene
    search(structuring)
    course = structuring.course
    assert course.stop == "optimum"
    assert course.stand.now.best_score == pytest.approx(BEST, abs=1e-3)
    assert course.bound.value == pytest.approx(BEST, abs=1e-3)
    assert course.bound.kind == EXACT
    bests = [best for _, _, best in course.points]
    assert bests == sorted(bests)
    assert all(score <= course.bound.value + 1e-6 for _, score, _ in course.points)
    assert session.scene is before
    assert session.structure.parents == course.stand.now.best
    assert session.structure.last is None
    lines = describe_search(structuring)
    assert lines[0].startswith(f"Ended: hill climbing by BIC, {course.points[-1][0]} steps, restart ")
    assert lines[0].endswith(": 7 arrows, score -11,212.39.")
    assert lines[1] == "No structure scores more: it is at its upper bound."


def test_how_far_from_the_best_a_tree_is(structuring):
    search(structuring, search="chow-liu")
    gap = BEST - structuring.course.stand.now.best_score
    assert gap > 1
    told = describe_search(structuring)[1]
    assert told.startswith(f"No structure scores more than -11,212.39, {show_nats(gap)} nats above")
    assert told.endswith("(which one reaches: the exact search finds it).")


def test_steps_are_taken_one_at_a_time_and_told(session, structuring):
    structuring.step()
    assert structuring.paused
    end = time.monotonic() + 30
    while len(structuring.course.points) < 2 and time.monotonic() < end:
        structuring.tick()
    stand = structuring.course.stand
    assert stand.now.iteration == 1
    told = describe_operation(stand.now.operation, session.network.variables)
    assert told.startswith("added ")
    assert told.endswith(" nats")
    shown = preview(session)
    assert (shown.change, len(shown.edges)) == ("add", 1)
    assert shown.step == shown.edges[0]
    assert look_at(session).hulls == ()
    assert describe_search(structuring)[0].startswith("Paused: hill climbing by BIC, 1 step")
    structuring.stop()
    assert not structuring.running
    assert structuring.course.stop == "cancelled"
    assert len(session.structure.edges) == 1


def test_keep_sets_arrows_and_counted_tables_as_one_step(session, structuring):
    before = session.scene
    search(structuring, search="exact")
    assert "it is at its upper bound" in describe_search(structuring)[-1]
    keep(session, structuring)
    assert structuring.kept
    assert session.structure is None
    true = find_example("asia-rows").truth
    names = [variable.name for variable in true.variables]
    assert {(names[a], names[b]) for a, b in true.edges} - name_arrows(session) == {("asia", "tub")}
    assert len(session.network.edges) == 7
    index, data = session.network.index, session.data.dataset
    smoke, lung = data.codes[index["smoke"]], data.codes[index["lung"]]
    table = np.zeros((2, 2))
    np.add.at(table, (smoke, lung), data.weights)
    learned = session.network.tables[index["lung"]]
    assert learned == pytest.approx(table / table.sum(axis=1, keepdims=True))
    assert session.scene.note == "7 arrows learned from 5,000 rows by exact search by BIC"
    assert session.undoable == "keep the structure"
    session.undo()
    assert session.scene.document is before.document
    assert session.structure is None


def test_a_change_while_it_is_being_kept_is_not_taken_for_the_keeping(session, structuring):
    search(structuring, search="exact")
    structuring.begin_keeping()
    assert not structuring.can_keep
    made = structuring.keep_in(session.scene)
    session.mark(["smoke"], Hidden())
    assert structuring.stale
    assert not structuring.kept
    session.undo()
    assert session.replace_scene("keep the structure", made)
    assert structuring.kept
    structuring.end_keeping()


def test_stopped_it_tells_of_the_best_structure_that_the_canvas_shows(session, structuring):
    search(structuring, restarts=0)
    now = structuring.course.stand.now
    worse = replace(now, parents=tuple(() for _ in now.parents), score=now.score - 100, stop="")
    structuring.course = replace(structuring.course, stand=replace(structuring.course.stand, now=worse), stop="")
    assert ": 0 arrows, score" in describe_search(structuring)[0]
    structuring.course = replace(structuring.course, bound=bound_exactly(now.best_score))
    assert describe_search(structuring)[-1] == "No structure scores more: the best so far is at its upper bound."
    structuring._end("cancelled")
    arrows = len(session.structure.edges)
    assert describe_search(structuring)[0].endswith(f": {arrows} arrows, score {now.best_score:,.2f}.")


def test_stopped_before_its_first_step_it_counts_no_more_and_does_not_fail(session):
    problem = pose_problem(session)
    families = problem.make_families(lambda: True)
    with pytest.raises(Cancelled):
        families.extend(0, ())
    assert families.counted == 0
    runner = SearchRunner(lambda _: problem.run(lambda: True), lambda: 0.0)
    runner.begin()
    assert runner.join(30)
    mail = runner.collect()
    assert mail.done
    assert mail.stand is None
    assert mail.error == ""


def test_a_bound_that_fails_is_told_and_not_looked_for_any_more(session, structuring, monkeypatch):
    def fail(*_):
        raise PgmError("the bound is out of reach")

    monkeypatch.setattr(StructureProblem, "bound", fail)
    search(structuring)
    assert describe_search(structuring)[1:] == [
        "No upper bound of the score was found.",
        "The bound is out of reach.",
    ]


def test_discard_shows_the_network_again(session, structuring):
    search(structuring)
    structuring.discard()
    assert session.structure is None
    assert structuring.course is None
    assert not structuring.can_keep


def test_an_edit_makes_it_stale_and_undo_brings_it_back(session, structuring):
    search(structuring)
    session.mark(["smoke"], Hidden())
    assert structuring.stale
    assert session.structure is None
    assert not structuring.can_keep
    assert describe_search(structuring)[0].startswith("Stale:")
    assert session.message == STALE
    session.undo()
    assert session.message == ""
    assert not structuring.stale
    assert session.structure.parents == structuring.course.stand.now.best


def test_moving_nodes_leaves_it_and_layout_follows_what_is_shown(session, structuring):
    search(structuring)
    session.move({"asia": (500.0, 500.0)})
    assert not structuring.stale
    session.arrange()
    heights = {name: y for name, (_, y) in session.document.positions.items()}
    assert heights["smoke"] < heights["lung"] < heights["either"] < heights["xray"]
    assert not structuring.stale


@pytest.mark.parametrize("message", [{"op": "connect", "from": "asia", "to": "tub"}, {"op": "remove"}, {"op": "hide"}])
def test_the_canvas_refuses_edits_while_it_shows_a_search(session, structuring, message):
    search(structuring)
    before = session.scene
    assert not perform(session, message)
    assert session.message == SEARCHING
    assert session.scene is before
    assert perform(session, {"op": "select", "names": ["asia"]})


def test_constraints_are_read_and_met(session, structuring):
    search(structuring, required="asia -> tub", forbidden="smoke -> lung, lung -> smoke", tiers="xray; dysp")
    arrows = {
        (session.network.variables[a].name, session.network.variables[b].name) for a, b in session.structure.edges
    }
    assert ("asia", "tub") in arrows
    assert not {("smoke", "lung"), ("lung", "smoke"), ("dysp", "xray")} & arrows


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"required": "smoke -> nobody"}, "no column 'nobody'"),
        ({"forbidden": "smoke lung"}, "expected an arrow such as A->B"),
        ({"required": "smoke->lung", "forbidden": "smoke->lung"}, "is also forbidden"),
        ({"required": "smoke->lung\nlung->smoke"}, "form a cycle"),
        ({"tiers": "smoke; smoke"}, "two tiers"),
        ({"search": "tan"}, "TAN needs a class"),
        ({"search": "k2", "order": "asia, smoke"}, "order"),
    ],
)
def test_what_cannot_be_is_refused_in_words(session, structuring, settings, words):
    search(structuring, **settings)
    assert words in session.message
    assert session.structure is None


def test_missing_cells_lead_to_structural_em_which_learns_the_tables(session, structuring):
    session.mark(["lung"], Hidden())
    search(structuring)
    assert structuring.course.problem.title == "structural EM by BIC"
    assert structuring.course.bound is None
    assert any("no bound of it is known" in line for line in describe_search(structuring))
    stand = structuring.course.stand
    changes = (Operation("add", 0, 1, 2.0), Operation("reverse", 2, 3, 1.0))
    told = replace(stand, changes=changes, now=replace(stand.now, operation=changes[-1]))
    structuring.course = replace(structuring.course, stand=told, stop="")
    assert "2 changes in this round, the last first: turned" in "".join(describe_search(structuring))
    assert "; added asia → tub, +2 nats." in "".join(describe_search(structuring))
    keep(session, structuring)
    assert session.network.edges
    assert session.marks["lung"] == Hidden()
    structuring._session.configure_search(search="exact")
    structuring.begin()
    assert "needs complete data" in session.message


def test_a_markov_network_gets_edges(session, structuring):
    session.moralise()
    search(structuring)  # hill climbing is for arrows: the first search for edges takes its place
    assert structuring.course.problem.title == "L1 on all pairs"
    assert not session.structure.directed
    edges = len(session.structure.edges)
    keep(session, structuring)
    assert len(session.network.edges) == edges > 5
    search(structuring, search="chow-liu")
    assert len(session.structure.edges) <= 7
    keep(session, structuring)
    assert type(session.network).__name__ == "MarkovNetwork"
    tree = [scope for scope in session.network.scopes if len(scope) == 2]
    assert len(tree) == len(structuring.course.stand.now.edges)


def test_what_fails_is_told(session, structuring):
    rows = replace(session.data, dataset=replace(session.data.dataset, weights=np.zeros(session.data.dataset.n_rows)))
    session.set_data(rows)
    search(structuring)
    assert "no rows that count" in session.message
    assert session.structure is None


def test_without_data_there_is_nothing_to_search(structuring, session):
    session.set_data(None)
    structuring.begin()
    assert session.message.startswith("There is no data")
    assert not structuring.running
