"""What all our own components have in common: where their scripts and styles are, and how messages are taken."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from bokeh.document import Document
from panel import state
from panel.custom import JSComponent


class Component(JSComponent):
    """A component that is drawn by our own script, which lies beside its Python file.

    Scripts and styles are inlined: as files they would be fetched with a second request, and resolve differently
    in a wheel. The messages of a browser may hold anything: what is not a dict is dropped here, and each
    component believes of the rest only what it checks.

    Attributes
    ----------
    _scripts, _styles : tuple of str
        The files, from the component's folder, one after another; usually the one of its own name.
    _python : tuple of str
        The parameters that are no business of the browser's.
    """

    _scripts: ClassVar[tuple[str, ...]] = ()
    _styles: ClassVar[tuple[str, ...]] = ()
    _python: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        folder = Path(str(sys.modules[cls.__module__].__file__)).parent
        cls._esm = "\n".join((folder / name).read_text(encoding="utf-8") for name in cls._scripts)
        cls._stylesheets = [(folder / name).read_text(encoding="utf-8") for name in cls._styles]
        cls._rename = dict.fromkeys(cls._python)

    def _get_properties(self, doc: Document | None) -> dict[str, Any]:
        # As a bundle, a script is taken as it is. Otherwise the browser would compile it for each component anew, from
        # the TypeScript that it is not: a tenth of a second on the way to the first node.
        return {**super()._get_properties(doc), "bundle": f"{type(self).__module__}.{type(self).__name__}"}

    def _handle_msg(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        if data.get("type") == "ready":
            self._mounted()
        else:
            self._receive(data)

    def _mounted(self) -> None:
        """The browser has drawn the component for the first time, or anew: send it what it shows."""

    def _receive(self, message: dict[str, Any]) -> None:
        """The user did something."""

    def _do(self, action: Callable[..., Any], *arguments: Any) -> None:
        """Do what follows from a message, when the document may be changed: a message may come while it is not."""
        state.execute(partial(action, *arguments), schedule=True)
