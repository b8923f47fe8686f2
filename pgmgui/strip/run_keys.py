"""What keys do to the runs, wherever the focus is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pgmgui.state.playback import Playback
from pgmgui.state.race import Race
from pgmgui.state.travel import Traveller


def make_run_keys(race: Race, traveller: Traveller, playback: Playback) -> dict[str, Callable[[], None]]:
    """By key, what it does."""

    def press(action: Callable[[], None]) -> None:
        if race.can_begin or race.running:
            action()

    def run_or_pause() -> None:
        if race.running:
            race.pause_or_resume()
        else:
            race.begin()

    return {
        "r": partial(press, run_or_pause),
        "s": partial(press, race.step),
        "g": race.proceed,
        ",": partial(traveller.step, -1),
        ".": partial(traveller.step, 1),
        "p": playback.play_or_pause,
        "P": playback.end,
    }
