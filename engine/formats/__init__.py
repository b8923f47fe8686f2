"""Network and data files: text ↔ objects, chosen by suffix.

One module per format with ``parse(text) -> NetworkDraft`` and, where we write it, ``dump(document) -> str``.
"""

from engine.formats.data_columns import DataDocument
from engine.formats.data_files import read_dataset, write_dataset
from engine.formats.draft import Document
from engine.formats.files import read_evidence, read_network, write_network

__all__ = [
    "DataDocument",
    "Document",
    "read_dataset",
    "read_evidence",
    "read_network",
    "write_dataset",
    "write_network",
]
