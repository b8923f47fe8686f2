"""Large type for lectures, and the keys of the whole page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import panel as pn

from pgmgui.components.fields import make_button
from pgmgui.components.page_keys.page_keys import PageKeys
from pgmgui.state.session import Session

ABOUT = "large type for a lecture, or the usual one again (key t)"
_ON_THE_BAR = {"color": "#ffffff", "borderColor": "rgba(255, 255, 255, 0.6)", "minWidth": "0", "padding": "2px 8px"}


def make_type_controls(session: Session, keys: Mapping[str, Callable[[], None]]) -> list[pn.viewable.Viewable]:
    """A button for the bar at the top, and the component that listens to keys."""

    def toggle(_event: object = None) -> None:
        session.enlarge(not session.lecture)

    button = make_button("Aa", ABOUT, toggle, margin=(6, 4), sx=_ON_THE_BAR)
    listener = PageKeys(actions={**keys, "t": toggle}, width=0, height=0, margin=0)

    def follow(*_: object) -> None:
        listener.large = session.lecture
        name = "Aa ✓" if session.lecture else "Aa"
        button.param.update(label=name, description=f"{name}: {ABOUT}")

    session.param.watch(follow, "lecture")
    follow()
    return [button, listener]
