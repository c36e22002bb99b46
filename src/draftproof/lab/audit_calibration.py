"""The auditor audited: how often it rejects samplers that are exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from draftproof.finite import LARGEST, Array, check_flag, check_rng, check_whole, draw
from draftproof.lab.audit_rule import check_probability
from draftproof.lab.audits import audit, audit_sequential

__all__ = ["Calibration", "calibrate", "random_case"]


@dataclass(frozen=True, eq=False)
class Calibration:
    """The p-values that exact samplers were given.

    Attributes
    ----------
    p_values : ndarray, shape (runs,)
        In [0, 1], in the order of the runs.
    alpha : float
        The stated false-alarm rate.
    runs : int
        How many exact samplers were audited.
    false_alarms : int
        How many of the p-values are at most `alpha`.
    """

    p_values: NDArray[np.float64]
    alpha: float

    @property
    def runs(self) -> int:
        """How many exact samplers were audited."""
        return len(self.p_values)

    @property
    def false_alarms(self) -> int:
        """How many of them were rejected."""
        return int((self.p_values <= self.alpha).sum())

    def too_many(self, level: float | None = None) -> float:
        r"""Return the probability of so many false alarms or more, if the stated rate holds.

        .. math:: P(X \ge k), \quad X \sim \mathrm{Bin}(\text{runs}, \alpha)

        Parameters
        ----------
        level : float, optional
            Count the p-values up to another level than `alpha`.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If `level` does not lie in (0, 1).
        """
        a = self.alpha if level is None else check_probability(level, "level")
        alarms = int((self.p_values <= a).sum())
        return 1.0 if alarms == 0 else float(bdtrc(alarms - 1, self.runs, a))


def random_case(rng: np.random.Generator) -> tuple[Array, int]:
    """Return a law and a number of draws, the awkward ones among them.

    Vocabularies of 1 to 30 tokens, or pairs and triples of tokens; masses from even to extremely
    uneven, some of them 0; from 1 to 30,000 draws, so that expected counts are often far below 1.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    tuple of (ndarray, int)
        The law, of shape (V,) or (V,) * L, and the number of draws.
    """
    size = int(rng.integers(1, 31))
    shape: tuple[int, ...] = (size,)
    if rng.random() < 0.25:
        shape = (int(rng.integers(2, 6)),) * int(rng.integers(2, 4))
    spread = 10 ** rng.uniform(-1.5, 1)
    law = rng.dirichlet(np.full(int(np.prod(shape)), spread))
    law[rng.random(len(law)) < 0.15] = 0
    if not law.sum() > 0:
        law[0] = 1
    n = int(10 ** rng.uniform(0, 4.5))
    return (law / law.sum()).reshape(shape), n


def _exact_sampler(law: Array) -> Callable[[int, np.random.Generator], Array]:
    def sampler(n: int, rng: np.random.Generator) -> Array:
        flat = draw(law.reshape(-1), rng, n)
        return flat if law.ndim == 1 else np.stack(np.unravel_index(flat, law.shape), axis=1)

    return sampler


def calibrate(
    runs: int, rng: np.random.Generator, alpha: float = 0.01, *, sequential: bool = False
) -> Calibration:
    """Audit exact samplers of random laws and sizes, and return the p-values they get.

    Parameters
    ----------
    runs : int
        Exact samplers, at least 1.
    rng : numpy.random.Generator
        For laws, sizes, draws and audits.
    alpha : float
        The false-alarm rate of each audit.
    sequential : bool
        Use `audit_sequential`, looking up to the case's number of draws.

    Returns
    -------
    Calibration
        One p-value a run.

    Raises
    ------
    ValueError
        If a count is below 1 or `alpha` does not lie in (0, 1).
    """
    check_whole(runs, "runs", 1, LARGEST)
    check_probability(alpha, "alpha")
    check_flag(sequential, "sequential")
    check_rng(rng)
    found = np.empty(runs)
    for i in range(runs):
        law, n = random_case(rng)
        sampler = _exact_sampler(law)
        if sequential:
            found[i] = audit_sequential(sampler, law, rng, alpha, n, first=10).p_value
        else:
            found[i] = audit(sampler, law, n, rng, alpha).p_value
    return Calibration(found, float(alpha))
