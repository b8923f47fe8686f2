"""Equations as MathML: every learner's can be drawn, and nothing is lost on the way."""

from xml.etree import ElementTree

import pytest

from engine.learning.learners.auto.learner import Auto
from engine.learning.learners.edml import EDML
from engine.learning.learners.em import EM
from engine.learning.learners.gradient import Gradient
from engine.learning.learners.hybrid import Hybrid
from engine.learning.learners.numerical_em import NumericalEM
from engine.learning.methods import METHODS
from engine.model.network import BayesianNetwork, MarkovNetwork
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
    assert read(r"\max\limits_\theta x") == ("mrow", ("munder", "max", "θ"), "x")
    assert read(r"\prod_i^n x′") == ("mrow", ("munderover", "∏", "i", "n"), "x", "′")
    assert read(r"\{\mathrm{EM}\}") == ("mrow", "{", ("mrow", "E", "M"), "}")
    assert read("a < b - c") == ("mrow", "a", "<", "b", "−", "c")


@pytest.mark.parametrize(("method", "kind"), [(name, kind) for name, m in METHODS.items() for kind in m.kinds])
def test_every_learner_has_equations_that_can_be_drawn(method, kind):
    """Those of its kind of network: tables have parents u, factors a scope f."""
    page = ElementTree.fromstring(f"<div>{to_html(explain_learner(method, kind))}</div>")
    equations = ["".join(equation.itertext()) for equation in page.findall("math")]
    assert any("θ" in equation for equation in equations)
    assert "\\" not in "".join(page.itertext())
    assert ("log Z couples them" in "".join(page.itertext())) == (METHODS[method].decomposed and kind is MarkovNetwork)
    if not isinstance(METHODS[method].learner, (Auto, Hybrid)):
        assert ("|u" in "".join(equations)) == (kind is BayesianNetwork)
        assert ("xf" in "".join(equations)) == (kind is MarkovNetwork)


@pytest.mark.parametrize(
    ("learner", "lines"),
    [
        (EM, ["θx|u←ψx|u−1+∑iPr(xu∣di)∑x(ψx|u−1)+∑iPr(u∣di)"]),
        (NumericalEM, ["θ·|u←argmaxθ∑xnxulogθx|u+logp(θ·|u),", "nxu=∑iPr(xu∣di)"]),
        (EDML, ["λx|ui=Pr(xu∣di)θx|u−Pr(u∣di)+1,", "θ·|u←argmaxθ∏xθxψx|u−1∏i∑xλx|uiθx"]),
        (Hybrid, ["θ←argmaxθ′∈{EM(θ),EDML(θ)}ℓ(θ′)+logρ(θ′)"]),
        (Gradient, ["θx|u=eηx|u∑x′eηx′|u,", "∂ℓ∂ηx|u=∑iPr(xu∣di)−θx|u∑iPr(u∣di)"]),
    ],
)
def test_nothing_is_lost_on_the_way(learner, lines):
    lines_of = learner.words[BayesianNetwork].equations.split(r"\qquad")
    drawn = [ElementTree.fromstring(to_mathml(line)) for line in lines_of]
    assert ["".join(equation.itertext()) for equation in drawn] == lines


def test_an_unknown_command_is_refused():
    with pytest.raises(ValueError, match=r"\\unknown is not understood"):
        to_mathml(r"\unknown_x")


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "&lt;script&gt;", "<img src=x onerror=y>", 'a"b&c'])
def test_text_stays_text(text):
    latex = rf"\text{{{text}}}"
    (equation,) = ElementTree.fromstring(f"<div>{to_mathml(latex)}</div>")
    assert {element.tag for element in equation.iter()} == {"math", "mrow", "mtext"}
