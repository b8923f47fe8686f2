"""The guided first run on its card above the canvas: on the first visit, or when asked for."""

from __future__ import annotations

from pgmgui.components.step_card.step_card import StepCard
from pgmgui.state.first_run import FirstRun

STEPS = (
    "Look at the picture: each node is a variable, and each coloured area a component, with rows of its own. "
    "Click a variable.",
    "Press Start, below. The curve is the objective; it climbs to a bound that no parameters can pass.",
    "Read the sentence below the buttons: how far the result can be from the best possible, or that nothing is better.",
    "Hide a variable: click it and press h. See components melt together; press h again, and they fall apart.",
    "Change a mark, learn, compare: that is the way around. The Guide tab has worked scenes from the papers.",
)
"""What to do, and last what to say when all is done."""


def make_first_run_card(first_run: FirstRun) -> StepCard:
    """The card that shows the step that the user is at."""
    card = StepCard(
        label="First run",
        steps=list(STEPS),
        step=first_run.step,
        on_go=first_run.go,
        sizing_mode="stretch_width",
        margin=0,
    )
    first_run.param.watch(lambda event: card.param.update(step=event.new), "step")
    first_run.param.watch(lambda *_: card.open(), "opened")
    return card
