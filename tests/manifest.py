"""What the MANIFEST of the shared data says about network files."""

from __future__ import annotations

import re

from tests.shared_data import DATA

_ROW = re.compile(r"^\| (?P<path>networks/\S+) \|.*?(?P<n>\d+)n/(?P<a>\d+)a/(?P<p>\d+)p", re.MULTILINE)


def network_sizes(folder: str) -> dict[str, tuple[int, int, int]]:
    """Per file in a folder of networks/: nodes, arcs, free parameters."""
    manifest = DATA / "MANIFEST.md"
    if not manifest.is_file():
        return {}
    rows = _ROW.finditer(manifest.read_text(encoding="utf-8"))
    prefix = f"networks/{folder}/"
    return {
        row["path"]: (int(row["n"]), int(row["a"]), int(row["p"])) for row in rows if row["path"].startswith(prefix)
    }
