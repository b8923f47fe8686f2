"""A place on the page for what is made once the page is there, so that what matters most is there sooner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn


class Later(pn.viewable.Viewer):
    """Room that is kept free until the page is loaded, and how to make what goes there. The options lay it out."""

    def __init__(self, make: Callable[[], pn.viewable.Viewer], **options: Any) -> None:
        super().__init__()
        self._make = make
        self._place = pn.Column(margin=0, **options)
        pn.state.onload(self._fill)

    def _fill(self) -> None:
        self._place.append(self._make())

    def __panel__(self) -> pn.viewable.Viewable:
        return self._place
