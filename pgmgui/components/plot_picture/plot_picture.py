"""The plot as a picture in a file: made in the browser, of what is on the screen."""

from __future__ import annotations

from pathlib import Path

import param
from panel.custom import JSComponent

_FOLDER = Path(__file__).parent


class PlotPicture(JSComponent):
    """Two buttons, SVG and PNG, that give the user a picture of a Bokeh figure."""

    figure = param.String(doc="The name of the figure's model.")
    file = param.String(doc="The name of the file, without suffix.")

    # Inlined: as files they would be fetched with a second request, and resolve differently in a wheel.
    _esm = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in ("../saving.js", "plot_picture.js"))
    _stylesheets = [(_FOLDER.parent / "choices" / "choices.css").read_text(encoding="utf-8")]  # noqa: RUF012 (as Panel declares it)
