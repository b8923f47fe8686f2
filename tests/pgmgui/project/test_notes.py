"""Notes on variables."""

from __future__ import annotations

import pytest

from engine.formats import Document, dump_network, parse_network
from engine.model.errors import ModelError
from pgmgui.project.examples import find_example
from pgmgui.project.notes import LONGEST_NOTE, find_note, write_note
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.state.session import Session

NOTE = 'From <b>"Lauritzen"</b> & Spiegelhalter\nsecond line; {x} = 5 % \\ done'


@pytest.fixture
def session():
    opened = Session()
    opened.open_example(find_example("asia"))
    return opened


@pytest.mark.parametrize("suffix", [".json", ".xdsl", ".bif", ".xmlbif", ".net"])
def test_files_keep_notes_and_the_networks_name(session, suffix):
    session.set_note("smoke", NOTE)
    session.rename_network("Lungs & smoke")
    name = f"x{suffix}"
    read = parse_network(dump_network(session.document, name), name)
    assert find_note(read, "smoke") == NOTE
    assert find_note(read, "lung") == ""
    assert read.name == "Lungs & smoke"


def test_a_note_is_undone_follows_its_variable_and_is_kept_in_the_session(session):
    derived = session.derived
    assert session.set_note("smoke", f"  {NOTE} ")
    assert session.derived is derived  # nothing is computed anew
    assert session.undoable == "change the note on smoke"
    session.rename("smoke", "tobacco")
    assert find_note(session.document, "tobacco") == NOTE
    kept = parse(dump(Saved(session.scene))).scene
    assert find_note(kept.document, "tobacco") == NOTE
    session.undo()
    session.undo()
    assert find_note(session.document, "smoke") == ""
    assert session.set_note("smoke", "")
    assert session.undoable != "change the note on smoke"


def test_an_empty_note_is_none_and_other_properties_stay(session):
    document = Document(session.network, variable_properties={"smoke": {"label": "Smoker?", "comment": "old"}})
    assert write_note(document, "smoke", " ").variable_properties == {"smoke": {"label": "Smoker?"}}
    assert write_note(Document(session.network), "smoke", "").variable_properties == {}


def test_a_note_has_an_end_and_no_characters_that_files_cannot_hold(session):
    with pytest.raises(ModelError, match="at most 2,000"):
        write_note(session.document, "smoke", "x" * (LONGEST_NOTE + 1))
    assert not session.set_note("smoke", "x" * (LONGEST_NOTE + 1))
    assert "shorten it" in session.message
    assert session.set_note("smoke", "a\0b\ud800c\td")
    assert find_note(session.document, "smoke") == "abc\td"


def test_a_network_is_renamed_and_named_again(session):
    derived = session.derived
    assert session.rename_network("  Chest \n clinic ")
    assert (session.scene.title, session.document.name) == ("Chest clinic", "Chest clinic")
    assert session.derived is derived
    assert session.undoable == "rename the network to Chest clinic"
    assert not session.rename_network(" ")
    assert not session.rename_network("x" * 300)
    assert "shorten it" in session.message
    session.undo()
    assert session.scene.title == "Asia"
