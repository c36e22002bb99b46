"""The live figures of chapter 3: each returns its controls over the chapter's own drawings."""

from __future__ import annotations

from draftproof import toy_curves as curves
from draftproof import toy_runs as runs
from draftproof.bigram import START
from draftproof.examples import toy
from draftproof.figures import Shown, show
from draftproof.figures.chapter3 import gap_bands, one_context, stairs

from .live import Live, choice, slider, whole

__all__ = ["context_bars", "noisy_gaps", "round_stairs"]

_NAMES = {"start": START, "space": " "}


def _contexts() -> list[str]:
    return ["start", "space", *(name for name in toy()[0].vocabulary if name != " ")]


def context_bars() -> Live:
    """Return the two laws of a context; controls: the draft's weight, the context, gamma.

    Returns
    -------
    Live
    """

    def draw(weight: float, context: str, gamma: int) -> Shown:
        row = runs.row_at(_NAMES.get(context, context), weight)
        return show(one_context, row, curves.summary(weight, gamma))

    return Live(
        draw,
        weight=slider("weight of p in q", runs.WEIGHT, 0, 1),
        context=choice("context", _contexts(), runs.CONTEXT),
        gamma=whole("drafts in a block", runs.GAMMA, 1, 12),
    )


def noisy_gaps() -> Live:
    """Return the check of single tokens again and again; controls: the run, the sample size.

    Returns
    -------
    Live
    """

    def draw(run: int, n: str) -> Shown:
        size = int(n.replace(" ", ""))
        return show(gap_bands, *runs.gap_results(size, run), toy()[0].vocabulary)

    return Live(
        draw,
        run=whole("run", 0, 0, 40),
        n=choice("samples", ["2 000", "20 000", "200 000"], "200 000"),
    )


def round_stairs() -> Live:
    """Return the staircase of a round; controls: alpha, gamma, c and v.

    Returns
    -------
    Live
    """

    def draw(alpha: float, gamma: int, c: float, v: float) -> Shown:
        return show(stairs, alpha, gamma, c, v)

    return Live(
        draw,
        alpha=slider("acceptance α", 0.7, 0, 1, 0.01),
        gamma=whole("drafts γ", 4, 1, 10),
        c=slider("draft cost c", 0.1, 0, 1, 0.01),
        v=slider("verification v", 1.0, 1, 6, 0.1),
    )
