"""Choosing the learners that race."""

from __future__ import annotations

import re
from html import escape

import panel as pn
import panel_material_ui as pmui

from engine.learning.methods import METHODS, default_method
from pgmgui.components.plain_text import HtmlText
from pgmgui.components.popup import make_popup_button
from pgmgui.project.words import LEARNERS, cut
from pgmgui.state.race import reasons_against
from pgmgui.state.session import Session

GROUPS = {"Decomposed": True, "Whole network": False}
"""The methods whose components stop on their own, and those that go on until all do."""
# What does not fit on the button ends with dots; its description has it all.
_ONE_LINE = {
    "textTransform": "none",
    "display": "block",
    "overflow": "hidden",
    "textOverflow": "ellipsis",
    "whiteSpace": "nowrap",
    "textAlign": "left",
    "padding": "0 28px 0 9px !important",
    "& .MuiButton-endIcon": {"position": "absolute", "right": "8px", "top": "50%", "transform": "translateY(-50%)"},
}
_DENSE = {"& .MuiCheckbox-root": {"padding": "3px 8px"}}
# Boxes as those above, but nothing to press: a reason is read, so it is text, and the list can have the focus.
_STYLE = """
:host { color: var(--panel-on-surface-color); font: 0.875rem/1.35 var(--bokeh-base-font); }
h4 { font-size: 0.875rem; font-weight: 600; margin: 0 0 4px; } ul { list-style: none; margin: 0; padding: 0; }
li { margin: 0 0 4px; padding-left: 26px; text-indent: -24px; } li * { text-indent: 0; }
input { margin: 0 8px 0 2px; width: 14px; height: 14px; vertical-align: -2px; }
"""
MOST_SHOWN = 2


def make_learner_button(session: Session) -> pn.viewable.Viewable:
    """A button that says which learners are chosen, and opens the list of all."""
    button = make_popup_button(
        "Learners",
        "",
        lambda: LearnerChoice(session),
        (520, 400),
        sizing_mode="stretch_width",
        margin=(4, 8, 0, 0),
        end_icon="arrow_drop_up",
        sx=_ONE_LINE,
    )

    def tell(*_: object) -> None:
        able, methods = _list_able(_find_reasons(session)), session.settings.methods
        told = cut([LEARNERS[name] for name in able if name in methods], MOST_SHOWN) or "none"
        button.param.update(
            label=f"Learners: {told}",
            description=f"Learners: {told}. Choose one or several; they race from the same start",
        )

    session.param.watch(tell, ["settings", "derived"])
    tell()
    return button


class LearnerChoice(pn.viewable.Viewer):
    """All learners, to tick. Those that cannot learn the problem are listed apart, each with the reason."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._is_showing = False
        self._groups = {
            title: pmui.CheckBoxGroup(label=title, options=[], value=[], width=230, margin=(8, 12), sx=_DENSE)
            for title in GROUPS
        }
        self._others = HtmlText(stylesheets=[_STYLE], sizing_mode="stretch_width", margin=(0, 16, 8, 16))
        self._view = pn.Column(pn.Row(*self._groups.values(), margin=0), self._others, margin=4, width=500)
        for group in self._groups.values():
            group.param.watch(lambda *_: self._choose(), "value")
        session.param.watch(lambda *_: self._show(), ["settings", "derived"])
        self._show()

    def _choose(self) -> None:
        if self._is_showing:  # one group after another: what they hold meanwhile is nobody's choice
            return
        titles = [title for group in self._groups.values() for title in group.value or []]
        methods = tuple(name for name, title in LEARNERS.items() if title in titles)
        if set(methods) != set(self._session.settings.methods).difference(_find_reasons(self._session)):
            self._session.configure(methods=methods)

    def _show(self) -> None:
        reasons, methods = _find_reasons(self._session), self._session.settings.methods
        able = _list_able(reasons)
        self._is_showing = True
        for title, group in self._groups.items():
            names = [name for name in able if METHODS[name].decomposed is GROUPS[title]]
            group.param.update(
                options=[LEARNERS[name] for name in names],
                value=[LEARNERS[name] for name in names if name in methods],
            )
        self._is_showing = False
        self._others.object = list_others(reasons, methods)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def _find_reasons(session: Session) -> dict[str, str]:
    """Per learner that does not apply, why; none without a problem."""
    return {} if session.parts is None else reasons_against(session.parts)


def explain_refusals(session: Session) -> list[str]:
    """Why chosen learners do not apply, in sentences."""
    reasons = _find_reasons(session)
    return [
        f"Not {LEARNERS[name]}: it {use_titles(reasons[name])}." for name in session.settings.methods if name in reasons
    ]


def suggest_learner(session: Session) -> str:
    """The learner to offer where none of the chosen ones applies; empty where one does, or where there is none."""
    if session.parts is None:
        return ""
    task, reasons = session.parts.task, _find_reasons(session)
    if any(name not in reasons for name in session.settings.methods):
        return ""
    prior = 1.0 if task.geometry.prior is None else task.geometry.prior
    name = default_method(task.network, prior, is_moving=task.has_moving_targets)
    return "" if name in reasons else name


def use_titles(reason: str) -> str:
    """A reason whose advice names learners as the page does, not as the command line.

    >>> use_titles("has no place for a prior on the factors; use em or lbfgs")
    'has no place for a prior on the factors; use EM or L-BFGS'
    """
    why, use, advice = reason.partition("; use ")
    words = re.sub(r"[a-z][a-z-]*", lambda word: LEARNERS.get(word[0], word[0]), advice)
    return f"{why}{use}{words}"


def _list_able(reasons: dict[str, str]) -> list[str]:
    return [name for name in LEARNERS if name not in reasons]


def list_others(reasons: dict[str, str], methods: tuple[str, ...]) -> str:
    """The learners that do not apply as HTML: a box that cannot be ticked, its name, and why."""
    if not reasons:
        return ""
    items = []
    for name, reason in reasons.items():
        title = escape(LEARNERS[name])
        ticked = " checked" if name in methods else ""
        box = f'<input type="checkbox" disabled{ticked} aria-label="{title}" aria-describedby="why-{name}">'
        items.append(f'<li>{box}{title} — <span id="why-{name}">{escape(use_titles(reason))}</span></li>')
    return f'<h4 id="others">Not for this problem</h4><ul tabindex="0" aria-labelledby="others">{"".join(items)}</ul>'
