"""Network and data files: bytes ↔ objects, chosen by suffix.

Two rooms, ``networks`` and ``tables``. In each, a module per format has ``parse`` and, where we write it,
``dump`` (tables: in ``output``); the room's ``catalogue`` has a line for each suffix.
"""

from engine.formats.networks.catalogue import (
    NETWORK_FORMATS,
    describe_losses,
    dump_network,
    parse_network,
    read_evidence,
    read_network,
    write_network,
)
from engine.formats.networks.draft import Document
from engine.formats.packing import SUFFIX as PACKED
from engine.formats.packing import split_name
from engine.formats.tables.catalogue import (
    DATA_FORMATS,
    dump_dataset,
    parse_table,
    read_dataset,
    read_table,
    write_chunks,
    write_dataset,
)
from engine.formats.tables.columns import DataDocument

__all__ = [
    "DATA_FORMATS",
    "NETWORK_FORMATS",
    "PACKED",
    "DataDocument",
    "Document",
    "describe_losses",
    "dump_dataset",
    "dump_network",
    "parse_network",
    "parse_table",
    "read_dataset",
    "read_evidence",
    "read_network",
    "read_table",
    "split_name",
    "write_chunks",
    "write_dataset",
    "write_network",
]
