"""What a figure says of the mark under the pointer."""

from __future__ import annotations

from bokeh.models import HoverTool


def make_hover(*lines: tuple[str, str]) -> HoverTool:
    """A tool that shows lines, each a name and what Bokeh writes beside it.

    They follow the pointer. To hang them on the mark, Bokeh asks every view of the figure where the mark is, also
    one that is still being built or was forgotten half built; those do not know, and that is an error on the page.
    """
    return HoverTool(tooltips=list(lines), point_policy="follow_mouse")
