"""What goes wrong in the browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Page


@dataclass
class Watch:
    """What went wrong in the browser."""

    problems: list[str] = field(default_factory=list)

    def follow(self, page: Page, url: str) -> None:
        """Listen to a page that may only talk to one server."""
        ours = urlsplit(url).netloc

        def check(address: str) -> None:
            parts = urlsplit(address)
            if parts.scheme not in ("data", "blob") and parts.netloc != ours:
                self.problems.append(f"request to {address}")

        page.on("request", lambda request: check(request.url))
        page.on("websocket", lambda websocket: check(websocket.url))
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error.stack or error}"))
        page.on("console", lambda said: self.problems.append(f"console: {said.text}") if said.type == "error" else None)

        def refuse(dialog):  # a dialog is a script that ran: alert(1)
            self.problems.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        page.on("dialog", refuse)
