"""How the next run is started: from where, with what prior, and when it ends."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

import panel as pn

from engine.learning.methods import METHODS
from engine.learning.targets.splitting import has_targets
from engine.model.errors import PgmError
from engine.model.network import MarkovNetwork
from engine.model.table_prior import LogisticNormal, list_table_priors, make_table_prior
from pgmgui.components.fields import make_field, make_select
from pgmgui.components.popup import make_popup_button
from pgmgui.components.switch import make_switch
from pgmgui.project.factor_prior import kind_of, make_factor_prior, width_of
from pgmgui.project.numbers import Number, show_number
from pgmgui.project.settings import RANGES
from pgmgui.state.session import Session

STARTS = {"random": "random", "nearly uniform": "uniform", "current parameters": "current"}
FACTOR_PRIORS = {"none": "", "Gaussian (L2)": "l2", "Laplace (L1)": "l1"}
FACTOR_PRIOR = "On the logarithms of the factors: Gaussian keeps all of them near 0, Laplace makes many exactly 0."
TABLE_PRIOR = (
    "On every row of the tables. Dirichlet adds its exponent − 1 to counts; a logistic-normal prior, or one of an "
    "installed package, has no formula: numerical EM learns with it."
)
TARGETS = {"fixed": True, "non-fixed": False}
TARGET = (
    "What the posterior of a cell shall be. Fixed: it is that whatever else the row says. Non-fixed: it is that before "
    "the row is known, and the rest of the row changes it; EM only, and it need not get better at every step."
)
CRITERIA = {"objective": "likelihood", "parameters": "parameters"}


NUMBERS = {
    "seed": Number("Seed", "The same seed gives the same starts.", *RANGES["seed"]),
    "restarts": Number(
        "Restarts",
        "How many starts; the best one is drawn. Automatic makes 8 in any case: it chooses among them.",
        *RANGES["restarts"],
    ),
    "tol": Number(
        "Tolerance",
        "What has changed by no more than this twice in a row has converged. 0: go on to the limit. "
        "The command `learn` has a stricter default, on parameters; Copy as command takes this one along.",
        *RANGES["tol"],
        whole=False,
    ),
    "max_iter": Number("Iteration limit", "No learner makes more iterations than this.", 1, RANGES["max_iter"][1]),
    "hold_out": Number(
        "Hold out (%)",
        "So many of the rows are not learned from, but tested on: see Runs, and the plot per row. 0: none.",
        highest=100 * RANGES["hold_out"][1],
        whole=False,
    ),
    "hold_out_seed": Number("Hold-out seed", "The same seed holds out the same rows.", *RANGES["hold_out_seed"]),
    "prior": Number(
        "Prior's exponent",
        "The Dirichlet exponent of variables without their own: 1 for maximum likelihood, 2 to smooth.",
        *RANGES["prior"],
        whole=False,
    ),
    "width": Number(
        "Prior's width",
        "σ of a Gaussian or logistic-normal prior, b of a Laplace prior: the smaller, the nearer to 1 factors stay, "
        "and to uniform the tables.",
        *RANGES["width"],
        whole=False,
    ),
}


def make_options_button(session: Session) -> pn.viewable.Viewable:
    """A button that opens the options."""
    about = "Options: start, prior, tolerance, restarts, rows to hold out, targets"
    return make_popup_button("Options", about, lambda: RunOptions(session), (440, 384), margin=(4, 0, 0, 0))


class RunOptions(pn.viewable.Viewer):
    """The options."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._choices: dict[str, tuple[Any, dict[str, Any]]] = {
            "start": (make_switch("Start from", list(STARTS), "Where every learner starts."), STARTS),
            "criterion": (make_switch("Change of", list(CRITERIA), "What the tolerance is compared with."), CRITERIA),
            "kind": (make_switch("Prior", list(FACTOR_PRIORS), FACTOR_PRIOR), FACTOR_PRIORS),
            "fixed": (make_switch("Targets in the data", list(TARGETS), TARGET), TARGETS),
        }
        self._fields = {
            name: make_field(number.label, number.about, partial(self._type, name), 192)
            for name, number in NUMBERS.items()
        }
        for name, (choice, meanings) in self._choices.items():
            choice.param.watch(
                lambda event, name=name, meanings=meanings: self._set(name, meanings[event.new]), "value"
            )
        (start, _), (criterion, _), (kind, _), (fixed, _) = self._choices.values()
        self._table = make_select("Prior", TABLE_PRIOR, _list_kinds(), lambda name: self._set("table", name))
        self._table.param.update(sizing_mode="fixed", width=192)
        # An exponent or a width: one of the two is shown.
        *fields, prior, width = self._fields.values()
        numbers, one_of_two = pn.GridBox(*fields, ncols=2), pn.Row(self._table, prior, width, margin=0)
        kind.margin = fixed.margin = (8, 12, 0, 0)
        self._view = pn.Column(start, numbers, kind, one_of_two, criterion, fixed, margin=12)
        session.param.watch(lambda *_: self._show(), ["settings", "scene", "derived"])
        self._show()

    def _type(self, name: str, text: str) -> None:
        try:
            value = NUMBERS[name].parse(text)
        except PgmError as error:
            self._session.say(f"{NUMBERS[name].label}: {error}.")
        else:
            self._set(name, value)
        self._show()

    def _set(self, name: str, value: Any) -> None:
        if value == self._values[name]:
            return
        if name == "prior":
            self._session.set_common_prior(value)
        elif name in ("hold_out", "hold_out_seed"):
            values = {**self._values, name: value}
            self._session.hold_out(values["hold_out"] / 100, values["hold_out_seed"])
        elif name == "fixed":
            self._session.fix_data_targets(value)
        elif name in ("kind", "width"):
            values = {**self._values, name: value}
            self._set_other(values)
        elif name == "table":
            self._set_table_prior(value, 1.0)
        else:
            self._session.configure(**{name: value})

    def _set_other(self, values: dict[str, Any]) -> None:
        """Set a prior that has a width: of the kind of network that there is."""
        if isinstance(self._session.network, MarkovNetwork):
            self._session.set_factor_prior(make_factor_prior(values["kind"], values["width"]))
        else:
            self._set_table_prior(values["table"], values["width"])

    def _set_table_prior(self, name: str, width: float) -> None:
        try:
            self._session.set_table_prior(make_table_prior(name, width) if name else None)
        except PgmError as error:
            self._session.refuse(error)
        self._show()

    @property
    def _values(self) -> dict[str, Any]:
        scene = self._session.scene
        priors = {"kind": kind_of(scene.factor_prior), "width": width_of(scene.factor_prior), "table": ""}
        if scene.table_prior is not None and not isinstance(self._session.network, MarkovNetwork):
            priors |= {"table": scene.table_prior.name, "width": scene.table_prior.width}
        share, seed = (0.0, 0) if scene.hold_out is None else (scene.hold_out.share, scene.hold_out.seed)
        held_out = {"hold_out": round(100 * share, 9), "hold_out_seed": seed}
        shared = {"prior": scene.common_prior, "fixed": scene.fixed_targets}
        return {**vars(self._session.settings), **shared, **priors, **held_out}

    def _show(self) -> None:
        values = self._values
        for name, (choice, meanings) in self._choices.items():
            choice.value = next(word for word, meaning in meanings.items() if meaning == values[name])
        for name, field in self._fields.items():
            field.value = f"{values[name]}" if NUMBERS[name].whole else show_number(values[name])
        is_markov = isinstance(self._session.network, MarkovNetwork)
        self._fields["restarts"].label = label_restarts(values["methods"])
        self._fields["hold_out_seed"].disabled = not values["hold_out"]
        self._table.param.update(visible=not is_markov, value=values["table"])
        self._fields["prior"].visible = not is_markov and not values["table"]
        self._choices["kind"][0].visible = is_markov
        self._choices["fixed"][0].disabled = self._session.seen is None or not has_targets(self._session.seen)
        has_width = is_markov or bool(values["table"])
        self._fields["width"].param.update(visible=has_width, disabled=is_markov and not values["kind"])

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def label_restarts(methods: Collection[str]) -> str:
    """What the field of restarts is called; with a learner that makes some in any case, how many these are.

    >>> label_restarts(["em"]), label_restarts(["em", "auto"])
    ('Restarts', 'Restarts (automatic: 8+)')
    """
    own = [METHODS[method] for method in methods if METHODS[method].restarts > 1]
    return "Restarts" + "".join(f" ({method.title}: {method.restarts}+)" for method in own)


def _list_kinds() -> dict[str, str]:
    """The priors on tables that there are, by what they are called: ours, and those of installed packages."""
    ours = {"": "Dirichlet", LogisticNormal.name: "logistic-normal"}
    return {ours.get(name, name): name for name in ("", *list_table_priors())}
