"""What an audit says: a verdict, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from draftproof._digits import count, power, ten
from draftproof.finite import Array
from draftproof.lab.audit_detect import smallest_detectable
from draftproof.noise import noise_band

__all__ = ["AuditReport", "SequentialReport", "show_p"]

_SMALLEST = -30


@dataclass(frozen=True, eq=False)
class AuditReport:
    """The outcome of `draftproof.lab.audit`.

    Attributes
    ----------
    exact : bool
        Whether the sampler was *not* rejected: ``p_value > alpha``. It is no proof; `detectable`
        says how large a bias could still hide.
    p_value : float
        An exact sampler gives a p-value of at most a with probability at most a. 0 for a draw
        that the law rules out.
    alpha : float
        The share of exact samplers that would be rejected.
    n : int
        Draws.
    tv : float
        Total variation distance of the observed shares from the law.
    statistic : str
        The name of the test.
    value : float
        Its statistic, the likelihood ratio G.
    method : str
        How the p-value was found.
    reason : str
        Why the sampler was rejected, or "".
    shares : ndarray, shape (K,)
        The observed share of each outcome of the law, in the law's own order.
    law : ndarray, shape (K,)
        The law, in the same order.
    parts : dict
        The p-values that `p_value` was put together from.
    tv_band : tuple of float
        The band that holds the `tv` of 95 % of exact samplers.
    detectable : float
        The smallest TV that this n catches with 99 % power, in the hardest direction.

    References
    ----------
    Besag and Clifford (1991), Sequential Monte Carlo p-values, Biometrika 78.
    """

    exact: bool
    p_value: float
    alpha: float
    n: int
    tv: float
    value: float
    method: str
    reason: str
    shares: Array
    law: Array
    parts: dict[str, float]
    statistic: str = "likelihood ratio G"
    _cells: Array = field(repr=False, default_factory=lambda: np.ones(1))
    _stream: np.random.Generator = field(repr=False, default_factory=np.random.default_rng)

    @cached_property
    def tv_band(self) -> tuple[float, float]:
        """The band that holds the `tv` of 95 % of exact samplers (2.5 % on either side).

        Its ends are quantiles over up to 4,000 simulated exact samplers of `n` draws.
        """
        low, high = noise_band(
            self.law, self.n, self._stream, levels=(0.025, 0.975), runs=self._runs
        )
        return float(low), float(high)

    @property
    def _runs(self) -> int:
        return int(np.clip(4_000_000 // len(self.law), 200, 4000))

    @cached_property
    def detectable(self) -> float:
        """The smallest TV that this n catches with 99 % power, in the hardest direction.

        A sampler at that distance in the direction of `draftproof.lab.least_favourable` is
        rejected 99 times in 100, and one at that distance in any other direction at least as
        often (hardly less often, where n is below 100 and the bias large). 1.0
        means that n is too small to be sure of anything but an impossible draw.
        """
        return smallest_detectable(self._cells, self.n, self.alpha)

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers of the report for JSON.

        Returns
        -------
        dict
            Text, booleans, whole numbers and finite floats; None for an infinite one.
        """
        return {
            "exact": self.exact,
            "p_value": self.p_value,
            "alpha": self.alpha,
            "n": self.n,
            "tv": self.tv,
            "tv_band": list(self.tv_band),
            "detectable": self.detectable,
            "statistic": self.statistic,
            "value": self.value if np.isfinite(self.value) else None,
            "method": self.method,
            "reason": self.reason,
        }

    @property
    def _lines(self) -> list[tuple[str, str]]:
        low, high = self.tv_band
        verdict = "not rejected" if self.exact else "rejected"
        return [
            ("verdict", f"{verdict}{': ' + self.reason if self.reason else ''}"),
            ("p-value", f"{show_p(self.p_value)} (rejected at {self.alpha:g} or less)"),
            ("draws", count(self.n)),
            ("TV from the law", f"{self.tv:.4f}; 95 % of exact samplers: {low:.4f} to {high:.4f}"),
            ("caught 99 % of the time", _show_detectable(self.detectable)),
        ]

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self._lines)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in self._lines)

    def _repr_html_(self) -> str:
        return _table("Audit", self._lines)


@dataclass(frozen=True, eq=False)
class SequentialReport:
    """The outcome of `draftproof.lab.audit_sequential`.

    Attributes
    ----------
    exact : bool
        Whether the sampler was not rejected within `max_n` draws.
    n : int
        Draws when the audit stopped.
    p_value : float
        One over the largest bet won, at most 1; valid whenever one stops looking.
    log_e : float
        Natural logarithm of that largest e-value.
    alpha : float
    max_n : int
    tv : float
        Distance of the shares of all draws from the law.
    reason : str
        Why the sampler was rejected, or "".
    path : ndarray, shape (looks, 2)
        Draws and log e-value at every look, for a picture.

    References
    ----------
    Ville (1939), Etude critique de la notion de collectif.
    """

    exact: bool
    n: int
    p_value: float
    log_e: float
    alpha: float
    max_n: int
    tv: float
    reason: str
    path: Array

    @property
    def _lines(self) -> list[tuple[str, str]]:
        verdict = "not rejected" if self.exact else "rejected"
        return [
            ("verdict", f"{verdict}{': ' + self.reason if self.reason else ''}"),
            ("draws", f"{count(self.n)} of at most {count(self.max_n)}"),
            ("p-value", f"{show_p(self.p_value)}, valid at any stopping time"),
            ("largest e-value", f"{_show_fold(self.log_e)}; {count(1 / self.alpha)}-fold rejects"),
            ("TV from the law", f"{self.tv:.4f}"),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers of the report for JSON.

        Returns
        -------
        dict
            Text, booleans, whole numbers and finite floats; None for an infinite one.
        """
        kept = ("exact", "n", "p_value", "log_e", "alpha", "max_n", "tv", "reason")
        row = {name: getattr(self, name) for name in kept}
        row["log_e"] = self.log_e if np.isfinite(self.log_e) else None
        return row

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self._lines)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in self._lines)

    def _repr_html_(self) -> str:
        return _table("Sequential audit", self._lines)


def show_p(p: float) -> str:
    """Return a p-value as prose writes it: decimals, a power of ten, or a bound.

    Parameters
    ----------
    p : float

    Returns
    -------
    str
    """
    if p < 10.0**_SMALLEST:
        return f"under {ten(_SMALLEST)}"
    if p >= 0.001:
        return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
    return power(p)


def _show_fold(log_e: float) -> str:
    if log_e < np.log(1e6):
        fold = float(np.exp(log_e))
        return f"{count(fold) if fold >= 10 else f'{fold:.1f}'}-fold"
    if np.isinf(log_e):
        return "without bound"
    return f"over {ten(int(log_e / np.log(10)))}-fold"


def _show_detectable(tv: float) -> str:
    return "only draws that the law rules out" if tv >= 1 else f"any bias of TV {tv:.3f} or more"


def _table(caption: str, lines: list[tuple[str, str]]) -> str:
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for name, text in lines
    )
    return f"<table><caption>{escape(caption)}</caption>{rows}</table>"
