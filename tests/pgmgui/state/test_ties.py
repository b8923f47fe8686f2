"""Tied tables on a page: tied, edited together, undone, kept, and given up where tables can no longer be shared."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest

from engine.learning.learn import learn
from engine.model.errors import FormatError, PgmError
from engine.model.noisy_max import NoisyMax
from pgmgui.project.clipping import cut_out
from pgmgui.project.examples import find_example
from pgmgui.project.links import is_linkable, make_link, parse_link
from pgmgui.project.results import Point, make_result, revive
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.project.settings import Settings
from pgmgui.project.tying import describe_tie, find_tied
from pgmgui.state.session import Session
from pgmgui.tabs.share.reproduce import as_command, as_python


@pytest.fixture
def session():
    """Asia, in which bronc and lung (given smoke) and xray (given either) have one table: that of bronc."""
    opened = Session()
    opened.open_example(find_example("asia"))
    assert opened.tie(["bronc", "lung", "xray"])
    return opened


def table_of(session, name):
    return session.network.tables[session.network.index[name]]


def assert_alike(session, *names):
    first = names[0]
    for name in names[1:]:
        np.testing.assert_array_equal(table_of(session, name), table_of(session, first))


def test_to_tie_gives_all_the_table_of_the_first_and_can_be_undone(session):
    before = find_example("asia").read()[0].network
    assert session.scene.ties == (("bronc", "lung", "xray"),)
    assert session.undoable == "tie bronc, lung, xray"
    assert session.message == "lung, xray have the table of bronc now. Undo brings the former one back."
    np.testing.assert_array_equal(table_of(session, "xray"), before.tables[before.index["bronc"]])
    assert session.parts.task.ties == session.scene.tied
    session.undo()
    assert session.scene.ties == ()
    np.testing.assert_array_equal(table_of(session, "xray"), before.tables[before.index["xray"]])
    session.redo()
    assert_alike(session, "bronc", "lung", "xray")


def test_to_edit_one_table_edits_all(session):
    table = np.array([[0.3, 0.7], [0.6, 0.4]])
    assert session.set_table(session.network.index["xray"], table)
    for name in ("bronc", "lung", "xray"):
        np.testing.assert_array_equal(table_of(session, name), table)
    assert session.message == ""
    session.undo()
    assert_alike(session, "bronc", "lung", "xray")
    assert session.set_tables("randomise", [np.full_like(t, 0.5) for t in session.network.tables])
    assert_alike(session, "bronc", "lung", "xray")


def test_to_give_one_a_prior_gives_it_to_all(session):
    assert session.set_prior("lung", 3.0)
    assert {name: session.scene.prior[name] for name in ("bronc", "lung", "xray")} == dict.fromkeys(
        ("bronc", "lung", "xray"), 3.0
    )
    assert session.set_prior("bronc", None)
    assert not session.scene.prior


def test_a_noisy_max_is_shared_too(session):
    noisy = NoisyMax((np.array([[0.8, 0.2], [0.0, 1.0]]),), np.array([0.1, 0.9]))
    assert session.set_noisy("lung", noisy)
    assert session.document.noisy == dict.fromkeys(("bronc", "lung", "xray"), noisy)
    assert_alike(session, "bronc", "lung", "xray")
    assert session.set_table(session.network.index["xray"], np.array([[0.3, 0.7], [0.6, 0.4]]))
    assert session.document.noisy == {}


def test_what_is_learned_is_alike_and_can_be_applied(session):
    scene = session.scene
    snapshot = list(learn(scene.document.network, session.seen, "d-em", ties=scene.tied))[-1]
    assert session.apply(snapshot)
    assert_alike(session, "bronc", "lung", "xray")
    assert session.scene.ties == scene.ties


def test_more_can_be_tied_to_those_that_are(session):
    assert session.tie(["tub", "lung"])
    assert session.scene.ties == (("bronc", "lung", "xray", "tub"),)
    assert_alike(session, "bronc", "tub")


def test_to_untie_leaves_tables_as_they_are(session):
    before = session.network
    assert session.untie(["lung"])
    assert session.scene.ties == (("bronc", "xray"),)
    assert session.untie(["bronc"])
    assert session.scene.ties == ()
    assert session.network is before
    assert session.message == ""
    label = session.undoable
    assert session.untie(["bronc"])
    assert session.undoable == label, "nothing was done"


def test_ties_follow_names_and_what_is_removed(session):
    assert session.rename("lung", "cancer")
    assert session.scene.ties == (("bronc", "cancer", "xray"),)
    assert session.remove(["bronc"])
    assert session.scene.ties == (("cancer", "xray"),)
    assert session.message == ""


@pytest.mark.parametrize(
    ("edit", "left", "lost"),
    [
        (lambda s: s.connect("asia", "lung"), (("bronc", "xray"),), "lung is no longer tied: its table"),
        (lambda s: s.remove([], [("smoke", "bronc")]), (("lung", "xray"),), "bronc is no longer tied"),
        (
            lambda s: s.set_states("smoke", [(0, "yes"), (1, "no"), (None, "was")]),
            (("bronc", "lung"),),
            "xray is no longer tied",
        ),
        (lambda s: s.set_states("smoke", [(1, "no"), (0, "yes")]), (("bronc", "lung"),), "xray is no longer tied"),
        (lambda s: s.set_states("lung", [(1, "no"), (0, "yes")]), (("bronc", "xray"),), "lung is no longer tied"),
        (lambda s: s.set_states("smoke", [(0, "ja"), (1, "nein")]), (("bronc", "lung", "xray"),), ""),
        (lambda s: s.moralise(), (), "A Markov network has no tied tables"),
    ],
)
def test_an_edit_after_which_tables_cannot_be_shared_unties_them_and_says_so(session, edit, left, lost):
    assert edit(session)
    assert session.scene.ties == left
    assert lost in session.message
    assert bool(lost) == ("tied" in session.message)
    session.undo()
    assert session.scene.ties == (("bronc", "lung", "xray"),)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["smoke", "tub"], "'smoke' and 'tub' cannot share a table: 'smoke' has 0 parents, 'tub' has 1"),
        (["smoke", "lung"], "'bronc' and 'smoke' cannot share a table: 'bronc' has 1 parent, 'smoke' has 0"),
        (["tub"], "A table is shared by two variables or more; got 'tub'"),
    ],
)
def test_what_cannot_be_tied_is_refused(session, names, said):
    before = session.scene
    assert not session.tie(names)
    assert session.message == said
    assert session.scene is before


def test_a_markov_network_cannot_be_tied():
    session = Session()
    session.open_example(find_example("thesis-grid"))
    names = [variable.name for variable in session.network.variables[:2]]
    assert not session.tie(names)
    assert session.message.startswith("Tied tables are for Bayesian networks")


def test_what_is_copied_together_is_tied_too(session):
    assert cut_out(session.scene, ["lung", "xray", "either", "smoke"]).ties == (("lung", "xray"),)
    assert session.duplicate(["bronc", "lung", "smoke"])
    assert session.scene.ties == (("bronc", "lung", "xray"), ("bronc 2", "lung 2"))
    assert_alike(session, "bronc 2", "lung 2")


def test_a_session_keeps_ties_and_its_results(session):
    scene, parts = session.scene, session.parts
    snapshot = list(learn(scene.document.network, session.seen, "d-em", ties=scene.tied, task=parts.task))[-1]
    text = dump(Saved(scene))
    again = parse(text).scene
    assert again.ties == scene.ties
    other = Session()
    assert other.open(again)
    result = make_result("d-em", "done", "", snapshot, [Point(1, 0.1, 1, float(snapshot.objective.sum()))])
    np.testing.assert_array_equal(revive(result, other.parts).theta, snapshot.theta)
    theta, xray = snapshot.theta.copy(), scene.document.network.index["xray"]
    theta[:, slice(*snapshot.task.layout.starts[[xray, xray + 1]])] = 0.5
    with pytest.raises(PgmError, match="tables that are tied differ in them"):
        revive(replace(result, theta=theta), other.parts)


@pytest.mark.parametrize(
    ("ties", "said"),
    [
        ([["smoke", "lung"]], "ties: 'smoke' and 'lung' cannot share a table"),
        ([["lung", "nobody"]], "ties: no variable 'nobody'"),
        ([["lung", "xray"], ["xray", "tub"]], "ties: 'xray' is tied twice"),
        ([["lung"]], "ties: a table is shared by two"),
        ("lung", "ties: expected a list"),
        ([[1, 2]], "ties"),
    ],
)
def test_a_session_with_wrong_ties_is_refused(session, ties, said):
    root = json.loads(dump(Saved(session.scene)))
    with pytest.raises(FormatError, match=said):
        parse(json.dumps(root | {"ties": ties}))


def test_an_old_session_has_none(session):
    root = json.loads(dump(Saved(session.scene)))
    del root["ties"]
    assert parse(json.dumps(root)).scene.ties == ()


def test_a_session_whose_tied_tables_differ_opens_with_that_of_the_first(session):
    session.undo()
    root = json.loads(dump(Saved(session.scene))) | {"ties": [["xray", "lung"]]}
    other = Session()
    assert other.open(parse(json.dumps(root)).scene)
    assert_alike(other, "xray", "lung")


def test_a_link_a_script_and_a_command_tie_the_same(session):
    assert session.tie(["tub", "bronc"])
    assert is_linkable(session.scene)
    text = make_link(find_example("asia"), Saved(session.scene))
    link = parse_link(dict(parse_qsl(text.removeprefix("?"))))
    assert link.scene.ties == session.scene.ties
    for name in ("bronc", "lung", "xray", "tub"):
        np.testing.assert_array_equal(
            link.scene.document.network.tables[session.network.index[name]], table_of(session, name)
        )
    assert parse_link({"example": "asia", "tie": "tub,lung;bronc,xray"}).scene.ties == (
        ("tub", "lung"),
        ("bronc", "xray"),
    )
    with pytest.raises(PgmError, match="the link's 'tie': 'smoke' and 'lung' cannot share a table"):
        parse_link({"example": "asia", "tie": "smoke,lung"})
    with pytest.raises(PgmError, match="the link's 'tie' names 'nobody'"):
        parse_link({"example": "asia", "tie": "nobody,lung"})
    assert as_command("asia.json", session.scene, Settings()).rstrip().endswith("--tie bronc,lung,xray,tub")
    assert "ties=scene.tied," in as_python(dump(Saved(session.scene)), Settings())


def test_ties_in_words(session):
    group = find_tied(session.scene, "lung")
    assert describe_tie(group, "lung") == (
        "Tied: lung shares one table with bronc, xray. To edit or learn it changes all."
    )
    assert describe_tie(find_tied(session.scene, "smoke"), "smoke") == ""
