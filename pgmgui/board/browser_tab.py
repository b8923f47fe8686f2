"""The browser's tab of a page."""

from __future__ import annotations

from typing import Any


def is_closed(document: Any) -> bool:
    """Whether the tab of a document is gone. Its session lives on for a while, should it come back."""
    context: Any = document and document.session_context
    session = context and context.session
    return session is not None and session.connection_count == 0
