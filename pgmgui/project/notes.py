"""Notes on variables: a text of the user's, which files keep as the variable's comment."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from engine.formats import Document
from engine.model.errors import ModelError

LONGEST_NOTE = 2000
"""Characters of a note that is written here; one of a file may be longer."""
MOST_SHOWN = 400
"""Characters of a note in a tooltip."""
_KEY = "comment"
"""The property of that name is GeNIe's and Netica's comment."""


def find_note(document: Document, name: str) -> str:
    """The note on a variable; empty if it has none."""
    return document.variable_properties.get(name, {}).get(_KEY, "")


def shorten_note(note: str) -> str:
    """As much of a note as a tooltip shows."""
    return note if len(note) <= MOST_SHOWN else f"{note[:MOST_SHOWN]}…"


def write_note(document: Document, name: str, text: str) -> Document:
    """The document with another note on a variable; an empty one is none."""
    note = "".join(letter for letter in text.strip() if letter in "\n\t" or unicodedata.category(letter) not in _UNSEEN)
    if len(note) > LONGEST_NOTE:
        raise ModelError(f"a note of {len(note):,} characters; at most {LONGEST_NOTE:,} are kept: shorten it")
    kept = {key: value for key, value in document.variable_properties.get(name, {}).items() if key != _KEY}
    properties = {other: values for other, values in document.variable_properties.items() if other != name}
    if note:
        kept[_KEY] = note
    return replace(document, variable_properties={**properties, **({name: kept} if kept else {})})


_UNSEEN = ("Cc", "Cs")
"""Control characters and halves of characters, which not every file can hold."""
