"""How fast the engine is: studies that print ratios measured in one run (``make bench``).

Times differ from machine to machine and from hour to hour, so nothing here asserts one.
"""

import os

# Threads cost more than they give on arrays of this size; numpy reads these when it is first imported.
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
