"""The law face and the draw face of every rule are one rule."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from draftproof import speculative, verifiers
from draftproof.finite import inverse_cdf
from draftproof.trace import Trace
from draftproof.verifiers.shapes import children, nodes

HALF = Fraction(1, 2)
CHAINS = [
    verifiers.token,
    verifiers.greedy,
    verifiers.sample_match,
    verifiers.one_hot,
    verifiers.block,
    verifiers.lenience(HALF),
    verifiers.typical(),
]
TREES = [
    verifiers.top_k(2),
    verifiers.recursive(2),
    verifiers.recursive(2, replacement=False),
    verifiers.tree((2, 1)),
]
RULES = CHAINS + TREES


class Replay(np.random.Generator):
    """A generator that gives the numbers it was told to."""

    def __init__(self, *numbers: float) -> None:
        super().__init__(np.random.PCG64(0))
        self.numbers = iter(numbers)

    def random(self, *args: object, **kwargs: object) -> float:
        return next(self.numbers)


def always(law):
    return lambda context: law


def drafted(rule: verifiers.Verifier, gamma: int, size: int, rng: np.random.Generator):
    """Draft once from random laws in twelfths; return tokens, q and p."""
    families = children(rule.branching(gamma))

    def law() -> list[Fraction]:
        cuts = np.sort(rng.integers(0, 13, size - 1))
        return [Fraction(int(n), 12) for n in np.diff([0, *cuts, 12])]

    q = [law() for _ in families]
    p = [law() for _ in range(nodes(rule.branching(gamma)) + 1)]
    tokens: list[int] = []
    for row, family in zip(q, families, strict=True):
        ways = list(rule.propose(np.array(row, dtype=object), len(family)))
        tokens += ways[inverse_cdf([float(w) for w, _ in ways], rng.random())][1]
    return tokens, q, p


def grid(thresholds: list[Fraction]) -> Iterator[tuple[tuple[float, ...], Fraction]]:
    """Cut [0, 1) once for each threshold; give a point and a volume for each cell of the cube."""
    axes = [[(t / 2, t), ((1 + t) / 2, 1 - t)] for t in thresholds]
    for cell in product(*[[part for part in axis if part[1] > 0] for axis in axes]):
        volume = Fraction(1)
        for _, length in cell:
            volume *= length
        yield tuple(float(point) for point, _ in cell), volume


def test_token_walks_like_verify_block(rng_seed: int = 5) -> None:
    rng = np.random.default_rng(rng_seed)
    for _ in range(200):
        tokens, q, p = drafted(verifiers.token, 3, 4, rng)
        u = rng.random(3)
        ours = verifiers.token.draw(tokens, q, p, u, np.random.default_rng(1))
        theirs = speculative.verify_block(tokens, q, p, u, np.random.default_rng(1))
        assert ours.tokens == theirs.tokens
        assert (ours.verdicts == theirs.verdicts).all()
        assert ours.counters == theirs.counters


@pytest.mark.parametrize("rule", [r for r in RULES if r is not verifiers.block], ids=repr)
def test_draw_has_the_law_it_claims(rule: verifiers.Nodewise) -> None:
    """Integrate the draw over its uniforms, cell by cell: Fractions, compared with ==."""
    rng = np.random.default_rng(11)
    for _ in range(4):
        gamma = 1 if rule.name[:1].isdigit() else 2
        tokens, q, p = drafted(rule, gamma, 3, rng)
        wanted = rule.law(tokens, q, p)
        exact_p, exact_q = (np.array(rows, dtype=object) for rows in (p, q))
        thresholds = [Fraction(0)] * len(tokens)
        for at, family in enumerate(children(rule.branching(gamma))):
            held = tuple(tokens[c - 1] for c in family if tokens[c - 1] >= 0)
            kept, _ = rule.judge(held, exact_q[at], rule.reads(exact_p[at]))
            for context, a in zip(family, kept, strict=False):
                thresholds[context - 1] = Fraction(a)
        found = wanted * 0
        for u, mass in grid(thresholds):
            # The correction is one inverse cdf: read its law off a grid of its uniform.
            for number in FINE:
                trace = rule.draw(tokens, q, p, u, Replay(number))
                found[end(trace), trace.next_token] += mass / len(FINE)
        assert (found.sum(axis=1) == wanted.sum(axis=1)).all()
        assert abs(found - wanted).max() <= Fraction(1, len(FINE))


def end(trace: Trace) -> int:
    """Return the context at which a round ended."""
    if isinstance(trace, verifiers.TreeTrace):
        return trace.path[-1] + 1 if trace.path else 0
    return trace.num_accepted


FINE = [(i + 0.5) / 8 for i in range(8)]


def test_block_draw_has_the_law_it_claims() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        tokens, q, p = drafted(verifiers.block, 2, 3, rng)
        wanted = verifiers.block.law(tokens, q, p)
        passes = wanted.sum(axis=1)
        # P(ends at 2) = h_2 and P(ends at 1) = (1 - h_2) h_1 give back both thresholds.
        h2 = passes[2]
        h1 = passes[1] / (1 - h2) if h2 < 1 else Fraction(0)
        found = [Fraction(0)] * 3
        for u, mass in grid([h1, h2]):
            trace = verifiers.block.draw(tokens, q, p, u, np.random.default_rng(0))
            found[trace.num_accepted] += mass
        assert found == list(passes)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_law_sums_to_one_and_rounds_run(rule: verifiers.Verifier) -> None:
    rng = np.random.default_rng(2)
    for gamma in (1, 2) if rule.depth is None else (rule.depth,):
        tokens, q, p = drafted(rule, gamma, 3, rng)
        law = rule.law(tokens, q, p)
        assert law.sum() == 1
        assert (law >= 0).all()
        trace = rule.round(always(p[0]), always(q[0]), (), gamma, rng)
        assert 1 <= len(trace.tokens) <= gamma + 1
        assert trace.tested <= trace.drafted == nodes(rule.branching(gamma))
        assert trace.counters.emitted == len(trace.tokens)


def test_calling_a_rule_is_its_draw() -> None:
    args = ([0], [[0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]], [0.3])
    one = verifiers.token(*args, np.random.default_rng(0))
    assert one.tokens == verifiers.token.draw(*args, np.random.default_rng(0)).tokens


def test_a_round_uses_the_generator_like_speculative_round() -> None:
    def p(context):
        return [0.2, 0.3, 0.5]

    def q(context):
        return [0.5, 0.3, 0.2]

    for seed in range(20):
        ours = verifiers.token.round(p, q, (), 3, np.random.default_rng(seed))
        theirs = speculative.speculative_round(p, q, (), 3, np.random.default_rng(seed))
        assert ours.tokens == theirs.tokens


BAD = [
    (([0, 3], [[1, 0], [1, 0]], [[1, 0]] * 3), r"draft_tokens\[1\] must be in 0..1, got 3"),
    (([1], [[1, 0]], [[1, 0]] * 2), r"draft_tokens\[0\] = 1 has q = 0"),
    (([0], [[1, 0]], [[1, 0]] * 3), "p must have shape"),
    (([0], [[1, 0]] * 2, [[1, 0]] * 2), "q must have shape"),
    (([0.5], [[1, 0]], [[1, 0]] * 2), "whole numbers"),
    (([0], [[0.9, 0]], [[1, 0]] * 2), "q must sum to"),
    (([0], [[1, 0]], [[1, 0], [np.nan, 1]]), "p must be finite"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
@pytest.mark.parametrize("rule", [verifiers.token, verifiers.block], ids=repr)
def test_hostile_arguments(rule: verifiers.Verifier, arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        rule.law(*arguments)


def test_hostile_uniforms() -> None:
    laws = [[0.5, 0.5]], [[0.5, 0.5]] * 2
    for u in ([1.0], [-0.1], [np.nan], [0.1, 0.2]):
        with pytest.raises(ValueError, match="uniforms"):
            verifiers.block.draw([0], *laws, u, np.random.default_rng(0))
    with pytest.raises(ValueError, match="rng"):
        verifiers.block.draw([0], *laws, [0.5], 7)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: verifiers.lenience(0), "lenience factor must be a number in"),
        (lambda: verifiers.lenience(1.5), "lenience factor must be a number in"),
        (lambda: verifiers.lenience("x"), "lenience factor must be a number in"),
        (lambda: verifiers.typical(0, 0.3), "epsilon must"),
        (lambda: verifiers.recursive(0), "drafts must be"),
        (lambda: verifiers.recursive(2, "no"), "replacement must be"),
        (lambda: verifiers.tree(()), "branching must be"),
        (lambda: verifiers.tree((2, 0)), "branching must be"),
        (lambda: verifiers.top_k(1.5), "k must be"),
    ],
)
def test_hostile_options(make, message) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_a_tree_that_is_not_full() -> None:
    with pytest.raises(ValueError, match="must fill"):
        verifiers.recursive(2).law([0, 1, 0], [[0.5, 0.5]], [[0.5, 0.5]] * 4)
    for gamma in (1, 3):
        with pytest.raises(
            ValueError, match=f"gamma must be 2, the depth of tree 2-1, got {gamma}"
        ):
            verifiers.tree((2, 1)).round(
                lambda c: [1.0], lambda c: [1.0], (), gamma, np.random.default_rng(0)
            )


def test_drafts_run_out() -> None:
    """Without replacement a draft law with one token has no second draft."""
    rule = verifiers.recursive(3, replacement=False)
    law = rule.law([0, -1, -1], [[1, 0]], [[Fraction(1, 3), Fraction(2, 3)]] * 4)
    assert law[1].sum() == Fraction(1, 3)
    assert list(law[0]) == [0, Fraction(2, 3)]
