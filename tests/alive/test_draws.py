"""The widgets' random draws follow the laws they show.

Each test is one chi-square test at level 1e-6 on draws from a fixed seed: a right program fails
one of these tests with probability 1e-6 at most, and then always.
"""

import numpy as np
import pytest
from scipy import stats

from draftproof import envelope as core
from draftproof import speculative as rule
from draftproof.widgets import alive

pytestmark = pytest.mark.browser
LEVEL = 1e-6
N = 200_000


def fits(counts, law):
    """Whether counts look drawn from a law; what has no mass must have no count."""
    counts, law = np.array(counts, dtype=float), np.array(law, dtype=float)
    assert not counts[law == 0].any()
    held = law > 0
    expected = counts.sum() * law[held] / law[held].sum()
    return stats.chisquare(counts[held], expected).pvalue > LEVEL


def test_uniforms_are_uniform(scripts):
    bins = scripts.evaluate(
        """(n) => {
            const rand = draftproofAlive.bench.kit.chance(11), bins = Array(64).fill(0);
            let last = rand(), up = 0;
            for (let k = 0; k < n; k++) {
                const u = rand();
                bins[Math.floor(u * 8) + 8 * Math.floor(last * 8)] += 1; // pairs in a row
                last = u;
            }
            return bins;
        }""",
        N,
    )
    assert fits(bins, np.full(64, 1 / 64))


def test_seeds(scripts):
    first = "(s) => { const r = draftproofAlive.bench.kit.chance(s); return [r(), r(), r()]; }"
    assert scripts.evaluate(first, 5) == scripts.evaluate(first, 5)
    assert scripts.evaluate(first, 5) != scripts.evaluate(first, 6)
    assert scripts.evaluate(first, 0) != scripts.evaluate(first, 0)


def throw(scripts, module, state, tally, seed):
    return scripts.evaluate(
        """([module, state, tally, n, seed]) => {
            const { bench } = draftproofAlive;
            const draw = module === "darts" ? bench.darts.throwDarts : bench.laws.throwDrafts;
            return draw(state, n, bench.kit.chance(seed), tally);
        }""",
        [module, state, tally, N, seed],
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tokens_speculative(scripts, seed):
    one = alive.Tokens.random(np.random.default_rng(seed))
    zeros = [0] * len(one.p)
    tally = throw(
        scripts, "tokens", one.state, {"drafted": 0, "accepted": zeros, "filled": zeros}, seed
    )
    p, q = np.array(one.p), np.array(one.q)
    assert tally["drafted"] == N
    ledgers = [*tally["accepted"], *tally["filled"]]
    cut = 1 - np.minimum(p, q).sum()
    assert fits(ledgers, [*np.minimum(p, q), *(cut * rule.residual(p, q))])
    out = np.add(tally["accepted"], tally["filled"])
    assert out.sum() == N
    assert fits(out, p)


def test_tokens_classical(scripts):
    one = alive.Tokens(rule="classical")
    zeros = [0, 0, 0]
    tally = throw(
        scripts, "tokens", one.state, {"drafted": 0, "accepted": zeros, "filled": zeros}, 9
    )
    assert tally["filled"] == zeros
    constant = rule.classical_constant(np.array(one.p), np.array(one.q))
    lost = N - sum(tally["accepted"])
    assert fits([*tally["accepted"], lost], [*(np.array(one.p) / constant), 1 - 1 / constant])


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"proposal": "flat", "constant": 25.0},
        {"constant": 7.0},
        {"width": 1.6, "constant": 30.0},
    ],
    ids=["bell", "flat", "broken", "wide"],
)
def test_darts(scripts, state):
    one = alive.Darts(**state)
    empty = {"thrown": 0, "kept": 0, "bins": [0] * 60}
    tally = throw(scripts, "darts", one.state, empty, 4)
    env = one.envelope
    shares = core.bin_masses(env.survivor_density, np.linspace(-3, 3, 61)) * env.acceptance
    assert sum(tally["bins"]) == tally["kept"]
    assert fits([*tally["bins"], N - tally["kept"]], [*shares, 1 - env.acceptance])


def test_bigram_rounds(scripts):
    """Lengths of rounds after one context, and their first characters."""
    one = alive.Bigram(gamma=3)
    found = scripts.evaluate(
        """([state, n]) => {
            const { bigram, kit } = draftproofAlive.bench, rand = kit.chance(8);
            const first = state.names.map(() => 0), lengths = [0, 0, 0, 0], bonus = [0];
            for (let k = 0; k < n; k++) {
                const made = bigram.round(state, state.context, rand);
                first[made[0][0]] += 1;
                lengths[made.length - 1] += 1;
                if (made[made.length - 1][1] === "bonus") bonus[0] += 1;
            }
            return { first, lengths, bonus: bonus[0] };
        }""",
        [one.state, N // 4],
    )
    target, draft = one.models
    kept = np.minimum(target.chain, draft.chain)
    alive_ = np.minimum(target.table, draft.table)[one.context]
    beyond = [1.0]
    for _ in range(one.gamma):
        beyond.append(float(alive_.sum()))
        alive_ = alive_ @ kept
    lengths = [a - b for a, b in zip(beyond, [*beyond[1:], 0.0], strict=True)]
    assert fits(found["first"], target.table[one.context])
    assert fits(found["lengths"], lengths)
    assert found["bonus"] == found["lengths"][-1]


def test_walk_rounds(scripts):
    one = alive.Walk(gamma=4)
    found = scripts.evaluate(
        """([state, n]) => {
            const { walk, kit } = draftproofAlive.bench, rand = kit.chance(15);
            const lengths = [0, 0, 0, 0, 0], pairs = Array(9).fill(0);
            for (let k = 0; k < n; k++) {
                const found = walk.walk({ ...state, ...walk.fresh(rand) });
                lengths[found.accepted] += 1;
                if (!found.accepted) continue;
                const out = [...found.drafts.slice(0, found.accepted), found.next];
                pairs[3 * out[0] + out[1]] += 1;
            }
            return { lengths, pairs };
        }""",
        [one.state, N],
    )
    p, q = (np.array(one.pairs[0][law]) for law in "pq")
    assert fits(found["lengths"], one.facts()["lengths"])
    # Two tokens come out when the first draft was kept; the second then follows p.
    assert fits(found["pairs"], np.outer(np.minimum(p, q), p).ravel())


def test_noise(scripts):
    one = alive.Noise(bias=0.03)
    counts = scripts.evaluate(
        """([law, n]) => {
            const { noise, kit } = draftproofAlive.bench, counts = law.map(() => 0);
            noise.sampler(law)(n, kit.chance(21), counts);
            return counts;
        }""",
        [one.biased.tolist(), N],
    )
    assert fits(counts, one.biased)


def test_the_mean_distance_is_near_the_truth():
    """Shares taken as normal: within 2 % of the mean of 4000 runs at 100 samples and more."""
    rng = np.random.default_rng(3)
    for bias, step in [(0.01, 0), (0.01, 12), (0.05, 8), (0.005, 20)]:
        one = alive.Noise(bias=bias, step=step)
        n = one.sizes[step]
        shares = rng.multinomial(n, one.biased, size=4000) / n
        mean = (abs(shares - np.array(one.law)).sum(axis=1) / 2).mean()
        assert one.facts()["biasedMean"] == pytest.approx(mean, rel=0.02)
