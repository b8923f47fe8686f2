"""A page on data that is counted where it lies: what it does beside, what it refuses, and what it shows."""

from __future__ import annotations

import numpy as np
import pytest

from engine.formats import DataDocument, write_dataset
from engine.insight.doctor import examine
from engine.model.data_edits import RemoveRows
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.missingness import remove_mcar
from engine.simulation.sampling import simulate
from engine.sources.places import Place
from pgmgui.board.mark_bar import find_readings
from pgmgui.board.picture import look_at
from pgmgui.components.grid.grid import Grid
from pgmgui.project.counting import count_into
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Absent, Given, Hidden, Partial, ReadAs, Soft, describe_role
from pgmgui.project.scene import Derived, Document, Scene, derive, with_data
from pgmgui.project.structure_problem import find_rows
from pgmgui.project.words import describe_briefly, describe_savings, summarise
from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.row_scores import RowScoring
from pgmgui.state.row_window import BLOCK, RowWindow
from pgmgui.state.session import Session
from pgmgui.tabs.data.table_rows import table_source
from pgmgui.tabs.data_rows import data_source, states_source, summary_source
from pgmgui.tabs.parts.meta_view import find_obstacle

GENERATOR = np.random.default_rng(0)
NETWORK = BayesianNetwork(
    tuple(Variable(f"X{k}", ("a", "b")) for k in range(16)),
    ((), *((0,) for _ in range(15))),
    (np.array([0.4, 0.6]), *(GENERATOR.dirichlet((1, 1), 2) for _ in range(15))),
)
SCENE = Scene("star", "", arrange(Document(NETWORK)))


@pytest.fixture(scope="module")
def dataset():
    return remove_mcar(simulate(NETWORK, 1000, random_state=1), 0.1, 2, ["X3"])


@pytest.fixture
def counted(dataset, tmp_path):
    """A star of 16 variables and its rows, of which a few columns at a time have been counted."""
    write_dataset(tmp_path / "rows.parquet", dataset)
    (tmp_path / "all").mkdir()
    (tmp_path / "rows.parquet").rename(tmp_path / "all" / "rows.parquet")
    return count_into(SCENE, Place(str(tmp_path / "all")))


@pytest.fixture
def session(counted):
    session = Session()
    assert session.open(counted), session.message
    return session


@pytest.fixture
def plain(dataset):
    """The same rows in memory."""
    session = Session()
    session.open(with_data(SCENE, DataDocument(dataset)))
    return session


def test_marks_bounds_and_summaries_are_those_of_memory(session, plain):
    for each in (session, plain):
        assert each.mark(["X0"], Hidden())
    assert session.parts.bounds.total == pytest.approx(plain.parts.bounds.total, rel=1e-12)
    assert session.parts.task.distinct_rows == plain.parts.task.distinct_rows
    assert look_at(session) == look_at(plain)
    facts = [summarise(each.network, each.seen) for each in (session, plain)]
    assert facts[0] == facts[1]
    for v in range(16):
        assert describe_role(session.seen, v) == describe_role(plain.seen, v)
        sources = [states_source(each.seen, v) for each in (session, plain)]
        assert sources[0].cells(0, sources[0].n_rows - 1) == sources[1].cells(0, sources[1].n_rows - 1)
    assert summary_source(session.seen).cells(0, 15) == summary_source(plain.seen).cells(0, 15)
    assert "instead of" not in describe_savings(session.parts.task)
    assert "not" not in " ".join(describe_briefly(session.parts.task))
    assert [finding.kind for finding in examine(session.parts.task)] == [
        finding.kind for finding in examine(plain.parts.task)
    ]


def test_what_has_to_be_counted_first_is_counted_beside_the_page(session):
    asked = []
    session.count_first = lambda scene, then: asked.append((scene, then))
    before = session.scene
    assert not session.mark(["X0"], Hidden())
    assert session.scene is before
    # What comes too late is not taken.
    assert session.rename_network("other")
    scene, then = asked.pop()
    then(Derived(None, None))
    assert session.marks == {}
    assert "given up" in session.message
    assert not session.mark(["X0"], Hidden())
    scene, then = asked.pop()
    then(derive(scene))
    assert session.marks == {"X0": Hidden()}
    assert session.parts is not None
    # What is known by now needs no counting: to take it back, to do it again.
    assert session.undo()
    assert session.redo()
    assert not asked


def test_too_many_distinct_rows_are_told_and_the_page_goes_on(session):
    session.data.dataset.counter.most = 50
    assert session.mark(["X0"], Hidden())
    assert session.parts is None
    said = session.message
    assert "Learning is out of reach" in said
    assert "are learned together, from" in said
    assert "distinct rows over" in said
    assert "at most 50 are fetched; observe more variables" in said
    assert "--max-rows" not in said
    assert session.mark(["X0"], None)
    assert session.parts is not None


@pytest.mark.parametrize(
    "mark",
    [Partial(0.5), Soft(0.9), ReadAs("target"), Absent(("X1",), (0.5, 0.1))],
    ids=lambda mark: type(mark).__name__,
)
def test_marks_that_need_rows_are_refused(session, mark):
    assert not session.mark(["X2"], mark)
    assert "counted where they lie" in session.message
    assert session.marks == {}


def test_what_needs_rows_is_refused_in_words(session):
    assert session.mark(["X2"], Given()) or "Markov" in session.message
    session.mark(["X2"], None)
    assert session.mark(["X3"], Absent(("X2",)))
    session.mark(["X3"], None)
    assert not session.hold_out(0.2, 1)
    assert "Rows cannot be held out" in session.message
    assert not session.edit_data("remove", RemoveRows(np.array([0])))
    assert "cannot be edited" in session.message
    with pytest.raises(Exception, match="looked for in whole rows"):
        find_rows(session.data, session.seen, None)
    assert "counted where they lie" in find_obstacle(session)
    assert find_readings(session, "X2") == []
    scoring = RowScoring(session, lambda work: work()())
    scoring.look(True)
    assert "scored one by one" in scoring.scored.trouble
    facts = ArrowFacts(session, lambda work: work()())
    facts.look(True)
    assert "scored on whole rows" in facts.facts.trouble
    assert not session.set_states("X2", [(0, "other"), (1, NETWORK.variables[2].states[1])])
    assert "stays: it is what cells of the data hold" in session.message
    assert session.set_states("X2", [(1, NETWORK.variables[2].states[1]), (0, NETWORK.variables[2].states[0])])
    assert session.remove(["X9"])
    assert session.add_variable(0, 0, "new")
    assert session.seen.columns[-1] is None
    assert session.parts is not None


def test_the_grid_shows_a_window_of_rows(session, plain):
    waiting = []
    window = RowWindow(session, waiting.append)
    window.look_at(session.seen)
    source, expected = table_source(session.seen, window), data_source(plain.seen)
    assert source.n_rows == 1000
    assert not any(column.editable for column in source.columns)
    grid = Grid(source=source)
    said = []
    grid.on_trouble = said.append
    last = BLOCK + 20
    shown = source.cells(BLOCK - 10, last)
    assert [row[0] for row in shown] == [row[0] for row in expected.cells(BLOCK - 10, last)]
    assert shown[0][1]["text"] == "…"
    grid._try(lambda: grid._copy(source, (BLOCK - 10, last), (0, 3)))
    assert "have not come yet" in said[0]
    arrived = []
    window.param.watch(lambda event: arrived.append(event), "arrived")
    while waiting:
        waiting.pop(0)()()
    assert arrived
    for first, end in ((BLOCK - 10, last), (990, 999)):
        source.cells(first, end)
        while waiting:
            waiting.pop(0)()()
        assert source.cells(first, end) == expected.cells(first, end)
