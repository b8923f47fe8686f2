"""The tabs of the page, in their order.

A new one is a folder with its panel, a line here, and its name in pyproject.toml: the contract there that no tab knows
another names all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import panel as pn

from pgmgui.state.desk import Desk
from pgmgui.tabs.data.panel import DataPanel
from pgmgui.tabs.guide.panel import GuidePanel
from pgmgui.tabs.open.panel import OpenPanel
from pgmgui.tabs.parts.panel import PartsPanel
from pgmgui.tabs.query.panel import QueryPanel
from pgmgui.tabs.runs.panel import RunsPanel
from pgmgui.tabs.share.panel import SharePanel
from pgmgui.tabs.structure.panel import StructurePanel
from pgmgui.tabs.variable.panel import VariablePanel

TABS: Mapping[str, Callable[[Desk], pn.viewable.Viewer]] = {
    "Open": lambda desk: OpenPanel(desk.session, desk.race),
    "Variable": lambda desk: VariablePanel(desk.session),
    "Data": lambda desk: DataPanel(desk.session),
    "Structure": lambda desk: StructurePanel(desk.session, desk.structuring, desk.arrow_facts),
    "Parts": lambda desk: PartsPanel(desk.session),
    "Query": lambda desk: QueryPanel(desk.session, desk.answers),
    "Runs": lambda desk: RunsPanel(desk.session, desk.race, desk.traveller),
    "Guide": lambda desk: GuidePanel(desk.session, desk.race, desk.playback, desk.first_run, desk.structuring),
    "Share": lambda desk: SharePanel(desk.session, desk.race, desk.keeper, desk.arrow_facts),
}
"""From what is written on a tab to how its panel is made."""
