"""Runs from data with targets, fixed or not: what is offered, told, undone and kept."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from urllib.parse import parse_qsl

import numpy as np
import pytest

from engine.formats import DataDocument
from engine.model.dataset import TargetCell, make_dataset
from engine.model.errors import FormatError, PgmError
from engine.model.network import MarkovNetwork
from engine.model.table_prior import LogisticNormal
from pgmgui.project.examples import find_example
from pgmgui.project.links import make_link, parse_link
from pgmgui.project.scene import derive, is_same_problem
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.project.settings import Settings
from pgmgui.project.words import describe_briefly, describe_savings
from pgmgui.state.playback import Playback
from pgmgui.state.race import Race, offered, reasons_against
from pgmgui.state.session import Session
from pgmgui.state.travel import Traveller
from pgmgui.strip.learner_choice import explain_refusals, suggest_learner
from pgmgui.strip.run_options import RunOptions
from pgmgui.strip.strip import LearnStrip
from pgmgui.tabs.share.report import make_report
from pgmgui.tabs.share.reproduce import as_command
from tests.pgmgui.state.test_race import follow


def open_targets(example="sprinkler", **settings):
    """An example with targets in some of its rows, two of them in one."""
    scene = parse_link({"example": example}).scene
    variables, plain = scene.document.network.variables, scene.data.dataset.take(np.arange(30))
    rows = [[v.states[c] if c >= 0 else None for v, c in zip(variables, row, strict=True)] for row in plain.codes.T]
    for k in range(8):
        rows[k][2] = TargetCell((0.1 + 0.1 * k, 0.9 - 0.1 * k))
    rows[0][1] = TargetCell((0.3, 0.7))
    data = DataDocument(make_dataset(variables, rows))
    session = Session()
    race = Race(session)
    assert race.open(Saved(replace(scene, data=data, marks={}), Settings(**settings)))
    return session, race


def test_a_run_with_fixed_targets_climbs_below_its_bound():
    session, race = open_targets(methods=("d-em", "d-lbfgs", "em-textbook"))
    race.begin()
    follow(race)
    for curve in race.curves.values():
        assert curve.state == "converged"
        heights = [point.objective for point in curve.points]
        assert min(np.diff(heights)) >= -1e-8
        assert heights[-1] <= session.parts.bounds.total + 1e-6
    assert any(line.startswith("Targets are fixed") for line in race.describe())
    assert "takes several targets in a row for likelihoods" in reasons_against(session.parts)["edml"]


def test_targets_that_are_not_fixed_are_an_option_that_can_be_undone():
    session, race = open_targets(methods=("em",))
    options = RunOptions(session)
    switch, _ = options._choices["fixed"]
    assert (switch.value, switch.disabled) == ("fixed", False)
    before = session.parts
    switch.value = "non-fixed"
    assert not session.scene.fixed_targets
    assert offered(session.parts) == ["em", "em-textbook"]
    race.begin()
    follow(race)
    (curve,) = race.curves.values()
    heights = [point.objective for point in curve.points]
    assert heights[-1] == pytest.approx(max(heights))
    assert heights[-1] <= session.parts.bounds.total
    assert any("need not get better at every step" in line for line in race.describe())
    report = make_report(session, {"em": [(0, -1.0)]}, race.describe(), datetime(2026, 1, 2))
    assert "need not get better at every step" in report
    session.undo()
    assert switch.value == "fixed"
    assert session.parts.task.has_moving_targets is before.task.has_moving_targets is False


def test_without_targets_there_is_nothing_to_fix():
    session = Session()
    session.open_example(find_example("asia"))
    switch, _ = RunOptions(session)._choices["fixed"]
    assert switch.disabled


def test_rows_held_out_are_scored_either_way():
    for fixed in (True, False):
        session, race = open_targets(methods=("em",), max_iter=3)
        session.fix_data_targets(fixed)
        session.hold_out(0.3, 0)
        race.begin()
        follow(race)
        held_out = session.parts.held_out
        assert held_out.log_likelihood(session.learned.theta[0]) < 0


def test_a_markov_network_says_why_its_targets_are_fixed():
    session, _ = open_targets()
    network = session.network
    markov = MarkovNetwork(network.variables, network.scopes, network.tables)
    scene = replace(session.scene, document=session.scene.document.with_network(markov), fixed_targets=False)
    derived = derive(scene)
    assert derived.parts is None
    assert "have them fixed" in derived.obstacle
    assert derive(replace(scene, fixed_targets=True)).parts is not None


def test_a_session_keeps_whether_targets_are_fixed():
    session, _ = open_targets()
    scene = replace(session.scene, data=None, fixed_targets=False)
    assert not is_same_problem(scene, replace(scene, fixed_targets=True))
    root = json.loads(dump(Saved(scene)))
    assert parse(json.dumps(root)).scene.fixed_targets is False
    with pytest.raises(FormatError, match="fixed_targets"):
        parse(json.dumps({**root, "fixed_targets": "no"}))
    del root["fixed_targets"]
    assert parse(json.dumps(root)).scene.fixed_targets is True


def test_a_link_and_a_command_say_whether_targets_are_fixed():
    scene = replace(parse_link({"example": "asia"}).scene, fixed_targets=False)
    text = make_link(find_example("asia"), Saved(scene))
    assert parse_link(dict(parse_qsl(text.removeprefix("?")))).scene.fixed_targets is False
    assert "targets" not in make_link(find_example("asia"), Saved(replace(scene, fixed_targets=True)))
    with pytest.raises(PgmError, match="'targets' is 'loose'; use fixed or non-fixed"):
        parse_link({"example": "asia", "targets": "loose"})
    assert "--non-fixed" in as_command("asia.json", scene, Settings())


def test_what_an_iteration_costs_is_what_the_run_counts():
    """Not what decomposition would spare: targets that are not fixed are learned together."""
    session, race = open_targets(methods=("em",))
    session.fix_data_targets(False)
    race.begin()
    follow(race)
    spent = np.diff([point.inferences for point in race.curves["em"].points])
    assert describe_briefly(session.parts.task) == [
        "Targets are non-fixed: all is learned together.",
        f"An iteration: {spent[0]} inferences, 8 to meet targets.",
    ]
    assert "no component is learned apart" in describe_savings(session.parts.task)
    assert "components" not in describe_savings(session.parts.task)


def test_cells_that_are_not_known_are_counted_in_the_users_own_data():
    """Recounted: 30 rows of 4 cells, of which some are missing, eight targets of Rain and one of Sprinkler."""
    session, _ = open_targets()
    reason = reasons_against(session.parts)["counting"]
    unknown = int((session.seen.codes[1:3] < 0).sum())
    assert f"'Sprinkler', 'Rain' are missing or uncertain ({unknown} of 120 cells)" in reason


def test_a_learner_that_applies_is_offered_where_no_chosen_one_does():
    session, race = open_targets(methods=("d-em",))
    assert suggest_learner(session) == ""
    session.fix_data_targets(False)
    assert not race.can_begin
    assert suggest_learner(session) == "em"
    (said,) = explain_refusals(session)
    assert said.endswith("use EM, or have them fixed.")
    strip = LearnStrip(session, race, traveller := Traveller(session, race), Playback(session, race, traveller))
    (button,) = strip._offer.groups[0].items
    assert (button.text, strip._offer.visible) == ("Use EM", True)
    strip._take(button.key)
    assert race.can_begin
    assert not strip._offer.visible
    session.fix_data_targets(True)
    session.configure(methods=("d-em",))
    session.set_table_prior(LogisticNormal(1.0))
    assert suggest_learner(session) == "d-numerical-em"
    assert explain_refusals(session)[0].endswith("use numerical EM.")
    session.fix_data_targets(False)
    assert suggest_learner(session) == ""
