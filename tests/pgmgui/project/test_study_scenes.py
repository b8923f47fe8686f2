"""Every study opens as a scene: its network, what it hides, and its learners."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest

from engine.formats import Document, write_network
from engine.model.network import BayesianNetwork, as_markov
from engine.simulation.generators import random_dag
from engine.studies.catalogue import STUDIES
from pgmgui.project import folders, study_scenes
from pgmgui.project.examples import find_example
from pgmgui.project.folders import assets_folder
from pgmgui.project.links import is_linkable, make_link, parse_link
from pgmgui.project.marks import Hidden
from pgmgui.project.scene import derive
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.project.study_files import list_folders, users_folder
from pgmgui.project.study_scenes import PAPERS, find_study, list_studies
from pgmgui.tabs.guide.studies import describe_absence

SHIPPED = {"asia"}


@pytest.fixture
def only_shipped(monkeypatch):
    """No networks but those that come with the program."""
    monkeypatch.setattr(study_scenes, "list_folders", lambda: [assets_folder() / "examples"])


@pytest.mark.usefixtures("only_shipped")
@pytest.mark.parametrize("name", STUDIES)
def test_a_study_opens_as_a_scene(name):
    study, found = STUDIES[name], find_study(name)
    link = parse_link(found.link)
    scene, settings = link.scene, link.settings
    problem = study.pose_live(found.network_name, found.read()[0].network)
    network = f"stand-in for {found.network_name}" if found.is_stand_in else found.network_name
    assert scene.title == f"{study.place[: study.place.index(']') + 1]}: {network}"
    assert scene.note == study.saw
    assert found.is_stand_in == (not study.drawn and not SHIPPED & set(study.networks))
    assert ("in place of" in found.told_network) == found.is_stand_in
    assert list(scene.marks.values()) == [Hidden()] * round(problem.hidden * len(scene.document.network.variables))
    derived = derive(scene)
    assert np.array_equal(derived.seen.codes, problem.dataset.codes), "what is seen is what the study learns from"
    assert derived.parts is not None
    assert (settings.methods, settings.seed, settings.max_iter) == (
        study.live.methods,
        problem.start,
        study.quick.max_iter,
    )
    assert (settings.tol, settings.criterion, settings.restarts) == (
        study.live.tol,
        study.live.criterion,
        study.live.restarts,
    )
    is_bayesian = isinstance(scene.document.network, BayesianNetwork)
    assert (scene.common_prior, link.run) == (study.quick.prior if is_bayesian else 1.0, True)
    assert (link.axes.across, link.axes.up, link.axes.fit) == (study.live.across, study.live.up, study.live.fit)


@pytest.mark.usefixtures("only_shipped")
def test_all_are_listed_by_paper():
    listed = list_studies()
    assert list(listed) == list(PAPERS.values())
    assert [each.id for group in listed.values() for each in group] == list(STUDIES)
    assert {title: len(group) for title, group in listed.items()} == {
        "Thesis": 12,
        "Compression paper": 4,
        "Bound paper": 17,
    }


@pytest.mark.usefixtures("only_shipped")
def test_a_study_is_linked_and_saved_as_an_example_is():
    link = parse_link(find_study("table-4.2").link)
    assert is_linkable(link.scene)
    text = make_link(find_example(link.scene.example), link.saved, run=True)
    again = parse_link(dict(parse_qsl(text.removeprefix("?"))))
    assert again.settings == link.settings
    assert again.axes == link.axes
    assert np.array_equal(again.scene.data.dataset.codes, link.scene.data.dataset.codes)
    kept = parse(dump(link.saved)).scene
    assert (kept.example, kept.title, set(kept.marks)) == ("table-4.2", link.scene.title, set(link.scene.marks))
    other = replace(link.scene, marks=dict(list(link.scene.marks.items())[1:]))
    assert "show=" in make_link(find_example("table-4.2"), Saved(other)), "what is unhidden is linked too"


@pytest.mark.usefixtures("only_shipped")
def test_an_address_that_names_a_study_alone_opens_all_of_it():
    bare, whole = parse_link({"example": "table-4.2"}), parse_link(find_study("table-4.2").link)
    assert (bare.settings, bare.axes, bare.run) == (whole.settings, whole.axes, True)
    assert bare.scene.common_prior == whole.scene.common_prior != 1.0
    assert not parse_link({"example": "table-4.2", "run": "0"}).run
    assert parse_link({"example": "table-4.2", "learner": "em", "seed": "1"}).settings.methods == ("em",)


def test_a_network_that_the_user_has_put_there_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("PGMGUI_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    before = find_study("bound-figure-17")
    assert before.is_stand_in
    assert str(tmp_path / "networks") in describe_absence(before, local=True)
    assert "pigs is not here" in describe_absence(before, local=True)
    assert str(tmp_path) not in describe_absence(before, local=False), "a path of the server is no business of guests"
    assert "None of spect, win95pts" in describe_absence(find_study("figure-3.6"), local=True)
    users_folder().mkdir()
    network = random_dag(6, random_state=1)
    write_network(users_folder() / "pigs.bif", Document(network))
    found = find_study("bound-figure-17")
    assert (found.told_network, describe_absence(found, local=True)) == ("pigs", "")
    assert found.read()[0].network.variables == network.variables
    write_network(users_folder() / "alarm.uai", Document(as_markov(network)))
    assert find_study("compression-figure-4").read()[0].network.variables


def test_a_user_without_a_home_has_no_folder(monkeypatch):
    def fail():
        raise RuntimeError

    monkeypatch.delenv("PGMGUI_HOME", raising=False)
    monkeypatch.setattr(folders.Path, "home", fail)
    assert len(list_folders()) == 2
