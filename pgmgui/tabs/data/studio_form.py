"""The missingness studio: what decides which values are missing, what that takes, and what it does to learning."""

from __future__ import annotations

import threading
from functools import partial

import panel as pn

from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from pgmgui.board.beside import work_beside
from pgmgui.components.drawer import Drawer
from pgmgui.components.fields import make_button, make_select
from pgmgui.components.grid.grid import Grid
from pgmgui.components.plain_text import PlainText
from pgmgui.project.absence import Compared, add_indicator, compare, has_holes
from pgmgui.project.absence_words import (
    WAYS,
    describe_choice,
    describe_compared,
    describe_identification,
    describe_kind,
    describe_shares,
    describe_unknown,
)
from pgmgui.project.numbers import parse_fraction
from pgmgui.project.scene import Scene
from pgmgui.state.session import Session
from pgmgui.state.studio import Studio
from pgmgui.tabs.data.studio_tables import bias_source, chances_source, shares_source
from pgmgui.tabs.work import Work

NOT_SAID, NOTHING, STATE_OF = "not said", "nothing", "state of "
"""What the lists of causes stand for: nothing is said yet, there is none, or the variable of a name that follows."""
NO_ROWS = (
    "What decides which values are missing is looked at row by row, and these rows are not in memory: they are counted "
    "where they lie. Open a part of them as a file."
)
NO_DATA = "There is no data: open some, or simulate it from the model with Simulate… above."


class StudioForm(pn.viewable.Viewer):
    """A variable, what causes its absence and how probably, what that takes of each state, and the bias."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._studio = Studio(session, work_beside)
        self._stopped = threading.Event()
        self._progress = ("ignoring", 0)
        self._work = Work(session, self._stop)
        self._in_view = False
        self._make_controls()
        self._view = Drawer(
            pn.Row(self._target, self._cause, margin=0, sizing_mode="stretch_width"),
            self._other,
            self._words,
            self._chances,
            self._shares,
            self._told,
            pn.Row(self._expand, self._learn, self._off, margin=0),
            self._work,
            self._more,
            self._found,
            self._bias,
        )
        if pn.state.curdoc is not None:
            pn.state.on_session_destroyed(lambda *_: self._stop())
        session.param.watch(lambda *_: self._show(), ["scene", "derived"], precedence=2)
        self._studio.param.watch(lambda *_: self._show(), ["target", "facts", "compared"])

    def _make_controls(self) -> None:
        self._target = make_select(
            "Whose values are missing",
            "The variable that the studio is about. Selecting one on the canvas chooses it too.",
            {},
            self._choose,
        )
        self._cause = make_select(
            "What decides which",
            "Its own value (not at random), that of another variable (at random, if every row tells it), or nothing.",
            {},
            self._set_cause,
        )
        self._other = make_select("And also", "A second variable whose state matters too.", {}, self._set_other)
        self._words = PlainText(margin=(6, 8, 4, 0))
        self._told = PlainText(margin=(4, 8, 2, 0))
        self._more = PlainText(margin=(6, 8, 0, 0))
        self._chances = Grid(on_edit=self._edit, shown=8, sizing_mode="stretch_width", margin=(4, 8, 4, 0))
        self._shares = Grid(shown=8, sizing_mode="stretch_width", margin=(4, 8, 4, 0))
        self._expand = make_button("Add O", "", self._press_expand)
        about = "learn as if values were missing at random, and with the mechanism, and compare what is learned"
        self._learn = make_button("Learn both ways", about, self._press_learn, "contained")
        self._off = make_button("Take off", "the mechanism: all values are seen again", self._take_off)
        self._found = PlainText(margin=(6, 8, 4, 0))
        self._bias = Grid(shown=12, sizing_mode="stretch_width", margin=(4, 8, 12, 0))

    @property
    def is_open(self) -> bool:
        """Whether the studio is open."""
        return self._view.is_open

    def open(self, is_open: bool) -> None:
        """Open or close the studio."""
        self._view.open(is_open)
        self._look()

    def look(self, looked_at: bool) -> None:
        """Say whether the tab is in view."""
        self._in_view = looked_at
        self._look()

    def _look(self) -> None:
        self._studio.look(self._in_view and self.is_open)
        self._show()

    # --- what the user does; also called when a list is set from here, and then nothing is new

    def _choose(self, target: str) -> None:
        if target and target != self._studio.target:
            self._studio.choose(target)

    def _set_cause(self, cause: str) -> None:
        if cause != self._shown_causes[0]:
            self._set_causes(None if cause == NOT_SAID else _read_causes(cause))

    def _set_other(self, other: str) -> None:
        first, second = self._shown_causes
        if other != second:
            self._set_causes(_read_causes(first, other))

    def _set_causes(self, causes: tuple[str, ...] | None) -> None:
        self._studio.set_causes(causes)
        self._show()

    @property
    def _shown_causes(self) -> tuple[str, str]:
        """The first cause and the second, as the lists have them."""
        mark = self._studio.mark
        if mark is None:
            return NOT_SAID, NOTHING
        first, second, *_ = (*(STATE_OF + cause for cause in mark.causes), NOTHING, NOTHING)
        return first, second

    def _edit(self, row: int, _column: int, text: str) -> bool:
        try:
            return self._studio.set_chance(row, parse_fraction(text, "a probability"))
        except PgmError as error:
            self._session.refuse(error)
            return False

    def _take_off(self, _event: object) -> None:
        self._set_causes(None)

    async def _press_expand(self, _event: object) -> None:
        mark, target = self._studio.mark, self._studio.target
        if mark is not None and mark.indicator:
            self._session.remove([mark.indicator])
            return
        label = f"add the indicator of {target}"
        await self._work.change(f"Adding the indicator of {target}", label, partial(add_indicator, target=target))

    async def _press_learn(self, _event: object) -> None:
        session, target = self._session, self._studio.target
        scene, seen = session.scene, session.seen
        if not isinstance(seen, Dataset):
            return
        self._stopped = stopped = threading.Event()
        self._progress = ("ignoring", 0)

        def learn() -> Compared:
            return compare(scene, seen, target, session.settings.seed, self._tell, stopped.is_set)

        what = f"Learning both ways of {target}"
        await self._work.run(what, learn, partial(self._take, scene), progress=self._describe_progress)

    def _take(self, scene: Scene, found: Compared) -> None:
        self._studio.show(found, scene)
        if self._bias.source is not None:
            self._bias.bring(self._bias.source.n_rows - 1)

    def _tell(self, way: str, iteration: int) -> None:
        self._progress = (way, iteration)

    def _describe_progress(self) -> str:
        way, iteration = self._progress
        return f"{WAYS[way]} ({list(WAYS).index(way) + 1} of {len(WAYS)}): iteration {iteration:,} …"

    def _stop(self) -> None:
        self._stopped.set()

    # --- what is shown

    def _show(self) -> None:
        if not (self._in_view and self.is_open):
            return
        session, studio = self._session, self._studio
        mark = studio.mark
        is_there = bool(studio.target) and isinstance(session.seen, Dataset)
        self._list_choices(is_there)
        self._learn.disabled = self._off.disabled = self._expand.disabled = mark is None or not is_there
        self._name_expand()
        if not is_there:
            self._say_only(NO_DATA if session.seen is None else NO_ROWS)
        elif mark is None:
            self._say_only(describe_choice(studio.target, has_holes(session.scene, studio.target)))
        else:
            self._show_mechanism()
        self._show_bias()

    def _name_expand(self) -> None:
        """Say what the button does: add the indicator, or take it out."""
        mark, target = self._studio.mark, self._studio.target
        label, about = (
            f"Add O_{target}",
            f"a variable that tells in every row whether {target} is there, below its causes",
        )
        if mark is not None and mark.indicator:
            label, about = f"Take {mark.indicator} out", "of the network; the values stay missing as they are"
        self._expand.param.update(label=label, description=f"{label}: {about}")

    def _list_choices(self, is_there: bool) -> None:
        studio, names = self._studio, list(self._session.network.index)
        mark, target = studio.mark, studio.target
        first, second = self._shown_causes
        told = "" if mark is None else mark.indicator
        others = {f"the state of {name}": STATE_OF + name for name in names if name not in (target, told)}
        own = {"its own value": STATE_OF + target}
        causes = {"not said yet": NOT_SAID, "nothing": NOTHING, **own, **others}
        more = {text: cause for text, cause in ({"nothing else": NOTHING} | own | others).items() if cause != first}
        # At once: with other options and no value, a list would choose the first of them.
        self._target.param.update(
            options={name: name for name in names if name != told}, value=target or None, disabled=not is_there
        )
        is_fixed = not is_there or bool(told)
        self._cause.param.update(options=causes, value=first, disabled=is_fixed)
        self._other.param.update(
            options=more, value=second, disabled=is_fixed, visible=first not in (NOT_SAID, NOTHING)
        )

    def _say_only(self, line: str) -> None:
        self._words.write(line)
        self._told.write()
        self._more.write()
        self._chances.visible = self._shares.visible = False

    def _show_mechanism(self) -> None:
        session, studio = self._session, self._studio
        mark, network = studio.mark, session.network
        assert mark is not None
        assert session.seen is not None
        facts = studio.facts if studio.fits else None
        causes = [network.variables[network.index[cause]] for cause in mark.causes]
        self._chances.source = chances_source(mark, facts, causes, studio.target)
        # What values were that are missing in the data itself is not known.
        self._chances.visible = bool(mark.chances) or (facts is not None and facts.by_cause is not None)
        self._shares.visible = facts is not None and facts.knows_values and mark.causes != (studio.target,)
        if facts is None:
            self._words.write("Computing …")
            return
        variable = network.variables[network.index[studio.target]]
        self._shares.source = shares_source(facts, variable)
        self._words.write(describe_kind(facts))
        self._told.write(describe_shares(facts, session.seen.total_weight))
        lines = [describe_unknown(facts), facts.trouble, describe_identification(facts, network)]
        if mark.indicator:
            lines.append(
                f"{mark.indicator} is in the network and tells in every row whether {studio.target} is there. "
                "Connect more causes with it on the canvas; take it out to choose others here."
            )
        self._more.write(*(line for line in lines if line))

    def _show_bias(self) -> None:
        found, network = self._studio.compared, self._session.network
        self._bias.visible = found is not None
        if found is None:
            self._found.write()
            return
        variable = network.variables[network.index[found.target]]
        self._found.write(*describe_compared(found, variable, self._studio.mark))
        self._bias.source = bias_source(found, variable)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view.__panel__()


def _read_causes(*chosen: str) -> tuple[str, ...]:
    """The causes that entries of the lists stand for."""
    return tuple(cause.removeprefix(STATE_OF) for cause in chosen if cause.startswith(STATE_OF))
