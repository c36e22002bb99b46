"""Exercises on blocks of drafts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from draftproof import speculative
from draftproof.lab.check.judge import Case, by_cases, close
from draftproof.lab.check.verdict import Verdict, show

__all__ = ["block_weights", "greedy_verify", "rollback", "verify_block_count"]


def verify_block_count(function: Any) -> Verdict:
    """Check ``verify_block_count(verdicts)``: how many drafts are accepted.

    The verdicts come as a list of True and False, one a draft; everything after the first False
    is thrown away.

    Parameters
    ----------
    function : callable
        The reader's; it gets a list of True and False, and returns a whole number.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def cases() -> Iterator[Case]:
        for length in range(1, 7):
            for verdicts in product((True, False), repeat=length):
                wanted = verdicts.index(False) if False in verdicts else length
                yield Case({"verdicts": verdicts}, lambda v=verdicts: (list(v),), wanted)  # type: ignore[misc]

    evidence = "It counts rightly for all {count} blocks of one to six verdicts."
    return by_cases("verify_block_count", function, cases(), _count, evidence)


def _count(got: Any, case: Case) -> str | None:
    value = np.asarray(got)
    if value.shape != () or value.dtype.kind not in "iu":
        return f"one whole number is wanted, not {show(got)}"
    return None if int(value) == case.wanted else "the count is another one"


def greedy_verify(function: Any) -> Verdict:
    """Check ``greedy_verify(draft_tokens, p)``: the tokens that a greedy round emits.

    `draft_tokens` has T tokens, `p` T + 1 rows. Drafts are kept while they are the target's
    argmax; then its argmax follows, as the correction or as the bonus. No row has a tie.

    Parameters
    ----------
    function : callable
        The reader's; it gets whole numbers of shape (T,) and floats of shape (T + 1, V), and
        returns a list of tokens.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """
    rows = {2: ("3/4 1/4", "1/4 3/4"), 3: ("1/2 1/4 1/4", "1/5 1/2 3/10", "1/4 0 3/4")}

    def cases() -> Iterator[Case]:
        for length, size in ((0, 2), (1, 2), (2, 2), (3, 2), (1, 3), (2, 3)):
            laws = [tuple(map(Fraction, row.split())) for row in rows[size]]
            for tokens in product(range(size), repeat=length):
                for p in product(laws, repeat=length + 1):
                    table = np.array([[float(mass) for mass in row] for row in p])
                    drafts = np.array(tokens, dtype=np.int64)
                    wanted = speculative.greedy_verify(drafts, table).tokens
                    given = lambda d=drafts, t=table: (d.copy(), t.copy())  # noqa: E731
                    yield Case({"draft_tokens": tokens, "p": p}, given, wanted)

    evidence = (
        "It emits the right tokens in {count} cases: all small blocks over two or three tokens."
    )
    return by_cases("greedy_verify", function, cases(), _tokens, evidence)


def _tokens(got: Any, case: Case) -> str | None:
    values = np.asarray(got)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        return f"a list of tokens is wanted, not {show(got)}"
    return None if tuple(values.tolist()) == case.wanted else "other tokens come out"


def block_weights(function: Any) -> Verdict:
    r"""Check ``block_weights(p_x, q_x)``: the running weights of block verification.

    `p_x` and `q_x` hold the probabilities of the drafted tokens, position by position.

    .. math:: w_0 = 1, \qquad w_t = \min\Bigl(1,\; w_{t-1}\, \frac{p_t}{q_t}\Bigr)

    The answer is :math:`w_1, \dots, w_T`.

    Parameters
    ----------
    function : callable
        The reader's; it gets two float arrays of shape (T,), and returns T numbers.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.

    References
    ----------
    Sun et al. (2025), Block Verification Accelerates Speculative Decoding, algorithm 2.
    """
    ratios = ("1/4 1/2", "1/2 1/4", "1/2 1/2", "0 1/2", "3/4 1/4")

    def cases() -> Iterator[Case]:
        choices = [tuple(map(Fraction, pair.split())) for pair in ratios]
        for length in range(1, 5):
            for block in product(choices, repeat=length):
                p_x, q_x = zip(*block, strict=True)
                weights, weight = [], Fraction(1)
                for a, b in block:
                    weight = min(Fraction(1), weight * a / b)
                    weights.append(weight)
                given = lambda p=p_x, q=q_x: tuple(np.array([float(v) for v in s]) for s in (p, q))  # noqa: E731
                yield Case({"p_x": p_x, "q_x": q_x}, given, tuple(weights))

    evidence = "It is right for {count} blocks of up to four drafts."
    agree = lambda got, case: close(got, case.wanted)  # noqa: E731
    return by_cases("block_weights", function, cases(), agree, evidence)


def rollback(function: Any) -> Verdict:
    """Check ``rollback(gamma, accepted)``: entries to drop from the two caches after a round.

    Return ``(target, draft)``. The target has scored all gamma drafts and keeps the accepted
    ones. The draft model has never been fed its own last draft, so it has one entry fewer; -1
    says that one token must be fed to it.

    Parameters
    ----------
    function : callable
        The reader's; it gets two whole numbers, and returns two whole numbers.

    Returns
    -------
    Verdict
        Missing, keep going with the smallest counterexample, or right.
    """

    def cases() -> Iterator[Case]:
        for gamma in range(1, 7):
            for kept in range(gamma + 1):
                wanted = (gamma - kept, gamma - 1 - kept)
                yield Case(
                    {"gamma": gamma, "accepted": kept}, lambda g=gamma, k=kept: (g, k), wanted  # type: ignore[misc]
                )  # fmt: skip

    evidence = "It is right for all {count} rounds of up to six drafts."
    agree = lambda got, case: close(got, case.wanted)  # noqa: E731
    return by_cases("rollback", function, cases(), agree, evidence)
