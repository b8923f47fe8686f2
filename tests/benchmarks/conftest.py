"""What is looked at for tests and examples here: not the studies, which load the tools that they compare with."""

from __future__ import annotations

from tests.benchmarks.studies import STUDIES

collect_ignore = [*(f"{name}.py" for name in STUDIES), "agrum.py", "autodiff.py", "peers_markov.py", "pgm_py.py"]
