"""A table of texts as HTML, for reports."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def write_table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: set[int]) -> str:
    """A table with a caption; some columns hold numbers. All texts are escaped."""

    def cell(tag: str, k: int, text: str) -> str:
        return f"<{tag}{' class=number' if k in numbers else ''}>{escape(text)}</{tag}>"

    head = "".join(cell("th", k, text) for k, text in enumerate(heads))
    body = "".join(f"<tr>{''.join(cell('td', k, text) for k, text in enumerate(row))}</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
