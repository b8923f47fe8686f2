"""The XML reader: what it returns, and that hostile files are refused soon."""

from __future__ import annotations

import pytest

from engine.formats.networks import xml_tree
from engine.formats.networks.xml_tree import MOST_DEPTH, escape_attribute, escape_text, read_xml, write_element
from engine.model.errors import FormatError, PgmError


def test_a_tree_has_tags_attributes_texts_and_lines() -> None:
    root = read_xml('<a>\n  <b k="1"> x<!-- no --> y </b>\n  <c/>\n</a>')
    assert [(child.tag, child.line) for child in root.children] == [("b", 2), ("c", 3)]
    assert root.children[0].attributes == {"k": "1"}
    assert root.children[0].text == " x y "
    assert root.children[0].content == "x y"
    assert root.text == "\n  \n  \n"


@pytest.mark.parametrize("encoding", ["US-ASCII", "ISO-8859-1", "UTF-8", "UTF-16", "no-such-encoding"])
def test_the_declared_encoding_does_not_matter_for_decoded_text(encoding: str) -> None:
    assert read_xml(f'<?xml version="1.0" encoding="{encoding}"?><a>é→𝄞</a>').text == "é→𝄞"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_bytes_in_utf_16_are_refused_by_name(encoding: str) -> None:
    misread = "<?xml version='1.0'?><a/>".encode(encoding).decode("latin-1")
    with pytest.raises(FormatError, match="UTF-16; save it in UTF-8"):
        read_xml(misread)


def test_a_doctype_with_elements_and_attributes_is_allowed_but_gives_no_defaults() -> None:
    root = read_xml('<!DOCTYPE a [<!ELEMENT a (#PCDATA)><!ATTLIST a k CDATA "v">]>\n<a>x</a>')
    assert (root.text, root.attributes, root.line) == ("x", {}, 2)


def test_an_external_doctype_is_not_fetched() -> None:
    assert read_xml('<!DOCTYPE a SYSTEM "file:///no/such.dtd"><a>x</a>').text == "x"


LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 30))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a>&l29;</a>', "declares the XML entity 'l0'"),
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "declares the XML entity 'x'"),
        ('<!DOCTYPE a [<!ENTITY % p SYSTEM "http://localhost/p"> %p;]><a/>', "declares the XML entity 'p'"),
        ('<!DOCTYPE a SYSTEM "http://localhost/d"><a>&x;</a>', "uses the XML entity 'x'"),
        ("<a>&x;</a>", "line 1: the XML is broken: undefined entity"),
        ("<a>" * 1_000_000, f"line 1: XML elements are nested more than {MOST_DEPTH} deep"),
        ("<a " + "k=''" * 4_000_001 + "/>", "more than 4,000,000 equals signs"),
        ("", "no element found"),
        ("<a>\n<b></a>", "line 2: the XML is broken: mismatched tag, near '<b></a>'"),
        ("<a>\n<!- x ->\n</a>", "line 2: the XML is broken: not well-formed .*, near '<!- x ->'"),
        ("<a>\ud800</a>", "line 1: the XML is broken"),
        ("<a/>\n<b/>", "line 2: the XML is broken"),
    ],
    ids=lambda value: value[:20],
)
def test_hostile_or_broken_xml_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_xml(text)


def test_more_elements_than_allowed_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_tree, "MOST_ELEMENTS", 3)
    read_xml("<a><b/><b/></a>")
    with pytest.raises(FormatError, match="line 2: the file has more than 3 XML elements"):
        read_xml("<a><b/><b/>\n<b/></a>")


def test_the_deepest_allowed_nesting_is_read() -> None:
    read_xml("<a>" * MOST_DEPTH + "</a>" * MOST_DEPTH)


@pytest.mark.parametrize("text", ["1 x", "1 1_0", "٣", "0,5"])
def test_what_is_not_a_number_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(FormatError, match="line 2: expected a number in the table"):
        read_xml(f"<a>\n<b>{text}</b></a>").children[0].numbers("the table")


def test_numbers_are_split_at_any_white_space() -> None:
    assert read_xml("<a> 1\n2e-3<!-- 7 -->\t.5</a>").numbers("it").tolist() == [1, 0.002, 0.5]


NAMES = ["<&>\"'", "]]>", " a ", "a\nb", "\r\n\t", "", "\u00a0x", "\u2028", "é→𝄞", "&amp;", "a=b"]


@pytest.mark.parametrize("name", NAMES)
def test_any_text_is_escaped_so_that_it_reads_back(name: str) -> None:
    assert read_xml(write_element("a", name)).content == name
    assert read_xml(f"<a k={escape_attribute(name)}/>").attributes == {"k": name}
    assert read_xml(f"<a>{escape_text(name)}</a>").text == name


@pytest.mark.parametrize("name", ["\0", "a\x01", "\x0b", "\x1f", "\ufffe", "\uffff", "\ud800"])
def test_characters_that_xml_cannot_hold_are_refused_on_writing(name: str) -> None:
    with pytest.raises(PgmError, match="which XML cannot hold; rename it"):
        escape_text(name)
    with pytest.raises(PgmError, match="which XML cannot hold; rename it"):
        escape_attribute(name)
