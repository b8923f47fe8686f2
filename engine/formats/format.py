"""A format, and how it is found by the suffix of a file: the same for networks and for data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, TypeVar

from engine.formats.packing import SUFFIX, is_packed, split_name
from engine.model.errors import FormatError
from engine.model.messages import shorten

Parse = TypeVar("Parse")
Dump = TypeVar("Dump")
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Format(Generic[Parse, Dump]):
    """A file format: its name, how to read it, and how to write it (None where we only read).

    ``needs`` is the package that must be installed for it, if one must.
    """

    name: str
    parse: Parse
    dump: Dump | None = None
    needs: str = ""

    @property
    def is_writable(self) -> bool:
        """Whether files of this format can be written here."""
        return self.dump is not None and (not self.needs or find_spec(self.needs) is not None)


def find_format(name: str | Path, formats: Mapping[str, Kind]) -> Kind:
    """The format of a file name."""
    _, suffix = split_name(name)
    if is_packed(name) and is_packed(Path(name).stem):
        raise FormatError("the file is packed twice, by its name; unpack it once", path=name)
    if suffix not in formats:
        expected = f"expected one of {', '.join(formats)}, each perhaps with {SUFFIX} after it"
        raise FormatError(f"unknown suffix {shorten(suffix)}; {expected}", path=name)
    return formats[suffix]


def find_dump(name: str | Path, formats: Mapping[str, Format[Parse, Dump]]) -> Dump:
    """How a file of that name is written; an error that names other suffixes if it is not."""
    form = find_format(name, formats)
    if form.dump is None:
        writable = ", ".join(suffix for suffix, known in formats.items() if known.dump is not None)
        raise FormatError(f"{form.name} files can be read but not written; use one of {writable}", path=name)
    return form.dump
