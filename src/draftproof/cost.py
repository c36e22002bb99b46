"""What drafting costs and buys: tokens for one target call, speedup, the best block length.

Letters: alpha is the probability that one draft is accepted, gamma the number of drafts in a
block, c the time of one draft step over one plain target step, v the time of one verification pass
over one plain target step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from draftproof.finite import Array, as_law, as_number, as_pair, check_whole, show_value

__all__ = [
    "HARDWARE",
    "Hardware",
    "accepted_over_drafted",
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


def _check_alpha(alpha: Any) -> Any:
    real = isinstance(alpha, Real) and not isinstance(alpha, (bool, np.bool_))
    if not real or not 0 <= alpha <= 1:
        raise ValueError(f"alpha must lie in [0, 1], got {show_value(alpha)}")
    return alpha


def _check_price(value: Any, name: str, above: bool = False) -> Any:
    real = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    if not real or not 0 <= value < float("inf") or (above and value == 0):
        allowed = "a positive number" if above else "a number >= 0"
        raise ValueError(f"{name} must be {allowed}, got {show_value(value)}")
    return value


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
        At least 0.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    _check_alpha(alpha)
    # A sum rather than the closed form: no 0/0 at alpha = 1, and exact for Fractions.
    total = alpha * 0
    for _ in range(check_whole(gamma, "gamma")):
        total = alpha * (1 + total)
    return total


def expected_tokens(alpha: Any, gamma: int) -> Any:
    r"""Return the expected number of tokens that one target call emits.

    .. math:: E[N] = 1 + \alpha + \dots + \alpha^\gamma
              = \frac{1 - \alpha^{\gamma + 1}}{1 - \alpha}

    One correction or bonus token is included: this is not the number of accepted drafts.

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

    Raises
    ------
    ValueError
        As `expected_tokens`.
    """
    return _check_alpha(alpha) ** check_whole(gamma, "gamma")


def accepted_over_drafted(alpha: Any, gamma: int) -> Any:
    r"""Return expected accepted drafts over drafted tokens, the rate that gamma drags down.

    .. math:: \frac{1}{\gamma} \sum_{k=1}^{\gamma} \alpha^k

    Raises
    ------
    ValueError
        If `alpha` does not lie in [0, 1] or `gamma` is not a whole number >= 1.
    """
    check_whole(gamma, "gamma", 1)
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

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Leviathan, Kalman and Matias (2023), theorem 3.8 (v = 1).
    """
    _check_price(c, "c")
    _check_price(v, "v", above=True)
    return expected_tokens(alpha, gamma) / (gamma * c + v)


def best_gamma(alpha: Any, c: Any, v: Any = 1, limit: int = 64) -> tuple[int, Any]:
    """Return the block length with the largest speedup, and that speedup.

    Parameters
    ----------
    alpha, c, v
        As `speedup`. `v` may also be a callable from gamma to the price of its verification.
    limit : int
        Longest block considered. With c = 0, v = 1 and alpha > 0 longer is always better, and
        `limit` is returned.

    Returns
    -------
    tuple
        gamma in 0..limit (0: do not draft at all) and the speedup there; ties go to the shorter.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    price = v if callable(v) else lambda _gamma: v
    check_whole(limit, "limit", 1)
    # Plain decoding pays one plain step whatever a verification pass costs.
    best, most = 0, speedup(alpha, 0, c)
    for gamma in range(1, limit + 1):
        here = speedup(alpha, gamma, c, price(gamma))
        if here > most:
            best, most = gamma, here
    return best, most


def break_even_alpha(gamma: int, c: Any, v: Any = 1) -> float:
    r"""Return the alpha at which a block of `gamma` drafts gains nothing.

    The speedup is 1 where :math:`\alpha + \dots + \alpha^\gamma = \gamma c + v - 1`. For gamma = 1
    and v = 1 this is alpha = c.

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
    check_whole(gamma, "gamma", 1)
    wanted = float(gamma * _check_price(c, "c") + _check_price(v, "v", above=True) - 1)
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

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Leviathan, Kalman and Matias (2023), theorem 3.11.
    """
    _check_price(c_ops, "c_ops")
    return (gamma * c_ops + gamma + 1) / expected_tokens(alpha, gamma)


def _tables(target: ArrayLike, draft: ArrayLike) -> tuple[Array, Array]:
    p, q = as_pair(target, draft)
    if p.ndim != 2 or p.shape[0] != p.shape[1] or p.shape != q.shape:
        raise ValueError(
            "target and draft must be square tables of laws (V, V), one row a context, got "
            f"shapes {p.shape} and {q.shape}"
        )
    return p.astype(np.float64), q.astype(np.float64)


def round_chain(target: ArrayLike, draft: ArrayLike, gamma: int) -> tuple[Array, Array]:
    r"""Return the exact law of one round for a target and draft that look one token back.

    With A = min(P, Q) (accepted steps) and R = max(P - Q, 0) (corrected steps), the last token of
    a round follows :math:`\sum_{k<\gamma} A^k R + A^\gamma P`, and the expected number of
    emitted tokens is :math:`\sum_{k \le \gamma} A^k \mathbf 1`.

    Parameters
    ----------
    target, draft : array_like, shape (V, V)
        Row c is the law of the next token after token c.
    gamma : int
        At least 0.

    Returns
    -------
    step : ndarray, shape (V, V)
        From the context before a round to the last token of the round; rows sum to 1.
    tokens : ndarray, shape (V,)
        Expected emitted tokens of a round from each context.

    Raises
    ------
    ValueError
        If a table is not square, its rows are not laws, or `gamma` is negative.
    """
    p, q = _tables(target, draft)
    kept, corrected = np.minimum(p, q), np.maximum(p - q, 0)
    alive = np.eye(len(p))
    step, tokens = np.zeros_like(p), np.ones(len(p))
    for _ in range(check_whole(gamma, "gamma")):
        step += alive @ corrected
        alive = alive @ kept
        tokens += alive.sum(axis=1)
    return step + alive @ p, tokens


def stationary(table: ArrayLike) -> Array:
    """Return the long-run law of a chain: the row vector with ``pi @ table = pi``, sum 1.

    Raises
    ------
    ValueError
        If `table` is not a square table of laws, or the chain has more than one long-run law.
    """
    step = as_law(table, "table").astype(np.float64)
    if step.ndim != 2 or step.shape[0] != step.shape[1]:
        raise ValueError(f"table must be square, got shape {step.shape}")
    size = len(step)
    equations = np.vstack([step.T - np.eye(size), np.ones(size)])
    solution, _, rank, _ = np.linalg.lstsq(equations, np.r_[np.zeros(size), 1.0], rcond=1e-12)
    if rank < size:
        raise ValueError("table must have one long-run law, got a chain that falls into parts")
    law = np.maximum(solution, 0)
    return np.asarray(law / law.sum())


def tokens_per_call(target: ArrayLike, draft: ArrayLike, gamma: int) -> float:
    """Return the exact long-run tokens for one target call, from the chain of rounds.

    Unlike `expected_tokens` it takes nothing as independent: the contexts at which rounds start
    have a law of their own, and contexts follow one another inside a block.

    Raises
    ------
    ValueError
        As `round_chain` and `stationary`.
    """
    step, tokens = round_chain(target, draft, gamma)
    return float(stationary(step) @ tokens)


def experts_loaded(experts: int, active: int, rows: int) -> float:
    r"""Return how many experts a mixture loads for some rows, if each picks uniformly.

    .. math:: E \Bigl(1 - \bigl(1 - \tfrac{k}{E}\bigr)^{rows}\Bigr)

    Raises
    ------
    ValueError
        If a count is below 1 or `active` exceeds `experts`.
    """
    check_whole(experts, "experts", 1)
    check_whole(active, "active", 1, experts)
    check_whole(rows, "rows", 1)
    return as_number(experts * (1 - (1 - active / experts) ** rows))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Hardware:
    """A machine as the roofline sees it.

    Attributes
    ----------
    name : str
    bandwidth : float
        Bytes a second from memory.
    peak : float
        Operations a second (dense, 16-bit), as the vendor states them.
    """

    name: str
    bandwidth: float
    peak: float

    @property
    def ridge(self) -> float:
        """Operations for one byte at which the machine turns from memory- to compute-bound."""
        return self.peak / self.bandwidth


HARDWARE: dict[str, Hardware] = {
    machine.name: machine
    for machine in (
        Hardware("H100 SXM", 3.35e12, 989e12),
        Hardware("H200", 4.8e12, 989e12),
        Hardware("MI300X", 5.3e12, 1307e12),
        Hardware("laptop CPU", 80e9, 1e12),
    )
}
"""Vendors' data-sheet values; the laptop is an order of magnitude, not a product."""


def _work(
    parameters: float, rows: int, batch: int, kv_bytes: float, bytes_per_parameter: float
) -> tuple[float, float]:
    """Return operations and bytes of one pass over `rows` positions of `batch` sequences."""
    _check_price(parameters, "parameters", above=True)
    _check_price(bytes_per_parameter, "bytes_per_parameter", above=True)
    _check_price(kv_bytes, "kv_bytes")
    positions = check_whole(rows, "rows", 1) * check_whole(batch, "batch", 1)
    return 2.0 * parameters * positions, parameters * bytes_per_parameter + batch * kv_bytes


def intensity(
    parameters: float,
    rows: int,
    *,
    batch: int = 1,
    kv_bytes: float = 0.0,
    bytes_per_parameter: float = 2.0,
) -> float:
    r"""Return operations for one byte of a pass over `rows` positions.

    .. math:: \frac{2 N \cdot rows \cdot batch}{N b + batch \cdot KV}

    Parameters
    ----------
    parameters : float
        N, a number of weights.
    rows : int
        Positions scored in one sequence (gamma + 1 when verifying).
    batch : int
        Sequences.
    kv_bytes : float
        Bytes of cached keys and values read for one sequence.
    bytes_per_parameter : float
        b: 2 for 16-bit weights.

    Returns
    -------
    float
        Operations per byte.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    flops, moved = _work(parameters, rows, batch, kv_bytes, bytes_per_parameter)
    return flops / moved


def verification_price(
    hardware: Hardware,
    parameters: float,
    rows: int,
    *,
    batch: int = 1,
    kv_bytes: float = 0.0,
    bytes_per_parameter: float = 2.0,
) -> float:
    r"""Return v, the ideal time of a pass over `rows` positions over that of one position.

    Each pass takes the longer of its memory and its compute time (the roofline).

    Parameters
    ----------
    hardware : Hardware
    parameters, rows, batch, kv_bytes, bytes_per_parameter
        As `intensity`.

    Returns
    -------
    float
        At least 1.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """

    def seconds(positions: int) -> float:
        flops, moved = _work(parameters, positions, batch, kv_bytes, bytes_per_parameter)
        return max(flops / hardware.peak, moved / hardware.bandwidth)

    return seconds(rows) / seconds(1)


def speedup_curve(alpha: Any, gammas: Sequence[int], c: Any, v: Any = 1) -> list[Any]:
    """Return the speedup at each block length of `gammas`."""
    return [speedup(alpha, gamma, c, v) for gamma in gammas]
