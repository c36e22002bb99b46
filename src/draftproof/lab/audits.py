"""Is a sampler exact? `audit` asks once with n draws, `audit_sequential` looks as it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from draftproof.finite import LARGEST, Array, check_flag, check_number, check_whole, show_value
from draftproof.lab.audit_fit import SIMULATIONS, Cells, fit, make_cells
from draftproof.lab.audit_laws import OUTSIDE, Outcomes, read_draws, read_law
from draftproof.lab.audit_martingale import log_e_value
from draftproof.lab.audit_order import evenness, serial
from draftproof.lab.audit_report import AuditReport, SequentialReport
from draftproof.lab.audit_rule import check_probability, check_stream

__all__ = ["Sampler", "audit", "audit_sequential"]

Sampler = Callable[[int, np.random.Generator], Any]
"""From a number of draws and a generator to that many tokens, or sequences of tokens."""


def audit(
    sampler: Sampler,
    law: ArrayLike | Mapping[Any, Any],
    n: int,
    rng: np.random.Generator,
    alpha: float = 0.01,
    *,
    order: bool = False,
    simulations: int = SIMULATIONS,
) -> AuditReport:
    """Test whether a sampler draws from a law.

    The test is the likelihood ratio G of the counts against the law. Its p-value is exact, added
    up over all tables of counts where they are few and simulated where they are many, so small
    expected counts do no harm: of exact samplers at most a share `alpha` is rejected. A draw that
    the law rules out rejects at once, with p-value 0.

    The test is one of counts. Draws that depend on one another, and yet show the right shares
    (a shuffled deck, quasi-random numbers, one seed used again), are beyond it. `order` adds two
    tests that catch some of them: counts nearer to the law than independent draws would bring
    them, and a draw that depends on the one just before it. Dependence that reaches further back
    and leaves neighbours alone is not seen, and a law with few outcomes hides the first kind: two
    even tokens have perfectly even counts in one honest run of sqrt(pi n / 2), so that a shuffled
    deck of 10,000 draws passes at `alpha` = 0.01.

    Parameters
    ----------
    sampler : callable
        ``sampler(n, rng)`` returns `n` draws: whole numbers in a list, an array or a tensor; for
        sequences shape (n, L), or a list of sequences, which may differ in length if the law is a
        mapping (-1 at the end of a row is padding). A sampler with randomness of its own may
        ignore `rng`, but must not repeat itself.
    law : array_like, shape (V,) or (V,) * L; or mapping
        The law claimed: floats or Fractions. A mapping goes from tokens, or from tuples of
        tokens, to probabilities.
    n : int
        Draws, at least 1.
    rng : numpy.random.Generator
        Handed to the sampler. The audit simulates with a stream of its own, spawned from it.
    alpha : float
        The share of exact samplers that may be rejected.
    order : bool
        Also test that the counts are not too even and that no draw depends on the one before it
        (only on that one). `p_value` is then three times the least of three.
    simulations : int
        At most how many tables are simulated, at least 99. A simulated p-value is at least
        1 / (simulations + 1) (0.0001); below it stands an exact bound from the binomial tails.

    Returns
    -------
    AuditReport

    Raises
    ------
    ValueError
        If `sampler` cannot be called, `law` is not a law, a number is out of range, or the
        sampler returns something other than `n` whole numbers.

    Notes
    -----
    Laws with more than 4,096 possible outcomes are tested with the rarest in one cell.

    References
    ----------
    Besag and Clifford (1991), Sequential Monte Carlo p-values, Biometrika 78.
    """
    _check_sampler(sampler)
    outcomes = read_law(law)
    cells = make_cells(outcomes)
    n = check_whole(n, "n", 1, LARGEST)
    check_flag(order, "order")
    alpha = float(check_probability(alpha, "alpha"))
    check_whole(simulations, "simulations", 99)
    stream = check_stream(rng)
    index, impossible = read_draws(sampler(n, rng), n, outcomes)
    shares, tv = _compare(index, outcomes)
    if impossible:
        parts, value, method = {"impossible draw": 0.0}, float("inf"), "no simulation needed"
    else:
        parts, value, method = _test(index, cells, stream, simulations, order)
    p_value = min(1.0, len(parts) * min(parts.values()))
    exact = p_value > alpha
    reason = "" if exact else impossible or _reason(parts, index, shares, outcomes)
    return AuditReport(
        exact, p_value, alpha, n, tv, value, method, reason, shares, outcomes.law, parts,
        _cells=cells.law, _stream=stream,
    )  # fmt: skip


def _check_sampler(sampler: object) -> None:
    if not callable(sampler):
        raise ValueError(
            "sampler must be a callable from a number of draws and a generator to draws, got "
            f"{show_value(sampler)}"
        )


def _compare(index: NDArray[np.int64], outcomes: Outcomes) -> tuple[Array, float]:
    """Return the share of each outcome and the distance from the law, strangers included."""
    inside = index[index != OUTSIDE]
    shares = np.bincount(inside, minlength=len(outcomes.law)) / len(index)
    outside = 1 - len(inside) / len(index)
    return shares, float((abs(shares - outcomes.law).sum() + outside) / 2)


def _test(
    index: NDArray[np.int64], cells: Cells, rng: np.random.Generator, simulations: int, order: bool
) -> tuple[dict[str, float], float, str]:
    counts = cells.count(index)
    found = fit(counts, cells.law, rng, simulations)
    parts = {"counts": found.p_value}
    if order:
        parts["too even"] = evenness(counts, cells.law, rng, simulations)
        parts["neighbours"] = serial(cells.cell[index], len(cells.law), rng, simulations)
    return parts, found.g, found.method


def _reason(
    parts: dict[str, float], index: NDArray[np.int64], shares: Array, outcomes: Outcomes
) -> str:
    worst = min(parts, key=lambda name: parts[name])
    if worst == "too even":
        return "the counts lie closer to the law than independent draws would"
    if worst == "neighbours":
        return "neighbouring draws depend on each other"
    law, n = outcomes.law, len(index)
    strain = abs(shares - law) / np.sqrt(np.maximum(law * (1 - law), 1e-300) / n)
    x = int(np.argmax(strain))
    return f"{outcomes.name(x)} has share {shares[x]:.4g} where the law has {law[x]:.4g}"


def audit_sequential(
    sampler: Sampler,
    law: ArrayLike | Mapping[Any, Any],
    rng: np.random.Generator,
    alpha: float = 0.01,
    max_n: int = 1_000_000,
    *,
    first: int = 50,
    growth: float = 1.2,
) -> SequentialReport:
    r"""Test a sampler while it draws, and stop as soon as it is caught.

    A gambler who starts with 1 bets against the law at fair odds. For an exact sampler the
    fortune is a martingale, so that it ever reaches 1/alpha has probability at most `alpha`
    (Ville's inequality): one may look after every draw, stop whenever one likes, and the
    false-alarm rate still holds. The bets are a mixture of Dirichlet laws around the claimed one,
    from loose to tight, so that large biases are caught at once and small ones in the end.

    Parameters
    ----------
    sampler, law, rng
        As for `audit`. The sampler is called again and again, for more and more draws.
    alpha : float
        Bound on the share of exact samplers that are ever rejected.
    max_n : int
        Draws after which the audit gives up.
    first : int
        Draws before the first look.
    growth : float
        Factor from one look to the next, in [1, 1e6].

    Returns
    -------
    SequentialReport

    Raises
    ------
    ValueError
        As `audit`.

    References
    ----------
    Ville (1939), Etude critique de la notion de collectif.
    """
    _check_sampler(sampler)
    outcomes = read_law(law)
    cells = make_cells(outcomes)
    alpha = float(check_probability(alpha, "alpha"))
    max_n = check_whole(max_n, "max_n", 1)
    first = check_whole(first, "first", 1)
    factor = float(check_number(growth, "growth", 1, 1e6))
    check_stream(rng)
    counts = np.zeros(len(cells.law), dtype=np.int64)
    shares = np.zeros(len(outcomes.law))
    strangers = n = 0
    path: list[tuple[int, float]] = []
    reason = ""
    while n < max_n and not reason:
        size = min(max(first, int(n * (factor - 1))), max_n - n)
        index, impossible = read_draws(sampler(size, rng), size, outcomes)
        n += size
        counts += cells.count(index)
        inside = index[index != OUTSIDE]
        shares += np.bincount(inside, minlength=len(shares))
        strangers += size - len(inside)
        path.append((n, float("inf") if impossible else log_e_value(counts, cells.law)))
        if impossible:
            reason = impossible
        elif path[-1][1] >= -np.log(alpha):
            reason = f"a bet against the law has grown {1 / alpha:g}-fold"
    best = max(value for _, value in path)
    tv = float((abs(shares / n - outcomes.law).sum() + strangers / n) / 2)
    p_value = float(np.exp(-max(best, 0.0)))
    return SequentialReport(not reason, n, p_value, best, alpha, max_n, tv, reason, np.array(path))
