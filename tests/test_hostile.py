"""Hostile inputs for every public function of the core.

One row a function: arguments that work, and for each argument what it must refuse. A refusal is a
`ValueError` that names the argument, says what it got and what is allowed; at once, and without a
warning from numpy. A test at the end fails when a public function has no row.
"""

# ruff: noqa: E501  (tables are read across)

import importlib
import inspect
import re
import signal
import warnings
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import pytest

from draftproof import (
    bigram,
    checks,
    cost,
    density,
    envelope,
    examples,
    finite,
    noise,
    one_token,
    roofline,
    rules,
    small,
    speculative,
    trace,
    warp,
)

NAN, INF = float("nan"), float("inf")
RNG = np.random.default_rng(0)
P, Q = [0.3, 0.4, 0.3], [0.6, 0.3, 0.1]
TABLE = [[0.9, 0.1], [0.4, 0.6]]
OTHER = [[0.5, 0.5], [0.2, 0.8]]
MODEL, BASE = examples.toy()
AB = bigram.Model(("a", "b"), np.array([[0.5, 0.5], [1, 0], [0, 1]]))
FLAT = examples.flat_envelope()

# A law, but for the entry under the mask; and what no array of numbers may hide.
MASKED = np.ma.array([0.5, 0.25, 0.25], mask=[False, True, False])
MASKED_NUMBERS = [MASKED, [MASKED] * 2, np.ma.masked, np.ma.array(0.5), np.ma.array([0.5] * 2)]

# What no law is, over three tokens.
LAW = [
    None, "half", b"half", 0.5, [], [[]], object(), {}, {0.5}, [None, 1], ["a", "b", "c"], [1j, 0, 0],
    [True, False, False], [0.5, -0.5, 1], [NAN, 0.5, 0.5], [INF, 0, 0], [-INF, 1, 1], [0.5, 0.6, 0.1],
    [0, 0, 0], [1e308, 1e308, 1e308], [[0.5, 0.5, 0], [1]], [Fraction(1, 2), Fraction(1, 3), Fraction(1, 7)],
    [Fraction(1, 2), 0.25, 0.25], [Fraction(-1, 2), Fraction(1), Fraction(1, 2)], [10**400, 0, 0], [3, 4, 5],
    MASKED, [MASKED, MASKED],
]  # fmt: skip
MISFIT = [[0.5, 0.5], [1.0], [0.25] * 4]  # laws, but over other vocabularies
ONE_LAW = [*LAW, *MISFIT, [P, P]]
TABLES = [*LAW, P, [P, P], [[0.5, 0.5]], [[1]], np.eye(3)[None]]
RNGS = [None, 0, "rng", np.random, np.random.RandomState(0), object()]
SIZES = [-1, 1.5, "3", True, NAN, INF, 1j, [2], {}, 10**15, 10**400]
COUNTS = [None, *SIZES]
SHAPE_SIZES = ("layers", "width", "feed", "heads", "kv_heads", "head", "vocabulary")
SHAPES = [*SIZES, (2, -1), (2, None), (2**20, 2**20), (10**200, 10**200), (True,)]
NUMBERS = [
    None,
    "1",
    b"1",
    True,
    NAN,
    INF,
    -INF,
    1j,
    [1],
    {},
    object(),
    1e300,
    10**400,
    np.ma.masked,
]
ABOVE_ZERO = [*NUMBERS, 0, -1, Fraction(-1, 2), -5e-324]
AT_LEAST_ZERO = [*NUMBERS, -1, Fraction(-1, 2), -5e-324]
UNIT = [*AT_LEAST_ZERO, 1.1, Fraction(11, 10), np.nextafter(1, 2)]
INSIDE = [*UNIT, 0, 1]
MODELS = [None, "model", 5, [], object(), P]
CALLABLES = [None, "f", 5, [], object()]
CONTEXTS = [5, None, "zz", "é", object(), ["t"], b"t"]
TOKENS = [None, "abc", [[0], [1, 2]], [0.5], ["a"], [True], [NAN], [0, 1, 2], 0, [[0, 1]], object(),
          np.ma.array([0, 1], mask=[False, True])]  # fmt: skip
BLOCK = [*TOKENS, [0, 3], [-1, 0], [0, 10**30]]
ROWS = [*LAW, P, [Q], [Q, Q, Q, Q], [P, MISFIT[0]], [[Q, Q]], [[1.1, -0.1, 0]] * 2]
UNIFORMS = [
    None,
    "u",
    [0.5, 1.0],
    [0.5, -0.1],
    [NAN, 0.5],
    [0.5],
    0.5,
    [0.5] * 3,
    [[0.5, 0.5]],
    [True] * 2,
    *MASKED_NUMBERS,
]


def row(function, valid, /, **hostile):
    """One function, arguments that it takes, and for each argument what it refuses."""
    return function, valid, hostile


PAIR = {"p": P, "q": Q}
PAIRS = {"p": LAW + MISFIT, "q": LAW + MISFIT}
SAMPLED = PAIR | {"rng": RNG, "size": 3}
ONE_PAIR = {"p": ONE_LAW, "q": ONE_LAW}
BLOCKS = {"draft_tokens": [0, 1], "q": [Q, Q], "p": [P, P, P], "uniforms": [0.1, 0.2], "rng": RNG}
ROUND = {"target": lambda _: P, "draft": lambda _: Q, "context": (), "gamma": 2, "rng": RNG}
BAD_MODELS = [
    *CALLABLES, lambda _: None, lambda _: [0.5, 0.6, 0.1], lambda _: [0.5, 0.5], lambda _: [P],
    lambda _: [NAN, 1, 0],
]  # fmt: skip
BAD_IDS = [None, 5, "ab", [0.5], [None], [True], [-1], object()]
GAMMAS = [0, *COUNTS, cost.LONGEST + 1]
GAIN = {"alpha": 0.7, "gamma": 4}
TOY = {"target": MODEL, "draft": BASE}
VOCABULARY = [AB, *MODELS]


def proposal(pdf=FLAT.proposal.pdf, draw=FLAT.proposal.draw):
    return density.Proposal(pdf, draw, "mine")


# Densities that are none, under a constant that would be enough, and draws that are none.
BAD_PROPOSALS = [
    proposal(lambda x: np.full(np.shape(x), NAN)),
    proposal(lambda x: np.where(x < 2, 1 / 6, NAN)),
    proposal(lambda x: np.full(np.shape(x), -1.0)),
    proposal(lambda x: np.where(x < 2.9, 1 / 6, -1.0)),
    proposal(lambda x: np.full(np.shape(x), INF)),
    proposal(lambda x: np.full(np.shape(x), 1.0)),  # an area of 6
    proposal(lambda x: np.full(np.shape(x), 1.01 / 6)),
    proposal(lambda x: None),
    proposal(lambda x: "high"),
    proposal(lambda x: x[:5]),
    proposal(lambda x, y: x),
    proposal(lambda x: np.ma.masked_greater(np.full(np.shape(x), 1 / 6), 0.1)),
]
BAD_DRAWS = [
    envelope.Envelope(FLAT.target, proposal(draw=one), 25)
    for one in (
        lambda rng, n: np.full(n, NAN),
        lambda rng, n: np.r_[rng.uniform(-3, 3, n - 1), INF],
        lambda rng, n: np.zeros(n + 1),
        lambda rng, n: np.zeros((n, 1)),
        lambda rng, n: 0.0,
        lambda rng, n: None,
        lambda rng, n: ["a"] * n,
        lambda rng, n: np.ma.array(rng.uniform(-3, 3, n)),
    )
]
FAR = envelope.Envelope(FLAT.target, FLAT.proposal, 1e9)  # 60 million darts a survivor

FLAGS = [None, 1, "yes", np.array([True, False])]

ROWS_OF_THE_TABLE = [
    row(finite.as_law, {"values": P}, values=LAW),
    row(finite.as_pair, PAIR, **PAIRS),
    row(finite.normalise, {"weights": [1, 2]}, weights=[*LAW[:17], [0, 0, 0], LAW[20], LAW[22]]),
    row(finite.overlap, PAIR, **PAIRS),
    row(finite.total_variation, PAIR, **PAIRS),
    row(finite.inverse_cdf, {"weights": [1, 2], "u": [0.1, 0.9]},
        weights=[*LAW[:17], [0, 0]], u=[1.0, -0.1, NAN, INF, None, "u", [0.5, 1.5], [[0.1], [0.1, 0.2]], *MASKED_NUMBERS]),
    row(finite.inverse_cdf, {"weights": [[1, 2], [2, 1]], "u": [0.1, 0.9]}, u=[0.5, [0.5], [0.5] * 3]),
    row(finite.draw, {"p": P, "rng": RNG}, p=[*LAW, [P, P]], rng=RNGS, size=SHAPES),
    row(checks.as_numbers, {"values": P, "name": "values"}, values=[None, "a", {}, [1j], [True], [[1], [1, 2]], *MASKED_NUMBERS]),
    row(checks.as_array, {"values": P, "name": "values"}, values=[[[1], [1, 2]], *MASKED_NUMBERS]),
    row(checks.check_flag, {"value": True, "name": "value"},
        value=[None, 1, "yes", np.array([True, False]), [True]]),
    row(checks.check_path, {"value": "folder/file", "name": "value"},
        value=[None, 3, b"file", ["file"], "a\0b"]),
    row(checks.check_rng, {"rng": RNG}, rng=RNGS),
    row(checks.check_size, {"size": 3}, size=SHAPES),
    row(checks.check_whole, {"value": 3, "name": "value"}, value=[*COUNTS[:-2], 10**17]),
    row(checks.check_number, {"value": 3, "name": "value"}, value=NUMBERS),
    row(checks.check_uniforms, {"u": [0.5], "name": "u"}, u=[[1.0], [-0.1], [NAN], None, "u", [True], *MASKED_NUMBERS]),
    row(speculative.acceptance, PAIR, **PAIRS),
    row(speculative.residual, PAIR, **PAIRS),
    row(speculative.output_law, PAIR, **PAIRS),
    row(speculative.accepted_law, PAIR, **PAIRS),
    row(speculative.accepted_law, {"p": [1, 0], "q": [0.5, 0.5]}, p=[], q=[[0, 1]]),
    row(speculative.speculative_trace, SAMPLED, **ONE_PAIR, rng=RNGS, size=COUNTS),
    row(speculative.speculative_sample, SAMPLED, **ONE_PAIR, rng=RNGS, size=SHAPES),
    row(speculative.classical_trace, SAMPLED, **ONE_PAIR, rng=RNGS, size=COUNTS),
    row(speculative.classical_constant, PAIR, p=ONE_LAW, q=[*ONE_LAW, [1, 0, 0], [1, 5e-324, 0]]),
    row(speculative.verify_block, BLOCKS, draft_tokens=BLOCK, q=[*ROWS, [[1, 0, 0]] * 2],
        p=[*ROWS[:-1], [P, P], np.zeros((0, 3))], uniforms=UNIFORMS, rng=RNGS),
    row(speculative.greedy_verify, {"draft_tokens": [0, 1], "p": [P, P, P]}, draft_tokens=BLOCK,
        p=[*LAW, P, [P, P], [[P]], np.zeros((0, 3))]),
    row(speculative.speculative_round, ROUND, target=BAD_MODELS, draft=BAD_MODELS, context=BAD_IDS,
        gamma=GAMMAS, rng=RNGS),
    row(speculative.generate, ROUND | {"length": 3}, target=BAD_MODELS, draft=BAD_MODELS,
        context=BAD_IDS, gamma=GAMMAS, length=COUNTS, rng=RNGS),
    row(warp.softmax, {"logits": [1.0, 2.0]}, temperature=AT_LEAST_ZERO,
        logits=[None, "a", 1.0, [], [NAN, 0], [INF, 0], [-INF, -INF], [[1], [1, 2]], [10**400, 1], [1j, 0], *MASKED_NUMBERS]),
    row(warp.temper, {"p": P, "temperature": 1}, p=LAW, temperature=AT_LEAST_ZERO),
    row(warp.top_k, {"p": P, "k": 2}, p=LAW, k=[0, *COUNTS[:-2]]),
    row(warp.top_p, {"p": P, "mass": 0.5}, p=LAW, mass=[*UNIT, 0]),
    row(warp.warp, {"p": P}, p=LAW, temperature=AT_LEAST_ZERO, top_k=[0, *SIZES[:-2]],
        top_p=[x for x in UNIT if x is not None]),
    row(noise.binomial_interval, {"successes": 3, "n": 10}, successes=[11, *COUNTS], n=[0, 2, *COUNTS[:-2]],
        level=INSIDE),
    row(noise.empirical_law, {"tokens": [0, 1], "size": 2}, size=[0, *COUNTS],
        tokens=[None, [], "ab", [0.5], [2], [-1], [True], [[0], [0, 1]], {}, np.ma.array([0, 1], mask=[0, 1])]),
    row(noise.tv_distance, {"shares": P, "law": Q}, shares=LAW + MISFIT, law=ONE_LAW),
    row(noise.largest_gap, {"shares": P, "law": Q}, shares=LAW + MISFIT, law=ONE_LAW),
    row(noise.standard_error, {"values": [1, 2]}, values=[None, "ab", [], [1], [NAN, 1], [INF, 1], [1j, 2], {}, object(), ["a", "b"], *MASKED_NUMBERS]),
    row(noise.mean_distance, {"law": P, "drawn": Q, "n": 10}, law=ONE_LAW, drawn=ONE_LAW, n=[*NUMBERS, 0, 0.5]),
    row(noise.noise_band, {"law": P, "n": 10, "rng": RNG, "runs": 10}, law=[*LAW, [P, P]],
        n=[0, *COUNTS[:-2]], rng=RNGS, levels=[None, 5, "ab", [1.0], [0.5, NAN], [-0.1], MASKED], runs=[0, *COUNTS],
        statistic=[None, 5, "tv", lambda shares, law: 0.0, lambda shares, law: shares,
                   lambda shares, law: None, lambda shares, law: ["far"] * len(shares),
                   lambda shares, law: [NAN] * len(shares), lambda shares, law: [[1], [1, 2]]]),
    row(noise.share_band, {"law": P, "n": 10}, law=LAW, n=[0, *COUNTS[:-2]], level=INSIDE),
    row(density.Target, {"function": np.exp, "low": 0, "high": 1},
        function=[*CALLABLES, lambda x: x * NAN, lambda x: -1.0 + 0 * x, lambda x: 0 * x,
                  lambda x: "high", lambda x: x[:5], lambda x: x + INF, lambda x, y: x,
                  lambda x: np.ma.masked_greater(x, 0.5)],
        low=["0", None, NAN, True, 1, 2, 1j, 10**400, INF], high=["1", None, NAN, True, 0, -INF, 1j]),
    row(density.as_points, {"x": [1.0]}, x=["a", ["a"], None, [[1], [1, 2]], object(), [1j], *MASKED_NUMBERS]),
    row(density.Proposal, {"pdf": np.exp, "draw": lambda rng, n: rng.random(n), "name": "mine"},
        pdf=CALLABLES, draw=CALLABLES),
    row(density.Proposal.uniform, {"low": 0, "high": 1}, low=[*NUMBERS, 1, 2], high=[*NUMBERS, 0, -1, 1e-320]),
    row(density.Proposal.normal, {}, mean=NUMBERS, sd=[*ABOVE_ZERO, 1e-320]),
    row(density.Proposal.exponential, {}, scale=[*ABOVE_ZERO, 1e-320]),
    row(density.Proposal.cauchy, {}, location=NUMBERS, scale=[*ABOVE_ZERO, 1e-320]),
    row(density.Proposal.mixture, {"parts": [density.Proposal.uniform()], "weights": [1]},
        parts=[None, 5, [None], [5], "ab", [density.Proposal.uniform()] * 2],
        weights=[*LAW, [0.5, 0.5]]),
    row(envelope.Envelope, {"target": FLAT.target, "proposal": FLAT.proposal, "constant": 25},
        target=MODELS, proposal=[*MODELS, density.Proposal.uniform(0, 1), *BAD_PROPOSALS],
        constant=[*ABOVE_ZERO, 22.1]),
    row(envelope.Envelope.tightest, {"target": FLAT.target, "proposal": FLAT.proposal},
        target=MODELS, proposal=[*MODELS, density.Proposal.uniform(0, 1), *BAD_PROPOSALS]),
    row(envelope.rejection_trace, {"envelope": FLAT, "n": 3, "rng": RNG}, envelope=[*MODELS, *BAD_DRAWS], n=COUNTS, rng=RNGS),
    row(envelope.draw_survivors, {"envelope": FLAT, "size": 3, "rng": RNG}, envelope=[*MODELS, *BAD_DRAWS, FAR],
        size=[*COUNTS, 2**25], rng=RNGS),
    row(envelope.draw_survivors, {"envelope": FLAT, "size": 0, "rng": RNG}, rng=RNGS),
    row(envelope.bin_masses, {"function": np.exp, "edges": [0, 1]}, function=CALLABLES,
        edges=[None, "ab", [], [0], 0.5, [1, 0], [0, 0], [0, NAN], [0, INF], [[0, 1]], [[0], [0, 1]], *MASKED_NUMBERS]),
    row(envelope.gaussian_acceptance, {"dimension": 3, "scale": 1.1}, dimension=[0, *COUNTS[:-2]],
        scale=[*ABOVE_ZERO, 0.99]),
    row(envelope.gaussian_accepts, {"dimension": 3, "scale": 1.1, "n": 5, "rng": RNG},
        dimension=[0, *COUNTS[:-2]], scale=[*ABOVE_ZERO, 0.99], n=COUNTS, rng=RNGS),
    row(cost.expected_accepted, GAIN, alpha=UNIT, gamma=GAMMAS[1:]),
    row(cost.expected_tokens, GAIN, alpha=UNIT, gamma=GAMMAS[1:]),
    row(cost.bonus_probability, GAIN, alpha=UNIT, gamma=GAMMAS[1:]),
    row(cost.accepted_over_drafted, GAIN, alpha=UNIT, gamma=GAMMAS),
    row(cost.speedup, GAIN | {"c": 0.1}, alpha=UNIT, gamma=GAMMAS[1:], c=AT_LEAST_ZERO, v=ABOVE_ZERO),
    row(cost.speedup_curve, {"alpha": 0.7, "gammas": [1, 2], "c": 0.1}, alpha=UNIT, c=AT_LEAST_ZERO,
        gammas=[None, 5], v=ABOVE_ZERO),
    row(cost.best_gamma, {"alpha": 0.7, "c": 0.1}, alpha=UNIT, c=AT_LEAST_ZERO,
        v=[*ABOVE_ZERO, lambda gamma: None, lambda gamma: -1, lambda gamma: NAN], limit=GAMMAS),
    row(cost.break_even_alpha, {"gamma": 4, "c": 0.1}, gamma=GAMMAS, c=AT_LEAST_ZERO, v=ABOVE_ZERO),
    row(cost.operations, GAIN, alpha=UNIT, gamma=GAMMAS[1:], c_ops=AT_LEAST_ZERO),
    row(cost.round_chain, {"target": TABLE, "draft": OTHER, "gamma": 2}, target=TABLES, draft=TABLES,
        gamma=GAMMAS[1:]),
    row(cost.tokens_per_call, {"target": TABLE, "draft": OTHER, "gamma": 2}, target=[*TABLES, np.eye(2)],
        draft=TABLES, gamma=GAMMAS[1:]),
    row(cost.accepted_over_tested, {"target": TABLE, "draft": OTHER, "gamma": 2},
        target=[*TABLES, np.eye(2)], draft=TABLES, gamma=GAMMAS),
    row(cost.stationary, {"table": TABLE}, table=[*LAW, P, [P, P], np.eye(2), np.eye(2)[None]]),
    row(cost.experts_loaded, {"experts": 8, "active": 2, "rows": 3}, experts=[0, 1, *COUNTS[:-2]],
        active=[0, 9, *COUNTS], rows=[0, *COUNTS[:-2]]),
    row(roofline.Shape, {"name": "x", "layers": 2, "width": 8, "feed": 16, "heads": 2, "kv_heads": 1, "head": 4,
        "vocabulary": 10}, **{size: [0, *COUNTS[:-2]] for size in SHAPE_SIZES}),
    row(cost.Hardware, {"name": "x", "bandwidth": 1, "peak": 1}, bandwidth=ABOVE_ZERO, peak=ABOVE_ZERO),
    row(cost.intensity, {"parameters": 1e9, "rows": 4}, parameters=ABOVE_ZERO, rows=[0, *COUNTS[:-2]],
        batch=[0, *COUNTS[:-2]], kv_bytes=AT_LEAST_ZERO, bytes_per_parameter=ABOVE_ZERO),
    row(cost.verification_price, {"hardware": cost.HARDWARE["H200"], "parameters": 1e9, "rows": 4},
        hardware=MODELS, parameters=ABOVE_ZERO, rows=[0, *COUNTS[:-2]], batch=[0, *COUNTS[:-2]],
        kv_bytes=AT_LEAST_ZERO, bytes_per_parameter=ABOVE_ZERO),
    row(bigram.Model, {"vocabulary": ("a",), "table": np.ones((2, 1))},
        vocabulary=[None, 5, "a", ["a"], (1,), ("a", "b"), ()], table=[*LAW, [[1]], [P, P]]),
    row(bigram.Model, {"vocabulary": ("a", "b"), "table": np.full((3, 2), 0.5)}, vocabulary=[("a", "a")]),
    row(bigram.BigramModel, {}, exact=FLAGS, corpus=[None, 5, "", "a^b", b"ab", ["a"]], smoothing=COUNTS),
    row(bigram.UnigramModel, {}, exact=FLAGS, corpus=[None, 5, "", "a^b", b"ab", ["a"]], smoothing=COUNTS),
    row(bigram.Mixture, {"weight": 0.5, "target": MODEL, "base": BASE}, weight=UNIT, target=VOCABULARY,
        base=VOCABULARY),
    row(bigram.alpha, TOY, target=VOCABULARY, draft=VOCABULARY),
    row(bigram.beta, TOY | {"context": "t"}, target=VOCABULARY, draft=VOCABULARY, context=CONTEXTS),
    row(bigram.context_law, {"target": MODEL}, target=MODELS),
    row(bigram.joint_law, {"target": MODEL}, target=MODELS, context=CONTEXTS, length=[0, 5, *COUNTS]),
    row(bigram.simulate_rounds, TOY | {"gamma": 2, "rounds": 2, "chains": 2, "rng": RNG},
        target=VOCABULARY, draft=VOCABULARY, gamma=[*GAMMAS, 10**6], rounds=[0, *COUNTS, 2**18], chains=[0, *COUNTS],
        rng=RNGS, context=CONTEXTS, corrections=[x for x in VOCABULARY if x]),
    row(bigram.simulate_tokens, {"target": MODEL, "length": 2, "chains": 2, "rng": RNG},
        target=MODELS, length=[0, *COUNTS, 2**18 + 1], chains=[0, *COUNTS], rng=RNGS, context=CONTEXTS),
    row(MODEL.__call__, {"context": ()}, context=[5, None, "t", [18], [-1], [0.5], [None], {1: 2}]),
    row(MODEL.law, {"context": "t"}, context=CONTEXTS),
    row(MODEL.encode, {"text": "to"}, text=[None, 5, "tz", ["z"]]),
    row(MODEL.decode, {"tokens": [0]}, tokens=[None, "a", [18], [-1], [0.5], [True]]),
    row(MODEL.at, {"temperature": 1}, temperature=AT_LEAST_ZERO),
    row(examples.Pair.of, {"names": "a b", "p": "1/2 1/2", "q": "1 0"}, names=[None, 5, "a", "a b c"],
        p=[None, 5, "", "1/2", "1/0 1", "a b", "1 1", "-1 2"], q=[None, 5, "", "1", "nan 1", "0.5 0.6"]),
    row(examples.flat_envelope, {}, constant=ABOVE_ZERO),
    row(examples.bell_envelope, {}, constant=ABOVE_ZERO),
    row(examples.dart_runs, {"n": 5}, n=COUNTS),
    row(examples.toy, {}, exact=FLAGS),
    row(examples.toy_draft, {"weight": 0.5}, weight=UNIT, exact=FLAGS),
    row(trace.Counters.total, {"parts": []}, parts=[[5], [None], "ab"]),
    row(one_token.accept_or_correct, PAIR | {"token": 0, "u": 0.1, "rng": RNG}, **ONE_PAIR,
        token=[-1, 3, *COUNTS], u=[*UNIT, 1], rng=RNGS),
    row(rules.zoo, PAIR, **ONE_PAIR),
    row(rules.ratio_and_residual, PAIR, **ONE_PAIR),
    row(rules.typical_acceptance, {}, epsilon=[*UNIT, 0], delta=[*UNIT, 0]),
    row(rules.pair_law, {"target": lambda _: P, "draft": lambda _: Q},
        target=BAD_MODELS[5:], draft=BAD_MODELS[5:]),
    row(small.all_laws, {"size": 2, "denominator": 3}, size=[0, *COUNTS], denominator=[0, *COUNTS]),
]  # fmt: skip

# Public, without a row, and why.
NOTHING_TO_REFUSE = {
    finite.as_number: "takes anything",
    finite.show_value: "takes anything",
    finite.is_exact: "takes anything",
    finite.as_exact: "takes what was checked",
    speculative.keeps: "takes what was checked: the inner loop of every sampler",
    checks.as_exact: "takes what was checked",
    bigram.check_models: "is a check itself; every model argument above goes through it",
    trace.Counters: "a record that samplers write",
    trace.EnvelopeTrace: "a record that samplers write",
    trace.Run: "a record that samplers write",
    trace.TokenTrace: "a record that samplers write",
    trace.Trace: "a record that samplers write",
    bigram.RoundsTrace: "a record that samplers write",
    rules.Outcome: "a record that the zoo writes",
    rules.Rule: "calls what it is given; its two callables are the reader's own",
    examples.Pair: "a record; `Pair.of` makes checked ones",
    examples.target_function: "a formula",
}
MODULES = (
    "checks finite trace speculative warp noise density envelope chain roofline cost tables bigram"
)
MODULES += " tokens examples one_token rules small"


@contextmanager
def at_once():
    """End a call that does not come back."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def late(*_):
        raise TimeoutError("the call did not come back within 5 s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(5)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# An argument may be called by what readers know: these names count as well.
ALSO = {
    "values": "p",
    "context": "context|text",
    "n": "n|successes",
    "draft": "draft|q",
    "target": "target|p",
    "q": "q|p|draft_tokens",
    "p": "p|q|draft_tokens",
    "vocabulary": "vocabulary|table",
    "proposal": "proposal",
    "envelope": "envelope|proposal|size",
    "gamma": "gamma|rounds",
    "parts": "parts|weights",
    "low": "low|high",
    "experts": "experts|active",
}  # fmt: skip


def label(function):
    return getattr(function, "__qualname__", None) or getattr(function, "name", "")


def complaint(function, arguments, argument):
    """What is wrong with the way a hostile value is met; nothing if it is refused as it should."""
    try:
        with warnings.catch_warnings(), at_once():
            warnings.simplefilter("error")
            answer = function(**arguments)
    except ValueError as error:
        message = str(error)
        if not re.search(rf"\b({ALSO.get(argument, argument)}|{argument})\b", message):
            return f"does not name the argument: {message}"
        if not re.search(r"\b(must|needs?)\b.*\bgot\b", message, re.DOTALL):
            return f"does not say what it got and what is allowed: {message}"
        return "goes on and on" if len(message) > 400 else None
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"was let through: {finite.show_value(answer)}"


@pytest.mark.parametrize(
    "function, valid, hostile", ROWS_OF_THE_TABLE, ids=[label(row[0]) for row in ROWS_OF_THE_TABLE]
)
def test_hostile_values_are_refused(function, valid, hostile):
    names = set(inspect.signature(function).parameters)
    assert set(valid) | set(hostile) <= names
    function(**valid)
    complaints = {
        f"{argument}={finite.show_value(value)}": found
        for argument, values in hostile.items()
        for value in values
        if (found := complaint(function, valid | {argument: value}, argument))
    }
    assert complaints == {}


def public_functions():
    for module in MODULES.split():
        loaded = importlib.import_module(f"draftproof.{module}")
        for name in loaded.__all__:
            value = getattr(loaded, name)
            if inspect.isroutine(value) or inspect.isclass(value) or isinstance(value, rules.Rule):
                yield f"{module}.{name}", value


def test_every_public_function_has_a_row():
    covered = {id(function) for function, _, _ in ROWS_OF_THE_TABLE}
    covered |= {id(function) for function in NOTHING_TO_REFUSE}
    covered |= {id(rule) for rule in rules.ZOO}  # one class, one call
    missing = [name for name, value in public_functions() if id(value) not in covered]
    assert missing == []


def test_every_argument_has_hostile_values_somewhere():
    free = {"exact", "name", "go_on", "allow_broken", "drawn", "rules", "theme"}
    for function, _, _ in ROWS_OF_THE_TABLE:
        tried = {a for f, _, hostile in ROWS_OF_THE_TABLE if f == function for a in hostile}
        names = set(inspect.signature(function).parameters)
        if function not in (checks.check_whole, checks.check_number):
            assert names - tried - free == set(), function
