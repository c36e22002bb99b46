"""Bets against a law: a mixture of Dirichlet martingales."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from draftproof.finite import Array

__all__ = ["CONCENTRATIONS", "log_e_value"]

CONCENTRATIONS = 10.0 ** np.arange(0, 7)
"""How tightly the bets lie around the law: a bias of TV near 1/sqrt(k) pays best under k."""


def log_e_value(counts: NDArray[np.int64], law: Array) -> float:
    r"""Return the logarithm of what betting against `law` has won.

    .. math::

        E_n = \frac1J \sum_j \int \prod_x \Bigl(\frac{w(x)}{p(x)}\Bigr)^{c(x)}
              \mathrm{Dir}(\mathrm dw;\, \kappa_j p)
            = \frac1J \sum_j \frac{\Gamma(\kappa_j)}{\Gamma(\kappa_j + n)}
              \prod_x \frac{\Gamma(\kappa_j p(x) + c(x))}{\Gamma(\kappa_j p(x))\, p(x)^{c(x)}}

    Under the law its expectation stays 1 from draw to draw.

    Parameters
    ----------
    counts : ndarray of int, shape (cells,)
    law : ndarray, shape (cells,)
        Positive masses.

    Returns
    -------
    float
        The natural logarithm of the e-value.
    """
    seen = counts > 0
    c, p, n = counts[seen], np.maximum(law[seen], 1e-300), int(counts.sum())
    k = CONCENTRATIONS[:, None]
    logs = (gammaln(k * p + c) - gammaln(k * p) - c * np.log(p)).sum(axis=1)
    logs += gammaln(k[:, 0]) - gammaln(k[:, 0] + n)
    return float(logsumexp(logs) - np.log(len(k)))
