"""Chapter 3's curves: acceptance, tokens a call and speed, with the runs that go with them.

As in `toy_runs` everything is seeded once and cached.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from draftproof import cost
from draftproof.bigram import Model, RoundsTrace, alpha, simulate_rounds
from draftproof.examples import HOUSE, Pair, toy, toy_draft
from draftproof.finite import Array, overlap
from draftproof.toy_runs import GAMMA, WEIGHT, seeded
from draftproof.warp import temper

__all__ = [
    "AGREEING",
    "BATCH",
    "TEMPERATURES",
    "WEIGHTS",
    "BatchCurve",
    "LengthCurve",
    "Roof",
    "Sticky",
    "WeightRun",
    "batch_speeds",
    "length_curves",
    "loaded_round",
    "meter_runs",
    "roof_spots",
    "stay_pair",
    "sticky",
    "summary",
    "temperature_curves",
    "weight_runs",
]

WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)


@dataclass(frozen=True)
class WeightRun:
    """One draft weight and block length: what theory says and what a run measured.

    Attributes
    ----------
    weight : float
        w of the draft.
    alpha : float
        The mean overlap.
    tested_rate : float
        Accepted over tested in the long run, exactly.
    formula : float
        Tokens a target call by the formula, which takes positions as independent.
    chain : float
        The same from the chain of rounds, exactly.
    run : RoundsTrace
        The run.
    """

    weight: float
    alpha: float
    tested_rate: float
    formula: float
    chain: float
    run: RoundsTrace

    @property
    def rate(self) -> tuple[float, float]:
        """Accepted over tested in the run, and its standard error."""
        tested = np.minimum(self.run.num_accepted + 1, self.run.gamma)
        return _ratio(self.run.num_accepted, tested)

    @property
    def tokens(self) -> tuple[float, float]:
        """Tokens a target call in the run, and its standard error."""
        return _ratio(self.run.num_accepted + 1, np.ones_like(self.run.num_accepted))

    @property
    def drafted_rate(self) -> float:
        """Accepted over drafted in the long run, exactly."""
        return (self.chain - 1) / self.run.gamma

    @property
    def drafted(self) -> tuple[float, float]:
        """Accepted over drafted in the run, and its standard error."""
        tokens, error = self.tokens
        return (tokens - 1) / self.run.gamma, error / self.run.gamma


def _ratio(top: Array, bottom: Array) -> tuple[float, float]:
    """Return a ratio of totals and its standard error, the chains being independent."""
    ups, downs = top.sum(axis=1), bottom.sum(axis=1)
    ratio = ups.sum() / downs.sum()
    rest = ups - ratio * downs
    return float(ratio), float(np.sqrt((rest**2).sum()) / downs.sum())


def _settled(run: RoundsTrace, rounds: int = 10) -> RoundsTrace:
    """Leave out the first rounds, which still remember the start."""
    return RoundsTrace(run.tokens[:, rounds:], run.num_accepted[:, rounds:])


def _measured(weight: float, gamma: int, chains: int, rng: np.random.Generator) -> WeightRun:
    """Return theory and a run of 100 settled rounds for one draft and one block length."""
    target, draft = toy()[0], toy_draft(weight)
    a, tables = alpha(target, draft), (target.chain, draft.chain)
    run = _settled(simulate_rounds(target, draft, gamma, 110, chains, rng))
    rate = cost.accepted_over_tested(*tables, gamma)
    formula, chain = cost.expected_tokens(a, gamma), cost.tokens_per_call(*tables, gamma)
    return WeightRun(weight, a, rate, formula, chain, run)


@cache
def weight_runs() -> tuple[WeightRun, ...]:
    """Return theory and a long run (100,000 rounds of 4 drafts) for each of `WEIGHTS`.

    Returns
    -------
    tuple of WeightRun
        In the order of the weights.
    """
    return tuple(_measured(w, GAMMA, 1000, seeded("weights", k)) for k, w in enumerate(WEIGHTS))


@cache
def meter_runs() -> dict[int, WeightRun]:
    """Return theory and a run of the toy (w = .3) for each block length 2, 4, 8 and 16.

    Returns
    -------
    dict of int to WeightRun
        By block length; 50,000 rounds each.
    """
    return {g: _measured(WEIGHT, g, 500, seeded("meters", g)) for g in (2, 4, 8, 16)}


def summary(weight: float = WEIGHT, gamma: int = GAMMA) -> tuple[float, int, float]:
    """Return what a draft weight gives over all contexts: alpha, gamma, tokens a target call.

    Parameters
    ----------
    weight : float
        w of the draft, in [0, 1].
    gamma : int
        Drafts in a block.

    Returns
    -------
    tuple
        Alpha, gamma, tokens a target call.
    """
    target, draft = toy()[0], toy_draft(weight)
    return (alpha(target, draft), gamma, cost.tokens_per_call(target.chain, draft.chain, gamma))


def stay_pair(stay: Any) -> tuple[Model, Model]:
    """Return a target and a draft with an easy and a hard place, and alpha 1/2 at every `stay`.

    After ``e`` (easy) the draft is the target; after ``h`` (hard) it proposes ``x``, which the
    target never says. The next place is the same as the last with probability `stay`.

    Parameters
    ----------
    stay : float or Fraction
        Probability that the next place is like the last, in [0, 1].

    Returns
    -------
    tuple of Model
        Target and draft.
    """
    half, leave = (stay + 1 - stay) / 2, 1 - stay  # of the kind of `stay`, Fraction or float
    p = np.array([[stay, leave, 0], [leave, stay, 0], [half, half, 0], [half, half, 0]])
    q = p.copy()
    q[1] = [0, 0, 1]
    return Model(("e", "h", "x"), p), Model(("e", "h", "x"), q)


@dataclass(frozen=True)
class Sticky:
    """Tokens a call of `stay_pair` against how much its places stick.

    Attributes
    ----------
    gamma : int
    stay, exact : ndarray
    formula : float
    run_stay : tuple of float
    runs : tuple of (float, float)
        Tokens a call in a run, and the standard error.
    rounds : tuple of list of tuple
        The first rounds of one chain of each run, as token numbers.
    """

    gamma: int
    stay: Array
    exact: Array
    formula: float
    run_stay: tuple[float, ...]
    runs: tuple[tuple[float, float], ...]
    rounds: tuple[list[tuple[int, ...]], ...]


@cache
def sticky(gamma: int = GAMMA) -> Sticky:
    """Return the curve of `stay_pair`: exact from the chain of rounds, and five runs.

    Parameters
    ----------
    gamma : int
        Drafts in a block.

    Returns
    -------
    Sticky
    """
    stay = np.linspace(0, 0.99, 100)
    exact = [
        cost.tokens_per_call(target.chain, draft.chain, gamma)
        for target, draft in map(stay_pair, stay.tolist())
    ]
    places, runs, rounds = (0.1, 0.3, 0.5, 0.7, 0.9), [], []
    for k, s in enumerate(places):
        run = _settled(simulate_rounds(*stay_pair(s), gamma, 110, 500, seeded("sticky", k)))
        runs.append(_ratio(run.num_accepted + 1, np.ones_like(run.num_accepted)))
        rounds.append([tuple(int(t) for t in row if t >= 0) for row in run.tokens[0, :40]])
    formula = float(cost.expected_tokens(0.5, gamma))
    return Sticky(gamma, stay, np.array(exact), formula, places, tuple(runs), tuple(rounds))


AGREEING = Pair.of("a b c", p="1/2 1/4 1/4", q="1/2 3/8 1/8")
TEMPERATURES = np.round(np.logspace(-1, 1, 41), 6)


@cache
def temperature_curves(weights: tuple[float, ...] = (0.0, 0.3, 0.9)) -> dict[str, Array]:
    """Return alpha against `TEMPERATURES`, both laws warped: the toy's drafts and two pairs.

    Parameters
    ----------
    weights : tuple of float
        Of the drafts.

    Returns
    -------
    dict of str to ndarray
        One curve a draft or pair, by its name.
    """
    target = toy()[0]
    curves = {
        f"w = {w:g}": [alpha(target.at(t), toy_draft(w).at(t)) for t in TEMPERATURES]
        for w in weights
    }
    for name, pair in (("house", HOUSE), ("agreeing", AGREEING)):
        laws = np.array(pair.p, dtype=float), np.array(pair.q, dtype=float)
        curves[name] = [overlap(*(temper(law, t) for law in laws)) for t in TEMPERATURES]
    return {name: np.array(curve, dtype=float) for name, curve in curves.items()}


@dataclass(frozen=True)
class LengthCurve:
    """Speedup against the block length for one acceptance, and its top.

    Attributes
    ----------
    alpha : float
        Overlap of target and draft, in [0, 1].
    c : float
        Time of a draft step over a target step.
    v : float
        Time of a verification pass over a target step.
    lengths : ndarray
        Drafts in a block, from 0.
    speed : ndarray
        The speedup of each.
    best : int
        The best of them.
    top : float
        Its speedup.
    """

    alpha: float
    c: float
    v: float
    lengths: Array
    speed: Array
    best: int
    top: float


def length_curves(
    alphas: tuple[float, ...] = (0.5, 0.7, 0.8, 0.9),
    c: float = 0.1,
    v: float = 1.0,
    limit: int = 16,
) -> tuple[LengthCurve, ...]:
    """Return the speedup of blocks of 0 to `limit` drafts for each acceptance.

    Parameters
    ----------
    alphas : tuple of float
        One curve each.
    c : float
        Time of a draft step over a target step.
    v : float
        Time of a verification pass over a target step.
    limit : int
        The longest block.

    Returns
    -------
    tuple of LengthCurve
    """
    lengths = np.arange(limit + 1)
    found = []
    for a in alphas:
        # Without drafts nothing is verified: a block of 0 is plain decoding.
        drafted = [float(cost.speedup(a, int(g), c, v)) for g in lengths[1:]]
        best, top = cost.best_gamma(a, c, v, limit=limit)
        found.append(LengthCurve(a, c, v, lengths, np.array([1.0, *drafted]), best, float(top)))
    return tuple(found)


@dataclass(frozen=True)
class BatchCurve:
    """Speedup against the batch on one machine, for a fixed and for the best block length.

    Attributes
    ----------
    batches, fixed, best, lengths : ndarray
        Batches; the speedup with `gamma` drafts; with the best length; that length. The cache
        of keys and values is left out.
    long : ndarray
        As `fixed`, with `kv_bytes` of cache to read for each sequence.
    turns : int
        The largest batch at which `gamma` drafts still gain without a cache to read.
    machine : str
        A key of `draftproof.cost.HARDWARE`.
    parameters : float
        Weights of the model.
    alpha : float
        Overlap of target and draft, in [0, 1].
    c : float
        Time of a draft step over a target step.
    gamma : int
        Drafts in a block.
    kv_bytes : float
        Cache that each sequence brings, in bytes.
    """

    machine: str
    parameters: float
    alpha: float
    c: float
    gamma: int
    batches: Array
    fixed: Array
    best: Array
    lengths: Array
    long: Array
    kv_bytes: float
    turns: int


@cache
def batch_speeds(
    machine: str = "H100 SXM",
    alpha: float = 0.8,
    gamma: int = 4,
    c: float = 0.05,
    parameters: float = 8e9,
    kv_bytes: float = 0.25e9,
) -> BatchCurve:
    """Return the roofline's speedup for batches of 1 to 512; `c` is held.

    Parameters
    ----------
    machine : str
        A key of `draftproof.cost.HARDWARE`.
    alpha : float
        Overlap of target and draft, in [0, 1].
    gamma : int
        Drafts in a block.
    c : float
        Time of a draft step over a target step.
    parameters : float
        Weights of the model.
    kv_bytes : float
        Cache that each sequence brings, in bytes, for the curve with long contexts.

    Returns
    -------
    BatchCurve
    """
    hardware = cost.HARDWARE[machine]

    def price(batch: int, drafts: int, cache: float = 0.0) -> float:
        return cost.verification_price(
            hardware, parameters, drafts + 1, batch=batch, kv_bytes=cache
        )

    batches = np.unique(np.round(2 ** np.linspace(0, 9, 73)).astype(int))
    fixed, long = (
        np.array([cost.speedup(alpha, gamma, c, price(int(b), gamma, kv)) for b in batches])
        for kv in (0.0, kv_bytes)
    )
    tops = [cost.best_gamma(alpha, c, lambda g, b=int(b): price(b, g), limit=16) for b in batches]
    best, lengths = np.array([top for _, top in tops]), np.array([g for g, _ in tops])
    gains = [b for b in range(1, 513) if cost.speedup(alpha, gamma, c, price(b, gamma)) >= 1]
    turns = max(gains, default=0)
    return BatchCurve(
        machine, parameters, alpha, c, gamma, batches, fixed, best, lengths, long, kv_bytes, turns
    )


@dataclass(frozen=True)
class Roof:
    """A machine's ridge, and the operations a byte of passes over one and over several positions.

    Attributes
    ----------
    machine : str
    ridge : float
        Operations for each byte read at which arithmetic and memory take the same time.
    batches : tuple of int
    rows : int
        Positions of the second kind of pass.
    one, many : tuple of float
        Operations a byte at each of `batches`, without a cache to read.
    """

    machine: str
    ridge: float
    batches: tuple[int, ...]
    rows: int
    one: tuple[float, ...]
    many: tuple[float, ...]


def roof_spots(
    machine: str = "H100 SXM",
    batches: tuple[int, ...] = (1, 16, 64, 256),
    rows: int = GAMMA + 1,
    parameters: float = 8e9,
) -> Roof:
    """Return where passes over one and over `rows` positions lie under a machine's roof.

    Parameters
    ----------
    machine : str
        A key of `draftproof.cost.HARDWARE`.
    batches : tuple of int
        Sequences served at once, one spot each.
    rows : int
        Positions of the longer pass.
    parameters : float
        Weights of the model.

    Returns
    -------
    Roof
    """
    one, many = (
        tuple(float(cost.intensity(parameters, r, batch=b)) for b in batches) for r in (1, rows)
    )
    return Roof(machine, float(cost.HARDWARE[machine].ridge), batches, rows, one, many)


BATCH = 256


def loaded_round(
    alpha: float = 0.9, gamma: int = GAMMA, c: float = 0.05, batch: int = BATCH
) -> tuple[float, int, float, float]:
    """Return alpha, gamma, c and the price v of verification under a batch of short contexts.

    Parameters
    ----------
    alpha : float
        Overlap of target and draft, in [0, 1].
    gamma : int
        Drafts in a block.
    c : float
        Time of a draft step over a target step.
    batch : int
        Sequences served at once.

    Returns
    -------
    tuple
        Alpha, gamma, c and v.
    """
    v = cost.verification_price(cost.HARDWARE["H100 SXM"], 8e9, gamma + 1, batch=batch)
    return alpha, gamma, c, v
