"""The zoo of rules: the published values of the house example, and what holds for every pair."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from draftproof import rules
from draftproof.examples import BLOCK, CAT_DOG_FOX, FOUR_TOKENS, HOUSE
from draftproof.finite import overlap, total_variation
from draftproof.rules import pair_law, typical_acceptance, zoo
from draftproof.small import all_laws
from draftproof.speculative import accepted_law, output_law, residual

PAIRS = [CAT_DOG_FOX, FOUR_TOKENS, HOUSE, BLOCK]


def law(text):
    return [Fraction(part) for part in text.split()]


def test_the_house_example():
    got = {one.name: one for one in zoo(HOUSE.p, HOUSE.q)}
    assert {name: one.distance for name, one in got.items() if "softmax" not in name} == {
        "ratio and residual": 0,
        "sample and match": 0,
        "redraw from p": Fraction(1, 8),
        "draft again": Fraction(1, 6),
        "no coin": Fraction(1, 4),
        "typical acceptance": Fraction(1, 4),
        "keep everything": Fraction(1, 4),
    }
    assert got["softmax of the residual"].distance == pytest.approx(0.152, abs=5e-4)
    assert list(got["redraw from p"].law) == [Fraction(5, 16), Fraction(5, 16), Fraction(3, 8)]
    assert list(got["no coin"].law) == [0, Fraction(1, 4), Fraction(3, 4)]
    assert list(got["typical acceptance"].law) == list(HOUSE.q)
    assert got["ratio and residual"].kept == Fraction(3, 4)
    assert got["sample and match"].kept == Fraction(5, 16)


@pytest.mark.parametrize("size, denominator", [(2, 6), (3, 4)])
def test_which_rules_are_exact_on_every_small_pair(size, denominator):
    for p, q in product(all_laws(size, denominator), repeat=2):
        assert list(rules.ratio_and_residual(p, q)) == list(p) == list(output_law(p, q))
        assert list(rules.sample_match(p, q)) == list(p)
        assert rules.sample_match.kept(p, q) <= rules.ratio_and_residual.kept(p, q) == overlap(p, q)
        assert list(rules.keep_everything(p, q)) == list(q)
        # Redrawing from p misses p by TV (1 - alpha) * TV(p, residual).
        miss = (1 - overlap(p, q)) * total_variation(p, residual(p, q))
        assert total_variation(rules.redraw_from_p(p, q), p) == miss
        if overlap(p, q) > 0:
            assert list(rules.retry_from_q(p, q)) == list(accepted_law(p, q))


def test_each_law_against_a_simulation_of_its_words():
    """An oracle in other words: loops that do what each rule's name says."""
    rng, n = np.random.default_rng(5), 8_000
    p, q = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.3, 0.3, 0.1, 0.3])
    gap = np.maximum(p - q, 0)

    def pick(weights):
        return rng.choice(4, p=weights / weights.sum())

    def match(x):
        return pick(p)

    def no_coin(x):
        return x if p[x] >= q[x] else pick(gap)

    def again(x):
        while rng.random() >= p[x] / q[x]:
            x = pick(q)
        return x

    def typical(x):
        entropy = -(p * np.log(p)).sum()
        return x if p[x] > min(0.09, 0.3 * np.exp(-entropy)) else 0

    def softmaxed(x):
        return x if rng.random() < p[x] / q[x] else pick(np.exp(gap))

    pairs = [
        (match, rules.sample_match),
        (no_coin, rules.accept_iff_p_at_least_q),
        (again, rules.retry_from_q),
        (typical, typical_acceptance()),
        (softmaxed, rules.softmax_of_residual),
    ]
    for loop, rule in pairs:
        seen = np.bincount([loop(pick(q)) for _ in range(n)], minlength=4) / n
        emitted = rule(p, q)
        # Six standard errors a token: a false alarm in under 1e-7 of 20 comparisons.
        assert (abs(seen - emitted) <= 6 * np.sqrt(emitted * (1 - emitted) / n) + 1e-12).all(), (
            rule.name
        )


def test_a_rule_that_believes_the_wrong_draft():
    p, q = CAT_DOG_FOX.p, CAT_DOG_FOX.q
    assert list(rules.ratio_and_residual(p, q, q)) == list(p)
    argmax = law("1 0 0")
    # Drafts are always cat; the rule believes 0.6: cat kept with 1/2, else dog 1/3, fox 2/3.
    assert list(rules.ratio_and_residual(p, q, argmax)) == [
        Fraction(1, 2),
        Fraction(1, 6),
        Fraction(1, 3),
    ]
    assert rules.ratio_and_residual(p, q, np.array([1.0, 0, 0])) == pytest.approx(
        [1 / 2, 1 / 6, 1 / 3]
    )


def test_argmax_drafts_from_the_exercise():
    p, q = (
        (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)),
        (Fraction(3, 5), Fraction(1, 10), Fraction(3, 10)),
    )
    one_hot = (Fraction(1), Fraction(0), Fraction(0))
    assert list(rules.ratio_and_residual(p, q, one_hot)) == [Fraction(5, 6), Fraction(1, 6), 0]
    assert overlap(p, one_hot) == Fraction(1, 2)
    assert list(residual(p, one_hot)) == [0, Fraction(3, 5), Fraction(2, 5)]
    assert overlap(p, q) == Fraction(4, 5)


def test_hostile_inputs():
    with pytest.raises(ValueError, match="one law"):
        rules.ratio_and_residual(np.full((2, 2), 0.5), np.full((2, 2), 0.5))
    with pytest.raises(ValueError, match="vocabulary"):
        rules.redraw_from_p([1.0], [0.5, 0.5])
    with pytest.raises(ValueError, match="drawn"):
        rules.redraw_from_p([0.5, 0.5], [0.5, 0.5], [0.7, 0.7])
    with pytest.raises(ValueError, match="share some mass"):
        zoo([1.0, 0.0], [0.0, 1.0])
    for bad in (0, -1, 1.5, "x"):
        with pytest.raises(ValueError, match="epsilon"):
            typical_acceptance(epsilon=bad)
    one_hot = [0.0, 1.0]
    for rule in rules.ZOO:
        assert np.isfinite(rule(one_hot, one_hot)).all()
        assert rule(one_hot, one_hot).sum() == pytest.approx(1)


def after(table):
    return lambda context: table[context]


def test_going_on_after_a_rejection_judges_a_text_that_is_not_there():
    a, b = (Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3))
    target = after({(): b, (0,): a, (1,): b})
    draft = after({(): a, (0,): b, (1,): a})
    exact = {(x, y): target(())[x] * target((x,))[y] for x in range(2) for y in range(2)}
    assert pair_law(target, draft) == exact
    wrong = pair_law(target, draft, go_on=True)
    assert sum(wrong.values()) == 1
    assert sum(wrong[0, y] for y in range(2)) == b[0]  # the first token is still right
    # A third of all blocks: draft a rejected, b written, and the second token follows a.
    assert sum(abs(wrong[k] - exact[k]) for k in exact) / 2 == Fraction(1, 9)


def test_going_on_is_harmless_only_if_the_context_does_not_matter():
    def target(context):
        return BLOCK.p

    def draft(context):
        return BLOCK.q

    assert pair_law(target, draft) == pair_law(target, draft, go_on=True)
