"""The plot as a picture in a file: made in the browser, of what is on the screen."""

from __future__ import annotations

import param

from pgmgui.components.base import Component


class PlotPicture(Component):
    """Two buttons, SVG and PNG, that give the user a picture of a Bokeh figure; and one that lets all around it, the
    figure among it, fill the window."""

    figure = param.String(doc="The name of the figure's model.")
    file = param.String(doc="The name of the file, without suffix.")

    _scripts = ("../saving.js", "../filling.js", "plot_picture.js")
    _styles = ("../choices/choices.css",)
