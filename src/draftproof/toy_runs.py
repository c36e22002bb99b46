"""Chapter 3's runs on the bigram toy: seeded once, cached, shared by pages, figures and tests.

The seeds were written down before the first run and are never chosen by its outcome.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from draftproof import noise, rules
from draftproof.bigram import (
    START,
    joint_law,
    simulate_rounds,
    simulate_tokens,
)
from draftproof.examples import toy, toy_draft
from draftproof.finite import Array, overlap, total_variation
from draftproof.speculative import generate, keeps, output_law, residual, speculative_sample
from draftproof.trace import Run
from draftproof.warp import temper

__all__ = [
    "BAND_RUNS",
    "CONTEXT",
    "GAMMA",
    "PAIR_LEVEL",
    "STALE_WEIGHT",
    "TOKEN_LEVEL",
    "WEIGHT",
    "Check",
    "N",
    "NoiseWalk",
    "Row",
    "chance_bands",
    "context_rows",
    "gap_results",
    "noise_walk",
    "one_token_checks",
    "pair_checks",
    "pair_results",
    "ribbon_run",
    "row_at",
    "seeded",
]

N = 200_000
CONTEXT, WEIGHT, GAMMA = "t", 0.3, 4
STALE_WEIGHT = 0.35
LEVELS = (0.05, 0.5, 0.95)
TOKEN_LEVEL, PAIR_LEVEL = 0.9, 0.99  # of the bands of single shares
BAND_RUNS = 20_000
_SEEDS = {"plain": 31, "speculative": 32, "redraw": 33, "pairs": 34, "bands": 35}
_SEEDS |= {"walk": 36, "weights": 37, "ribbon": 38, "sticky": 39, "meters": 40}


def seeded(name: str, *more: int) -> np.random.Generator:
    """Return the generator of a named run; more numbers tell its repetitions apart.

    Parameters
    ----------
    name : str
        A named run.
    *more : int
        Which repetition.

    Returns
    -------
    numpy.random.Generator
    """
    return np.random.default_rng((_SEEDS[name], *more))


@dataclass(frozen=True)
class Row:
    """One context of the toy: its target law, its draft law, their overlap.

    Attributes
    ----------
    context : str
        The character before, or the start mark.
    vocabulary : tuple of str
        The characters, by token.
    p : ndarray
        Target law, shape (V,).
    q : ndarray
        Draft law, shape (V,).
    """

    context: str
    vocabulary: tuple[str, ...]
    p: Array
    q: Array

    @property
    def beta(self) -> float:
        """The overlap of the two laws: the acceptance probability in this context."""
        return float(overlap(self.p, self.q))


@cache
def context_rows(weight: float = WEIGHT) -> tuple[Row, ...]:
    """Return every context of the toy, the start mark first.

    Parameters
    ----------
    weight : float
        w of the draft, in [0, 1].

    Returns
    -------
    tuple of Row
    """
    target, draft = toy()[0], toy_draft(weight)
    names = target.vocabulary
    return tuple(Row(c, names, target.law(c), draft.law(c)) for c in (START, *names))


def _faulty(n: int, laws: tuple[Array, ...], rng: np.random.Generator) -> Array:
    """Draw `n` tokens for p from q under a rule that believes another q and its own residual."""
    p, q, believed, spare = laws
    x = rng.choice(len(q), size=n, p=q)
    lost = ~keeps(rng.random(n), believed[x], p[x])
    x[lost] = rng.choice(len(q), size=int(lost.sum()), p=spare)
    return np.asarray(x)


@dataclass(frozen=True)
class Check:
    """Shares of a run beside the exact law, and how far chance alone would move them.

    Attributes
    ----------
    name : str
    law, shares : ndarray
        What should come out, and what did.
    n : int
        Draws.
    gap_band, tv_band : ndarray, shape (3,)
        5, 50 and 95 % quantiles of the two distances for an exact sampler.
    """

    name: str
    law: Array
    shares: Array
    n: int
    gap_band: Array
    tv_band: Array

    @property
    def gaps(self) -> Array:
        """Share minus probability, token by token."""
        return np.asarray(self.shares - self.law)

    @property
    def largest_gap(self) -> float:
        """The largest difference of one token."""
        return float(noise.largest_gap(self.shares, self.law))

    @property
    def tv(self) -> float:
        """The total variation distance of the shares from the law."""
        return float(noise.tv_distance(self.shares, self.law))


def _law(tokens: int) -> Array:
    """Return the exact law of the token after ``t``, or of the first two tokens of a text."""
    target = toy()[0]
    return target.law(CONTEXT) if tokens == 1 else joint_law(target, START, tokens).ravel()


@cache
def chance_bands(tokens: int = 1, n: int = N) -> tuple[Array, Array]:
    """Return the 5, 50 and 95 % quantiles of an exact sampler's largest gap and TV distance.

    One token after ``t``, or the first two of a text. The pages that quote a band all take it
    from here.

    Parameters
    ----------
    tokens : int
        1 or 2.
    n : int
        Draws.

    Returns
    -------
    tuple of ndarray
        Three quantiles of the gap, three of the distance.
    """
    law = _law(tokens)
    gap, tv = (
        noise.noise_band(
            law, n, seeded("bands", law.size), statistic=s, levels=LEVELS, runs=BAND_RUNS
        )
        for s in (noise.largest_gap, noise.tv_distance)
    )
    return gap, tv


def _checks(tokens: int, n: int, runs: dict[str, Array]) -> tuple[Check, ...]:
    law, bands = _law(tokens), chance_bands(tokens, n)
    return tuple(
        Check(name, law, noise.empirical_law(seen, law.size), n, *bands)
        for name, seen in runs.items()
    )


@cache
def one_token_checks(n: int = N, run: int = 0) -> tuple[Check, ...]:
    """Return runs of one token after ``t``: plain, speculative, redrawn from p, stale q.

    Run 0 is the book's; other numbers repeat the experiment.

    Parameters
    ----------
    n : int
        Draws.
    run : int
        0 is the book's run; other numbers repeat it.

    Returns
    -------
    tuple of Check
        In the order of the summary.
    """
    target, draft = toy()[0], toy_draft(WEIGHT)
    p, q, old = target.law(CONTEXT), draft.law(CONTEXT), toy_draft(STALE_WEIGHT).law(CONTEXT)
    runs = {
        "plain": simulate_tokens(target, 1, n, seeded("plain", run), CONTEXT),
        "speculative": speculative_sample(p, q, seeded("speculative", run), n),
        "redraw": _faulty(n, (p, q, q, p), seeded("redraw", run)),
        "stale": _faulty(n, (p, q, old, residual(p, old)), seeded("redraw", run, 1)),
    }
    return _checks(1, n, runs)


def gap_results(n: int = N, run: int = 0) -> tuple[tuple[Check, ...], Array, Array]:
    """Return the plain, the speculative and the redrawing run, and the bands of single tokens.

    Parameters
    ----------
    n : int
        Draws.
    run : int
        0 is the book's run; other numbers repeat it.

    Returns
    -------
    tuple
        The checks, and the lower and upper shares.
    """
    checks = one_token_checks(n, run)[:3]
    return (checks, *noise.share_band(checks[0].law, n, TOKEN_LEVEL))


@cache
def pair_checks() -> tuple[Check, ...]:
    """Return the runs of the first two characters: by the rule, and redrawn from p.

    Returns
    -------
    tuple of Check
    """
    target, draft = toy()[0], toy_draft(WEIGHT)
    size = target.size

    def pairs(faulty: bool) -> Array:
        rng = seeded("pairs", int(faulty))
        wrong = target if faulty else None
        run = simulate_rounds(target, draft, 2, 2, N, rng, corrections=wrong).first(2)
        return np.asarray(run[:, 0] * size + run[:, 1])

    return _checks(2, N, {"speculative": pairs(False), "redraw": pairs(True)})


def pair_results() -> tuple[tuple[Check, ...], Array, Array]:
    """Return the runs of pairs, and the range that holds each share with `PAIR_LEVEL`.

    Returns
    -------
    tuple
        The checks, and the lower and upper shares.
    """
    checks = pair_checks()
    return (checks, *noise.share_band(checks[0].law, N, PAIR_LEVEL))


@dataclass(frozen=True)
class NoiseWalk:
    """Distance from the target law as samples pile up.

    Attributes
    ----------
    sizes : ndarray of int
    band : ndarray, shape (3, sizes)
        5, 50 and 95 % quantiles for an exact sampler.
    streams : dict of ndarray
        One run each, its distance after each number of samples.
    medians : dict of ndarray
        The median distance of many runs of a faulty rule.
    floors : dict of float
        Where a faulty rule's distance ends.
    """

    sizes: Array
    band: Array
    streams: dict[str, Array]
    medians: dict[str, Array]
    floors: dict[str, float]

    def crossing(self, name: str) -> float:
        """Return the number of samples at which half of a faulty rule's runs leave the band.

        Parameters
        ----------
        name : str
            A faulty rule of `medians`.

        Returns
        -------
        float
        """
        above = np.log(self.medians[name]) - np.log(self.band[2])
        last = int(np.flatnonzero(above <= 0)[-1])
        share = -above[last] / (above[last + 1] - above[last])
        steps = np.log(self.sizes)
        return float(np.exp(steps[last] + share * (steps[last + 1] - steps[last])))


@cache
def noise_walk() -> NoiseWalk:
    """Return the walk of three rules at the context ``t``, up to a million samples.

    Returns
    -------
    NoiseWalk
    """
    p, q = toy()[0].law(CONTEXT), toy_draft(WEIGHT).law(CONTEXT)
    laws = {
        "speculative": output_law(p, q),
        "redraw": rules.redraw_from_p(p, q),
        "stale": rules.ratio_and_residual(p, toy_draft(STALE_WEIGHT).law(CONTEXT), drawn=q),
    }
    sizes = np.unique(np.round(np.logspace(2, 6, 25)).astype(int))
    steps = np.diff(sizes, prepend=0)
    streams, medians = {}, {}
    for k, (name, law) in enumerate(laws.items()):
        rng = seeded("walk", k)
        counts = np.array([rng.multinomial(step, law) for step in steps]).cumsum(axis=0)
        streams[name] = noise.tv_distance(counts / sizes[:, None], p)
        many = [noise.tv_distance(rng.multinomial(n, law, size=1000) / n, p) for n in sizes]
        medians[name] = np.median(many, axis=1)
    band = [noise.noise_band(p, int(n), seeded("walk", 9), levels=LEVELS) for n in sizes]
    floors = {name: float(total_variation(law, p)) for name, law in laws.items()}
    return NoiseWalk(sizes, np.array(band).T, streams, medians, floors)


@cache
def ribbon_run(length: int = 60) -> Run:
    """Return the text that the book shows with its rounds: w = .3, four drafts a round.

    Parameters
    ----------
    length : int
        Tokens of the text.

    Returns
    -------
    Run
    """
    return generate(toy()[0], toy_draft(WEIGHT), (), GAMMA, length, seeded("ribbon"))


def row_at(context: str, weight: float = WEIGHT, temperature: float = 1.0) -> Row:
    """Return one context of the toy, both laws at a temperature.

    Parameters
    ----------
    context : str
        The start mark or a character of the corpus.
    weight : float
        w of the draft, in [0, 1].
    temperature : float
        T of both laws, above 0.

    Returns
    -------
    Row

    Raises
    ------
    ValueError
        If the context is neither the start mark nor one of the 18 characters.
    """
    for row in context_rows(weight):
        if row.context == context:
            laws = (temper(law, temperature) for law in (row.p, row.q))
            return Row(context, row.vocabulary, *laws)
    raise ValueError(f"context must be ^ or a character of the corpus, got {context!r}")
