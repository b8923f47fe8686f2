"""The page's HTML: sent at once, while the document of the new tab is still to be built.

Bokeh would build the document first. Here the browser loads its scripts while the server builds, and asks for the
document when it is ready for it, through the websocket.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bokeh.util.token import generate_jwt_token, generate_session_id
from panel.io.resources import LOCAL_DIST, Resources, bundle_resources
from panel.io.server import DocHandler
from panel_material_ui.template.base import Page
from tornado.ioloop import IOLoop

TEMPLATE = (Path(__file__).parent / "shell.html").read_text(encoding="utf-8")
UNUSED = ("es-module-shims", "bokeh-gl", "bokeh-mathjax")
"""Scripts that Panel would load and the page has no use for."""
HEAD_START = 0.05
"""Seconds in which the browser asks for its scripts, before the server is busy with building."""


class ShellHandler(DocHandler):
    """Answers with the page that loads the scripts and connects; then builds what it will ask for."""

    async def get(self, *args: Any, **kwargs: Any) -> None:
        self.set_header("Cache-Control", "no-store")  # a token is for one tab
        self.set_header("Content-Type", "text/html; charset=utf-8")
        app = self.application
        self.request.app_path = "/"
        session = generate_session_id(secret_key=app.secret_key, signed=app.sign_sessions)
        token = generate_jwt_token(
            session,
            secret_key=app.secret_key,
            signed=app.sign_sessions,
            expiration=app.session_token_expiration,
            extra_payload=self._generate_token_payload(),
        )
        dark = self.get_query_argument("theme", "") == "dark"
        self.write(write_shell(token, dark, Resources.from_bokeh(app.resources())))
        build = self.application_context.create_session_if_needed
        IOLoop.current().call_later(HEAD_START, build, session, self.request, token)


def write_shell(token: str, dark: bool, resources: Resources) -> str:
    """The HTML of a tab."""
    bundle = bundle_resources([], resources)
    scripts = [file.url for file in bundle.js_files if not any(name in file.url for name in UNUSED)]
    styles = [file.url for file in bundle.css_files]
    styles += [f"{LOCAL_DIST}bundled/theme/{name}.css" for name in ("default", "material_variables")]
    return TEMPLATE.format(
        title="pgmgui",
        icon=f"{LOCAL_DIST}images/favicon.ico",
        material=Page._render_esm(server=True),
        background="#14181d" if dark else "#fff",
        text="#fff" if dark else "#222",
        styles="\n".join(f'<link rel="stylesheet" href="{url}">' for url in styles),
        scripts="\n".join(f'<script src="{url}"></script>' for url in scripts),
        token=token,
    )
