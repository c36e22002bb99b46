"""What drafting costs and buys: tokens for one target call, speedup, the best block length.

Letters: alpha is the probability that one draft is accepted, gamma the number of drafts in a
block, c the time of one draft step over one plain target step, v the time of one verification pass
over one plain target step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import expm1, log
from typing import Any

from draftproof.chain import (
    LONGEST,
    accepted_over_tested,
    round_chain,
    stationary,
    tokens_per_call,
)
from draftproof.finite import check_number, check_whole, show_value
from draftproof.roofline import (
    HARDWARE,
    Hardware,
    experts_loaded,
    intensity,
    verification_price,
)

__all__ = [
    "HARDWARE",
    "LONGEST",
    "Hardware",
    "accepted_over_drafted",
    "accepted_over_tested",
    "best_gamma",
    "bonus_probability",
    "break_even_alpha",
    "expected_accepted",
    "expected_tokens",
    "experts_loaded",
    "intensity",
    "operations",
    "round_chain",
    "speedup",
    "speedup_curve",
    "stationary",
    "tokens_per_call",
    "verification_price",
]


_ROUNDING = 1e-12  # relative; speeds closer than this count as equal


def _check_gamma(gamma: object, low: int = 0) -> int:
    return check_whole(gamma, "gamma", low, LONGEST)


def expected_accepted(alpha: Any, gamma: int) -> Any:
    r"""Return the expected number of accepted drafts in a block.

    .. math:: \sum_{k=1}^{\gamma} \alpha^k

    Corrections and bonus tokens are not in it. Positions are taken as independent with one and
    the same `alpha`; `tokens_per_call` does without that.

    Parameters
    ----------
    alpha : float or Fraction
        In [0, 1].
    gamma : int
        In 0..`LONGEST`.

    Returns
    -------
    float or Fraction

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    share, last = check_number(alpha, "alpha", 0, 1), _check_gamma(gamma)
    if share in (0, 1):
        return share * last
    if isinstance(share, Fraction):
        return share * (1 - share**last) / (1 - share)
    # expm1 keeps 1 - alpha**gamma exact to the last digits near alpha = 1.
    return share * -expm1(last * log(share)) / (1 - share)


def expected_tokens(alpha: Any, gamma: int) -> Any:
    r"""Return the expected number of tokens that one target call emits.

    .. math:: E[N] = 1 + \alpha + \dots + \alpha^\gamma
              = \frac{1 - \alpha^{\gamma + 1}}{1 - \alpha}

    One correction or bonus token is included: this is not the number of accepted drafts.

    Parameters
    ----------
    alpha : float or Fraction
        In [0, 1].
    gamma : int
        In 0..`LONGEST`.

    Returns
    -------
    float or Fraction

    Raises
    ------
    ValueError
        If `alpha` does not lie in [0, 1] or `gamma` is not a whole number >= 0.

    References
    ----------
    Leviathan, Kalman and Matias (2023), equation 1.
    """
    return 1 + expected_accepted(alpha, gamma)


def bonus_probability(alpha: Any, gamma: int) -> Any:
    r"""Return the probability that a whole block is accepted, :math:`\alpha^\gamma`.

    Parameters
    ----------
    alpha : float or Fraction
        In [0, 1].
    gamma : int
        In 0..`LONGEST`.

    Returns
    -------
    float or Fraction

    Raises
    ------
    ValueError
        As `expected_tokens`.
    """
    return check_number(alpha, "alpha", 0, 1) ** _check_gamma(gamma)


def accepted_over_drafted(alpha: Any, gamma: int) -> Any:
    r"""Return expected accepted drafts over drafted tokens, the rate that gamma drags down.

    .. math:: \frac{1}{\gamma} \sum_{k=1}^{\gamma} \alpha^k

    Parameters
    ----------
    alpha : float or Fraction
        In [0, 1].
    gamma : int
        In 1..`LONGEST`.

    Returns
    -------
    float or Fraction

    Raises
    ------
    ValueError
        If `alpha` does not lie in [0, 1] or `gamma` is not a whole number >= 1.
    """
    _check_gamma(gamma, 1)
    return expected_accepted(alpha, gamma) / gamma


def speedup(alpha: Any, gamma: int, c: Any, v: Any = 1) -> Any:
    r"""Return the speed of speculative over plain decoding.

    .. math:: S = \frac{E[N]}{\gamma c + v}

    Parameters
    ----------
    alpha : float or Fraction
    gamma : int
        At least 0; 0 is plain decoding.
    c : float or Fraction
        Draft step over plain target step, >= 0.
    v : float or Fraction
        Verification pass over plain target step, > 0. 1 means that checking gamma + 1 positions
        costs as much as computing one.

    Returns
    -------
    float or Fraction

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Leviathan, Kalman and Matias (2023), theorem 3.8 (v = 1).
    """
    check_number(c, "c", 0)
    check_number(v, "v", 0, above=True)
    return expected_tokens(alpha, gamma) / (gamma * c + v)


def _tie(value: Any) -> Any:
    """Return by what factor another value must exceed this kind of value to be larger."""
    return 1 if isinstance(value, Fraction) else 1 + _ROUNDING


def best_gamma(alpha: Any, c: Any, v: Any = 1, limit: int = 64) -> tuple[int, Any]:
    """Return the block length with the largest speedup, and that speedup.

    Parameters
    ----------
    alpha, c, v
        As `speedup`. `v` may also be a callable from gamma to the price of its verification.
    limit : int
        Longest block considered. Drafts that cost nothing have no best length: with c = 0, a
        constant `v` and alpha > 0 longer is always better, and `limit` is returned (or 0, if even
        `limit` drafts do not pay for `v`).

    Returns
    -------
    tuple
        gamma in 0..limit (0: do not draft at all) and the speedup there. Ties go to the shorter;
        floats tie where they differ by less than 1e-12 of the larger, so that rounding decides
        nothing.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    price = v if callable(v) else lambda _gamma: v
    check_whole(limit, "limit", 1, LONGEST)
    share = check_number(alpha, "alpha", 0, 1)
    # Where drafts are free, floats level out before the end; the sum does not.
    free = not callable(v) and c == 0 and share > 0
    # Plain decoding pays one plain step whatever a verification pass costs.
    best, most = 0, speedup(share, 0, c)
    for gamma in range(limit if free else 1, limit + 1):
        here = speedup(share, gamma, c, price(gamma))
        if here > most * _tie(here) or (free and v == 1):
            best, most = gamma, here
    return best, most


def break_even_alpha(gamma: int, c: Any, v: Any = 1) -> float:
    r"""Return the alpha at which a block of `gamma` drafts gains nothing.

    The speedup is 1 where :math:`\alpha + \dots + \alpha^\gamma = \gamma c + v - 1`. For gamma = 1
    and v = 1 this is alpha = c.

    Parameters
    ----------
    gamma : int
        In 1..`LONGEST`.
    c, v : float or Fraction
        As `speedup`.

    Returns
    -------
    float
        In [0, 1]; ``inf`` if even alpha = 1 loses.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Leviathan, Kalman and Matias (2023), corollary 3.9.
    """
    _check_gamma(gamma, 1)
    wanted = float(gamma * check_number(c, "c", 0) + check_number(v, "v", 0, above=True) - 1)
    if wanted <= 0:
        return 0.0
    if wanted > gamma:
        return float("inf")
    low, high = 0.0, 1.0
    for _ in range(60):  # bisection: the sum grows with alpha
        middle = (low + high) / 2
        low, high = (low, middle) if expected_accepted(middle, gamma) >= wanted else (middle, high)
    return high


def operations(alpha: Any, gamma: int, c_ops: Any = 0) -> Any:
    r"""Return the arithmetic of speculative over plain decoding (it is the price of the speed).

    .. math:: \frac{\gamma \hat c + \gamma + 1}{E[N]}

    Parameters
    ----------
    alpha, gamma
        As `speedup`.
    c_ops : float or Fraction
        Operations of one draft step over those of one target step.

    Returns
    -------
    float or Fraction

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Leviathan, Kalman and Matias (2023), theorem 3.11.
    """
    check_number(c_ops, "c_ops", 0)
    tokens = expected_tokens(alpha, gamma)
    return (gamma * c_ops + gamma + 1) / tokens


def speedup_curve(alpha: Any, gammas: Sequence[int], c: Any, v: Any = 1) -> list[Any]:
    """Return the speedup at each block length of `gammas`.

    Parameters
    ----------
    gammas : sequence of int
    alpha, c, v
        As `speedup`.

    Returns
    -------
    list of float or Fraction

    Raises
    ------
    ValueError
        As `speedup`, or if `gammas` is not a sequence.
    """
    if not isinstance(gammas, Iterable):
        raise ValueError(f"gammas must be a sequence of whole numbers, got {show_value(gammas)}")
    return [speedup(alpha, gamma, c, v) for gamma in gammas]
