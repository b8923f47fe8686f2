"""What can go wrong, as types. Every message says what, where, and what to do."""

from __future__ import annotations

from pathlib import Path


class PgmError(Exception):
    """An error whose message is written for the user; never a bug of ours."""


class ModelError(PgmError):
    """A network or dataset that is not well formed (a cycle, a table of the wrong shape, ...)."""


class UnknownNameError(ModelError):
    """A variable or state that the model does not have."""


class ImpossibleEvidenceError(PgmError):
    """Evidence that has probability zero under the model."""


class MemoryLimitError(PgmError):
    """Exact inference would need more memory than allowed.

    Attributes
    ----------
    needed, limit : int
        Bytes.
    """

    def __init__(self, message: str, needed: int, limit: int) -> None:
        super().__init__(message)
        self.needed = needed
        self.limit = limit


class FormatError(PgmError):
    """A file that cannot be read. The message is one line: ``path:line: what, and what to do``.

    Readers raise it with a line; whoever knows the path adds it with :meth:`at`.
    """

    def __init__(self, message: str, line: int | None = None, path: str | Path | None = None) -> None:
        self.message = message
        self.line = line
        self.path = path
        place = ":".join(str(part) for part in (path, line and f"line {line}") if part)
        super().__init__(f"{place}: {message}" if place else message)

    def at(self, path: str | Path) -> FormatError:
        """The same error, naming the file it happened in."""
        return self if self.path else type(self)(self.message, self.line, path)


class RowSumError(FormatError):
    """A file with a table row that does not sum to 1; reading it with ``normalise`` would do."""


class Cancelled(Exception):  # noqa: N818 - not an error: the user asked for it
    """Raised inside long work that was told to stop."""
