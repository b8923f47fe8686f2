"""The tabs at the right. Each is made when it is first looked at, so that the page opens sooner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

import panel as pn
import panel_material_ui as pmui
import param

_STYLE = {"& .MuiTab-root": {"minWidth": "0", "padding": "8px 6px", "textTransform": "none", "letterSpacing": 0}}


@runtime_checkable
class Watcher(Protocol):
    """A panel that does more while it is looked at."""

    def look(self, looked_at: bool) -> None:
        """Say whether it is in view."""


class SideTabs(pn.viewable.Viewer):
    """Tabs by their names, and how to make what is in each."""

    def __init__(self, makers: Mapping[str, Callable[[], pn.viewable.Viewer]]) -> None:
        super().__init__()
        self._makers = dict(makers)
        self._made: dict[str, pn.viewable.Viewer] = {}
        self._places = {name: pn.Column(sizing_mode="stretch_both", margin=0) for name in makers}
        self._tabs = pmui.Tabs(
            *self._places.items(),
            dynamic=True,
            # Not a fixed width: Panel would make the whole page at least as wide as all of its parts together.
            max_width=440,
            sizing_mode="stretch_both",
            margin=0,
            sx=_STYLE,
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
            if isinstance(panel, Watcher):
                panel.look(other == name)

    def _make(self, name: str) -> None:
        if name not in self._made:
            self._made[name] = self._makers[name]()
            self._places[name].append(self._made[name])

    def __panel__(self) -> pn.viewable.Viewable:
        return self._tabs
