"""Exercises on laws: functions of the target p and the draft q."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from draftproof import finite, speculative
from draftproof.finite import Array
from draftproof.lab.check.inputs import Law, as_floats, pairs
from draftproof.lab.check.judge import Case, by_cases, close
from draftproof.lab.check.verdict import Verdict

__all__ = [
    "acceptance",
    "accepted_law",
    "classical_constant",
    "match_probability",
    "output_law",
    "overlap",
    "redraw_law",
    "residual",
    "total_variation",
]

EVIDENCE = (
    "It agrees on {count} pairs p, q: every pair over up to three tokens in quarters, equal laws "
    "and zeros included, nearly equal laws, almost impossible tokens, and random pairs."
)

Rule = Callable[[Array, Array], Any]
Wanted = Callable[[Law, Law], bool]


def _cases(rule: Rule, asked: Wanted | None = None) -> Iterator[Case]:
    for p, q in pairs():
        if asked is None or asked(p, q):
            wanted = rule(np.array(p, dtype=object), np.array(q, dtype=object))
            given = lambda p=p, q=q: (as_floats(p), as_floats(q))  # noqa: E731
            yield Case({"p": p, "q": q}, given, wanted)


def _plain(got: Any, case: Case) -> str | None:
    return close(got, case.wanted)


def acceptance(function: Any) -> Verdict:
    r"""Check ``acceptance(p, q)``: the probability that each drafted token is kept.

    .. math:: a(x) = \min(1, p(x)/q(x))

    Where q(x) = 0 the token is never drafted, and any number from 0 to 1 will do.

    Parameters
    ----------
    function : callable
        The reader's; it gets p and q as float arrays of shape (V,), and returns shape (V,).

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """
    return by_cases("acceptance", function, _cases(speculative.acceptance), _acceptances, EVIDENCE)


def _acceptances(got: Any, case: Case) -> str | None:
    wanted = np.asarray(case.wanted).astype(np.float64)
    free = np.array([mass == 0 for mass in case.inputs["q"]])
    wrong = close(got, wanted)
    if wrong != "the answer is not the one wanted" or not free.any():
        return wrong
    values = np.asarray(got).astype(np.float64)
    if ((values[free] < 0) | (values[free] > 1)).any():
        return "an acceptance lies in [0, 1], also where q is 0"
    return close(np.where(free, wanted, values), wanted)


def residual(function: Any) -> Verdict:
    r"""Check ``residual(p, q)``: the law of the correction.

    .. math:: r(x) = \max(p(x) - q(x), 0) / \sum_y \max(p(y) - q(y), 0)

    For p = q nothing is left over; return p.

    Parameters
    ----------
    function : callable
        The reader's; it gets p and q as float arrays of shape (V,), and returns shape (V,).

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """
    return by_cases("residual", function, _cases(speculative.residual), _residuals, EVIDENCE)


def _residuals(got: Any, case: Case) -> str | None:
    wrong = close(got, case.wanted, 1e-6)  # differences of nearly equal floats lose digits
    if wrong and case.inputs["p"] == case.inputs["q"]:
        return f"{wrong}: for p = q nothing is left over, return p"
    return wrong


def overlap(function: Any) -> Verdict:
    r"""Check ``overlap(p, q)``: :math:`\alpha = \sum_x \min(p(x), q(x))`.

    Parameters
    ----------
    function : callable
        The reader's; it gets p and q as float arrays of shape (V,), and returns a number.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """
    return by_cases("overlap", function, _cases(finite.overlap), _plain, EVIDENCE)


def total_variation(function: Any) -> Verdict:
    r"""Check ``total_variation(p, q)``: :math:`\frac12 \sum_x |p(x) - q(x)|`.

    Parameters
    ----------
    function : callable
        The reader's; it gets p and q as float arrays of shape (V,), and returns a number.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """
    return by_cases("total_variation", function, _cases(finite.total_variation), _plain, EVIDENCE)


def output_law(function: Any) -> Verdict:
    r"""Check ``output_law(p, q)``: what the rule emits, accepted or corrected.

    .. math:: q(x) a(x) + (1 - \alpha)\, r(x) = p(x)

    Parameters
    ----------
    function : callable
        The reader's; it gets p and q as float arrays of shape (V,), and returns shape (V,).

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """
    return by_cases("output_law", function, _cases(speculative.output_law), _plain, EVIDENCE)


def accepted_law(function: Any) -> Verdict:
    r"""Check ``accepted_law(p, q)``: the law of the accepted tokens alone.

    .. math:: \min(p(x), q(x)) / \sum_y \min(p(y), q(y))

    Parameters
    ----------
    function : callable
        The reader's; it gets p and q as float arrays of shape (V,), and returns shape (V,).

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def shared(p: Law, q: Law) -> bool:
        return any(min(a, b) > 0 for a, b in zip(p, q, strict=True))

    cases = _cases(speculative.accepted_law, shared)
    return by_cases("accepted_law", function, cases, _plain, EVIDENCE)


def classical_constant(function: Any) -> Verdict:
    r"""Check ``classical_constant(p, q)``: the least C with p <= C q everywhere.

    .. math:: C = \max_{x:\, q(x) > 0} p(x)/q(x)

    Asked only where q covers p.

    Parameters
    ----------
    function : callable
        The reader's; it gets p and q as float arrays of shape (V,), and returns a number.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def covered(p: Law, q: Law) -> bool:
        return all(b > 0 or a == 0 for a, b in zip(p, q, strict=True))

    cases = _cases(speculative.classical_constant, covered)
    return by_cases("classical_constant", function, cases, _plain, EVIDENCE)


def match_probability(function: Any) -> Verdict:
    r"""Check ``match_probability(p, q)``: two independent draws agree.

    .. math:: \sum_x p(x) q(x)

    The acceptance of the rule that draws from the target and keeps the draft if it is the same.

    Parameters
    ----------
    function : callable
        The reader's; it gets p and q as float arrays of shape (V,), and returns a number.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """
    cases = _cases(lambda p, q: (p * q).sum())
    return by_cases("match_probability", function, cases, _plain, EVIDENCE)


def redraw_law(function: Any) -> Verdict:
    r"""Check ``redraw_law(p, q)``: the law of the faulty rule that redraws from p.

    .. math:: \min(p(x), q(x)) + (1 - \alpha)\, p(x)

    Parameters
    ----------
    function : callable
        The reader's; it gets p and q as float arrays of shape (V,), and returns shape (V,).

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def rule(p: Array, q: Array) -> Array:
        kept = np.minimum(p, q)
        return np.asarray(kept + (1 - kept.sum()) * p)

    return by_cases("redraw_law", function, _cases(rule), _plain, EVIDENCE)
