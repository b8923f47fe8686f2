"""Targets of a query: what is refused, how they follow edits, and what files and cases keep of them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.inference.targets import target as engine_target
from engine.model.errors import FormatError, PgmError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.project.cases import fit_case, make_case, name_case
from pgmgui.project.examples import find_example
from pgmgui.project.scene import Case, CaseTarget
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.project.settings import Settings
from pgmgui.project.target_file import fit_supposed
from pgmgui.project.wanted import Supposed, Wanted, find_kind, list_supposed, share_out, still_wanted, want
from pgmgui.state.race import Race
from pgmgui.state.session import Session

PAIR = (0.1, 0.2, 0.3, 0.4)


@pytest.fixture
def session():
    opened = Session()
    opened.open_example(find_example("asia"))
    return opened


@pytest.fixture
def asia(session):
    return session.network


def test_variables_stand_in_the_order_of_the_network(asia):
    found = want(Wanted(), asia, ("bronc", "smoke"), PAIR)
    assert found.tables == {("smoke", "bronc"): (0.1, 0.3, 0.2, 0.4)}
    again = want(found, asia, ("smoke", "bronc"), (0.25,) * 4)
    assert again.tables == {("smoke", "bronc"): (0.25,) * 4}


@pytest.mark.parametrize(
    ("names", "numbers", "message"),
    [
        (["smoke"], (0.5, 0.6), "the target of 'smoke' sums to 1.1; expected 1"),
        (["smoke"], (1.5, -0.5), "the numbers of the target of 'smoke' must be ≥ 0"),
        (["smoke"], (1.0,), "the target of 'smoke' needs 2 numbers, one for each state; got 1"),
        (["smoke", "smoke"], PAIR, "must name each of its variables once"),
        (["nobody"], (0.5, 0.5), "no variable 'nobody'"),
        (["asia", "tub", "smoke", "lung"], (1 / 16,) * 16, "at most 3"),
        (["bronc"], (0.9, 0.1), "differ by up to 0.5 in what they say of 'bronc'"),
    ],
)
def test_what_is_wrong_with_a_target_is_said(session, names, numbers, message):
    assert session.want(("smoke", "bronc"), PAIR)
    before = session.supposed
    with pytest.raises(PgmError, match=message):
        want(session.wanted, session.network, names, numbers)
    assert not session.want(names, numbers)
    assert message[1:] in session.message
    assert session.supposed is before


def test_a_target_of_very_many_combinations_is_refused():
    many = tuple(Variable(name, tuple(map(str, range(30)))) for name in "AB")
    network = BayesianNetwork(many, ((), ()), (np.full(30, 1 / 30),) * 2)
    with pytest.raises(PgmError, match="'A', 'B' have 900 combinations of states; on the page a target has at most"):
        want(Wanted(), network, ("A", "B"), (1 / 900,) * 900)


def test_a_dragged_share_is_taken_from_the_others_in_proportion():
    assert share_out((0.5, 0.5), 0, 0.8) == (0.8, 0.2)
    assert share_out((1.0,), 0, 0.3) == (1.0,)
    assert sum(share_out((0.3, 0.3, 0.4), 1, 0.37)) == pytest.approx(1, abs=1e-12)


def test_one_kind_of_evidence_on_a_variable(session):
    session.suppose("smoke", (1.0, 0.0))
    session.want(("smoke", "bronc"), PAIR)
    assert session.evidence == {}
    assert find_kind(session.supposed, "bronc") == ("together", ())
    session.want(("dysp",), (0.7, 0.3))
    session.suppose("bronc", (1.0, 0.5))
    assert session.wanted.tables == {("dysp",): (0.7, 0.3)}
    kinds = [find_kind(session.supposed, name)[0] for name in ("bronc", "dysp", "smoke")]
    assert kinds == ["likelihood", "target", ""]
    session.want(("dysp",), None)
    session.suppose("bronc", None)
    assert session.supposed.is_nothing


def test_a_kind_is_changed_with_its_numbers(session):
    session.suppose_kind("lung", "target", (0.3, 0.7))
    assert find_kind(session.supposed, "lung") == ("target", (0.3, 0.7))
    session.suppose_kind("lung", "likelihood", (0.3, 0.7))
    assert find_kind(session.supposed, "lung") == ("likelihood", (0.3, 0.7))
    session.suppose_kind("lung", "state", (0.3, 0.7))
    assert find_kind(session.supposed, "lung") == ("state", (0.0, 1.0))
    session.suppose_kind("lung", "likelihood", (0.3, 0.7))
    assert find_kind(session.supposed, "lung") == ("likelihood", (0.5, 1.0))


def test_targets_follow_edits_and_what_is_undone(session):
    session.want(("smoke", "bronc"), PAIR)
    session.want(("dysp",), (0.7, 0.3))
    session.rename("smoke", "habit")
    assert ("habit", "bronc") in session.wanted.tables
    session.set_states("bronc", [(1, "no"), (0, "yes")])
    assert session.wanted.tables[("habit", "bronc")] == (0.2, 0.1, 0.4, 0.3)
    session.set_states("dysp", [(0, "yes"), (1, "no"), (None, "perhaps")])
    assert list(session.wanted.tables) == [("habit", "bronc")]
    session.remove(["bronc"])
    assert session.wanted.tables == {}
    session.want(("habit",), (0.5, 0.5))
    session.want(("xray",), (0.5, 0.5))
    for _ in range(4):
        session.undo()
    assert list(session.wanted.tables) == [("xray",)]
    session.open_example(find_example("sprinkler"))
    assert session.supposed == Supposed()


def test_targets_in_words(session):
    session.suppose("smoke", (1.0, 0.0))
    session.want(("tub", "lung", "bronc"), (0.125,) * 8)
    session.fix_targets(False)
    session.want(("dysp",), (0.7, 0.3))
    assert list_supposed(session.supposed, session.network) == [
        "smoke = yes",
        "tub, lung, bronc: non-fixed target yes/yes/yes 0.125, yes/yes/no 0.125, yes/no/yes 0.125, yes/no/no 0.125"
        " and 4 more",
        "dysp: non-fixed target yes 0.7, no 0.3",
    ]


# --- what is kept


def test_a_case_keeps_targets_by_the_names_of_states(session):
    session.suppose("smoke", (1.0, 0.0))
    session.want(("lung", "bronc"), PAIR)
    session.fix_targets(False)
    session.keep_case()
    ((name, case),) = session.scene.cases.items()
    assert name.startswith("smoke = yes, lung, bronc: non-fixed target yes/yes 0.1")
    supposed = session.supposed
    session.suppose_nothing()
    session.fix_targets(True)
    session.solve_by("big-clique")
    session.suppose_case(name)
    assert session.supposed == replace(supposed, wanted=replace(supposed.wanted, solver="big-clique"))
    session.set_states("bronc", [(1, "no"), (0, "yes")])
    found, missing = fit_case(case, session.network)
    assert (found.wanted.tables, missing) == ({("lung", "bronc"): (0.2, 0.1, 0.4, 0.3)}, [])
    session.rename("lung", "lungs")
    assert fit_case(case, session.network)[1] == ["lung, bronc"]
    session.drop_case(name)
    session.undo()
    assert list(session.scene.cases) == [name]
    assert name_case(supposed, find_example("asia").read()[0].network, session.scene.cases) == f"{name} (2)"


def test_a_case_that_contradicts_itself_is_taken_as_far_as_it_goes(asia):
    target = CaseTarget(("lung",), (("yes", "no"),), (0.5, 0.5))
    odd = CaseTarget(("smoke",), (("yes", "no"),), (0.5, 0.6))
    found, missing = fit_case(Case({"lung": {"yes": 1.0, "no": 0.0}}, (target, odd)), asia)
    assert (found, missing) == (Supposed({"lung": (1.0, 0.0)}), ["lung", "smoke"])


def test_a_session_keeps_targets_and_older_files_have_none(session):
    session.suppose("smoke", (1.0, 0.0))
    session.want(("lung", "bronc"), PAIR)
    session.want(("dysp",), (0.7, 0.3))
    session.fix_targets(False)
    session.solve_by("modified-tree")
    session.keep_case()
    race = Race(session)
    saved = parse(dump(race.saved()))
    assert saved.supposed == session.supposed
    assert saved.scene.cases == session.scene.cases
    again = Session()
    assert Race(again).open(saved)
    assert again.supposed == session.supposed
    root = json.loads(dump(race.saved()))
    del root["targets"], root["case_targets"]
    older = parse(json.dumps(root))
    assert older.supposed == Supposed({"smoke": (1.0, 0.0)})
    assert list(older.scene.cases.values()) == [Case({"smoke": {"yes": 1.0, "no": 0.0}})]


def table(*variables, numbers=(0.5, 0.5), **more):
    return {"variables": list(variables), "numbers": list(numbers), **more}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"targets": {"tables": [table("nobody")]}}, r"targets.tables\[0\]: no variable 'nobody'"),
        ({"targets": {"tables": [table("lung", numbers=(0.5, 0.6))]}}, "sums to 1.1"),
        ({"targets": {"tables": [table("lung", numbers=(0.5,))]}}, "needs 2 numbers"),
        ({"targets": {"tables": [table("lung"), table("lung")]}}, "a second target"),
        ({"targets": {"tables": [table("smoke")]}}, "'smoke' has evidence of another kind too"),
        ({"targets": {"tables": [table()]}}, "a list of 1 to 3 items, got 0"),
        ({"targets": {"solver": "magic"}}, "targets.solver: expected one of"),
        ({"targets": {"fixed": 1}}, "targets.fixed: expected true or false"),
        ({"case_targets": {"none": {}}}, "case_targets: there is no case 'none'"),
        ({"case_targets": {"c": {"tables": [table("A", states=[])]}}}, "expected 1 different variables"),
        ({"case_targets": {"c": {"tables": [table("A", states=[["x"]])]}}}, "expected 1 numbers"),
        ({"case_targets": {"c": {"tables": [table("A", states=[["x", "x"]])]}}}, "expected 2 numbers"),
    ],
)
def test_a_file_is_believed_only_as_far_as_it_makes_sense(session, change, message):
    scene = replace(session.scene, data=None, cases={"c": Case()})
    root = json.loads(dump(Saved(scene, Settings(), Supposed({"smoke": (1.0, 0.0)}))))
    root.update(change)
    with pytest.raises(FormatError, match=message):
        parse(json.dumps(root))


def test_the_targets_of_a_file_are_compared_once_and_only_where_they_share_a_variable(monkeypatch):
    network = BayesianNetwork(
        tuple(Variable(f"X{k}", ("a", "b")) for k in range(300)), ((),) * 300, (np.array([0.5, 0.5]),) * 300
    )
    compared = []
    monkeypatch.setattr(engine_target, "_check_agreement", lambda one, other: compared.append((one.names, other.names)))
    tables = [table(f"X{k}") for k in range(300)] + [table("X1", "X0", numbers=[0.25] * 4)]
    found = fit_supposed({}, {"fixed": True, "solver": "", "tables": tables}, network)
    assert len(found.wanted.tables) == 301
    pair = ("X0", "X1")
    assert sorted(compared) == [(("X0",), pair), (("X1",), pair)]
    compared.clear()
    assert fit_case(make_case(found, network), network) == (found, [])
    assert len(compared) == 2


def test_targets_of_a_network_with_its_variables_in_another_order(session):
    session.want(("lung", "bronc"), PAIR)
    network = session.network
    backwards = BayesianNetwork(
        network.variables[::-1], tuple(() for _ in network.variables), [np.full(2, 0.5) for _ in network.variables]
    )
    kept = still_wanted(session.wanted, network, backwards)
    assert kept.tables == {("bronc", "lung"): tuple(np.reshape(PAIR, (2, 2)).T.reshape(-1))}


def test_whether_targets_are_fixed_is_nothing_to_a_case_without_targets(session):
    session.suppose("smoke", (1.0, 0.0))
    session.keep_case()
    session.fix_targets(False)
    session.keep_case()  # the same again
    (name,) = session.scene.cases
    session.suppose_case(name)
    assert not session.wanted.fixed
