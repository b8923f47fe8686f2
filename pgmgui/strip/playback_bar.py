"""Buttons that play a run again."""

from __future__ import annotations

import panel as pn

from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.state.playback import SPEEDS, WHOLE, Playback

_NAMES = {0.5: "½×", **{speed: f"{speed:g}×" for speed in SPEEDS if speed >= 1}}
PLAY = "show the run again, slowly, from where the red line is or from its start (key p)"
HOLD = "wait here (key p)"
END = "the end of the run at once (Shift + p)"


class PlaybackBar(pn.viewable.Viewer):
    """Play or hold, how fast, and to the end."""

    def __init__(self, playback: Playback) -> None:
        actions = {"play": playback.play_or_pause, "speed": playback.change_speed, "end": playback.end}
        super().__init__()
        self._playback = playback
        self._buttons = Choices(label="Playback", on_press=lambda key: actions[key](), margin=0)
        self.follow()

    def follow(self) -> None:
        """Enable what can be done."""
        playback = self._playback
        name, about = ("Hold ‖", HOLD) if playback.playing else ("Play ▶", PLAY)
        speed = _NAMES[playback.speed]
        pace = f"{speed}: a run takes at most {WHOLE / playback.speed:g} s. Press for another speed"
        buttons = (
            Choice("play", name, f"{name}: {about}", None, not (playback.playing or playback.can_play), "plain"),
            Choice("speed", speed, f"Speed {pace}", look="plain"),
            Choice("end", "End", f"End: {END}", None, playback.share is None, "plain"),
        )
        groups = [Group("", buttons)]
        if groups != self._buttons.groups:
            self._buttons.groups = groups

    def __panel__(self) -> pn.viewable.Viewable:
        return self._buttons
