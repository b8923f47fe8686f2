"""Tabs that are made when they are first looked at, so that the page opens sooner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, runtime_checkable

import panel as pn
import panel_material_ui as pmui
import param

from pgmgui.components.mounted.mounted import Mounted


@runtime_checkable
class Watcher(Protocol):
    """A panel that does more while it is looked at."""

    def look(self, looked_at: bool) -> None:
        """Say whether it is in view: the browser has built it, and shows it."""


class LazyTabs(pn.viewable.Viewer):
    """Tabs by their names, and how to make what is in each. The options are those of Material's tabs.

    ``on_turn(name)`` is called when a tab is brought to the front.
    """

    def __init__(
        self,
        makers: Mapping[str, Callable[[], pn.viewable.Viewer]],
        sizing_mode: str,
        on_turn: Callable[[str], object] = lambda _: None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._on_turn = on_turn
        self._makers = dict(makers)
        self._made: dict[str, pn.viewable.Viewer] = {}
        self._places = {name: pn.Column(sizing_mode=sizing_mode, margin=0) for name in makers}
        self._tabs = pmui.Tabs(
            *self._places.items(),
            dynamic=True,
            sizing_mode=sizing_mode,
            margin=0,
            **options,
        )
        self._tabs.param.watch(self._turn, "active")
        self._make(next(iter(makers)))

    def open(self, name: str) -> None:
        """Bring a tab to the front."""
        self._tabs.active = list(self._places).index(name)

    def _turn(self, event: param.parameterized.Event) -> None:
        name = list(self._places)[event.new]
        self._make(name)
        for other, panel in self._made.items():
            if other != name and isinstance(panel, Watcher):
                panel.look(False)
        self._on_turn(name)

    def _make(self, name: str) -> None:
        if name in self._made:
            return
        panel = self._made[name] = self._makers[name]()
        self._places[name].append(panel)
        if isinstance(panel, Watcher):
            self._places[name].append(Mounted(on_mounted=partial(self._look, name), width=0, height=0, margin=0))

    def _look(self, name: str) -> None:
        """The browser has built a tab, which the user may have left meanwhile."""
        panel = self._made[name]
        if isinstance(panel, Watcher) and name == list(self._places)[self._tabs.active]:
            panel.look(True)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._tabs
