"""Equations as MathML, which browsers draw by themselves: no script and no font has to be fetched."""

from __future__ import annotations

from functools import cache
from html import unescape
from xml.etree.ElementTree import tostring

from latex2mathml.converter import convert_to_element


@cache
def to_mathml(latex: str) -> str:
    """The equation as a ``math`` element; whatever its texts hold, they stay texts.

    >>> to_mathml(r"\\theta_x")
    '<math display="block"><mrow><msub><mi>θ</mi><mi>x</mi></msub></mrow></math>'
    """
    element = convert_to_element(latex, display="block")
    del element.attrib["xmlns"]  # HTML knows what math is
    for part in element.iter():
        # The converter writes characters as references, and would not escape those that stand in the text.
        part.text = unescape(part.text or "")
        if "\\" in part.text:
            raise ValueError(f"{part.text} is not understood")
    return tostring(element, encoding="unicode", short_empty_elements=False)
