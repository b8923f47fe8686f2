"""What a page is about: all of its state, to be handed to the views."""

from __future__ import annotations

from dataclasses import dataclass

from pgmgui.state.answers import Answers
from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.first_run import FirstRun
from pgmgui.state.keeper import Keeper
from pgmgui.state.playback import Playback
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.slacks import Slacks
from pgmgui.state.standings import Standings
from pgmgui.state.structuring import Structuring
from pgmgui.state.tightening import Tightening
from pgmgui.state.travel import Traveller


@dataclass(frozen=True, eq=False)
class Desk:
    """The state of one browser tab."""

    session: Session
    race: Race
    traveller: Traveller
    playback: Playback
    answers: Answers
    slacks: Slacks
    first_run: FirstRun
    keeper: Keeper
    tightening: Tightening
    standings: Standings
    structuring: Structuring
    arrow_facts: ArrowFacts
