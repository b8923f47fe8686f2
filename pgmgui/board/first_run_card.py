"""The guided first run on its card above the canvas: on the first visit, or when asked for."""

from __future__ import annotations

from pgmgui.components.step_card.step_card import StepCard
from pgmgui.state.first_run import START, FirstRun
from pgmgui.state.race import Race
from pgmgui.state.session import Session

STEPS = (
    "Look at the picture: each node is a variable, and each coloured area a component, with rows of its own. "
    "Click a variable.",
    "Press Start, below. The curve is the objective; it climbs to a bound that no parameters can pass.",
    "Read the sentence below the buttons: how far the result can be from the best possible, or that nothing is better.",
    "Hide a variable: click it and press h. See components melt together; press h again, and they fall apart.",
    "Change a mark, learn, compare: that is the way around. The Guide tab has worked scenes from the papers.",
)
"""What to do, and last what to say when all is done."""


RUNNING = "The run is going on. The curve is the objective; it climbs to a bound that no parameters can pass."
NO_LEARNER = (
    "Start, below, is off: no learner is chosen that fits. Choose one on the button above it; then press Start."
)
NO_DATA = "Start, below, is off: {why} Choose an example in the Open tab, or data in the Data tab; then press Start."
"""What to do instead while Start is off."""


def list_steps(session: Session, race: Race) -> list[str]:
    """What the steps say, as things stand: nobody is to press a button that is off."""
    start = STEPS[START]
    if race.running:
        start = RUNNING
    elif session.parts is None:
        start = NO_DATA.format(why=session.derived.obstacle or "learning needs a network with data.")
    elif not race.can_begin:
        start = NO_LEARNER
    return [*STEPS[:START], start, *STEPS[START + 1 :]]


def make_first_run_card(first_run: FirstRun, session: Session, race: Race) -> StepCard:
    """The card that shows the step that the user is at."""
    card = StepCard(
        label="First run",
        steps=list_steps(session, race),
        step=first_run.step,
        on_go=first_run.go,
        sizing_mode="stretch_width",
        margin=0,
    )

    def tell(*_: object) -> None:
        steps = list_steps(session, race)
        if steps != card.steps:
            card.steps = steps

    session.param.watch(tell, ["derived", "settings"])
    race.param.watch(tell, "running")
    first_run.param.watch(lambda event: card.param.update(step=event.new), "step")
    first_run.param.watch(lambda *_: card.open(), "opened")
    return card
