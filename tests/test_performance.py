"""Speed, as ratios between two measurements on this machine; generous, to catch the absurd."""

import random
import time

import numpy as np
import pytest

from draftproof.bigram import simulate_rounds
from draftproof.examples import toy, toy_draft
from draftproof.finite import draw, normalise
from draftproof.speculative import greedy_verify, speculative_sample


def seconds(call, repeats=3):
    """The shortest of some runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def plain_loop(p, q, n):
    """The rule as a first program writes it: one token at a time, in lists."""
    tokens = range(len(p))
    out = []
    for _ in range(n):
        x = random.choices(tokens, q)[0]
        if random.random() < min(1, p[x] / q[x]):
            out.append(x)
        else:
            gap = [max(a - b, 0) for a, b in zip(p, q, strict=True)]
            out.append(random.choices(tokens, gap)[0])
    return out


def test_a_million_samples_cost_some_tens_of_plain_uniforms():
    rng = np.random.default_rng(0)
    p, q = normalise(rng.random((2, 50)))
    plain = seconds(lambda: rng.random(1_000_000))
    assert seconds(lambda: speculative_sample(p, q, rng, 1_000_000)) < 60 * plain
    assert seconds(lambda: draw(p, rng, 1_000_000)) < 30 * plain


def test_vectorised_samples_leave_the_plain_loop_far_behind():
    rng = np.random.default_rng(0)
    p, q = toy()[0].law("t"), toy_draft(0.3).law("t")
    ours = seconds(lambda: speculative_sample(p, q, rng, 200_000)) / 200_000
    lists = p.tolist(), q.tolist()
    theirs = seconds(lambda: plain_loop(*lists, 5000)) / 5000
    assert theirs > 25 * ours


def test_parallel_chains_leave_the_plain_loop_behind():
    target, draft = toy()[0], toy_draft(0.3)
    rng = np.random.default_rng(0)
    run = simulate_rounds(target, draft, 4, 10, 4000, rng)
    ours = seconds(lambda: simulate_rounds(target, draft, 4, 10, 4000, rng)) / run.counters.emitted
    lists = target.law("t").tolist(), draft.law("t").tolist()
    theirs = seconds(lambda: plain_loop(*lists, 5000)) / 5000
    assert theirs > 5 * ours


def test_time_grows_with_the_vocabulary_not_with_its_square():
    def at(size):
        p = np.full((3, size), 1 / size)
        return seconds(lambda: greedy_verify([0, 0], p))

    assert at(400_000) < 1000 * at(4000)  # a hundred times the tokens; the square: 10,000


def test_the_batched_rule_leaves_torch_multinomial_behind():
    torch = pytest.importorskip("torch")
    from benchmarks.verification.contestants import Blocks, plain_torch
    from draftproof.decode import rejection_sample

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        blocks = Blocks.random(8, 4, 32_000)
        theirs = seconds(lambda: plain_torch(blocks))
        ours = seconds(lambda: rejection_sample(blocks.drafts, blocks.q, blocks.p))
    finally:
        torch.set_num_threads(threads)
    assert theirs > 3 * ours  # measured: about ten (benchmarks/results)
