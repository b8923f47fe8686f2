"""All our own components: their files are there, and whatever a browser sends is survived and does nothing."""

import importlib
import pkgutil
import re
from collections import Counter

import pytest

import pgmgui.components
from pgmgui.components.base import Component
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.entries.entries import Entries, Entry, Section
from pgmgui.components.mounted.mounted import Mounted
from pgmgui.components.transfer.transfer import Upload

for module in pkgutil.walk_packages(pgmgui.components.__path__, "pgmgui.components."):
    importlib.import_module(module.name)
COMPONENTS = Component.__subclasses__()

NOTHING = [None, 5, "ready", [], ["type"]]
# Without "suppose": what a bar is asked for is passed on as it is, and checked by who supposes it.
KINDS = ["op", "press", "ask", "edit", "pick", "head", "begin", "piece", "end", "go", "x", None, 5, [], {}]
STRANGE = [
    {},
    {"key": []},
    {"key": {}},
    {"by": [1]},
    {"seq": "1"},
    {"load": "x"},
    {"load": 10**9, "first": "a", "last": None},
    {"load": 10**9, "first": -5, "last": -1},
    {"load": 10**9, "row": 0.5, "column": [], "text": {}},
    {"name": [], "size": "many"},
    {"name": "a.bif", "size": {}},
    {"turn": {}, "content": 5},
    {"content": b"x"},
    {"turn": None},
]


def make(kind, called):
    """A component whose callbacks tell that they were called; but for that of being mounted, which is no use of it."""
    names = [name for name in kind.param if name.startswith("on_") and name != "on_mounted"]
    callbacks = dict.fromkeys(names, lambda *arguments: called.append(arguments))
    return kind(**callbacks)


@pytest.mark.parametrize("kind", COMPONENTS)
def test_scripts_and_styles_are_inlined(kind):
    assert "export " in kind._esm
    assert len(kind._stylesheets) == len(kind._styles)
    assert all(sheet.strip() for sheet in kind._stylesheets)
    assert all(kind._rename[name] is None for name in kind._python)
    assert not [name for name in kind.param if name.startswith("on_") and name not in kind._python]


@pytest.mark.parametrize("kind", COMPONENTS)
def test_whatever_a_browser_sends_is_survived(kind):
    called = []
    component = make(kind, called)
    for message in NOTHING:
        component._handle_msg(message)
    for word in KINDS:
        for rest in STRANGE:
            component._handle_msg({"type": word, **rest})
    assert not called


@pytest.mark.parametrize("kind", [kind for kind in COMPONENTS if kind is not Mounted])
def test_a_component_that_is_mounted_is_not_taken_for_one_that_was_used(kind, monkeypatch):
    called, received = [], []
    component = make(kind, called)
    monkeypatch.setattr(component, "_receive", received.append)
    component._handle_msg({"type": "ready"})
    component._handle_msg({"type": "other"})
    assert (called, received) == ([], [{"type": "other"}])


def test_being_mounted_is_told_each_time():
    called = []
    component = Mounted(on_mounted=lambda: called.append(1))
    for kind in ("ready", "other", "ready"):
        component._handle_msg({"type": kind})
    assert called == [1, 1]


def test_a_file_comes_in_pieces_and_only_with_its_own_turn():
    files, troubles = [], []
    upload = Upload(on_file=lambda name, content: files.append((name, content)), on_trouble=troubles.append)
    upload._handle_msg({"type": "begin", "turn": 1, "name": "a.bif", "size": 3})
    upload._handle_msg({"type": "piece", "turn": 1, "content": b"ab"})
    upload._handle_msg({"type": "piece", "turn": 2, "content": b"xx"})
    upload._handle_msg({"type": "end", "turn": 2})
    upload._handle_msg({"type": "piece", "turn": 1, "content": b"c"})
    upload._handle_msg({"type": "end", "turn": 1})
    upload._handle_msg({"type": "end", "turn": 1})
    assert (files, troubles) == ([("a.bif", b"abc")], [])


@pytest.mark.parametrize("component", COMPONENTS)
def test_no_two_scripts_of_a_component_declare_the_same_name(component):
    # They are one script in the browser, which would not run at all.
    declared = re.findall(r"^(?:export )?(?:const|let|class|function) (\w+)", component._esm, re.MULTILINE)
    assert "render" in declared
    assert [name for name, times in Counter(declared).items() if times > 1] == []


def test_buttons_and_entries_come_with_the_component():
    """Not in answer to a message: what stands below them would move when it arrives."""
    choices = Choices(groups=[Group("Parents", (Choice("a", "A"),))], label="Neighbours")
    entries = Entries(sections=[Section("Tables", (Entry("t", "Table 1", "About it"),))], label="Studies")
    buttons, listed = choices.get_root().data, entries.get_root().data
    assert [item["text"] for group in buttons.drawn["groups"] for item in group["items"]] == ["A"]
    assert [entry["title"] for section in listed.drawn["sections"] for entry in section["entries"]] == ["Table 1"]
    choices.param.update(groups=[], label="Nothing")
    assert buttons.drawn == {"groups": [], "label": "Nothing"}
