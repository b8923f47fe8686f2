"""The address of a page, as Panel takes it apart.

Panel 1.9 splits it at every colon and question mark: it fails on an address of version 6, and on a question mark
within a parameter.
"""

from __future__ import annotations

import re

from panel.io import location

_HOST = re.compile(r"(\[[^]]*\]|[^:]*)(?::(.*))?")


def take_apart(protocol: str | None, host: str | None, uri: str | None) -> dict[str, str]:
    """The parts of an address, by the names that a browser has for them; those that are empty are left out.

    >>> take_apart("http", "[::1]:5006", "/?tab=a")["hostname"]
    '[::1]'
    """
    path, question, search = (uri or "").partition("?")
    found = _HOST.fullmatch(host or "")
    name, port = found.groups("") if found else (host or "", "")
    parts = {
        "protocol": f"{protocol}:" if protocol else "",
        "hostname": name,
        "port": port,
        "pathname": path,
        "search": f"{question}{search}" if search else "",
        "href": f"{protocol}://{host}{uri}",
    }
    return {key: value for key, value in parts.items() if value}


def understand_addresses() -> None:
    """Have Panel take addresses apart so from now on."""
    location._get_location_params = take_apart
