"""The catalogue of methods: every way to learn, by name. A new learner is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.learning.learner import Learner
from engine.learning.learners.edml import EDML
from engine.learning.learners.em import EM
from engine.learning.learners.gradient import Gradient
from engine.learning.learners.hybrid import Hybrid
from engine.model.errors import ModelError


@dataclass(frozen=True)
class Method:
    """A way to learn.

    Attributes
    ----------
    title : str
    learner : Learner
    decomposed : bool
        Whether each component stops on its own, where it can.
    conditioned : bool
        Whether inference conditions on observed variables; False is the textbook baseline.
    complete : bool
        Whether it needs complete data.
    """

    title: str
    learner: Learner
    decomposed: bool = False
    conditioned: bool = True
    complete: bool = False


METHODS: Mapping[str, Method] = {
    "em": Method("EM", EM()),
    "edml": Method("EDML", EDML()),
    "hybrid": Method("hybrid EDML/EM", Hybrid()),
    "lbfgs": Method("gradient ascent, L-BFGS", Gradient("lbfgs")),
    "cg": Method("gradient ascent, conjugate gradients", Gradient("cg")),
    "d-em": Method("decomposed EM", EM(), decomposed=True),
    "d-edml": Method("decomposed EDML", EDML(), decomposed=True),
    "d-hybrid": Method("decomposed hybrid EDML/EM", Hybrid(), decomposed=True),
    "d-lbfgs": Method("decomposed gradient ascent, L-BFGS", Gradient("lbfgs"), decomposed=True),
    "d-cg": Method("decomposed gradient ascent, conjugate gradients", Gradient("cg"), decomposed=True),
    "em-textbook": Method("EM, one inference on the whole network per distinct row", EM(), conditioned=False),
    "counting": Method("counting", EM(), decomposed=True, complete=True),
}


def find_method(name: str | Method) -> Method:
    """The method of a name."""
    if isinstance(name, Method):
        return name
    if name not in METHODS:
        raise ModelError(f"the method {name!r} is not known; use one of {', '.join(METHODS)}")
    return METHODS[name]
