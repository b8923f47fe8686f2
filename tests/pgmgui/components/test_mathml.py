"""Equations as MathML: every learner's can be drawn, and nothing is lost on the way."""

from xml.etree import ElementTree

import pytest

from engine.learning.learn import METHODS
from pgmgui.board.learner_equations import explain_learner
from pgmgui.components.equations import to_html
from pgmgui.components.mathml import to_mathml


def shape(element):
    """A MathML tree as nested tuples; rows of one are left out."""
    inside = [shape(child) for child in element]
    if element.tag == "mrow" and len(inside) == 1:
        return inside[0]
    return (element.tag, *inside) if inside else element.text


def read(latex):
    (row,) = ElementTree.fromstring(to_mathml(latex))
    return shape(row)


def test_scripts_fractions_and_sums_stand_where_they_belong():
    assert read("x_i^2") == ("msubsup", "x", "i", "2")
    assert read("x^2_i") == ("msubsup", "x", "i", "2")
    assert read(r"\frac{a}{b + 1}") == ("mfrac", "a", ("mrow", "b", "+", "1"))
    assert read(r"\sum_i \theta_{x|u}") == ("mrow", ("munder", "∑", "i"), ("msub", "θ", ("mrow", "x", "|", "u")))
    assert read(r"\arg\max_\theta x") == ("mrow", "arg", ("munder", "max", "θ"), "x")
    assert read(r"\prod_i^n x'") == ("mrow", ("munderover", "∏", "i", "n"), "x", "′")
    assert read(r"\{\mathrm{EM}\}") == ("mrow", "{", "EM", "}")
    assert read("a < b - c") == ("mrow", "a", "<", "b", "−", "c")


@pytest.mark.parametrize("method", METHODS)
def test_every_learner_has_equations_that_can_be_drawn(method):
    page = ElementTree.fromstring(f"<div>{to_html(explain_learner(method))}</div>")
    equations = page.findall("math")
    assert equations
    assert all("θ" in "".join(equation.itertext()) for equation in equations)
    assert "\\" not in "".join(page.itertext())


def test_em_is_the_ratio_of_counts():
    text = "".join(ElementTree.fromstring(to_mathml(METHODS["em"].learner.equations)).itertext())
    assert text == "θx|u←ψx|u−1+∑iPr(xu∣di)∑x(ψx|u−1)+∑iPr(u∣di)"


@pytest.mark.parametrize("latex", [r"\unknown", r"\frac{a}", "{a"])
def test_what_is_not_understood_is_refused(latex):
    with pytest.raises(ValueError, match=r"not understood|too early"):
        to_mathml(latex)
