"""Looking back at a run: its iterations, its restarts, and one EM or gradient step under the microscope."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from pgmgui.components.fields import make_button, make_select
from pgmgui.components.plain_text import PlainText
from pgmgui.project.words import LEARNERS
from pgmgui.state.race import Race
from pgmgui.state.race_words import STALE, certify_shown
from pgmgui.state.session import Session
from pgmgui.state.travel import Traveller
from pgmgui.tabs.runs.em_step import Microscope
from pgmgui.tabs.runs.gradient_step import GradientStep
from pgmgui.tabs.runs.held_out_view import HeldOutView
from pgmgui.tabs.runs.restarts import Restarts

WATCHED = ["learned", "moment", "viewed", "derived", "bounded"]
BEFORE = (
    "Start a run below: here you then go back through its iterations, compare its restarts, and see what an EM step "
    "does with a row of the data."
)


class RunsPanel(pn.viewable.Viewer):
    """A slider over the iterations of a run, with what they have reached. Nothing is done while nobody looks."""

    def __init__(self, session: Session, race: Race, traveller: Traveller) -> None:
        super().__init__()
        self._session, self._race, self._traveller = session, race, traveller
        self._looked_at = False
        self._hint = PlainText(margin=(8, 8, 4, 0))
        self._restarts = Restarts(traveller)
        self._microscopes = Microscope(session), GradientStep(session)
        self._held_out = HeldOutView(session, race)
        self._make_controls()
        self._travel = pn.Column(
            self._learner,
            pn.Row(self._back, self._slider, self._forward, margin=0, sizing_mode="stretch_width"),
            pn.Row(self._newest, self._own, self._apply, margin=0),
            sizing_mode="stretch_width",
            margin=(8, 8, 0, 0),
        )
        below = self._held_out, self._restarts, *self._microscopes
        self._below = pn.Column(*below, sizing_mode="stretch_width", margin=0)
        # Words come and go with every step: above the buttons, they would move them away from under the pointer.
        parts = self._travel, self._hint, self._below
        self._view = pn.Column(*parts, sizing_mode="stretch_both", margin=(0, 0, 0, 12), scroll="y-auto")
        session.param.watch(lambda *_: self._update(), WATCHED)
        race.param.watch(lambda *_: self._update(), ["running", "stale"])
        self._update()

    def _make_controls(self) -> None:
        self._learner = make_select("Learner", "Whose iterations the slider goes through.", {}, self._choose)
        self._slider = pmui.IntSlider(
            label="Iteration",
            description="The iteration whose parameters are shown. On the plot below, drag the upright line.",
            start=0,
            end=1,
            size="small",
            sizing_mode="stretch_width",
            margin=(0, 16, 0, 12),
        )
        self._told: set[int] = set()  # what the slider was set to since the user moved it
        self._slider.param.watch(lambda event: self._slide(event.new), "value")
        self._slider.param.watch(lambda event: self._slide_to(event.new), "value_throttled")
        self._back = make_button("◀", "back: the iteration kept before this one (key ,)", lambda _: self._step(-1))
        self._forward = make_button("▶", "forward: the iteration kept after this one (key .)", lambda _: self._step(1))
        self._newest = make_button("Newest", "what the run has reached in the end", self._go_on)
        self._own = make_button("Network's own", "show the network's own parameters again", self._go_home)
        self._apply = make_button("Apply this", "give the network the parameters of this moment", self._use)

    def look(self, looked_at: bool) -> None:
        """Say whether the panel is in view."""
        self._looked_at = looked_at
        for view in (*self._microscopes, self._held_out):
            view.look(looked_at)
        if not looked_at:
            self._restarts.clear()
        self._update()

    # --- what the user does

    def _choose(self, method: str) -> None:
        curve = self._traveller.curve
        if method and (curve is None or method != curve.method):
            self._traveller.choose(method)

    def _slide(self, iteration: int) -> None:
        """The slider is somewhere: while the user moves it, or because it was told to be there, which it says late."""
        if iteration not in self._told:
            self._slide_to(iteration)
        else:
            # Told two things at once, Panel's widget may stay at the first; and at the end of a run, or of a drag along
            # the plot, nobody would tell it again.
            self._slider.value = min(self._traveller.iteration, self._slider.end)

    def _slide_to(self, iteration: int) -> None:
        """The user has left the slider somewhere."""
        self._told.clear()
        if iteration != self._traveller.iteration:
            self._traveller.go_to(iteration)
            self._update()  # there may be nothing kept near: the slider then goes back

    def _step(self, by: int) -> None:
        self._traveller.step(by)

    def _go_on(self, _event: object) -> None:
        self._session.travel_to(None)

    def _go_home(self, _event: object) -> None:
        self._session.view("current")

    def _use(self, _event: object) -> None:
        reached = self._session.reached
        if reached is not None:
            self._session.apply(reached)

    # --- what is shown

    def _update(self) -> None:
        if not self._looked_at:
            return
        curve, session = self._traveller.curve, self._session
        found = curve is not None and curve.snapshot is not None
        self._travel.visible = self._below.visible = found and session.learned is not None
        if curve is None or curve.snapshot is None or session.learned is None:
            self._hint.write(f"{STALE} Undo makes it of use again." if found and self._race.stale else BEFORE)
            return
        self._hint.write(*self._describe())
        self._learner.param.update(
            options={LEARNERS[method]: method for method in self._race.curves}, value=curve.method
        )
        self._learner.visible = len(self._race.curves) > 1
        last, at = self._traveller.last, self._traveller.iteration
        # The value belongs between the ends at every moment.
        value = min(at, max(last, 1))
        self._told.add(value)
        self._slider.param.update(end=max(last, 1), value=value)
        self._back.disabled, self._forward.disabled = at == 0, session.moment is None
        self._newest.disabled = session.moment is None and session.viewed == "learned"
        self._own.disabled = session.viewed == "current"
        self._apply.disabled = self._race.running or self._race.stale
        self._restarts.follow(curve.snapshot, None if self._race.parts is None else self._race.parts.bounds)

    def _describe(self) -> list[str]:
        session, parts, reached = self._session, self._race.parts, self._session.reached
        if reached is None or parts is None:
            return []
        objective = reached.objective[reached.best]
        curve = self._traveller.curve
        shown = f"Shown on the page: the parameters of {session.viewed_title}."
        if session.viewed == "current":
            shown = "Shown on the page: the network's own parameters. The slider, or Newest, shows those of the run."
        lines = [
            shown,
            f"The run: objective {objective.sum():,.4f} nats at iteration {self._traveller.iteration:,} "
            f"of {self._traveller.last:,}.",
        ]
        certificate = certify_shown(self._race, session.moment)
        if certificate:
            lines.append(certificate)
        if curve is not None and self._traveller.last and len(curve.frames.list()) == 1:
            lines.append("Its earlier iterations were not kept with the page; start anew to go through them.")
        return lines

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
