"""``python -m tests.fuzz --minutes 10``: damaged files of every format, new ones each time, for so long."""

from __future__ import annotations

import argparse
import sys
import time

from tests.fuzz.campaign import Outcome, try_some
from tests.fuzz.targets import list_targets
from tests.fuzz.trial import try_one

ROUND = 500
"""Files of a format that are tried in one process."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, help="of the first round; by default, from the clock")
    parser.add_argument("--only", nargs="+", choices=list(list_targets()), help="formats to try", default=None)
    parser.add_argument("--number", type=int, help="try this file alone, of --seed and --only")
    options = parser.parse_args()
    seed = int(time.time()) if options.seed is None else options.seed
    if options.number is not None:
        for kind in options.only or []:
            print(f"{kind} seed {seed} number {options.number}: {try_one(kind, seed, options.number)}")
        return 0
    outcomes = {kind: Outcome() for kind in options.only or list_targets()}
    end = time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        for kind, outcome in outcomes.items():
            known = len(outcome.wrong)
            try_some(kind, seed, ROUND, outcome)
            for line in outcome.wrong[known:]:
                print(line, flush=True)
        seed += 1
    print(f"{'format':10}{'tried':>10}{'read':>10}{'refused':>10}{'wrong':>8}")
    for kind, outcome in outcomes.items():
        print(f"{kind:10}{outcome.tried:10,}{outcome.read:10,}{outcome.refused:10,}{len(outcome.wrong):8,}")
    print(f"{sum(outcome.tried for outcome in outcomes.values()):,} in all")
    return int(any(outcome.wrong for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
