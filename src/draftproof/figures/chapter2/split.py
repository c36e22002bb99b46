"""A pair of laws cut into kept, cut and missing mass, and how it stands as a row of bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from draftproof.finite import as_pair

from ..marks import label, law, mass
from ..words import fit, listed, names_for, num

__all__ = ["TINY", "Bars", "Split", "foot", "p_outline", "pool", "q_level", "stack", "value"]

MOST_TOKENS = 8
TINY = 1e-9


@dataclass(frozen=True)
class Split:
    """A pair of laws cut into what is kept, what is cut off and what is missing.

    Attributes
    ----------
    names : tuple of str
        The tokens' names.
    p : ndarray
        Target law, shape (V,).
    q : ndarray
        Draft law, shape (V,).
    """

    names: tuple[str, ...]
    p: np.ndarray
    q: np.ndarray

    @classmethod
    def of(cls, p: Any, q: Any, names: Sequence[str] | None) -> Split:
        """Check a pair of laws over at most eight tokens.

        Parameters
        ----------
        p : array_like
            Target law.
        q : array_like
            Draft law.
        names : sequence of str, optional
            The tokens' names.

        Returns
        -------
        Split

        Raises
        ------
        ValueError
            If p or q is no law, they differ in length, there are more than eight tokens, or the
            names are not one per token.
        """
        target, draft = (np.asarray(law, dtype=float) for law in as_pair(p, q))
        if target.ndim != 1 or draft.ndim != 1 or len(target) > MOST_TOKENS:
            shapes = f"{target.shape} and {draft.shape}"
            raise ValueError(
                f"p and q must be one law each over at most {MOST_TOKENS} tokens; got {shapes}"
            )
        return cls(names_for(names, len(target)), target, draft)

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return len(self.p)

    @property
    def kept(self) -> np.ndarray:
        """min(p, q) of every token."""
        return np.minimum(self.p, self.q)

    @property
    def cut(self) -> np.ndarray:
        """max(q - p, 0) of every token."""
        return np.maximum(self.q - self.p, 0)

    @property
    def gap(self) -> np.ndarray:
        """max(p - q, 0) of every token."""
        return np.maximum(self.p - self.q, 0)

    @property
    def donors(self) -> list[int]:
        """Tokens drafted too often."""
        return [k for k in range(self.size) if self.cut[k] > TINY]

    @property
    def takers(self) -> list[int]:
        """Tokens drafted too rarely."""
        return [k for k in range(self.size) if self.gap[k] > TINY]

    @property
    def alpha(self) -> float:
        """All that is kept."""
        return float(self.kept.sum())

    def heap(self) -> str:
        """Return how the pieces of several donors fill the gaps, as a caption says it.

        Returns
        -------
        str
        """
        cut, filled = (listed([self.names[k] for k in ks]) for ks in (self.donors, self.takers))
        total = num(float(self.cut.sum()))
        return (
            f"the pieces cut off {cut} form one heap, {total}, that fills {filled}, whoever was "
            "rejected."
        )

    def said(self) -> str:
        """Return the two laws, token by token, for an alternative text.

        Returns
        -------
        str
        """
        rows = zip(self.names, self.q, self.p, strict=True)
        return "; ".join(f"{n} q {num(b)}, p {num(a)}" for n, b, a in rows)

    def pieces(self, weights: np.ndarray) -> str:
        """Return token and number wherever there is weight, joined as prose.

        Parameters
        ----------
        weights : ndarray
            One number a token.

        Returns
        -------
        str
        """
        parts = [f"{n} {num(w)}" for n, w in zip(self.names, weights, strict=True) if w > TINY]
        return listed(parts) if parts else "nothing"


@dataclass(frozen=True)
class Bars:
    """A row of equally wide bars on one ground: where they stand and how tall 1 is.

    Attributes
    ----------
    left : tuple of float
        Left end of each bar.
    wide : float
        Width of a bar.
    tall : float
        Pixels of probability 1.
    base : float
        Height of the ground.
    """

    left: tuple[float, ...]
    wide: float
    tall: float
    base: float

    def y(self, level: float) -> float:
        """Return the pixel height of a probability.

        Parameters
        ----------
        level : float
            A probability.

        Returns
        -------
        float
        """
        return self.base - level * self.tall

    def box(self, k: int, low: float, high: float) -> tuple[float, float, float, float]:
        """Return the rectangle of bar ``k`` between two levels.

        Parameters
        ----------
        k : int
            Number of the bar.
        low : float
            The lower level.
        high : float
            The upper level.

        Returns
        -------
        tuple of float
            x, y, width, height in pixels.
        """
        return (self.left[k], self.y(high), self.wide, (high - low) * self.tall)

    def middle(self, k: int) -> float:
        """Return the middle of bar ``k``.

        Parameters
        ----------
        k : int
            Number of the bar.

        Returns
        -------
        float
        """
        return self.left[k] + self.wide / 2


def value(ax: Axes, bars: Bars, k: int, low: float, high: float, words: str, halo: str) -> None:
    """Set a number into the piece of bar ``k`` between two levels, where it fits.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    bars : Bars
        Where the bars stand.
    k : int
        Number of the bar.
    low : float
        The lower level.
    high : float
        The upper level.
    words : str
        The text.
    halo : str
        The ground behind the number.
    """
    room = (high - low) * bars.tall
    size = 13 if room >= 18 and fit(bars.wide - 6, words, size=13, bold=True) else 12
    text = fit(bars.wide - 4, words, words.split()[-1], size=size, bold=True)
    if room >= 15 and text:
        where = bars.middle(k), bars.y((low + high) / 2)
        label(ax, *where, text, size=size, bold=True, ha="center", va="middle", halo=halo)


def p_outline(ax: Axes, bars: Bars, k: int, level: float) -> None:
    """Draw the target's bar: a solid outline that stands on the ground.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    bars : Bars
        Where the bars stand.
    k : int
        Number of the bar.
    level : float
        p of the token.
    """
    x0, x1 = bars.left[k], bars.left[k] + bars.wide
    y = bars.y(level)
    law(ax, "p", [x0, x0, x1, x1], [bars.base, y, y, bars.base], solid_joinstyle="miter")


def q_level(ax: Axes, bars: Bars, k: int, level: float, over: float) -> None:
    """Draw the draft's level across a bar, a little wider than it.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    bars : Bars
        Where the bars stand.
    k : int
        Number of the bar.
    level : float
        q of the token.
    over : float
        How far the line reaches beyond the bar, in pixels.
    """
    law(ax, "q", [bars.left[k] - over, bars.left[k] + bars.wide + over], [bars.y(level)] * 2)


def foot(ax: Axes, bars: Bars, split: Split, k: int, room: float = 99) -> None:
    """Name the token and give both its probabilities, below the ground, in ``room`` pixels.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    bars : Bars
        Where the bars stand.
    split : Split
        The pair of laws.
    k : int
        Number of the bar.
    room : float
        Width in pixels.
    """
    x, y = bars.middle(k), bars.base
    tight = room < 50
    label(ax, x, y + 21, split.names[k], size=13 if tight else 14, bold=True, ha="center")
    for letter, weight, down in (("q", split.q[k], 40), ("p", split.p[k], 58)):
        words = num(weight) if tight else f"${letter}$ {num(weight)}"
        size = 12 if tight else 13
        label(ax, x, y + down, words, color=letter, size=size, ha="center")
        if tight and k == 0:
            label(ax, bars.left[0] - 3, y + down, f"${letter}$", color=letter, ha="right")


def stack(ax: Axes, bars: Bars, split: Split, k: int, *, over: float, key: bool = True) -> None:
    """Draw one bar: kept below, above it the piece that left or the gap that was filled.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    bars : Bars
        Where the bars stand.
    split : Split
        The pair of laws.
    k : int
        Number of the bar.
    over : float
        How far the level of q reaches beyond the bar, in pixels.
    key : bool
        Report the areas.
    """
    name = split.names[k]
    kept, cut, gap = split.kept[k], split.cut[k], split.gap[k]
    if kept > TINY:
        mass(ax, "accepted", bars.box(k, 0, kept), key=f"kept/{name}" if key else None)
    if cut > TINY:
        box = bars.box(k, kept, kept + cut)
        mass(ax, "rejected", box, key=f"cut/{name}" if key else None, left=True)
    if gap > TINY:
        box = bars.box(k, kept, kept + gap)
        mass(ax, "residual", box, key=f"filled/{name}" if key else None)
    p_outline(ax, bars, k, split.p[k])
    q_level(ax, bars, k, split.q[k], over)


def pool(ax: Axes, split: Split, box: tuple[float, float, float, float]) -> None:
    """Draw the shelf: all cut pieces in one row, and under it the same length dealt out again.

    ``box`` is the upper row; the second, of the same size, lies below it.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    split : Split
        The pair of laws.
    box : tuple of float
        x, y, width, height of the upper row.
    """
    x0, top, length, high = box
    total = num(float(split.cut.sum()))
    rows = (
        ("rejected", split.donors, split.cut, top, f"cut off {total}, pooled"),
        ("residual", split.takers, split.gap, top + high, f"dealt out again {total}"),
    )
    for role, tokens, weights, y, words in rows:
        x = x0
        for k in tokens:
            part = length * float(weights[k]) / float(weights.sum())
            mass(ax, role, (x, y, part, high), key=f"shelf {role}/{split.names[k]}")
            named = f"{split.names[k]} {num(weights[k])}"
            if text := fit(part - 6, named, num(weights[k]), bold=True, size=12):
                where = x + part / 2, y + high / 2
                label(ax, *where, text, bold=True, size=12, ha="center", va="middle", halo=role)
            x += part
        level = y - 9 if role == "rejected" else y + high + 18
        label(ax, x0 + length / 2, level, words, color=role, bold=True, ha="center")
