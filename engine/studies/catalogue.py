"""The studies by name: a new one is a file and a line here."""

from __future__ import annotations

from collections.abc import Mapping

from engine.studies import (
    bound_figure_26,
    bound_figures,
    compression_figures,
    compression_peers,
    figure_3_6,
    figure_4_3,
    figure_4_4,
    figure_6_3,
    figure_6_4,
    figure_6_4_iterations,
    figure_6_5,
    table_4_1,
    table_4_2,
    table_5_1,
    table_6_1,
    table_7_1,
)
from engine.studies.study import AnyStudy

STUDIES: Mapping[str, AnyStudy] = {
    "figure-3.6": figure_3_6.STUDY,
    "table-4.1": table_4_1.STUDY,
    "table-4.2": table_4_2.STUDY,
    "figure-4.3": figure_4_3.STUDY,
    "figure-4.4": figure_4_4.STUDY,
    "table-5.1": table_5_1.STUDY,
    "table-6.1": table_6_1.STUDY,
    "figure-6.3": figure_6_3.STUDY,
    "figure-6.4": figure_6_4.STUDY,
    "figure-6.4-iterations": figure_6_4_iterations.STUDY,
    "figure-6.5": figure_6_5.STUDY,
    "table-7.1": table_7_1.STUDY,
    "compression-figure-2": compression_figures.BY_SHARE,
    "compression-figure-3": compression_figures.BY_ROWS,
    "compression-figure-4": compression_peers.BY_ROWS,
    "compression-figure-5": compression_peers.BY_METHOD,
    **bound_figures.STUDIES,
    "bound-figure-26": bound_figure_26.STUDY,
}
