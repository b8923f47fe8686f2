"""The run strip: choose learners, let them race, watch them climb."""

from __future__ import annotations

import time
from weakref import WeakSet

import panel as pn
from panel.io import PeriodicCallback, unlocked

from pgmgui.board.browser_tab import is_closed
from pgmgui.board.learner_equations import make_equations
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.plain_text import PlainText
from pgmgui.components.popup import make_popup_button
from pgmgui.project.held_out_words import describe_split
from pgmgui.state.curve import Curve
from pgmgui.state.playback import Playback
from pgmgui.state.race import Race
from pgmgui.state.race_words import MOST_IN_FULL, describe_race, rank, tell_each
from pgmgui.state.session import Session
from pgmgui.state.travel import Traveller
from pgmgui.strip.learner_choice import explain_refusals, make_learner_button
from pgmgui.strip.playback_bar import PlaybackBar
from pgmgui.strip.run_options import make_options_button
from pgmgui.strip.trace import Trace

START = "learn from the data as it is marked (key r)"
STEP = "one iteration of every learner, then wait (key s)"
STOP = "end, and keep what has been reached"
CONTINUE = (
    "go on from iteration {iteration:,} (key g). What EDML, L-BFGS and CG remember besides the parameters is begun anew"
)
CANCEL = "end, and discard what has been reached"
DISCARD = "forget what has been reached"
APPLY = "give the network the best parameters that were learned"
TICK = 100
"""Milliseconds between two looks at the mailboxes."""
REST = 5
"""All runs of a server together are looked at no more than a time in this: a click does not wait for them."""
HEIGHT = "clamp(140px, var(--strip-height, min(14.75rem, 36vh)), calc(100vh - 300px))"
"""What it has unless the user has chosen: the canvas is what the page is for. With large type, more."""
BUTTONS, LARGE_BUTTONS = 38, 46
CHOICES, LARGE_CHOICES = 34, 44
WIDTH = "min(25rem, 42%)"
"""Of the controls."""


# Text that has no room fades out below: there is more to scroll to.
_FADING = {"mask-image": "linear-gradient(#000 calc(100% - 14px), transparent)", "scrollbar-width": "thin"}


class LearnStrip(pn.viewable.Viewer):
    """Controls, how the runs stand, and the live plot. It stays in view whatever else is shown."""

    def __init__(self, session: Session, race: Race, traveller: Traveller, playback: Playback) -> None:
        super().__init__()
        self._session, self._race, self._traveller, self._playback = session, race, traveller, playback
        self._player = PlaybackBar(playback)
        self._trace = Trace(session, traveller.go_to, self._player)
        self._news = False
        self._buttons = Choices(label="Run", on_press=self._act, margin=(4, 0), height=BUTTONS)
        self._state = PlainText(margin=(2, 4, 0, 0))
        choices = make_learner_button(session), make_options_button(session), _make_equations(session)
        self._chosen = pn.Row(*choices, margin=0, height=CHOICES, sizing_mode="stretch_width")
        self._controls = pn.Column(
            self._chosen,
            self._buttons,
            pn.Column(self._state, sizing_mode="stretch_both", margin=0, scroll="y-auto", styles=_FADING),
            sizing_mode="stretch_both",
            margin=(6, 8, 4, 12),
            styles={"max-width": WIDTH},
        )
        self._view = pn.Row(
            self._controls,
            self._trace,
            sizing_mode="stretch_both",
            styles={"flex": f"0 0 {HEIGHT}", "max-height": HEIGHT},
        )
        session.param.watch(lambda *_: self._notice(), ["derived", "settings", "axes", "moment", "bounded"])
        session.param.watch(lambda event: self._enlarge(event.new), "lecture")
        race.param.watch(lambda *_: self._notice(), ["curves", "running", "paused", "stale", "applied"])
        playback.param.watch(lambda *_: self._notice(), ["playing", "speed", "share"])
        # In the background: otherwise Panel would say at every look, to all pages, that something is being done.
        self._ticker = PeriodicCallback(callback=self._tick, period=TICK, background=True)
        self._ticking = False
        self._due = 0.0
        if session.lecture:
            self._enlarge(True)
        self._notice()

    # --- what the user does

    def _act(self, key: str) -> None:
        race = self._race
        actions = {
            "start": race.begin,
            "pause": race.pause_or_resume,
            "step": race.step,
            "stop": race.stop,
            "continue": race.proceed,
            "cancel": race.cancel,
            "apply": race.apply,
        }
        actions[key]()

    # --- what is shown

    def _notice(self) -> None:
        """Something has changed. What is found at a look is drawn with that look, all at once."""
        if self._is_live and not self._ticker.running:
            self._ticker.start()
            _RUNNING.add(self)
        if self._ticking:
            self._news = True
        else:
            self._show()

    def _tick(self) -> None:
        """Look at what the runs have found; draw it, once."""
        race = self._race
        if is_closed(pn.state.curdoc):
            race.stop()
            self._playback.end()
        begun = time.monotonic()
        if begun < self._due:
            return
        # All that changes goes to the browser as one message. Sent piece by piece, Bokeh's own messages would keep
        # the line busy and Panel's wait for ever.
        with unlocked():
            self._ticking = True
            try:
                race.tick()
                ready = self._trace.is_ready
                if ready:  # a browser that is behind is shown fewer moments
                    self._playback.advance()
            finally:
                self._ticking = False
            if self._news and (ready or not self._is_live):
                self._news = False
                self._mark()
                self._trace.follow(race.curves)
                self._say()
        if not self._is_live and not self._news:
            self._ticker.stop()
            _RUNNING.discard(self)
        now = time.monotonic()
        self._due = now + REST * len(_RUNNING) * (now - begun)

    def _enlarge(self, large: bool) -> None:
        self._buttons.height = LARGE_BUTTONS if large else BUTTONS
        self._chosen.height = LARGE_CHOICES if large else CHOICES
        self._trace.enlarge(large)

    @property
    def _is_live(self) -> bool:
        """Whether something moves by itself."""
        return self._race.running or self._playback.playing

    def _show(self) -> None:
        """Draw everything anew."""
        parts = self._race.parts
        self._mark()
        self._trace.draw(self._race.curves, None if parts is None else parts.bounds)
        self._say()

    def _mark(self) -> None:
        """Tell the plot what is looked at."""
        self._trace.moment, self._trace.until = self._moment, self._playback.place

    @property
    def _moment(self) -> tuple[Curve, int] | None:
        """The point of the plot that is looked at; none while a run goes on."""
        curve = self._traveller.curve
        held = not self._race.running or self._race.paused
        return (curve, self._traveller.iteration) if curve is not None and curve.points and held else None

    def _say(self) -> None:
        """Tell how the runs stand, and enable what can be done."""
        race, session = self._race, self._session
        self._enable()
        self._player.follow()
        if self._playback.share is not None:
            self._state.write(*self._playback.describe())
        elif race.curves:
            lines = describe_race(race, session.moment, briefly=True)
            each = tell_each(rank(race.curves.values())) if len(race.curves) > MOST_IN_FULL else []
            self._state.write(*lines, about="\n".join(each))
        elif session.parts is None:
            self._state.write(session.derived.obstacle or "Learning needs a network with data.")
        elif not race.can_begin:
            self._state.write("Choose a learner.", *explain_refusals(session))
        else:
            held_out = describe_split(session.parts.split)
            self._state.write("Ready: press Start and watch the objective climb to its bound.", *held_out)

    def _enable(self) -> None:
        race, running = self._race, self._race.running
        pause = ("Resume", "go on") if race.paused else ("Pause", "wait before the next iteration")
        cancel = ("Cancel", CANCEL) if running or not race.curves else ("Discard", DISCARD)
        iteration = race.goes_on_from
        stop = _make("stop", "Stop", STOP, running)
        if iteration is not None:
            stop = _make("continue", "Continue", CONTINUE.format(iteration=iteration), True)
        buttons = (
            _make("start", "Start", START, race.can_begin and not running),
            _make("pause", *pause, running),
            _make("step", "Step", STEP, race.can_begin or running),
            stop,
            _make("cancel", *cancel, bool(race.curves)),
            _make("apply", "Apply", APPLY, race.can_apply),
        )
        groups = [Group("", buttons)]
        if groups != self._buttons.groups:
            self._buttons.groups = groups

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


_RUNNING: WeakSet[LearnStrip] = WeakSet()
"""Those of all pages that look at a run."""


def _make(key: str, name: str, about: str, enabled: bool) -> Choice:
    look = "main" if key == "start" else "plain"
    return Choice(key, name, f"{name}: {about}", disabled=not enabled, look=look)


def _make_equations(session: Session) -> pn.viewable.Viewable:
    """A button that shows what the chosen learners compute, while the plot stays in view."""

    def make_form() -> pn.viewable.Viewable:
        return pn.Column(make_equations(session), margin=(8, 16), sizing_mode="stretch_width")

    about = "Equations: what the chosen learners compute"
    return make_popup_button("Σ", about, make_form, (520, 300), margin=(4, 8, 0, 8), sx={"minWidth": "0"})
