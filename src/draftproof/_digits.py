"""Large and tiny numbers in text: thousands set apart, powers of ten."""

from __future__ import annotations

from typing import Any

__all__ = ["MINUS", "NARROW", "NBSP", "count", "power", "ten"]

MINUS = "\N{MINUS SIGN}"
NARROW = "\N{NARROW NO-BREAK SPACE}"
NBSP = "\N{NO-BREAK SPACE}"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def count(value: Any) -> str:
    """Write a whole number, its thousands set apart by a narrow no-break space.

    Parameters
    ----------
    value : int, float or Fraction
        The number; it is rounded.

    Returns
    -------
    str
        ``300 000`` with U+202F, and a minus sign (U+2212) where it is negative.
    """
    return f"{round(value):,d}".replace(",", NARROW).replace("-", MINUS)


def ten(exponent: int) -> str:
    """Write ten to a power.

    Parameters
    ----------
    exponent : int

    Returns
    -------
    str
        ``10⁻⁸``; ``1`` for the power 0.
    """
    return f"10{str(exponent).translate(_RAISED)}" if exponent else "1"


def power(value: Any) -> str:
    """Write a number as digits times a power of ten.

    Parameters
    ----------
    value : float
        The number; 0 stays ``0``.

    Returns
    -------
    str
        ``1.3 · 10⁻⁸``, or ``10⁻⁸`` alone.
    """
    if value == 0:
        return "0"
    digits, exponent = f"{float(value):.1e}".split("e")
    alone = ten(int(exponent))
    return alone if digits == "1.0" else f"{digits.replace('-', MINUS)}{NBSP}·{NBSP}{alone}"
