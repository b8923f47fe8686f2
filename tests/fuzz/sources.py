"""A small well-formed file of every format that is read, and of every kind of network."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from engine.formats import DATA_FORMATS, NETWORK_FORMATS, dump_dataset, dump_network, read_dataset, read_network
from engine.model.dataset import Dataset, TargetCell, make_dataset
from tests.command_line import EXAMPLES

DSC = """belief network "x"
node A { type : discrete [ 2 ] = { "a", "b" }; position : (1, 2); } node B { type : discrete [ 2 ] = { "c", "d" }; }
probability ( A ) { 0.5, 0.5; } probability ( B | A ) { (0) : 0.2, 0.8; default : 1, 0; } // end
"""
DNE = """// ~->[DNET-1]->~
bnet X { title = "t"; node A { kind = NATURE; discrete = TRUE; states = (a, b); levels = (1, 0);
 parents = (); probs = (0.5, 0.5); visual V { center = (1, 2); }; }; node C { kind = CONSTANT; };
node B { states = (c, d); numstates = 2; parents = (A); probs = ((0.25, 0.75), (1, 0)); };
};
"""
DSL = """net X { node A { TYPE = CPT; HEADER = { ID = A; NAME = "n"; }; PARENTS = ();
 SCREEN = { POSITION = { CENTER_X = 1; CENTER_Y = 2; }; }; DEFINITION = { NAMESTATES = (a, b);
 PROBABILITIES = (0.25, 0.75); }; }; node B { TYPE = CPT; HEADER = { ID = B; }; PARENTS = (A);
 DEFINITION = { NAMESTATES = (c, d); PROBABILITIES = (0.1, 0.9, 0.5, 0.5); }; }; };
"""
ERG = """/* two variables */
2
2 3
0
1 0
/* Probabilities */
2
0.25 0.75
6
0.1 0.2 0.7
0.3 0.3 0.4
"""
DEFAULT = """network x {} variable A { type discrete [ 3 ] { a, b, c }; property position = (1, 2); }
variable B { type discrete [ 2 ] { "c d", e }; } /* table */ probability ( A ) { table 0.25, 0.25, 0.5; }
probability ( B | A ) { (a) 0.2, 0.8; default 1, 0; } // end
"""
NOISY_MAX = """<smile id="x"><nodes>
<cpt id="A"><state id="y"/><state id="n"/><probabilities>0.5 0.5</probabilities></cpt>
<deterministic id="B"><state id="y"/><state id="n"/><parents>A</parents><resultingstates>n y</resultingstates>
</deterministic><noisymax id="C"><state id="y"/><state id="n"/><parents>A B</parents><strengths>0 1 1 0</strengths>
<parameters>0.3 0.7 0 1 0.4 0.6 0 1 0.1 0.9</parameters></noisymax></nodes></smile>
"""
CAS = "// ~->[CASE-1]->~\nIDnum A B NumCases\n1 a * 2\n2 b #1 1\n3 a c 1\n4 ? c 3\n"
# Read together with the example burglary, whose columns they have.
SOFT_CAS = "// ~->[CASE-1]->~\nBurglary Alarm Earthquake\n{0.25;0.75} [1;0.5] *\n#0 {0.3;0.7} {1;0}\n"
SOFT_CSV = 'Burglary,Alarm,Earthquake\n{0.25;0.75},[1;0.5],\nyes,"{0.33; 0.66}",{1;0}\n'
CAMML = "2 % variables\n3\nA B\n2 3\n0 2\n1 0 % a case\n1 1\n"
ARFF = """% a comment
@relation 'x y'
@attribute A {yes, no, 'may be'}
@attribute "B" numeric
@attribute C string
@data
yes,1,u
no,?,v
{0 'may be', 2 w}
yes,2.5,u,{3}
{0.5;0.25;0.25},1,u
'{0.2;0.2;0.6}',1,v,{2}
"""
CSV = 'Smoke;"Lung; cancer";_weight\nyes;no;2\n"no ""x""";;1\n?;yes;0.5\n# end\n'
EVIDENCE = "/* Evidence */\n3\n 2 0\n 4 1\n 6 1\n"
LINK = (
    "example=asia&hide=xray,dysp&show=tub&partial=smoke,bronc:0.2&learner=em,d-edml&start=uniform&seed=3&restarts=4"
    "&prior=2&tol=1e-6&run=1&target=asia&likelihood=either"
)

INLINE: dict[str, tuple[str, ...]] = {
    ".bif": (DEFAULT,),
    ".dsc": (DSC,),
    ".dne": (DNE,),
    ".dsl": (DSL,),
    ".erg": (ERG,),
    ".xdsl": (NOISY_MAX,),
    ".cas": (CAS, CAMML, SOFT_CAS),
    ".arff": (ARFF,),
    ".csv": (CSV, SOFT_CSV),
    ".evid": (EVIDENCE,),
    "link": (LINK,),
}
"""Files by suffix, besides what we write ourselves."""


@cache
def find_sources(kind: str) -> tuple[bytes, ...]:
    """The files of a format, by its suffix; or of sessions (``session``) or links (``link``)."""
    found = [text.encode() for text in INLINE.get(kind, ())]
    if kind in NETWORK_FORMATS and NETWORK_FORMATS[kind].dump:
        grid = read_network(EXAMPLES / "thesis-grid.json")
        found.append(dump_network(read_network(EXAMPLES / "asia.bif"), f"x{kind}"))
        found += [dump_network(grid, f"x{kind}")] if isinstance(grid.network, NETWORK_FORMATS[kind].writes) else []
    elif kind == ".oobn":
        found += find_sources(".net")
    elif kind in DATA_FORMATS and DATA_FORMATS[kind].is_writable:
        found.append(dump_dataset(read_dataset(EXAMPLES / "burglary.csv").dataset, f"x{kind}"))
        found.append(dump_dataset(_make_soft(), f"x{kind}"))
    elif kind == "session":
        found += _find_sessions()
    return tuple(found)


def _make_soft() -> Dataset:
    """Data over the variables of an example with likelihoods and targets."""
    variables = read_network(EXAMPLES / "burglary.bif").network.variables
    cells = ["yes", (0.5, 1.0), TargetCell((0.25, 0.75)), None, TargetCell((1.0, 0.0))]
    return make_dataset(variables, [[cells[(row + i) % 5] for i in range(len(variables))] for row in range(5)])


def _find_sessions() -> list[bytes]:
    """Of two examples, with marks, a prior, evidence of each kind and a case of it, and what a run reached."""
    from pgmgui.project import session_file
    from pgmgui.project.cases import make_case
    from pgmgui.project.links import parse_link
    from pgmgui.project.marks import ReadAs, Sensor, Soft
    from pgmgui.project.session_file import Saved
    from pgmgui.project.wanted import Supposed, Wanted

    found = []
    for query in ({"example": "thesis-chain", "hide": "Z"}, {"example": "burglary", "prior": "2"}):
        link = parse_link(query)
        first, second = (variable.name for variable in link.scene.document.network.variables[:2])
        marks = {first: Soft(0.7), second: Sensor(((0.9, 0.1), (0.25, 0.75))), **link.scene.marks}
        network = link.scene.document.network
        supposed = Supposed({second: (0.5, 1.0)}, Wanted({(first,): (0.3, 0.7)}, fixed=False))
        cases = {"case": make_case(supposed, network)}
        scene = replace(link.scene, marks=marks, prior={first: 2.0}, truth=network, cases=cases)
        if network.variables == _make_soft().variables:
            readings = {first: ReadAs("target"), second: ReadAs("likelihood")}
            scene = replace(scene, marks=readings, data=replace(link.scene.data, dataset=_make_soft()))
        found.append(session_file.dump(Saved(scene, link.settings, supposed)).encode())
    return found
