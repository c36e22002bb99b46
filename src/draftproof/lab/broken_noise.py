"""Faults of the randomness itself: the correction drawn with noise that was used before."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draftproof.finite import Array, check_rng, check_whole, inverse_cdf
from draftproof.lab.broken_fault import Fault, LawFault
from draftproof.lab.broken_verdicts import exactly
from draftproof.speculative import acceptance, residual
from draftproof.verifiers import token

__all__ = ["FAULTS", "coin_again", "race_again", "reused_coin_law", "reused_noise_law"]


def race_again(x: int, q: Array, r: Array) -> Array:
    r"""Return the law of the winner of a second race run with the noise of a first.

    Both races use the same independent exponential times :math:`E_i`. The first is won by
    :math:`x = \arg\min E_i / q(i)`; the second by :math:`\arg\min E_i / r(i)`.

    Given that x won at time s, every other time is :math:`E_i = s\,q(i) + E_i'` with a fresh
    exponential :math:`E_i'`: in the second race runner i starts late, at
    :math:`d_i = s\,q(i) / r(i)`, and then arrives at rate r(i). Runner x himself arrives at
    :math:`d_x` exactly. Between two starts the race is memoryless, and s is exponential with
    rate :math:`\sum_i q(i) = 1`, so that every probability is a fraction of sums.

    Parameters
    ----------
    x : int
        The winner of the first race.
    q, r : ndarray, shape (V,)
        The two laws.

    Returns
    -------
    ndarray, shape (V,)
    """
    out = q * 0
    runners = sorted((q[i] / r[i], int(i)) for i in np.flatnonzero(r > 0))
    # Delays are multiples of s; `decay` is the rate in s at which "nobody has arrived" dies out.
    decay: Any = 0 * q[0]
    running: list[int] = []
    for at, (delay, i) in enumerate(runners):
        if i == x:  # arrives the moment he starts
            out[i] = 1 / (1 + decay)
            return out
        running.append(i)
        rate = sum(r[j] for j in running)
        later = decay
        if at + 1 < len(runners):
            later = decay + rate * (runners[at + 1][0] - delay)
            gone = 1 / (1 + decay) - 1 / (1 + later)
        else:
            gone = 1 / (1 + decay)
        for j in running:
            out[j] = out[j] + gone * r[j] / rate
        decay = later
    return out


def reused_noise_law(p: Array, q: Array) -> Array:
    """Return the law of one token if the correction's race reuses the draft's times.

    Parameters
    ----------
    p, q : ndarray, shape (V,)
        Target and draft law.

    Returns
    -------
    ndarray, shape (V,)
    """
    kept = acceptance(p, q)
    out = q * kept
    for x in np.flatnonzero(q > 0):
        rejected = q[x] * (1 - kept[x])
        if rejected > 0:
            out = out + rejected * race_again(int(x), q, residual(p, q))
    return out


def coin_again(law: Array, least: Any) -> Array:
    r"""Return the law of a token looked up with a uniform that is known to be at least `least`.

    The token x owns the piece of the unit line from P(x - 1) to P(x), P the running sums of `law`.
    A uniform on [h, 1) meets it with probability

    .. math:: \frac{\max(P(x), h) - \max(P(x - 1), h)}{1 - h}

    Parameters
    ----------
    law : ndarray, shape (V,)
        The law that is looked up.
    least : Fraction or float
        h in [0, 1).

    Returns
    -------
    ndarray, shape (V,)
    """
    ends = np.array(list(accumulate(law, initial=0 * law[0])), dtype=law.dtype)
    return np.asarray(np.diff(np.maximum(ends, least)) / (1 - least))


def reused_coin_law(p: Array, q: Array) -> Array:
    """Return the law of one token if the correction is looked up with the coin's own uniform.

    Parameters
    ----------
    p, q : ndarray, shape (V,)
        Target and draft law.

    Returns
    -------
    ndarray, shape (V,)
    """
    kept = acceptance(p, q)
    out = q * kept
    for x in np.flatnonzero(q > 0):
        if kept[x] < 1:
            out = out + q[x] * (1 - kept[x]) * coin_again(residual(p, q), kept[x])
    return out


def _one_uniform(p: Array, q: Array) -> Any:
    p64, q64 = p.astype(np.float64), q.astype(np.float64)
    kept, r64 = acceptance(p64, q64), residual(p64, q64)

    def sample(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        drafted = inverse_cdf(q64, check_rng(rng).random(check_whole(n, "n")))
        u = rng.random(n)
        corrected = inverse_cdf(r64, u)  # the fault: u has just said no, so it is large
        return np.asarray(np.where(u < kept[drafted], drafted, corrected))

    return sample


def _sample(p: Array, q: Array) -> Any:
    p64, q64 = p.astype(np.float64), q.astype(np.float64)
    kept, r64 = acceptance(p64, q64), residual(p64, q64)

    def sample(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        times = check_rng(rng).exponential(size=(check_whole(n, "n"), len(q64)))
        with np.errstate(divide="ignore"):
            drafted = (times / q64).argmin(axis=1)
            corrected = (times / r64).argmin(axis=1)  # the fault: not drawn afresh
        return np.asarray(np.where(rng.random(n) < kept[drafted], drafted, corrected))

    return sample


_p, _q = exactly("0.5 0.3 0.1 0.1"), exactly("0.1 0.2 0.3 0.4")
_c, _d = exactly("0.4 0.4 0.2"), exactly("0.2 0.2 0.6")

FAULTS: tuple[Fault, ...] = (
    LawFault(
        name="resample-reuses-draft-noise",
        what="The correction's exponential race reuses the times of the race that drew the draft.",
        reports=("vllm-project/vllm#47386",),
        right=token,
        wrong=reused_noise_law,
        p=_p,
        q=_q,
        wanted=_p,
        compute=lambda: reused_noise_law(_p, _q),
        sample=_sample(_p, _q),
    ),
    LawFault(
        name="correction-reuses-the-coin",
        what="The correction is looked up with the uniform that has just rejected the draft.",
        reports=("vllm-project/vllm-ascend#16370",),
        right=token,
        wrong=reused_coin_law,
        p=_c,
        q=_d,
        wanted=_c,
        compute=lambda: reused_coin_law(_c, _d),
        sample=_one_uniform(_c, _d),
    ),
)
