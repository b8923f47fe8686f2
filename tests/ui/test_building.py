"""What the server changes while the browser still builds what it was sent before."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.plotting import figure
from playwright.sync_api import Page, expect

from tests.ui.stage import Stage

# The view of what is slow is only there when it is released: as where a module has still to be loaded.
HOLD = """() => {
  const view = Bokeh.Models.get("panel.models.markup.HTML").prototype.default_view.prototype
  const {lazy_initialize} = view
  window.held = []
  window.holding = true
  window.forget = () => { view.lazy_initialize = lazy_initialize }
  view.lazy_initialize = async function () {
    await lazy_initialize.call(this)
    if (holding && this.model.text.includes("slow")) await new Promise(release => held.push(release))
  }
}"""
MODELS = "Bokeh.documents.flatMap(document => [...document._all_models.values()])"
BOX = f"Bokeh.index.find_one({MODELS}.find(model => model.name === 'box'))"
BUILT = "() => Bokeh.index.roots.every(view => view.has_finished())"


class Builder:
    """The stage, on which what is slow is built when the test says so."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self.page = stage, stage.page
        self.page.evaluate(HOLD)

    def put(self, *parts: pn.viewable.Viewable) -> Builder:
        """Send something to the browser, and wait until it has begun to build what is slow of it."""
        self._stage.begin(lambda: ([], list(parts)))
        return self.wait_for_slow()

    def wait_for_slow(self) -> Builder:
        """Wait until the browser has begun to build something slow."""
        self.page.wait_for_function("held.length > 0")
        return self

    def do(self, act: Callable[[], object]) -> Builder:
        """Change something on the server."""
        self._stage.do(act)
        return self

    def wait_for(self, condition: str) -> Builder:
        """Wait until something is so of a model that the browser has."""
        self.page.wait_for_function(f"() => {MODELS}.some(model => {condition})")
        return self

    def release(self) -> Page:
        """Have what is slow built, all of it."""
        self.page.evaluate("() => { holding = false; held.splice(0).forEach(release => release()) }")
        self.page.wait_for_function(BUILT)
        return self.page


@pytest.fixture
def builder(stage) -> Iterator[Builder]:
    builder = Builder(stage)
    yield builder
    builder.release().evaluate("forget()")


def slow() -> pn.pane.HTML:
    return pn.pane.HTML("slow")


def test_what_is_put_into_a_box_that_is_being_built_is_shown(builder):
    box = pn.Column(sizing_mode="stretch_width")
    builder.put(box, slow()).do(lambda: box.append(pn.pane.HTML("late")))
    page = builder.wait_for("model.text?.includes('late')").release()
    expect(page.get_by_text("late")).to_be_visible()


def test_what_is_taken_out_of_a_box_that_is_being_built_is_let_go(builder):
    box = pn.Column(slow(), name="box", sizing_mode="stretch_width")
    builder.put(box, slow()).do(box.clear)
    page = builder.wait_for("model.name === 'box' && model.children.length === 0").release()
    expect(page.get_by_text("slow")).to_have_count(1)
    assert page.evaluate(f"() => {BOX}._child_views.size") == 0


def test_a_box_that_is_taken_away_while_something_is_put_into_it_is_let_go(builder):
    box = pn.Column(name="box", height=100)
    around = pn.Column(box, name="around")
    builder.put(around, slow()).release()
    builder.page.evaluate(f"() => {{ holding = true; window.box = {BOX} }}")
    builder.do(lambda: box.append(slow())).wait_for_slow().do(around.clear)
    page = builder.wait_for("model.name === 'around' && model.children.length === 0").release()
    assert page.evaluate("() => [box.is_destroyed, box._child_views.size]") == [True, 0]


def test_a_line_that_comes_while_its_figure_is_built_is_drawn(builder):
    plot = figure(height=200)
    plot.line([0, 1], [0, 1], name="first")
    builder.put(pn.pane.Bokeh(plot), slow()).do(lambda: plot.line([0, 1], [1, 0], name="late"))
    page = builder.wait_for("model.name === 'late'").release()
    page.wait_for_function(f"() => {MODELS}.some(model => model.name === 'late' && Bokeh.index.find_one(model))")


def test_what_changes_while_a_widget_is_first_drawn_is_seen(stage):
    """It listens when it has been drawn; this comes just before."""
    stage.page.evaluate("""() => {
      const widget = Bokeh.Models.get("panel.models.esm.ReactComponent").prototype, {watch} = widget
      widget.watch = function (view, name, ...rest) {
        if (name === "label" && this.data.label === "early") this.data.label = "late"
        watch.call(this, view, name, ...rest)
      }
    }""")
    page = stage.show(lambda: ([], [pmui.Button(label="early")]))
    expect(page.get_by_role("button", name="late")).to_be_visible()


def test_a_plot_is_drawn_without_asking_for_styles(stage):
    """The browser would make all styles of the page anew to answer: a fifth of its work."""
    stage.page.evaluate("""() => {
      const {getPropertyValue} = CSSStyleDeclaration.prototype
      window.asked = []
      CSSStyleDeclaration.prototype.getPropertyValue = function (name) {
        if (name.startsWith("--bk-")) asked.push(name)
        return getPropertyValue.call(this, name)
      }
      window.forget = () => { CSSStyleDeclaration.prototype.getPropertyValue = getPropertyValue }
    }""")
    plot = figure(height=200)
    plot.line([0, 1], [0, 1], name="drawn")
    page = stage.show(lambda: ([], [pn.pane.Bokeh(plot)]))
    page.wait_for_function(f"() => Bokeh.index.find_one({MODELS}.find(model => model.name === 'drawn'))")
    page.wait_for_function(BUILT)
    assert page.evaluate("() => { forget(); return asked }") == []
