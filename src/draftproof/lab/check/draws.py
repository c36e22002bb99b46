"""Exercises that draw, or decide with a uniform."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from draftproof.lab.check.inputs import Law, as_floats, laws, sampler_pairs
from draftproof.lab.check.judge import Case, Draws, by_audit, by_cases, close
from draftproof.lab.check.verdict import Verdict, show

__all__ = ["accepts", "classical_sample", "empirical_tv", "inverse_cdf", "speculative_sample"]

_TRIES = 4  # further tries are counted together
_LAST = float(np.nextafter(1.0, 0.0))
_UNIFORMS: tuple[Any, ...] = (Fraction(0), *(Fraction(k, 16) for k in (1, 7, 13)), _LAST)


def accepts(function: Any) -> Verdict:
    """Check ``accepts(u, p_x, q_x)``: whether a drafted token is kept.

    True with probability min(1, p_x / q_x) over uniforms u in [0, 1). A token with p_x = 0 is
    never kept, not even at u = 0.

    Parameters
    ----------
    function : callable
        The reader's; it gets three floats, u in [0, 1), and returns True or False.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def cases() -> Iterator[Case]:
        for parts in (1, 2, 4, 5):
            for a in range(parts + 1):
                for b in range(1, parts + 1):
                    p_x, q_x = Fraction(a, parts), Fraction(b, parts)
                    for u in _UNIFORMS:
                        if u and u * q_x == p_x:
                            continue  # on the edge either answer has the right probability
                        values = float(u), float(p_x), float(q_x)
                        wanted = u * q_x < p_x
                        yield Case({"u": u, "p_x": p_x, "q_x": q_x}, lambda v=values: v, wanted)  # type: ignore[misc]

    evidence = "It decides {count} cases rightly, u = 0 and the last u below 1 among them."
    return by_cases("accepts", function, cases(), _yes_or_no, evidence)


def _yes_or_no(got: Any, case: Case) -> str | None:
    if not isinstance(got, (bool, np.bool_)):
        return f"True or False is wanted, not {show(got)}"
    return None if bool(got) == case.wanted else "the verdict is the other one"


def inverse_cdf(function: Any) -> Verdict:
    r"""Check ``inverse_cdf(p, u)``: the token whose piece of the unit line holds u.

    .. math:: \min\{x : p(0) + \dots + p(x) > u\}

    A token without mass is never returned.

    Parameters
    ----------
    function : callable
        The reader's; it gets a float array of shape (V,) and u in [0, 1), and returns a token in
        0..V - 1.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def cases() -> Iterator[Case]:
        for size, parts in ((1, 1), (2, 2), (2, 4), (3, 4), (4, 4)):
            for p in laws(size, parts):
                for k in range(2 * parts + 1):
                    u = Fraction(k, 2 * parts) if k < 2 * parts else _LAST
                    sums = [sum(p[: x + 1]) for x in range(size)]
                    wanted = next(x for x in range(size) if sums[x] > u)
                    given = lambda p=p, u=u: (as_floats(p), float(u))  # noqa: E731
                    yield Case({"p": p, "u": u}, given, wanted)

    evidence = "It finds the right token in {count} cases, at and between the ends of all pieces."
    return by_cases("inverse_cdf", function, cases(), _token, evidence)


def _token(got: Any, case: Case) -> str | None:
    value = np.asarray(got)
    if value.shape != () or value.dtype.kind not in "iu":
        return f"one whole number is wanted, not {show(got)}"
    return None if int(value) == case.wanted else "the token is another one"


def empirical_tv(function: Any) -> Verdict:
    r"""Check ``empirical_tv(tokens, p)``: how far observed shares lie from a law.

    .. math:: \frac12 \sum_x \Bigl|\frac{c(x)}{n} - p(x)\Bigr|

    Tokens that never came count as well.

    Parameters
    ----------
    function : callable
        The reader's; it gets whole numbers of shape (n,) and a float array of shape (V,), and
        returns a number.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def cases() -> Iterator[Case]:
        rng = np.random.default_rng(11)
        for p in (*laws(1, 1), *laws(2, 2), *laws(2, 4), *laws(3, 4)):
            for n in (1, 2, 4, 7):
                tokens = tuple(int(x) for x in rng.integers(0, len(p), n))
                shares = [Fraction(tokens.count(x), n) for x in range(len(p))]
                wanted = sum(abs(a - b) for a, b in zip(shares, p, strict=True)) / 2
                given = lambda t=tokens, p=p: (np.array(t), as_floats(p))  # noqa: E731
                yield Case({"tokens": tokens, "p": p}, given, wanted)

    evidence = "It is right for {count} short runs of tokens."
    agree = lambda got, case: close(got, case.wanted)  # noqa: E731
    return by_cases("empirical_tv", function, cases(), agree, evidence)


def speculative_sample(function: Any) -> Verdict:
    """Check ``speculative_sample(p, q, rng)``: draft, accept or correct.

    It returns the token and whether the draft was accepted, ``(token, accepted)``. Both are
    audited together: token x is accepted with probability min(p(x), q(x)) and comes as a
    correction with probability max(p(x) - q(x), 0).

    Parameters
    ----------
    function : callable
        The reader's; it gets two float arrays of shape (V,) and a `numpy.random.Generator`, and
        returns a token and True or False.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def cases() -> Iterator[Draws]:
        for p, q in sampler_pairs():
            law: dict[tuple[int, ...], Fraction] = {}
            for x, (a, b) in enumerate(zip(p, q, strict=True)):
                law[x, 1], law[x, 0] = min(a, b), max(a - b, Fraction(0))
            yield _draws(p, q, law, _accepted_pair, _accepted_words)

    evidence = (
        "For {count} pairs p, q the audit of up to {n} draws finds no fault in tokens and "
        "verdicts. "
        "On every pair it sees a bias of TV {tv} or more 99 times in 100; a smaller one may hide."
    )
    return by_audit("speculative_sample", function, cases(), 0.02, evidence)


def classical_sample(function: Any) -> Verdict:
    """Check ``classical_sample(p, q, rng)``: propose from q until a proposal is accepted.

    It returns the token and the number of proposals it took, ``(token, tries)``, with the least
    constant C = max p/q: each try succeeds with probability 1/C.

    Parameters
    ----------
    function : callable
        The reader's; it gets two float arrays of shape (V,) and a `numpy.random.Generator`, and
        returns two whole numbers.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def cases() -> Iterator[Draws]:
        for p, q in sampler_pairs():
            if any(b == 0 and a > 0 for a, b in zip(p, q, strict=True)):
                continue
            keep = 1 / max(a / b for a, b in zip(p, q, strict=True) if b)
            law: dict[tuple[int, ...], Fraction] = {}
            for x, mass in enumerate(p):
                for t in range(1, _TRIES):
                    law[x, t] = mass * keep * (1 - keep) ** (t - 1)
                law[x, _TRIES] = mass * (1 - keep) ** (_TRIES - 1)
            yield _draws(p, q, law, _tried_pair, _tried_words)

    evidence = (
        "For {count} pairs p, q the audit of up to {n} draws finds no fault in tokens and tries. "
        "On every pair it sees a bias of TV {tv} or more 99 times in 100; a smaller one may hide."
    )
    return by_audit("classical_sample", function, cases(), 0.03, evidence)


def _draws(
    p: Law,
    q: Law,
    law: dict[tuple[int, ...], Fraction],
    read: Callable[[Any, int], tuple[int, ...] | str],
    names: Callable[[tuple[int, ...]], str],
) -> Draws:
    def call(function: Any, rng: np.random.Generator) -> Any:
        return function(as_floats(p), as_floats(q), rng)

    return Draws({"p": p, "q": q}, call, lambda raw: read(raw, len(p)), law, names)


def _pair(raw: Any, wanted: str) -> tuple[Any, Any] | str:
    if isinstance(raw, (tuple, list)) and len(raw) == 2:
        return raw[0], raw[1]
    return f"a pair {wanted} is wanted, not {show(raw)}"


def _read_token(value: Any, size: int) -> int | str:
    token = _whole(value)
    if token is None:
        return f"the token must be a whole number, not {show(value)}"
    return token if 0 <= token < size else f"the token must be in 0..{size - 1}, not {token}"


def _whole(value: Any) -> int | None:
    """Return a whole number of any type, or None."""
    held = np.asarray(value)
    return int(held) if held.shape == () and held.dtype.kind in "iu" else None


def _accepted_pair(raw: Any, size: int) -> tuple[int, ...] | str:
    pair = _pair(raw, "(token, accepted)")
    if isinstance(pair, str):
        return pair
    token = _read_token(pair[0], size)
    if isinstance(token, str):
        return token
    if not isinstance(pair[1], (bool, np.bool_)):
        return f"accepted must be True or False, not {show(pair[1])}"
    return token, int(pair[1])


def _accepted_words(outcome: tuple[int, ...]) -> str:
    return f"{outcome[0]} {'accepted' if outcome[1] else 'corrected'}"


def _tried_pair(raw: Any, size: int) -> tuple[int, ...] | str:
    pair = _pair(raw, "(token, tries)")
    if isinstance(pair, str):
        return pair
    token = _read_token(pair[0], size)
    if isinstance(token, str):
        return token
    tries = _whole(pair[1])
    if tries is None or tries < 1:
        return f"tries must be a whole number of at least 1, not {show(pair[1])}"
    return token, min(tries, _TRIES)


def _tried_words(outcome: tuple[int, ...]) -> str:
    token, tries = outcome
    return f"{token} after {tries}{' or more' if tries == _TRIES else ''}"
