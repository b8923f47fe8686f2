"""The scanner of the text formats."""

from __future__ import annotations

import re

import pytest

from engine.formats.networks.tokens import Scanner
from engine.model.errors import FormatError

PATTERN = re.compile(
    r'(?P<skip>\s+)|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<token>[{}();,=]|[^\s{}();,="]+)', re.DOTALL
)


def scanner(text: str) -> Scanner:
    return Scanner(text, PATTERN)


def test_lines_are_counted_through_strings_and_white_space() -> None:
    reader = scanner('a "b\n\nb"\n c')
    assert [(token, token.line, token.quoted) for token in (reader.next(), reader.next(), reader.next())] == [
        ("a", 1, False),
        ("b\n\nb", 1, True),
        ("c", 4, False),
    ]


def test_table_gives_numbers_and_lengths_of_the_innermost_lists() -> None:
    table, lengths = scanner("((0.5 0.5), (1e-3, 2 3)) rest").table()
    assert table.tolist() == [0.5, 0.5, 0.001, 2, 3]
    assert lengths == {2, 3}


def test_until_passes_over_ends_in_brackets_and_strings() -> None:
    reader = scanner('a { b; } (c;) ";" d; e')
    assert reader.until(";") == ["a", "{", "b", ";", "}", "(", "c", ";", ")", ";", "d"]
    assert reader.next() == "e"


def test_names_keep_quoted_punctuation() -> None:
    assert scanner('(a, ")" "," b)').names() == ["a", ")", ",", "b"]


@pytest.mark.parametrize(
    ("text", "method", "expected"),
    [
        ("(1 2", "table", "file ends where '\\)'"),
        ("1", "table", "expected '\\('"),
        ('("1" 2)', "names", None),
        ("(a (b))", "names", "expected a name or '\\)', got '\\('"),
        ("(1 1_0)", "table", "got '1_0'"),
    ],
)
def test_errors(text: str, method: str, expected: str | None) -> None:
    read = getattr(scanner(text), method)
    if expected is None:
        assert read() == ["1", "2"]
    else:
        with pytest.raises(FormatError, match=expected):
            read()
