"""The arrows of the canvas, coloured by what is known of them."""

from __future__ import annotations

from pgmgui.board.arrow_picture import draw_arrows
from pgmgui.components.canvas.canvas import Canvas
from pgmgui.components.canvas.graph import Arrows
from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.session import Session


def paint(session: Session, arrow_facts: ArrowFacts) -> Arrows | None:
    """How the arrows look as a session has them coloured; None where the facts are of other variables."""
    facts, colouring = arrow_facts.facts, session.arrow_colour
    if facts is not None and facts.names != tuple(session.network.index):
        return None
    return draw_arrows(facts, arrow_facts.trouble, arrow_facts.resampling.confidence, colouring)


def with_arrows(canvas: Canvas, session: Session, arrow_facts: ArrowFacts) -> Canvas:
    """The canvas, with its arrows coloured from now on."""

    def update(*_events: object) -> None:
        arrows = paint(session, arrow_facts)
        if arrows != canvas.arrows:
            canvas.arrows = arrows

    session.param.watch(update, ["scene", "arrow_colour"])
    arrow_facts.param.watch(update, ["facts", "trouble"])
    arrow_facts.resampling.param.watch(update, "confidence")
    update()
    return canvas
