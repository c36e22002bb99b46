"""The zoo of one-token rules: what each of them really emits, as a law.

A rule makes two choices: how probably it keeps a drafted token, and what it emits when it does not.
Change either and the law changes, mostly to a wrong one. Nothing here draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Rational, Real
from typing import Any

import numpy as np

from draftproof.finite import (
    TOLERANCE,
    Array,
    ArrayLike,
    as_array,
    as_law,
    as_number,
    as_pair,
    check_number,
    is_exact,
    normalise,
    show_value,
    total_variation,
)
from draftproof.speculative import Model, acceptance, accepted_law, residual
from draftproof.warp import softmax, temper

__all__ = [
    "TYPICAL_DELTA",
    "TYPICAL_EPSILON",
    "ZOO",
    "Outcome",
    "Rule",
    "accept_iff_p_at_least_q",
    "keep_everything",
    "pair_law",
    "ratio_and_residual",
    "redraw_from_p",
    "retry_from_q",
    "sample_match",
    "softmax_of_residual",
    "typical_acceptance",
    "zoo",
]

Part = Callable[[Array, Array], Any]

_SLACK = TOLERANCE[np.dtype(np.float64)]


@dataclass(frozen=True)
class Rule:
    """A one-token rule: call it with p and q, and it returns the law of the emitted token.

    Attributes
    ----------
    name : str
        How the book calls it.
    keeps : callable
        From p and q to the probability with which each drafted token is kept: shape (V,), or one
        number for all.
    corrects : callable
        From p and q to the law of the token emitted after a rejection, shape (V,).
    """

    name: str
    keeps: Part
    corrects: Part

    def __call__(self, p: ArrayLike, q: ArrayLike, drawn: ArrayLike | None = None) -> Array:
        r"""Return the law that the rule emits.

        .. math:: d(x)\, a(x) + \Bigl(1 - \sum_y d(y)\, a(y)\Bigr)\, r(x)

        Parameters
        ----------
        p, q : array_like, shape (V,)
            Target and draft law, as the rule believes them.
        drawn : array_like, shape (V,), optional
            The law d that drafts really come from; `q` unless given.

        Returns
        -------
        ndarray, shape (V,)
            Fractions if all laws are and the rule needs no logarithm or exponential.

        Raises
        ------
        ValueError
            If a law is not a law, the vocabularies differ, a coin is not in [0, 1], or a
            correction that can happen is not a law.
        """
        target, believed = _one_pair(p, q)
        source = believed if drawn is None else _one_pair(p, as_law(drawn, "drawn"))[1]
        coins = self._coins_where(source, target, believed)
        fix = self._fix(1 - (source * coins).sum(), target, believed)
        if not all(is_exact(part) for part in (target, source, fix)):
            target, believed, source, fix = (
                part.astype(np.float64) for part in (target, believed, source, fix)
            )
            coins = self._coins_where(source, target, believed)
        kept = source * coins
        return np.asarray(kept + (1 - kept.sum()) * fix)

    def coins(self, p: Array, q: Array) -> Array:
        """Return `keeps` as an array: a single number counts for every token.

        Parameters
        ----------
        p, q : ndarray, shape (V,)
            Laws, checked already.

        Returns
        -------
        ndarray, shape (V,)

        Raises
        ------
        ValueError
            If it holds no numbers, or is of another shape.
        """
        called = f"keeps of rule {self.name!r}"
        coins = self.keeps(p, q)
        if type(coins) is np.ndarray and coins.shape == p.shape and coins.dtype.kind in "fO":
            return coins
        coins = as_array(coins, called)
        if coins.dtype.kind == "b":
            coins = coins.astype(np.int64)
        if coins.dtype.kind not in "fiuO":
            raise ValueError(f"{called} must return numbers, got {show_value(coins.tolist())}")
        if coins.shape not in {(), p.shape}:
            raise ValueError(
                f"{called} must return one number a token, shape {p.shape}, or a single number, "
                f"got shape {coins.shape}"
            )
        return coins if coins.shape else np.full(p.shape, coins[()])

    def _coins_where(self, source: Array, p: Array, q: Array) -> Array:
        """Return the coins, each a probability; 0 for a token that is never drafted."""
        coins = self.coins(p, q)
        drafted = source > 0
        for x in np.flatnonzero(drafted):
            if not (isinstance(coins[x], Real) and 0 <= coins[x] <= 1 + _SLACK):
                raise ValueError(
                    f"keeps of rule {self.name!r} must return probabilities in [0, 1], "
                    f"got {show_value(coins[x])} for token {x}"
                )
        return coins if drafted.all() else np.where(drafted, coins, 0 * source)

    def _fix(self, weight: Any, p: Array, q: Array) -> Array:
        """Return the correction, a law if it can happen at all."""
        called = f"corrects of rule {self.name!r}"
        fix = self.corrects(p, q)
        try:
            given = as_array(fix, called)
            whole = is_exact(p) and given.dtype.kind in "iu"  # as exact as Fractions
            law = as_law(given.astype(object) if whole else fix, called)
            if law.shape != p.shape:
                raise ValueError(f"{called} must return shape {p.shape}, got {law.shape}")
        except ValueError:
            if weight > (0 if isinstance(weight, Rational) else 1e-12):
                raise
            return np.asarray(p * 0)
        return law

    def kept(self, p: ArrayLike, q: ArrayLike) -> Any:
        """Return the probability that a draft is kept.

        Parameters
        ----------
        p : array_like
            Target law.
        q : array_like
            Draft law.

        Returns
        -------
        float or Fraction
            In [0, 1].

        Raises
        ------
        ValueError
            As calling the rule.
        """
        target, draft = _one_pair(p, q)
        return as_number((draft * self._coins_where(draft, target, draft)).sum())


@dataclass(frozen=True)
class Outcome:
    """What one rule does to one pair of laws.

    Attributes
    ----------
    name : str
    law : ndarray, shape (V,)
        Of the emitted token.
    kept : float or Fraction
        Probability that the draft is kept.
    distance : float or Fraction
        Total variation distance of `law` from the target; 0 means exact.
    """

    name: str
    law: Array
    kept: Any
    distance: Any


def zoo(p: ArrayLike, q: ArrayLike, rules: tuple[Rule, ...] | None = None) -> tuple[Outcome, ...]:
    """Run every rule of the zoo (or the given ones) on one pair of laws.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law.
    rules : tuple of Rule, optional
        `ZOO` unless given.

    Returns
    -------
    tuple of Outcome
        One for each rule, in order.

    Raises
    ------
    ValueError
        If `p` or `q` is not one law, their vocabularies differ, they share no token (then
        drafting until one is kept would never end), or a rule is none.
    """
    chosen = ZOO if rules is None else rules
    if not isinstance(chosen, (tuple, list)) or not all(isinstance(one, Rule) for one in chosen):
        raise ValueError(f"rules must be a tuple of rules, got {show_value(chosen)}")
    return tuple(_outcome(rule, p, q) for rule in chosen)


def _outcome(rule: Rule, p: ArrayLike, q: ArrayLike) -> Outcome:
    law = rule(p, q)
    return Outcome(rule.name, law, rule.kept(p, q), total_variation(law, p))


def _one_pair(p: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    target, draft = as_pair(p, q)
    if target.ndim != 1 or draft.ndim != 1:
        raise ValueError(
            f"p and q must each be one law of shape (V,), got {target.shape} and {draft.shape}"
        )
    return target, draft


def _gap(p: Array, q: Array) -> Array:
    return np.asarray(np.maximum(p - q, 0))


def _where(condition: Array, like: Array) -> Array:
    """Return ones and zeros of the laws' own kind."""
    return np.asarray(condition.astype(bool) * (like * 0 + 1))


def _other_than_drafted(p: Array, q: Array) -> Array:
    """Return the law of the target's own sample, given that the draft was another token."""
    rest = np.asarray(p * (1 - q))
    return normalise(rest) if rest.sum() > 0 else p


ratio_and_residual = Rule("ratio and residual", acceptance, residual)
"""The speculative rule: keep with min(1, p/q), correct from max(p - q, 0). Its law is p."""

sample_match = Rule("sample and match", lambda p, q: p, _other_than_drafted)
"""Sample the target as well; if the two tokens agree the draft is kept. Emits p by construction.

It keeps with probability sum(p q), never more than sum(min(p, q)).
"""

redraw_from_p = Rule("redraw from p", acceptance, lambda p, q: p)
"""The right coin and the wrong correction: after a rejection draw from p."""

retry_from_q = Rule("draft again", acceptance, accepted_law)
"""The right coin and no correction: draft until one is kept. Emits the law of accepted tokens."""

accept_iff_p_at_least_q = Rule("no coin", lambda p, q: _where(p >= q, p), residual)
"""Keep exactly if p >= q: the rule without its uniform draw."""

softmax_of_residual = Rule(
    "softmax of the residual",
    acceptance,
    lambda p, q: softmax(_gap(p, q).astype(np.float64)),
)
"""The residual is a vector of masses; softmax takes it for logits and lets every token through."""

keep_everything = Rule("keep everything", lambda p, q: _where(p == p, p), lambda p, q: p)
"""Trust the draft. Emits q."""


TYPICAL_EPSILON, TYPICAL_DELTA = 0.09, 0.3
"""The thresholds of typical acceptance that the book uses."""


def typical_acceptance(epsilon: float = TYPICAL_EPSILON, delta: float = TYPICAL_DELTA) -> Rule:
    r"""Return the rule that keeps what is typical enough of the target.

    .. math:: a(x) = 1 \text{ if } p(x) > \min(\varepsilon, \delta e^{-H(p)}) \text{, else } 0

    H is the entropy in nats. After a rejection the target's most probable token is emitted. The
    draft's law enters nowhere, so that the emitted law cannot be p in general.

    Parameters
    ----------
    epsilon, delta : float
        In (0, 1].

    Returns
    -------
    Rule

    Raises
    ------
    ValueError
        If a threshold does not lie in (0, 1].

    References
    ----------
    Cai et al. (2024), Medusa, section 2.3.1.
    """
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        check_number(value, name, 0, 1, above=True)

    def keeps(p: Array, q: Array) -> Array:
        masses = p[p > 0].astype(np.float64)
        entropy = -(masses * np.log(masses)).sum()
        return _where(p > min(epsilon, delta * np.exp(-entropy)), p)

    return Rule("typical acceptance", keeps, lambda p, q: temper(p, 0))


ZOO: tuple[Rule, ...] = (
    ratio_and_residual,
    sample_match,
    redraw_from_p,
    softmax_of_residual,
    retry_from_q,
    accept_iff_p_at_least_q,
    typical_acceptance(),
    keep_everything,
)
"""The rules that the book compares: the exact ones first."""


def pair_law(target: Model, draft: Model, *, go_on: bool = False) -> dict[tuple[int, int], Any]:
    """Return the exact law of the first two tokens when a block of two drafts is verified.

    After a rejection at the first draft the second draft is void, and the next round draws the
    second token from the target's law after the correction. With `go_on` the walk goes on instead:
    it judges the second draft by the rows that were computed after the *rejected* token, and so
    emits a token for a text that is not there.

    Parameters
    ----------
    target, draft : callable
        From a context (tuple of token ids) to a law of shape (V,).
    go_on : bool
        Whether to make that mistake.

    Returns
    -------
    dict
        From (first, second) to its probability; Fractions if all laws are.

    Raises
    ------
    ValueError
        If a model returns something that is not one law.
    """
    p, q = _one_pair(target(()), draft(()))
    kept = q * acceptance(p, q)
    fix = residual(p, q)
    stale = [ratio_and_residual(target((x,)), draft((x,))) for x in range(len(p))]
    out: dict[tuple[int, int], Any] = {}
    for x in range(len(p)):
        # First token x, drafted and kept: the second draft is judged by the rows after x.
        second = kept[x] * stale[x]
        for drafted in range(len(p)):
            rejected = q[drafted] - kept[drafted]
            rows = stale[drafted] if go_on else as_law(target((x,)))
            second = second + rejected * fix[x] * rows
        out |= {(x, y): second[y] for y in range(len(p))}
    return out
