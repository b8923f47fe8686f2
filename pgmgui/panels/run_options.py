"""How the next run is started: from where, with what prior, and when it ends."""

from __future__ import annotations

from typing import Any

import panel as pn
import panel_material_ui as pmui

from pgmgui.panels.popup import make_popup_button
from pgmgui.session import Session

STARTS = {"random": "random", "uniform": "nearly uniform", "current": "current parameters"}
CRITERIA = {"likelihood": "the objective", "parameters": "the parameters"}
# Its two buttons have no names; the arrow keys do the same.
_NO_SPINNER = ".MuiInputAdornment-root { display: none !important; }"
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 0.0)


class RunOptions(pn.viewable.Viewer):
    """A button that opens the options."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._controls = {
            "start": _select(
                "Start from", "Parameters that every learner starts from. Nearly uniform: uniform, a little perturbed."
            ),
            "seed": _whole("Seed", 0, None, "The same seed gives the same starts."),
            "restarts": _whole("Restarts", 1, 100, "How many starts; the best one is drawn."),
            "tol": _select(
                "Tolerance", "A component has converged when its change stays at or below this twice in a row."
            ),
            "criterion": _select(
                "Change of",
                "What the tolerance is compared with: the change of the objective, or of the most moving parameter.",
            ),
            "max_iter": _whole(
                "Iteration limit", 1, None, "Every learner ends after so many iterations at the latest."
            ),
        }
        self._prior = pmui.FloatInput(
            label="Prior",
            value=1.0,
            start=1.0,
            step=0.5,
            size="small",
            sizing_mode="stretch_width",
            margin=(6, 8),
            description="The Dirichlet exponent of variables without their own: 1 for maximum likelihood, 2 to smooth.",
            stylesheets=[_NO_SPINNER],
        )
        form = pn.GridBox(*self._controls.values(), self._prior, ncols=2, width=400, margin=8)
        self._button = make_popup_button(
            "Options", "Options: start, prior, tolerance, restarts", form, (430, 236), margin=(4, 0, 0, 0)
        )
        for name, control in self._controls.items():
            control.param.watch(lambda event, name=name: self._set(name, event.new), "value")
        self._prior.param.watch(lambda event: self._set_prior(event.new), "value")
        session.param.watch(lambda *_: self._show(), ["settings", "scene"])
        self._show()

    def _set(self, name: str, value: Any) -> None:
        if value is None:  # a field that was emptied
            self._show()
        elif value != getattr(self._session.settings, name):
            self._session.configure(**{name: value})

    def _set_prior(self, exponent: float | None) -> None:
        if exponent is not None and exponent != self._session.scene.common_prior:
            self._session.set_common_prior(float(exponent))
        self._show()

    def _show(self) -> None:
        settings = self._session.settings
        tolerances = sorted({*TOLERANCES, settings.tol}, reverse=True)
        options = {
            "start": {text: key for key, text in STARTS.items()},
            "criterion": {text: key for key, text in CRITERIA.items()},
            "tol": {f"{tol:g}" if tol else "0: to the limit": tol for tol in tolerances},
        }
        for name, control in self._controls.items():
            news = {"options": options[name]} if name in options else {}
            control.param.update(value=getattr(settings, name), **news)
        self._prior.value = self._session.scene.common_prior

    def __panel__(self) -> pn.viewable.Viewable:
        return self._button


def _select(label: str, about: str) -> pmui.Select:
    return pmui.Select(label=label, size="small", sizing_mode="stretch_width", margin=(6, 8), description=about)


def _whole(label: str, first: int, last: int | None, about: str) -> pmui.IntInput:
    return pmui.IntInput(
        label=label,
        value=first,
        start=first,
        end=last,
        size="small",
        sizing_mode="stretch_width",
        margin=(6, 8),
        description=about,
        stylesheets=[_NO_SPINNER],
    )
