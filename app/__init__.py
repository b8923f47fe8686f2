"""Entry points: the command line and the page.

NumPy reads these variables once, when it is first imported, and every entry point passes through
this file before that. One thread is up to 20 times faster on the small arrays of our models.
"""

import os

for _library in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
