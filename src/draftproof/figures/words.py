"""Numbers and names as the figures print them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from draftproof._digits import MINUS, NARROW, NBSP, count, power, ten

from . import style

__all__ = [
    "about",
    "count",
    "fit",
    "fixed",
    "fractions",
    "listed",
    "names_for",
    "num",
    "percent",
    "plus_minus",
    "power",
    "ratio",
    "ten",
    "text_width",
]


def num(value: Any, digits: int = 2) -> str:
    """Write a number with at most ``digits`` decimals and no trailing zeros.

    Parameters
    ----------
    value : float or Fraction
        The number. One that is not 0 but rounds to it is written ``<0.01``.
    digits : int
        The most decimals, at least 0.

    Returns
    -------
    str
        The number, with a minus sign (U+2212) where it is negative.
    """
    text = f"{float(value):.{digits}f}"
    if float(text) == 0 and float(value) != 0:
        return _below(value, digits)
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", MINUS) if text != "-0" else "0"


def fixed(value: Any, digits: int = 3) -> str:
    """Write a number with exactly ``digits`` decimals, as the column of a table needs it.

    Parameters
    ----------
    value : float or Fraction
        The number. Exactly 0 is written ``0``; another one that rounds to 0 ``<0.001``.
    digits : int
        The decimals, at least 0.

    Returns
    -------
    str
        The number, with a minus sign (U+2212) and thousands set apart (U+202F).
    """
    if value == 0:
        return "0"
    text = f"{float(value):,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        return _below(value, digits)
    return text.replace("-", MINUS).replace(",", NARROW)


def _below(value: Any, digits: int) -> str:
    """Write a number that is not 0 and rounds to it."""
    unit = f"{10.0**-digits:.{digits}f}"
    return f"<{unit}" if float(value) > 0 else f">{MINUS}{unit}"


def percent(share: Any, digits: int = 2) -> str:
    """Write a share as a percentage.

    Parameters
    ----------
    share : float or Fraction
        The share; 1 is 100 %.
    digits : int
        The decimals of the percentage, fixed; 0 % and 100 % have none.

    Returns
    -------
    str
        The percentage, ``22.95 %`` with a no-break space.
    """
    return ("100" if share == 1 else fixed(100 * share, digits)) + f"{NBSP}%"


def plus_minus(value: Any, error: Any, digits: int = 3) -> str:
    """Write a measured value with its error, both to the same decimals.

    Parameters
    ----------
    value, error : float or Fraction
        The value, and how far chance moves it; the text around says how many standard errors.
    digits : int
        The decimals of both, fixed.

    Returns
    -------
    str
        ``0.701 ± 0.004``; where room is short a line may break before the sign, not after it.
    """
    return f"{fixed(value, digits)} ±{NBSP}{fixed(error, digits)}"


def about(value: Any, digits: int = 2) -> str:
    """Write a positive number with two digits that count, as one says "about".

    Parameters
    ----------
    value : float
        The number, above 0.
    digits : int
        The digits that count.

    Returns
    -------
    str
        ``17 000`` for 16777.2, ``0.0043`` for 0.00427.
    """
    rounded = float(f"{float(value):.{digits - 1}e}")
    decimals = digits - 1 - int(f"{rounded:e}".split("e")[1])
    return fixed(rounded, decimals) if decimals > 0 else count(rounded)


def fractions(law: Any) -> str:
    """Write the masses of a law, or of a table of laws, one after another.

    Parameters
    ----------
    law : sequence of Fraction, int or str
        The masses; each is written as ``str`` writes it.

    Returns
    -------
    str
        ``0, 1/3, 2/3`` with ordinary spaces: a line may break there.
    """
    return ", ".join(str(mass) for mass in law)


def ratio(value: Any, limit: int = 99) -> str:
    """Return ``a/b`` when the value is a fraction of small denominator, else a decimal.

    Parameters
    ----------
    value : float or Fraction
        The number.
    limit : int
        The largest denominator.

    Returns
    -------
    str
        The fraction, or the number with at most two decimals.
    """
    exact = Fraction(value).limit_denominator(limit)
    if abs(float(exact) - float(value)) > 1e-9:
        return num(value)
    return str(exact)


def listed(parts: Sequence[str]) -> str:
    """Join words as prose does: ``a, b and c``.

    Parameters
    ----------
    parts : sequence of str
        The words, at least one.

    Returns
    -------
    str
        The words with commas between them and "and" before the last.
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def names_for(names: Sequence[str] | None, size: int) -> tuple[str, ...]:
    """Return the tokens' names, by default the first letters of the alphabet.

    Parameters
    ----------
    names : sequence of str, optional
        The names, one per token.
    size : int
        The number of tokens; at most 26 have default names.

    Returns
    -------
    tuple of str
        The names.

    Raises
    ------
    ValueError
        If there are more or fewer names than tokens.
    """
    if names is None:
        return tuple("abcdefghijklmnopqrstuvwxyz"[:size])
    if len(names) != size:
        raise ValueError(f"names must have {size} entries, one per token; got {len(names)}")
    return tuple(names)


@lru_cache(maxsize=4096)
def text_width(words: str, size: float = 13, bold: bool = False, mono: bool = False) -> float:
    """Return the width in pixels of one line of text, within the book's settings.

    Parameters
    ----------
    words : str
        The text; mathematics between dollar signs.
    size : float
        The size of the type in pixels.
    bold, mono : bool
        Whether it is set semibold, and in the fixed-width face.

    Returns
    -------
    float
        The width in pixels.
    """
    family = style.MONO if mono else style.SANS
    font = FontProperties(family=family, size=size, weight="semibold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(words, font, ismath="$" in words)
    return float(width)


def fit(room: float, *choices: str, size: float = 13, bold: bool = False) -> str:
    """Return the first of ``choices`` that fits into ``room`` pixels, or an empty string.

    Parameters
    ----------
    room : float
        The width in pixels.
    *choices : str
        The texts, the best one first; the longest line of each must fit.
    size : float
        The size of the type in pixels.
    bold : bool
        Whether it is set semibold.

    Returns
    -------
    str
        The text that fits, or ``""``.
    """
    for words in choices:
        if max(text_width(row, size, bold) for row in words.split("\n")) <= room:
            return words
    return ""
