"""Network and data files: text ↔ objects, chosen by suffix.

One module per format with ``parse(text) -> NetworkDraft`` and, where we write it, ``dump(document) -> str``.
"""

from engine.formats.draft import Document
from engine.formats.files import read_network, write_network

__all__ = ["Document", "read_network", "write_network"]
