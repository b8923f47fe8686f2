"""Round numbers along an axis."""

from __future__ import annotations

import math

MOST = 8
"""So many can be read."""


def find_ticks(least: float, most: float, whole: bool = False) -> list[tuple[float, str]]:
    """Round numbers between two ends, at most eight, with how they are written; perhaps only whole ones.

    >>> [text for _, text in find_ticks(0, 207, whole=True)]
    ['0', '50', '100', '150', '200']
    >>> [text for _, text in find_ticks(-1156.83, -1156.53)]
    ['-1,156.80', '-1,156.75', '-1,156.70', '-1,156.65', '-1,156.60', '-1,156.55']
    """
    power = math.floor(math.log10((most - least) / 7))
    power = max(power, 0) if whole else power
    times = next(times for times in (1, 2, 5, 10) if most - least <= 7.5 * times * 10.0**power)
    step, digits = times * 10.0**power, max(0, -power - (times == 10))
    numbers = range(math.ceil(least / step), math.floor(most / step) + 1)
    return [(k * step, f"{k * step:,.{digits}f}") for k in numbers]


def find_powers(least: float, most: float, base: int) -> list[tuple[float, str]]:
    """Powers of a base between two ends, at most eight; of a range without two of them, round numbers.

    >>> find_powers(3, 2000, 10)
    [(10.0, '10'), (100.0, '100'), (1000.0, '1,000')]
    >>> [text for _, text in find_powers(1024, 65536, 2)]
    ['2^10', '2^11', '2^12', '2^13', '2^14', '2^15', '2^16']
    >>> [text for _, text in find_powers(0.2, 0.65, 10)]
    ['0.2', '0.3', '0.4', '0.5', '0.6']
    """
    slack = 1e-9
    first, last = math.ceil(math.log(least, base) - slack), math.floor(math.log(most, base) + slack)
    if last <= first:
        return find_ticks(least, most)
    every = -(-(last - first + 1) // MOST)
    return [(float(base) ** k, _write_power(base, k)) for k in range(first, last + 1, every)]


def _write_power(base: int, power: int) -> str:
    if base != 10:
        return f"{base}^{power}"
    return f"{10**power:,}" if 0 <= power < 7 else f"{10.0**power:g}"
