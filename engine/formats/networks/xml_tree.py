"""XML for the formats built on it: a safe reader into a light tree, and escaping for the writers.

Files are untrusted. No entity is ever expanded (a declaration of one is refused), nothing outside the
file is ever read, and depth and size are bounded while parsing, before memory is spent.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

import numpy as np

from engine.formats.limits import MOST_CELLS, MOST_LETTERS
from engine.model.arrays import Floats
from engine.model.errors import FormatError, PgmError
from engine.model.messages import MOST_QUOTED, shorten

MOST_DEPTH = 100
"""How deep elements may be nested."""
MOST_ELEMENTS = 1_000_000
"""The most elements a file may have."""
MOST_ATTRIBUTES = 4_000_000
"""The most attributes a file may have; checked by counting equals signs."""
MOST_NOTES = 10
"""The most notes about elements that are left out."""

_SPACE = " \t\n\r"
"""What XML calls white space; a no-break space belongs to a name."""
_WORD = re.compile(r"[^ \t\n\r]+")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NO_TEXT = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("\r"): "&#13;"}
_NO_ATTRIBUTE = {**_NO_TEXT, ord('"'): "&quot;", ord("\t"): "&#9;", ord("\n"): "&#10;"}


@dataclass(slots=True)
class Element:
    """An element: ``text`` is the character data directly inside it, without that of its children."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)

    @property
    def content(self) -> str:
        """The text without white space around it, unless ``xml:space="preserve"`` keeps it."""
        return self.text if self.attributes.get("xml:space") == "preserve" else self.text.strip(_SPACE)

    def find_all(self, *tags: str) -> list[Element]:
        """The children with one of these tags."""
        return [child for child in self.children if child.tag in tags]

    def find(self, tag: str) -> Element | None:
        """The only child with this tag, if there is one; several are an error."""
        found = self.find_all(tag)
        if len(found) > 1:
            raise FormatError(f"a second <{tag}> in <{self.tag}>; expected one", found[1].line)
        return found[0] if found else None

    def attribute(self, name: str) -> str:
        """An attribute that must be there."""
        if name not in self.attributes:
            raise FormatError(f"<{self.tag}> has no attribute {shorten(name)}", self.line)
        return self.attributes[name]

    def words(self, most: int) -> Iterator[str]:
        """The pieces of the text between white space, but no more than one over ``most``."""
        return itertools.islice((match.group() for match in _WORD.finditer(self.text)), most + 1)

    def numbers(self, what: str) -> Floats:
        """The text as numbers between white space; ``what`` names them in an error."""
        values = np.fromiter((self._number(word, what) for word in self.words(MOST_CELLS)), dtype=np.float64)
        if values.size > MOST_CELLS:
            raise FormatError(f"{what} has more than {MOST_CELLS:,} numbers; fewer are supported", self.line)
        return values

    def note_unknown(self, *known: str) -> list[str]:
        """Notes on the children with other tags, which a reader leaves out."""
        lines = {child.tag: child.line for child in reversed(self.children) if child.tag not in known}
        notes = [
            f"line {line}: left out the element {show_tag(tag)}, which is not known" for tag, line in lines.items()
        ]
        return notes[-MOST_NOTES:][::-1]

    def _number(self, word: str, what: str) -> float:
        try:
            if word.isascii() and "_" not in word and len(word) <= MOST_LETTERS:
                return float(word)
        except ValueError:
            pass
        long = f" of {len(word):,} characters; at most {MOST_LETTERS:,} are read" if len(word) > MOST_LETTERS else ""
        raise FormatError(f"expected a number in {what}, got {shorten(word)}{long}", self.line)


class _TreeBuilder:
    """Collects expat's events into :class:`Element` objects; keeps its own stack, so never recurses."""

    def __init__(self) -> None:
        # Defaults declared in a DOCTYPE are not asked for: a long one would be repeated per element.
        self.parser = expat.ParserCreate("UTF-8")
        self.parser.specified_attributes = True
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.refuse_declaration
        self.parser.SkippedEntityHandler = self.refuse_entity
        self.parser.ExternalEntityRefHandler = self.refuse_entity
        self.root: Element | None = None
        self.count = 0
        self.open: list[tuple[Element, list[str]]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise FormatError(f"the file has more than {MOST_ELEMENTS:,} XML elements; fewer are supported", line)
        if len(self.open) >= MOST_DEPTH:
            raise FormatError(f"XML elements are nested more than {MOST_DEPTH} deep, at {show_tag(tag)}", line)
        element = Element(tag, attributes, line)
        if self.open:
            self.open[-1][0].children.append(element)
        else:
            self.root = element
        self.open.append((element, []))

    def end(self, tag: str) -> None:
        element, pieces = self.open.pop()
        element.text = "".join(pieces)

    def characters(self, text: str) -> None:
        self.open[-1][1].append(text)

    def refuse_declaration(self, name: str, *rest: object) -> None:
        line = self.parser.CurrentLineNumber
        raise FormatError(f"the file declares the XML entity {shorten(name)}; write its text out instead", line)

    def refuse_entity(self, name: str | None, *rest: object) -> int:
        line = self.parser.CurrentLineNumber
        raise FormatError(f"the file uses the XML entity {shorten(name or '')}; write its text out instead", line)


def read_xml(text: str) -> Element:
    """The root element of an XML text; the encoding it declares is ignored, as it is decoded already."""
    if text[:2] in ("ÿþ", "þÿ") or "\0" in text[:64]:
        raise FormatError("the file is encoded in UTF-16; save it in UTF-8")
    if text.count("=") > MOST_ATTRIBUTES:
        raise FormatError(f"the file has more than {MOST_ATTRIBUTES:,} equals signs; fewer are supported")
    builder = _TreeBuilder()
    try:
        builder.parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        lines = text.split("\n", error.lineno)
        near = lines[error.lineno - 1].strip() if error.lineno <= len(lines) else ""
        what = f"the XML is broken: {expat.ErrorString(error.code)}"
        raise FormatError(f"{what}, near {shorten(near)}" if near else what, error.lineno) from None
    assert builder.root is not None
    return builder.root


def show_tag(tag: str, most: int = MOST_QUOTED) -> str:
    """A tag for a message, cut when long.

    >>> show_tag("network")
    '<network>'
    """
    return f"<{tag}>" if len(tag) <= most else f"<{tag[:most]}…>"


def escape_text(text: str) -> str:
    """Text as the content of an element.

    >>> escape_text("a < b")
    'a &lt; b'
    """
    return _escape(text, _NO_TEXT)


def escape_attribute(text: str) -> str:
    """Text as an attribute, between double quotes."""
    return f'"{_escape(text, _NO_ATTRIBUTE)}"'


def write_element(tag: str, text: str) -> str:
    """``<tag>text</tag>``, so that white space around the text is kept when it is read."""
    keep = ' xml:space="preserve"' if text != text.strip(_SPACE) else ""
    return f"<{tag}{keep}>{escape_text(text)}</{tag}>"


def _escape(text: str, table: dict[int, str]) -> str:
    bad = _NO_XML.search(text)
    if bad:
        code = f"U+{ord(bad.group()):04X}"
        raise PgmError(f"{shorten(text)} holds the character {code}, which XML cannot hold; rename it")
    return text.translate(table)
