"""Exercises on costs, on warping and on contexts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from draftproof import cost
from draftproof.finite import overlap
from draftproof.lab.check.inputs import as_floats, laws, pairs
from draftproof.lab.check.judge import Case, by_cases, close
from draftproof.lab.check.verdict import Verdict, show
from draftproof.warp import warp

__all__ = ["expected_accepted", "expected_tokens", "mean_overlap", "speedup", "warp_both"]

_ALPHAS = tuple(Fraction(k, 10) for k in (5, 0, 10, 8, 7, 9, 2))


def _agree(got: Any, case: Case) -> str | None:
    return close(got, case.wanted)


def _grid(rule: Callable[..., Any], names: tuple[str, ...], *values: Any) -> Iterator[Case]:
    for row in product(*values):
        given = lambda row=row: tuple(float(v) if isinstance(v, Fraction) else v for v in row)  # noqa: E731
        yield Case(dict(zip(names, row, strict=True)), given, rule(*row))


def expected_tokens(function: Any) -> Verdict:
    r"""Check ``expected_tokens(alpha, gamma)``: tokens that one target call emits.

    .. math:: E[N] = 1 + \alpha + \dots + \alpha^\gamma

    alpha = 1 is among the cases.

    Parameters
    ----------
    function : callable
        The reader's; it gets alpha in [0, 1] and gamma, a whole number, and returns a number.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """
    cases = _grid(lambda g, a: cost.expected_tokens(a, g), ("gamma", "alpha"), range(6), _ALPHAS)
    return by_cases("expected_tokens", function, _swapped(cases), _agree, _COST)


def expected_accepted(function: Any) -> Verdict:
    r"""Check ``expected_accepted(alpha, gamma)``: accepted drafts in a block.

    .. math:: \alpha + \dots + \alpha^\gamma

    Parameters
    ----------
    function : callable
        The reader's; it gets alpha in [0, 1] and gamma, a whole number, and returns a number.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """
    cases = _grid(lambda g, a: cost.expected_accepted(a, g), ("gamma", "alpha"), range(6), _ALPHAS)
    return by_cases("expected_accepted", function, _swapped(cases), _agree, _COST)


_COST = "It is right for {count} values of alpha and gamma, alpha = 0 and alpha = 1 among them."


def _swapped(cases: Iterator[Case]) -> Iterator[Case]:
    """Put alpha before gamma, although the smallest gamma is asked first."""
    for case in cases:
        inputs = {"alpha": case.inputs["alpha"], "gamma": case.inputs["gamma"]}
        given = lambda case=case: case.arguments()[::-1]  # noqa: E731
        yield Case(inputs, given, case.wanted)


def speedup(function: Any) -> Verdict:
    r"""Check ``speedup(alpha, gamma, c)``: the speed over plain decoding.

    .. math:: S = \frac{1 + \alpha + \dots + \alpha^\gamma}{\gamma c + 1}

    Parameters
    ----------
    function : callable
        The reader's; it gets alpha in [0, 1], gamma and c, the cost of a draft step in target
        steps, and returns a number.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """
    costs = (Fraction(1, 10), Fraction(0), Fraction(1, 4), Fraction(1))
    cases = _grid(cost.speedup, ("alpha", "gamma", "c"), _ALPHAS, range(1, 6), costs)
    return by_cases("speedup", function, cases, _agree, _COST)


def warp_both(function: Any) -> Verdict:
    """Check ``warp_both(p, q, temperature, top_k)``: both laws, warped alike.

    Temperature first (p to the power 1/T, normalised), then the top_k largest masses, normalised;
    ties go to the lowest index. Return ``(p, q)``.

    Parameters
    ----------
    function : callable
        The reader's; it gets two float arrays of shape (V,), a temperature above 0 and a whole
        number, and returns two arrays of shape (V,).

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def cases() -> Iterator[Case]:
        settings = ((1.0, 2), (0.5, 3), (2.0, 2), (0.5, 1), (1.0, 1), (2.0, 9))
        for p, q in list(pairs())[:400:7]:
            for temperature, k in settings:
                both = tuple(warp(as_floats(law), temperature, k) for law in (p, q))
                inputs = {"p": p, "q": q, "temperature": temperature, "top_k": k}
                given = lambda p=p, q=q, t=temperature, k=k: (as_floats(p), as_floats(q), t, k)  # noqa: E731
                yield Case(inputs, given, both)

    evidence = "Both laws come out right in {count} cases, ties and zeros among them."
    return by_cases("warp_both", function, cases(), _two_laws, evidence)


def _two_laws(got: Any, case: Case) -> str | None:
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        return f"a pair (p, q) is wanted, not {show(got)}"
    for name, mine, right in zip("pq", got, case.wanted, strict=True):
        wrong = close(mine, right)
        if wrong:
            return f"in {name}: {wrong}"
    return None


def mean_overlap(function: Any) -> Verdict:
    r"""Check ``mean_overlap(target, draft)``: alpha of two bigram tables.

    .. math:: \alpha = \sum_c \pi(c) \sum_x \min\bigl(p(x \mid c), q(x \mid c)\bigr)

    Both tables have shape (V, V), one row a context; :math:`\pi` is the target's stationary law.

    Parameters
    ----------
    function : callable
        The reader's; it gets two float arrays of shape (V, V), and returns a number.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def cases() -> Iterator[Case]:
        rows = [law for law in laws(2, 4) if 0 not in law] + [
            law for law in laws(3, 5) if 0 not in law
        ]
        for size in (2, 3):
            fit = [law for law in rows if len(law) == size]
            picks = list(product(fit, repeat=size))[::2]
            for i, target in enumerate(picks):
                draft = picks[(5 * i + 3) % len(picks)]
                p, q = (np.array([as_floats(row) for row in table]) for table in (target, draft))
                wanted = float(cost.stationary(p) @ overlap(p, q))
                given = lambda p=p, q=q: (p.copy(), q.copy())  # noqa: E731
                yield Case({"target": target, "draft": draft}, given, wanted)

    evidence = "It is right for {count} pairs of tables over two and three characters."
    return by_cases("mean_overlap", function, cases(), _agree, evidence)
