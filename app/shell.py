"""The page's HTML: sent at once, while the document of the new tab is still to be built.

Bokeh would build the document first. Here the browser loads its scripts while the server builds, and asks for the
document through the websocket when it is ready for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from string import Template
from typing import Any

from bokeh.core.types import ID
from bokeh.server.contexts import ApplicationContext
from bokeh.server.session import ServerSession
from bokeh.server.tornado import BokehTornado
from bokeh.util.token import generate_jwt_token, generate_session_id
from panel.io.resources import JS_VERSION, LOCAL_DIST, Resources, bundle_resources
from panel.io.server import DocHandler
from panel_material_ui.template.base import Page
from tornado.httputil import HTTPServerRequest
from tornado.ioloop import IOLoop

from pgmgui.components.turns import get_turns

UNUSED = ("es-module-shims", "bokeh-gl", "bokeh-tables", "bokeh-mathjax")
"""Scripts that Panel would have the page load, and that it does without."""
HEAD_START = 0.05
"""Seconds in which a browser asks for the scripts, before the server is busy with building."""
_TEMPLATE = Template((Path(__file__).parent / "shell.html").read_text(encoding="utf-8"))
_COLOURS = {"dark": {"paper": "#14181d", "ink": "#ffffff"}, "default": {"paper": "#ffffff", "ink": "#222222"}}


class Shell:
    """The HTML of all tabs of a server, but for the token of each.

    Attributes
    ----------
    files : tuple of str
        The addresses of what it loads, from the server's root.
    """

    def __init__(self, tornado: BokehTornado, title: str) -> None:
        bundle = bundle_resources([], Resources.from_bokeh(tornado.resources()))
        scripts = [file.url for file in bundle.js_files if not any(name in file.url for name in UNUSED)]
        styles = [file.url for file in bundle.css_files] + [_find_style("material_variables")]
        material = Page._render_esm(server=True)
        self.files = (*scripts, *styles, *map(_find_style, _COLOURS), material.removeprefix("./"))
        self._themes = {
            theme: _TEMPLATE.safe_substitute(
                title=title,
                icon=f"{LOCAL_DIST}images/favicon.ico",
                material=material,
                bokeh=_load(url for url in scripts if "/extensions/" not in url),
                panel=_load(url for url in scripts if "/extensions/" in url),
                styles="\n".join(f'<link rel="stylesheet" href="{url}">' for url in (_find_style(theme), *styles)),
                **colours,
            )
            for theme, colours in _COLOURS.items()
        }

    def write(self, token: str, theme: str) -> str:
        """The HTML of one tab; its token has only letters and digits, and signs that mean nothing in HTML."""
        return Template(self._themes[theme if theme in self._themes else "default"]).substitute(token=token)


class ShellHandler(DocHandler):
    """Answers with the shell, then builds the document that it will ask for."""

    def initialize(self, shell: Shell, **options: Any) -> None:
        super().initialize(**options)
        self._shell = shell

    async def get(self, *args: Any, **kwargs: Any) -> None:
        app = self.application
        session = generate_session_id(secret_key=app.secret_key, signed=app.sign_sessions)
        token = generate_jwt_token(
            session,
            secret_key=app.secret_key,
            signed=app.sign_sessions,
            expiration=app.session_token_expiration,
            extra_payload=dict(self._generate_token_payload()),
        )
        self.set_header("Cache-Control", "no-store")  # a token is for one tab
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.write(self._shell.write(token, self.get_query_argument("theme", "default")))
        if get_turns().is_free:  # otherwise it is built when its websocket asks for it, if one ever does
            build = self.application_context.create_session_if_needed
            IOLoop.current().call_later(HEAD_START, build, session, self.request, token)


def build_in_turn(context: ApplicationContext) -> None:
    """Have Bokeh build documents one after the other, with time for other work between them."""
    build = context.create_session_if_needed

    async def wait_and_build(
        session_id: ID, request: HTTPServerRequest | None = None, token: str | None = None
    ) -> ServerSession:
        if session_id not in context._sessions:
            await get_turns().wait()
        return await build(session_id, request, token)

    context.create_session_if_needed = wait_and_build  # type: ignore[method-assign]


def _find_style(name: str) -> str:
    return f"{LOCAL_DIST}bundled/theme/{name}.css?v={JS_VERSION}"


def _load(urls: Iterable[str]) -> str:
    return "\n".join(f'<script src="{url}"></script>' for url in urls)
