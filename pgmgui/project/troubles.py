"""What went wrong, in words for the user."""

from __future__ import annotations

import logging

from engine.model.errors import ModelError, PgmError


def explain(what: str, trouble: Exception) -> str:
    """What went wrong, for the user."""
    if isinstance(trouble, PgmError):
        text = str(trouble)
        # A file's name stays as it is spelt.
        return f"{text[:1].upper()}{text[1:]}." if isinstance(trouble, ModelError) else f"{text}."
    if isinstance(trouble, MemoryError):
        return f"{what}: there is not enough memory. Close other programs, or take fewer rows."
    logging.getLogger(__name__).error("%s", what, exc_info=trouble)
    return f"{what} failed unexpectedly ({type(trouble).__name__}: {trouble}). Please report this."
