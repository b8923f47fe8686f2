"""The page's address in the browser: what to open again after a reload."""

from __future__ import annotations

from typing import Any

import param

from pgmgui.components.base import Component


class Address(Component):
    """Writes the part of the address after the question mark. It shows nothing itself.

    Panel's own component would add an entry to the browser's history each time.
    """

    query = param.String(doc="What follows the question mark, and names what is open; at first nothing is changed.")
    look = param.String(doc="What follows it, and says how the page looks.")
    looks = param.List(default=[], item_type=str, doc="The names of the parameters that say so.")
    unkept = param.Boolean(default=False, doc="Whether what was changed last is not kept there.")

    _scripts = ("address.js",)

    def __init__(self, **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)
