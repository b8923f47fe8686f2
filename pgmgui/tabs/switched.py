"""Several views in one tab, with a switch to turn from one to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import panel as pn

from pgmgui.components.lazy_tabs import Watcher
from pgmgui.components.switch import make_wrapped_switch


class SwitchedViews(pn.viewable.Viewer):
    """One of some views, each of which is made when it is first asked for.

    Parameters
    ----------
    makers : mapping from what is written on the switch to how a view is made
    about : str
        What the switch is for.
    margin : int
        Pixels left of the views; the switch has 12.
    """

    def __init__(self, makers: Mapping[str, Callable[[], pn.viewable.Viewer]], about: str, margin: int = 12) -> None:
        super().__init__()
        self._makers = makers
        self._looked_at = False
        self._shown = make_wrapped_switch("Show", list(makers), about, (8, 0, 0, 12))
        self._shown.param.watch(lambda _: self._turn(), "value")
        self._made: dict[str, pn.viewable.Viewer] = {}
        self._place = pn.Column(sizing_mode="stretch_both", margin=(0, 0, 0, margin))
        self._view = pn.Column(self._shown, self._place, sizing_mode="stretch_both", margin=0)
        self._turn()

    def look(self, looked_at: bool) -> None:
        """Say whether the tab is in view."""
        self._looked_at = looked_at
        for name, view in self._made.items():
            if isinstance(view, Watcher):
                view.look(looked_at and name == self._shown.value)

    def _turn(self) -> None:
        name = self._shown.value
        if name not in self._made:
            self._made[name] = self._makers[name]()
        self._place[:] = [self._made[name]]
        self.look(self._looked_at)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
