"""The live figures of chapter 1."""

from __future__ import annotations

from typing import Any

from draftproof import envelope_runs as runs
from draftproof.examples import bell_envelope, flat_envelope
from draftproof.figures import Shown, show
from draftproof.figures import chapter1 as figures

from .live import Live, choice, slider, whole

__all__ = ["broken_constant", "dart_slice", "dimensions", "own_proposal"]

_PROPOSALS = (runs.BELL, runs.FLAT)


def dart_slice() -> Live:
    """Return the dart board with a slice to drag, a constant and a choice of proposal.

    Returns
    -------
    Live
    """
    constant = slider("constant C", 11, 5, 40, 0.5)
    proposal = choice("proposal", _PROPOSALS)
    books = {runs.BELL: bell_envelope().constant, runs.FLAT: flat_envelope().constant}
    _reset(proposal, constant, books)

    def draw(x: float, constant: float, proposal: str) -> Shown:
        main = runs.envelope_over(proposal, constant)
        other = flat_envelope() if proposal == runs.BELL else bell_envelope()
        return show(figures.dart_slice, main, other, runs.dart_board(main), x=round(x, 2))

    return Live(draw, x=slider("slice at x", 1.1, -3, 3), constant=constant, proposal=proposal)


def broken_constant() -> Live:
    """Return a board whose constant may fall below the target, with its survivors.

    Returns
    -------
    Live
    """
    constant = slider("constant C", 15, 2, 26, 0.5)
    proposal = choice("proposal", _PROPOSALS[::-1])
    _reset(proposal, constant, {runs.BELL: 6.0, runs.FLAT: 15.0})

    def draw(constant: float, proposal: str) -> Shown:
        return show(figures.broken_constant, *runs.broken_run(proposal, constant))

    return Live(draw, constant=constant, proposal=proposal)


def own_proposal() -> Live:
    """Return the tightest envelope of a mixture of two bells, with its cost.

    Returns
    -------
    Live
    """

    def draw(width: float, narrow: float, weight: float) -> Shown:
        own = runs.own_envelope(width, narrow, weight)
        return show(figures.own_proposal, own, runs.own_parts(width, narrow, weight))

    return Live(
        draw,
        width=slider("wide bell σ", 1.2, 0.6, 2.5),
        narrow=slider("narrow bell σ", runs.NARROW, 0.2, 1.2),
        weight=slider("share of the narrow", 0.5, 0, 1),
    )


def dimensions() -> Live:
    """Return the acceptance against dimension with a point to move.

    Returns
    -------
    Live
    """

    def draw(scale: float, dimension: int) -> Shown:
        marked: dict[str, Any] = {"scale": round(scale, 3), "dimension": dimension}
        return show(figures.dimensions, runs.dimension_runs(), **marked)

    return Live(
        draw,
        scale=slider("envelope σ", 1.01, 1.005, 2, 0.005),
        dimension=whole("dimension d", 1000, 1, 1000),
    )


def _reset(proposal: Any, constant: Any, books: dict[str, float]) -> None:
    """Let a change of proposal put the constant back to that proposal's own."""

    def move(change: Any) -> None:
        constant.value = books[change["new"]]

    proposal.observe(move, names="value")
