"""Where data lies, as it may be shown and kept: a password is never part of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from engine.model.errors import PgmError

DOTS = "•••"
"""What stands for a password where a URL is shown."""
_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://")
_SECRET = re.compile("pass|pwd|secret|token|credential|key", re.IGNORECASE)
# Also of what was meant to be a URL, or the words of a connection.
_LIKE_SECRET = (re.compile(r"(?<=:)[^:@/\s]+(?=@)"), re.compile(r"(?<=password=)[^\s&]+", re.IGNORECASE))


@dataclass(frozen=True)
class Place:
    """Where data lies.

    Attributes
    ----------
    where : str
        A path, a pattern of paths, or a URL without its password.
    table : str, optional
        The table, where it is a database that has several.
    columns : tuple of (variable, column)
        For variables that are called otherwise than their columns, these; empty for a column that is left out.
    values : tuple of (column, text, state)
        What texts mean that are not spelt like a state; None is missing.
    """

    where: str
    table: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    values: tuple[tuple[str, str, str | None], ...] = ()

    @property
    def given(self) -> dict[str, dict[str, str | None]]:
        """By column, what its texts mean."""
        found: dict[str, dict[str, str | None]] = {}
        for column, text, state in self.values:
            found.setdefault(column, {})[text] = state
        return found

    @property
    def title(self) -> str:
        """It in words."""
        return self.where if self.table is None else f"{self.where}, table {self.table}"


def is_url(where: str) -> bool:
    """Whether a text is a URL, and no path."""
    return _URL.match(where) is not None


def split_url(where: str) -> SplitResult:
    """The parts of a URL; what is wrong with one is told without quoting it."""
    found = _URL.match(where)
    scheme = found[1].lower() if found else ""
    wrong = PgmError(
        f"{scheme}://{DOTS}: this URL cannot be taken apart; expected one such as "
        "postgres://user@host:5432/database?table=rows, in which a password has / as %2F, ? as %3F, # as %23, @ as %40 "
        "and : as %3A"
    )
    try:
        parts = urlsplit(where)
        _ = parts.port, parts.hostname
    except ValueError:
        raise wrong from None
    # A slash or question mark in the password ends the host too early.
    if "@" not in parts.netloc and ":" in parts.netloc and "@" in where[len(scheme) + 3 + len(parts.netloc) :]:
        raise wrong
    return parts


def drop_password(where: str) -> str:
    """A place without its password; paths stay as they are."""
    return _rewrite(where, None)


def hide_password(where: str) -> str:
    """A place as it is shown: dots for its password, if it has one."""
    if not is_url(where):
        return mask(where)
    try:
        return _rewrite(where, DOTS)
    except PgmError:
        return f"{where.partition('://')[0]}://{DOTS}"


def find_password(where: str) -> str:
    """The password in a URL, as it is meant; empty if there is none, or dots stand for it."""
    if not is_url(where):
        return ""
    parts = split_url(where)
    found = unquote(parts.password or "") or dict(parse_qsl(parts.query)).get("password", "")
    return "" if found == DOTS else found


def add_password(where: str, password: str) -> str:
    """A URL with another password, or none."""
    plain, word = drop_password(where), quote(password, safe="")
    if not password:
        return plain
    if not split_url(where).username:
        return f"{plain}{'&' if '?' in plain else '?'}password={word}"
    scheme, _, rest = plain.partition("://")
    name, _, host = rest.partition("@")
    return f"{scheme}://{name}:{word}@{host}"


def list_secrets(where: str) -> tuple[str, ...]:
    """What messages about a URL must not repeat."""
    parts = split_url(where)
    hidden = [parts.password or "", unquote(parts.password or "")]
    hidden += [value for name, value in parse_qsl(parts.query) if _SECRET.search(name)]
    return tuple(dict.fromkeys(part for part in (*hidden, *map(quote, hidden)) if part))


def mask(text: str) -> str:
    """A text in which what looks like a password is dots."""
    for pattern in _LIKE_SECRET:
        text = pattern.sub(DOTS, text)
    return text


def _rewrite(where: str, dots: str | None) -> str:
    """A URL with these dots for what is secret in it, or without that."""
    if not is_url(where):
        return where
    parts = split_url(where)
    user, at, host = parts.netloc.rpartition("@")
    name, colon, _ = user.partition(":")
    netloc = f"{name}:{dots}@{host}" if dots and colon else f"{name}{at}{host}"
    asked = [(key, dots or "") if _SECRET.search(key) else (key, value) for key, value in parse_qsl(parts.query)]
    query = urlencode([(key, value) for key, value in asked if value], safe="/:")
    return urlunsplit((parts.scheme, netloc, parts.path, query.replace(quote(DOTS), DOTS), ""))
