"""Numbers and names as the figures print them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from . import style

__all__ = ["count", "fit", "listed", "names_for", "num", "ratio", "text_width"]


def num(value: Any, digits: int = 2) -> str:
    """Return a number with at most ``digits`` decimals and no trailing zeros."""
    text = f"{float(value):.{digits}f}"
    if float(text) == 0 and float(value) != 0:
        return f"<{10.0**-digits:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "\N{MINUS SIGN}") if text != "-0" else "0"


def count(value: Any) -> str:
    """Return a whole number, its thousands set apart by a narrow no-break space."""
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def ratio(value: Any, limit: int = 99) -> str:
    """Return ``a/b`` when the value is a fraction of small denominator, else a decimal."""
    exact = Fraction(value).limit_denominator(limit)
    if abs(float(exact) - float(value)) > 1e-9:
        return num(value)
    return str(exact)


def listed(parts: Sequence[str]) -> str:
    """Join words as prose does: ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def names_for(names: Sequence[str] | None, size: int) -> tuple[str, ...]:
    """Return the tokens' names, by default the first letters of the alphabet."""
    if names is None:
        return tuple("abcdefghijklmnopqrstuvwxyz"[:size])
    if len(names) != size:
        raise ValueError(f"names must have {size} entries, one per token; got {len(names)}")
    return tuple(names)


@lru_cache(maxsize=4096)
def text_width(words: str, size: float = 13, bold: bool = False, mono: bool = False) -> float:
    """Return the width in pixels of one line of text, within the book's settings."""
    family = style.MONO if mono else style.SANS
    font = FontProperties(family=family, size=size, weight="semibold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(words, font, ismath="$" in words)
    return float(width)


def fit(room: float, *choices: str, size: float = 13, bold: bool = False) -> str:
    """Return the first of ``choices`` that fits into ``room`` pixels, or an empty string."""
    for words in choices:
        if max(text_width(row, size, bold) for row in words.split("\n")) <= room:
            return words
    return ""
