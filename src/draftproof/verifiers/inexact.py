"""Rules that trade exactness for accepted drafts. `draftproof.lab` says by how much."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from draftproof.finite import Array, check_number
from draftproof.rules import typical_acceptance as _typical
from draftproof.speculative import residual
from draftproof.verifiers.bounds import Children
from draftproof.verifiers.nodewise import Nodewise
from draftproof.verifiers.single import from_rule

__all__ = ["lenience", "typical", "typical_acceptance"]


def lenience(factor: Any) -> Nodewise:
    r"""Return the token rule that forgives the draft a part of its excess.

    .. math:: a(x) = \min\Bigl(1, \frac{p(x)}{\ell\, q(x)}\Bigr)

    with the residual of the token rule. At :math:`\ell = 1` it is that rule. A kept token x is
    emitted with probability :math:`\min(q, p / \ell)`, so that nothing drafted is more than
    :math:`1/\ell` times too frequent.

    Parameters
    ----------
    factor : Fraction or float
        The lenience :math:`\ell` in (0, 1].

    Returns
    -------
    Nodewise

    Raises
    ------
    ValueError
        If `factor` does not lie in (0, 1].

    References
    ----------
    Leviathan, Kalman and Matias (2023), appendix A.5.
    """
    factor = check_number(factor, "lenience factor", 0, 1, above=True)

    def judge(drafted: Children, q: Array, p: Array) -> tuple[list[Any], Array]:
        (x,) = drafted
        # A float times a Fraction is a float: 1/2 given as Fraction keeps the law exact.
        bar = factor * q[x]
        return [p[x] / bar if p[x] < bar else 1 * (p[x] > 0)], residual(p, q)

    return Nodewise(f"lenience {factor}", judge, exact=factor == 1)


def typical(epsilon: float = 0.09, delta: float = 0.3) -> Nodewise:
    r"""Return typical acceptance: keep what is typical enough of the target.

    .. math:: a(x) = 1 \text{ if } p(x) > \min(\varepsilon, \delta e^{-H(p)}) \text{, else } 0

    H is the entropy in nats; after a rejection the target's argmax is emitted. q enters nowhere:
    where every draft is typical the law is q.

    Parameters
    ----------
    epsilon, delta : float
        The thresholds, both in (0, 1].

    Returns
    -------
    Nodewise

    Raises
    ------
    ValueError
        If a threshold does not lie in (0, 1].

    References
    ----------
    Cai et al. (2024), Medusa, section 2.3.1.
    """
    return replace(from_rule(_typical(epsilon, delta)), name=f"typical {epsilon:g}, {delta:g}")


typical_acceptance = typical
