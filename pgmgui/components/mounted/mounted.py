"""Knowing when the browser has built a part of the page: our own Panel component, without a picture."""

from __future__ import annotations

import param

from pgmgui.components.base import Component


class Mounted(Component):
    """Calls ``on_mounted()`` each time the browser has built what stands before it in its column.

    What a column gains while the browser is still building it, Bokeh forgets to show.
    """

    on_mounted = param.Callable(doc="Called without arguments.")

    _scripts = ("mounted.js",)
    _python = ("on_mounted",)

    def _mounted(self) -> None:
        if self.on_mounted is not None:
            self._do(self.on_mounted)
