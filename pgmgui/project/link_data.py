"""Where the data lies that a link names: a path, a pattern or a URL, never with a password."""

from __future__ import annotations

from collections.abc import Mapping

from engine.model.errors import PgmError
from engine.sources.places import Place, drop_password
from pgmgui.project.counted_data import CountedData
from pgmgui.project.scene import Scene

KEYS = ("data", "table")


def find_place(scene: Scene) -> Place | None:
    """Where the data of a scene lies, if it is counted there, or is yet to be."""
    if isinstance(scene.data, CountedData):
        return scene.data.place
    return scene.place if scene.data is None else None


def write_place(scene: Scene) -> dict[str, str]:
    """The parameters of a link that say where the data lies; none where it is the example's own."""
    place = find_place(scene)
    if place is None:
        return {}
    return {"data": place.where} | ({} if place.table is None else {"table": place.table})


def parse_place(query: Mapping[str, str]) -> Place | None:
    """Where the data lies that a link names, without a password that somebody has put there."""
    where = query.get("data", "").strip()
    if not where and query.get("table"):
        raise PgmError("the link has 'table' without 'data'; say where the table's database is")
    return Place(drop_password(where), query.get("table") or None) if where else None
