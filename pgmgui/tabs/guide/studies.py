"""The papers' tables and figures, each opened as a scene in a small form, and run live."""

from __future__ import annotations

from functools import partial

import panel as pn

from engine.studies.live import STAND_IN
from pgmgui.components.entries.entries import Entries, Entry, Section
from pgmgui.components.plain_text import HtmlText, PlainText
from pgmgui.project.links import Link, parse_link
from pgmgui.project.scene import Derived, prepare_derived
from pgmgui.project.study_files import users_folder
from pgmgui.project.study_scenes import StudyExample, find_study, list_studies
from pgmgui.state.playback import Playback
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.tabs.work import Work

ABOUT = (
    "Tables and figures of the papers. Each opens one problem of its study in a small form, simulated here, and "
    "begins to learn; “pgmgui experiment” runs whole studies."
)


class Studies(pn.viewable.Viewer):
    """The studies by paper. What one opens is drawn beside the page; until then, what is open stays open."""

    def __init__(self, session: Session, race: Race, playback: Playback, style: str) -> None:
        super().__init__()
        self._session, self._race, self._playback = session, race, playback
        self._work = Work(session, lambda: None)
        self._known = list_studies()
        about = PlainText(margin=(0, 0))
        about.write(ABOUT)
        self._list = Entries(
            label="Studies of the papers", on_press=self._press, sizing_mode="stretch_width", margin=(4, 8, 4, 0)
        )
        self._view = pn.Column(
            HtmlText("<h3>Studies</h3>", margin=(12, 0, 0, 0), stylesheets=[style]),
            about,
            self._work,
            self._list,
            sizing_mode="stretch_width",
            margin=0,
        )
        session.param.watch(lambda event: self._look(event.old.example, event.new.example), "scene")
        self._list.sections = self._describe()

    def _look(self, old: str, new: str) -> None:
        """Show which one is open."""
        if old != new:
            self._list.sections = self._describe()

    def _describe(self) -> list[Section]:
        return [
            Section(f"{title} ({len(studies)})", tuple(map(self._describe_one, studies)))
            for title, studies in self._known.items()
        ]

    def _describe_one(self, found: StudyExample) -> Entry:
        study = found.study
        return Entry(
            found.id,
            study.place,
            f"{study.saw[0].upper()}{study.saw[1:]}.",
            note=describe_absence(found, self._session.local),
            about=f"Open {found.told_network} and learn: {found.setting}",
            details=(
                f"See: {study.live.look}",
                f"Here: {found.told_network}; {found.setting}.",
                f"All of it, in a shell: {found.command}",
            ),
            is_chosen=self._session.scene.example == found.id,
        )

    def _press(self, name: str) -> None:
        pn.state.execute(partial(self._open, name), schedule=True)

    async def _open(self, name: str) -> None:
        found = find_study(name)  # a network may have been put into the user's folder meanwhile
        await self._work.run(f"Drawing the data of {found.study.place}", partial(prepare_study, found), self._show)

    def _show(self, prepared: tuple[Link, Derived]) -> None:
        link, derived = prepared
        if self._race.open(link.saved, derived):
            self._race.begin()
            self._playback.play_slowly()

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def prepare_study(found: StudyExample) -> tuple[Link, Derived]:
    """What a study opens, and what follows from it. This may take a while: ask for it beside the page, not on it."""
    link = parse_link(found.link)
    return link, prepare_derived(link.scene)


def describe_absence(found: StudyExample, local: bool) -> str:
    """Which networks of a study are lacking so that another stands in, and what to do; empty where none does."""
    if not found.is_stand_in:
        return ""
    names = found.study.networks
    lacking = f"{names[0]} is not here" if len(names) == 1 else f"None of {', '.join(names)} is here"
    if not local:
        return f"{lacking}: {STAND_IN} stands in."
    return f"{lacking}: {STAND_IN} stands in. Put a file such as {names[0]}.bif into {users_folder()} to have it."
