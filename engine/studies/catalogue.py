"""The studies by name: a new one is a file and a line here."""

from __future__ import annotations

from collections.abc import Mapping

from engine.studies import table_4_1, table_4_2, table_6_1
from engine.studies.study import AnyStudy

STUDIES: Mapping[str, AnyStudy] = {
    "table-4.1": table_4_1.STUDY,
    "table-4.2": table_4_2.STUDY,
    "table-6.1": table_6_1.STUDY,
}
