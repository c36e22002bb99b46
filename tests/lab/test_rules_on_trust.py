"""A rule may be anybody's: what it answers is a probability and a law, or it is refused."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof import lab, rules, verifiers
from draftproof.rules import Rule
from draftproof.verifiers import Chainwise, Nodewise
from draftproof.warp import temper

P, Q = [0.5, 0.5], [0.2, 0.8]
HALF, FIFTH = Fraction(1, 2), Fraction(1, 5)


def always(law):
    return lambda context: law


def made(coin=0.5, fix=(0.5, 0.5)):
    return Rule("bad", lambda p, q: coin, lambda p, q: fix)


COINS = [
    (np.array([2, 2]), "in [0, 1], got 2 for token"),
    (np.array([-1.0, -1.0]), "in [0, 1], got -1.0 for token"),
    (np.array([np.nan, np.nan]), "in [0, 1], got nan for token"),
    (np.array([np.inf, np.inf]), "in [0, 1], got inf for token"),
    (np.ones(3), "shape (2,), or a single number, got shape (3,)"),
    (np.ones((2, 2)), "got shape (2, 2)"),
    (1.5, "in [0, 1], got 1.5 for token"),
    ("half", "must return numbers, got 'half'"),
    (None, "in [0, 1], got None for token"),
    ([[1], [1, 0]], "must be an array of numbers"),
]
FIXES = [
    ([0.5, 0.6], "must sum to 1 within 1e-06, got a sum of 1.1"),
    ([0, 0], "must sum to"),
    ([-1, 2], "must not be negative"),
    ([np.nan, 1], "must be finite"),
    ([0.2, 0.3, 0.5], "shape"),
    ("ab", "must hold real numbers"),
    (None, "must hold real numbers"),
]
BAD = [(made(coin=coin), words) for coin, words in COINS]
BAD += [(made(fix=fix), words) for fix, words in FIXES]

PRETENDERS = [
    (lambda d, q, p: ([2.0], p), "got 2.0 for token"),
    (lambda d, q, p: (["a"], p), "got 'a' for token"),
    (lambda d, q, p: ([0.5], p / 2), "must sum to"),
    (lambda d, q, p: None, "must return (acceptances, correction)"),
    (lambda d, q, p: ([0.5, 0.5], p), "must return (acceptances, correction)"),
    (lambda d, q, p: ([], p), "must return (acceptances, correction)"),
]
BAD += [(Nodewise("bad", judge), words) for judge, words in PRETENDERS]


def fair(drafted, q, p):
    return [HALF for _ in drafted], p


PROPOSALS = [
    (lambda q, width: [(0.5, (0,))], "probabilities that sum to 1, got [0.5]"),
    (lambda q, width: [(2, (0,)), (-1, (1,))], "probabilities that sum to 1, got [2, -1]"),
    (lambda q, width: [(np.nan, (0,))], "probabilities that sum to 1, got [nan]"),
    (lambda q, width: [("a", (0,))], "probabilities that sum to 1, got ['a']"),
    (lambda q, width: [], "probabilities that sum to 1, got []"),
    (lambda q, width: [(1, (0.5,))], "must have 1 of the tokens 0..1"),
    (lambda q, width: None, "must be pairs"),
    (lambda q, width: [(1, 0)], "must be pairs"),
    (lambda q, width: [(1, (0, 1))], "must have 1 of the tokens 0..1"),
    (lambda q, width: [(1, (2,))], "must have 1 of the tokens 0..1"),
    (lambda q, width: [(1, (-1,))], "must have 1 of the tokens 0..1"),
]
BAD += [(Nodewise("bad", fair, proposals=ways), words) for ways, words in PROPOSALS]
BAD += [(Nodewise("bad", fair, view=lambda p: p / 2), "the view of rule 'bad' must sum to")]


@pytest.mark.parametrize("exact", [False, True], ids=["floats", "fractions"])
@pytest.mark.parametrize(("rule", "words"), BAD, ids=[words for _, words in BAD])
def test_what_is_no_law_is_refused_by_every_face(rule, words, exact) -> None:
    p, q = ([HALF, HALF], [FIFTH, 1 - FIFTH]) if exact else (P, Q)
    models = always(p), always(q), (7,), 1
    rng = np.random.default_rng(0)
    verifier = rule if isinstance(rule, Nodewise) else verifiers.from_rule(rule)
    for call in (
        lambda: lab.output_law(rule, *models, 1),
        lambda: lab.output_array(rule, *models, 2),
        lambda: lab.accepted_law(rule, *models),
        lambda: lab.expected_accepted(rule, *models),
        lambda: lab.sampler(rule, *models)(1, rng),
        lambda: verifier.round(*models, rng),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        said = str(caught.value)
        assert "'bad'" in said
        assert "(after context (7,))" in said
        assert words.replace("2.0", "2") in said.replace("2.0", "2")


@pytest.mark.parametrize(("rule", "words"), BAD[: len(COINS) + len(FIXES)])
def test_the_zoo_names_the_rule_and_not_p(rule, words) -> None:
    for call in (lambda: rules.zoo(P, Q, (rule,)), lambda: rule(P, Q)):
        with pytest.raises(ValueError, match=r"^(keeps|corrects) of rule 'bad' must"):
            call()


def test_the_zoo_takes_rules() -> None:
    for given in (5, (rules.redraw_from_p, "token"), [None]):
        with pytest.raises(ValueError, match=r"^rules must be a tuple of rules"):
            rules.zoo(P, Q, given)


def test_the_text_of_the_context_is_named() -> None:
    def keeps(p, q):
        return np.full(2, 2.0) if p[0] > 0.5 else np.zeros(2)

    def target(context):
        return [0.9, 0.1] if context[-2:] == (1, 1) else [0.0, 1.0]

    rule = verifiers.from_rule(Rule("late", keeps, lambda p, q: p))
    with pytest.raises(ValueError, match=r"'late'.*\(after context \(5, 1, 1\)\)"):
        lab.output_law(rule, target, always(Q), (5,), 1, 3)
    with pytest.raises(ValueError, match=r"'late'.*\(after context \(1, 1\)\)"):
        rule.round(target, always(Q), (1, 1), 1, np.random.default_rng(0))


def test_scalars_and_lists_are_answers() -> None:
    p, q = [HALF, HALF], [FIFTH, 1 - FIFTH]
    for coin, fix in ((HALF, p), ([HALF, HALF], (0, 1)), (True, None), (np.array(HALF), p)):
        rule = made(coin, fix)
        law = rules.zoo(p, q, (rule,))[0].law
        assert lab.output_law(rule, always(p), always(q), (), 1, 1) == dict(
            zip([(0,), (1,)], law, strict=True)
        )
        found = lab.output_array(rule, always(p), always(q), (), 2, 2)
        assert found.sum() == 1
        assert all(isinstance(mass, (Fraction, int)) for mass in found.flat)


def test_a_correction_that_never_comes_need_not_be_a_law() -> None:
    """All drafts are kept: 0/0 in the correction, and coins of tokens never drafted, weigh 0."""
    nothing = Rule("keeps all", lambda p, q: np.array([1.0, np.nan]), lambda p, q: p * np.nan)
    law = lab.output_law(nothing, always(P), always([1.0, 0.0]), (), 1, 1)
    assert law == {(0,): 1.0}
    assert rules.zoo(P, [1.0, 0.0], (nothing,))[0].law.tolist() == [1.0, 0.0]
    trace = verifiers.from_rule(nothing).round(
        always(P), always([1.0, 0.0]), (), 3, np.random.default_rng(0)
    )
    assert trace.num_accepted == 3


class Leaky(Chainwise):
    """A block rule that loses a share of what it judges."""

    name, exact = "leaky", False

    def __init__(self, share):
        self.share = share

    def _law(self, tokens, q, p, branching):
        return verifiers.token._law(tokens, q, p, branching) * self.share

    def _draw(self, tokens, q, p, branching, u, rng):
        return verifiers.token._draw(tokens, q, p, branching, u, rng)


@pytest.mark.parametrize("share", [0.9, HALF, -1, np.nan])
def test_block_rules_are_read_too(share) -> None:
    for p, q in (([HALF, HALF], [FIFTH, 1 - FIFTH]), (P, Q)):
        with pytest.raises(ValueError, match="outcomes of rule 'leaky' must be a law"):
            lab.output_law(Leaky(share), always(p), always(q), (), 2, 2)
    whole = lab.output_law(Leaky(1), always([HALF, HALF]), always([FIFTH, 1 - FIFTH]), (), 2, 2)
    assert whole == lab.target_law(always([HALF, HALF]), (), 2)


def test_block_rules_of_another_shape() -> None:
    class Flat(Leaky):
        name = "flat"

        def laws(self, tokens, q, p):
            return super().laws(tokens, q, p)[:, 0]

    with pytest.raises(ValueError, match="outcomes of rule 'flat' must be numbers of shape"):
        lab.output_law(Flat(1), always(P), always(Q), (), 2, 2)


def test_a_tree_brings_its_depth() -> None:
    p, q = always([HALF, HALF]), always([FIFTH, 1 - FIFTH])
    tree = verifiers.tree((2, 1, 1))
    assert tree.depth == 3
    assert verifiers.token.depth is None
    assert len(lab.accepted_law(tree, p, q)) == 4
    assert lab.expected_accepted(tree, p, q) == lab.expected_accepted(tree, p, q, (), 3)
    assert lab.output_law(tree, p, q) == lab.target_law(p, (), 3)
    assert lab.sampler(tree, always(P), always(Q))(2, np.random.default_rng(0)).shape == (2,)
    assert len(lab.accepted_law(verifiers.token, p, q)) == 3
    for gamma in (1, 2, 4):
        for call in (lab.output_law, lab.output_array, lab.accepted_law, lab.sampler):
            with pytest.raises(ValueError, match=f"gamma must be 3, the depth of .*, got {gamma}"):
                call(tree, p, q, (), gamma)


@pytest.mark.parametrize("order", [1.0, "1", -1, True, lambda: 1])
def test_an_order_is_a_whole_number(order) -> None:
    def model(context):
        return P

    model.order = order
    for target, draft, name in ((model, always(Q), "target"), (always(P), model, "draft")):
        with pytest.raises(ValueError, match=f"{name}.order must be a whole number"):
            lab.output_law(verifiers.token, target, draft)
    model.order = None
    assert lab.target_law(model, (), 1) == {(0,): 0.5, (1,): 0.5}


def test_greedy_is_exact_for_the_target_at_temperature_0() -> None:
    def target(context):
        return (
            [HALF, FIFTH, 1 - HALF - FIFTH] if sum(context) % 2 else [FIFTH, FIFTH, 1 - 2 * FIFTH]
        )

    draft = always([FIFTH, HALF, 1 - HALF - FIFTH])
    law = lab.output_law(verifiers.greedy, target, draft)
    assert law == lab.target_law(lambda context: temper(target(context), 0))
    assert law != lab.target_law(target)
    assert verifiers.greedy.exact
