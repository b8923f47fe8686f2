"""The run strip: choose learners, let them race, watch them climb."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import panel as pn
import panel_material_ui as pmui

from engine.bounds import find_bounds
from engine.dataset import Dataset
from engine.learners.base import Stopping
from engine.learners.learn import METHODS, Snapshot, learn
from engine.learners.problem import make_task
from engine.network import BayesianNetwork
from pgmgui.runner import Runner
from pgmgui.scene import Parts
from pgmgui.session import Session
from pgmgui.views.components import Components
from pgmgui.views.plain_text import PlainText
from pgmgui.views.trace import Trace
from pgmgui.words import describe_certificate

_NARROW = {"minWidth": "0", "padding": "5px 9px"}
TICK = 100
"""Milliseconds between two looks at the mailboxes."""
OFFERED = {method.title: name for name, method in METHODS.items() if not method.complete and method.conditioned}
STOP_WORDS = {
    "converged": "converged",
    "iterations": "stopped at the iteration limit",
    "time": "stopped at the time limit",
    "cancelled": "stopped by you",
}


class LearnStrip(pn.viewable.Viewer):
    """Controls, the live plot, and the table of components. It stays in view whatever else is shown."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._runs: dict[str, Runner] = {}
        self._last: dict[str, Snapshot] = {}
        self._parts: Parts | None = None
        self._trace, self._table = Trace(), Components()
        self._make_controls()
        self._state = PlainText(margin=(2, 12, 0, 0))
        buttons = pn.Row(self._start, self._pause, self._step, self._stop, self._apply, margin=0, height=44)
        options = pn.Row(self._prior, self._restarts, self._seed, margin=0)
        controls = pn.Column(self._methods, options, buttons, self._state, width=340, margin=(8, 12), scroll=True)
        self._view = pn.Row(
            controls,
            self._trace,
            pn.Column(
                self._table,
                # Not a fixed width: Panel would make the whole page at least as wide as all of them together.
                max_width=430,
                sizing_mode="stretch_both",
                margin=(8, 12),
                scroll=True,
                stylesheets=["@media (max-width: 1250px) { :host { display: none !important; } }"],
            ),
            height=310,
            sizing_mode="stretch_width",
            styles={"border-top": "1px solid color-mix(in srgb, var(--panel-on-surface-color) 20%, transparent)"},
        )
        session.param.watch(lambda *_: self._reset(), "derived")
        self._reset()
        self._ticker = pn.state.add_periodic_callback(self._tick, TICK, start=False)
        if pn.state.curdoc is not None:
            pn.state.on_session_destroyed(lambda *_: self._end())

    def _make_controls(self) -> None:
        self._methods = pmui.MultiChoice(
            label="Learners",
            options=list(OFFERED),
            value=["decomposed EM"],
            width=330,
            margin=(4, 0),
            description="One or several: they race from the same start.",
        )
        self._prior = pmui.FloatInput(
            label="Prior",
            value=1.0,
            start=1.0,
            step=0.5,
            width=112,
            margin=(0, 8, 0, 0),
            description="1 is maximum likelihood, 2 Laplace smoothing.",
        )
        self._restarts = pmui.IntInput(
            label="Restarts",
            value=1,
            start=1,
            end=100,
            width=104,
            margin=(0, 8, 0, 0),
            description="How many random starts; the best one is drawn.",
        )
        self._seed = pmui.IntInput(
            label="Seed",
            value=0,
            start=0,
            width=104,
            margin=0,
            description="The same seed gives the same starts.",
        )
        self._start = self._button("Start", "learn from the data as it is marked", self._begin, "contained")
        self._pause = self._button("Pause", "wait before the next iteration, or go on", self._toggle)
        self._step = self._button("Step", "one iteration", self._advance)
        self._stop = self._button("Stop", "end with what has been reached", self._finish)
        self._apply = self._button("Apply", "give the network the best learned parameters", self._take)

    def _button(self, name: str, about: str, action: Callable[[], None], variant: str = "outlined") -> pmui.Button:
        button = pmui.Button(
            label=name,
            description=f"{name}: {about}",
            description_delay=700,
            variant=variant,
            size="small",
            margin=(4, 4, 4, 0),
            sx=_NARROW,
        )
        button.on_click(lambda *_: action())
        return button

    # --- what the buttons do

    def _begin(self, paused: bool = False) -> None:
        self._end()
        network, data = self._session.document.network, self._session.seen
        chosen = [OFFERED[title] for title in self._methods.value or []]
        if self._session.parts is None or data is None or not isinstance(network, BayesianNetwork) or not chosen:
            return
        prior = float(self._prior.value or 1.0)
        task = make_task(network, data, prior)
        self._parts, self._last = Parts(task, find_bounds(task)), {}
        self._trace.begin([METHODS[name].title for name in chosen], self._parts.bounds)
        for name in chosen:
            self._runs[name] = Runner(self._starter(name, network, data, prior))
        for run in self._runs.values():
            run.begin(paused)
        self._ticker.start()
        self._show_state()

    def _starter(
        self, name: str, network: BayesianNetwork, data: Dataset, prior: float
    ) -> Callable[[Callable[[], bool]], Iterator[Snapshot]]:
        seed, restarts = int(self._seed.value or 0), int(self._restarts.value or 1)
        stopping = Stopping(tol=1e-4, criterion="likelihood")
        return lambda cancelled: learn(
            network,
            data,
            name,
            random_state=seed,
            n_init=restarts,
            prior=prior,
            stopping=stopping,
            cancelled=cancelled,
        )

    def _toggle(self) -> None:
        paused = any(run.is_paused for run in self._runs.values())
        for run in self._runs.values():
            run.resume() if paused else run.pause()
        self._show_state()

    def _advance(self) -> None:
        if not self._runs:
            self._begin(paused=True)
        for run in self._runs.values():
            run.pause()
            run.step()
        self._show_state()

    def _finish(self) -> None:
        for run in self._runs.values():
            run.stop()

    def _take(self) -> None:
        best = self._best()
        if best is not None:
            self._session.apply(best)

    def _end(self) -> None:
        """Stop the runs and forget them."""
        for run in self._runs.values():
            run.stop()
        self._runs = {}

    # --- what is shown

    def _tick(self) -> None:
        """Look at the mailboxes; draw what is new, once."""
        changed = False
        for name, run in list(self._runs.items()):
            mail = run.collect()
            if mail.points and self._parts is not None:
                self._trace.add(METHODS[name].title, mail.points, self._parts.bounds)
            if mail.snapshot is not None:
                self._last[name] = mail.snapshot
                changed = True
            if mail.error:
                self._session.message = mail.error
            if mail.done:
                del self._runs[name]
                changed = True
        if changed:
            self._table.fill(self._parts, self._best())
            self._show_state()
        if not self._runs:
            self._ticker.stop()

    def _best(self) -> Snapshot | None:
        return max(self._last.values(), key=lambda s: s.objective.sum(axis=1).max(), default=None)

    def _reset(self) -> None:
        """The problem has changed: what ran before no longer speaks of it."""
        self._end()
        self._last = {}
        parts = self._parts = self._session.parts
        self._table.fill(parts)
        self._trace.begin([], None if parts is None else parts.bounds)
        self._show_state()

    def _show_state(self) -> None:
        ready = self._session.parts is not None
        running = bool(self._runs)
        self._start.disabled = not ready or running
        self._step.disabled = not ready
        self._pause.disabled = self._stop.disabled = not running
        self._pause.label = "Go on" if running and all(r.is_paused for r in self._runs.values()) else "Pause"
        best = self._best()
        self._apply.disabled = running or best is None
        self._state.write(*self._describe(best, ready))

    def _describe(self, best: Snapshot | None, ready: bool) -> list[str]:
        if not ready:
            return ["Learning needs a Bayesian network with data."]
        if best is None or self._parts is None:
            return ["Ready: press Start and watch the objective climb to its bound."]
        lines = []
        for name, snapshot in self._last.items():
            ended = "running" if name in self._runs else STOP_WORDS.get(snapshot.stop, "ended")
            objective = snapshot.objective.sum(axis=1).max()
            lines.append(f"{METHODS[name].title}: {objective:,.4f} after {snapshot.iteration:,} iterations, {ended}.")
        reached = best.objective[best.best, :-1].tolist()
        rows = self._parts.task.decomposition.dataset.total_weight
        return [describe_certificate(reached, self._parts.bounds.patterns[:-1].tolist(), rows), *lines]

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
