"""One draft a position: the token rule and its relatives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from draftproof.finite import Array, check_flag, check_whole, show_value
from draftproof.rules import Rule, ratio_and_residual
from draftproof.verifiers.answers import RuleError
from draftproof.verifiers.bounds import Children
from draftproof.verifiers.drafts import best, without
from draftproof.verifiers.nodewise import Nodewise
from draftproof.warp import temper

__all__ = [
    "argmax",
    "from_rule",
    "greedy",
    "one_hot",
    "one_hot_judge",
    "sample_match",
    "token",
    "top_k",
]


def argmax(law: Array) -> Array:
    """Return the law of the argmax (ties by the lowest index): temperature 0.

    Parameters
    ----------
    law : ndarray, shape (V,)

    Returns
    -------
    ndarray, shape (V,)
        One-hot.
    """
    return temper(law, 0)


def from_rule(rule: Rule, exact: bool = False) -> Nodewise:
    """Make a verifier of a one-token rule of `draftproof.rules`.

    Parameters
    ----------
    rule : draftproof.rules.Rule
    exact : bool
        Whether it claims to emit the target's law.

    Returns
    -------
    Nodewise

    Raises
    ------
    ValueError
        If `rule` is not a one-token rule, or `exact` is not True or False.
    """
    if not isinstance(rule, Rule):
        raise ValueError(
            f"rule must be a one-token rule of draftproof.rules, got {show_value(rule)}"
        )
    check_flag(exact, "exact")

    def judge(drafted: Children, q: Array, p: Array) -> tuple[list[Any], Array]:
        (x,) = drafted
        try:
            coins = rule.coins(p, q)
        except ValueError as error:
            raise RuleError(str(error)) from None
        return [coins[x]], rule.corrects(p, q)

    return Nodewise(rule.name, judge, exact=exact)


token = replace(from_rule(ratio_and_residual, exact=True), name="token")
r"""Token verification: keep with min(1, p/q), correct from max(p - q, 0). Expected acceptance of
one draft :math:`\sum_x \min(p, q)`. Leviathan, Kalman and Matias (2023), algorithm 1."""


greedy = replace(token, name="greedy", proposals=best, view=argmax)
"""Both models at temperature 0: keep a draft while it is the target's argmax, then emit that.

It is the token rule on one-hot laws. It is exact for the target at temperature 0, which is what
it reads of the target it is given: compare it with
``lab.target_law(lambda context: temper(target(context), 0))``, not with the target's own law."""


def one_hot_judge(drafted: Children, q: Array, p: Array) -> tuple[list[Any], Array]:
    """Judge drafts whose law counts as one-hot: keep x with p(x), else strike x from p.

    A second child is judged by what the first one left of p. The draft's law is never asked, so
    the rule is right however the drafts were found.

    Parameters
    ----------
    drafted : tuple of int
        The children, in the order of testing.
    q, p : ndarray, shape (V,)
        Draft and target law; q is not used.

    Returns
    -------
    tuple of (list, ndarray)
        The probability that each child is kept once those before it were rejected, and the law of
        the correction.
    """
    kept = []
    for x in drafted:
        kept.append(p[x])
        rest = without(p, x)
        p = p if rest is None else rest
    return kept, p


sample_match = Nodewise("sample match", one_hot_judge)
r"""Emit the target's own sample; the draft counts as accepted if it is equal.

Drawing y from p and comparing it with x is the same as keeping x with p(x) and otherwise drawing
from p without x. Exact, and slower: :math:`\alpha = \sum_x p(x) q(x) \le \sum_x \min(p, q)`."""


one_hot = replace(sample_match, name="one-hot draft", proposals=best)
r"""A draft that is not random, as from an n-gram look-up or an argmax: q is one-hot at it.

Here it is the draft model's argmax. :math:`\alpha = p(\arg\max q)`."""


def top_k(k: int) -> Nodewise:
    r"""Return the rule that drafts the `k` most probable tokens of q, all of them one-hot.

    .. math:: \alpha = \sum_{x \in \mathrm{top}_k(q)} p(x)

    Parameters
    ----------
    k : int
        Drafts at a position, at least 1.

    Returns
    -------
    Nodewise

    Raises
    ------
    ValueError
        If `k` is not a whole number of at least 1.
    """
    width = check_whole(k, "k", 1)
    return replace(one_hot, name=f"top-{width} one-hot drafts", width=width)
