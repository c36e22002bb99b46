"""The enumeration: theorems by ==, both ways of walking, the bigram, hostile input."""

import sys
import time
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftproof import lab, rules, verifiers
from draftproof.bigram import joint_law
from draftproof.examples import BLOCK, toy, toy_draft
from draftproof.lab.exact_models import Models
from draftproof.lab.exact_walks import BlockWalk, NodeWalk
from draftproof.small import all_laws

CHAINS = [verifiers.token, verifiers.sample_match, verifiers.one_hot, verifiers.block]
SEVERAL = [
    verifiers.top_k(2),
    verifiers.recursive(2),
    verifiers.recursive(2, replacement=False),
]
FEW = settings(max_examples=8, deadline=None)


class Table:
    """A random order-k model in Fractions; `order=None` keeps the whole context."""

    def __init__(self, seed: int, size: int, order: int | None) -> None:
        self.seed, self.size = seed, size
        if order is not None:
            self.order = order
        self.asked = 0

    def __call__(self, context):
        self.asked += 1
        kept = context[len(context) - self.order :] if hasattr(self, "order") else context
        rng = np.random.default_rng([self.seed, len(kept), *kept])
        cuts = np.sort(rng.integers(0, 7, self.size - 1))
        return [Fraction(int(n), 6) for n in np.diff([0, *cuts, 6])]  # zeros are common


def same(law):
    return lambda context: law


@pytest.mark.parametrize("gamma", [1, 2, 3, 4])
@pytest.mark.parametrize("order", [0, 1, 2, None])
@FEW
@given(seed=st.integers(0, 10**6), rule=st.sampled_from(CHAINS))
def test_chains_emit_the_target(gamma, order, seed, rule) -> None:
    target, draft = Table(seed, 3, order), Table(seed + 1, 3, order)
    wanted = lab.target_law(target, (1, 2), 3)
    assert lab.output_law(rule, target, draft, (1, 2), gamma, 3) == wanted
    assert sum(wanted.values()) == 1


@pytest.mark.parametrize("gamma", [1, 2, 3, 4])
@FEW
@given(seed=st.integers(0, 10**6), rule=st.sampled_from(SEVERAL), order=st.sampled_from([1, None]))
def test_several_drafts_emit_the_target(gamma, seed, rule, order) -> None:
    target, draft = Table(seed, 3, order), Table(seed + 1, 3, 0)
    assert lab.output_law(rule, target, draft, (), gamma, 3) == lab.target_law(target, (), 3)


@FEW
@given(seed=st.integers(0, 10**6), widths=st.sampled_from([(2, 1), (3, 2, 1), (1, 3)]))
def test_trees_emit_the_target(seed, widths) -> None:
    target, draft = Table(seed, 3, 1), Table(seed + 1, 3, 1)
    for replacement in (True, False):
        rule = verifiers.tree(widths, replacement)
        law = lab.output_law(rule, target, draft, (), len(widths), 4)
        assert law == lab.target_law(target, (), 4)


def test_greedy_emits_the_greedy_text() -> None:
    target, draft = Table(3, 4, 1), Table(4, 4, 1)
    law = lab.output_law(verifiers.greedy, target, draft, (), 3, 4)
    text = ()
    for _ in range(4):
        text += (int(np.argmax(target(text))),)
    assert law == {text: 1}


@pytest.mark.parametrize("gamma", [1, 2, 3])
def test_block_accepts_at_least_as_much_on_every_small_pair(gamma) -> None:
    more = 0
    for p, q in product(all_laws(2, 4), all_laws(2, 5)):
        token, block = (
            lab.expected_accepted(rule, same(list(p)), same(list(q)), (), gamma)
            for rule in (verifiers.token, verifiers.block)
        )
        assert block >= token
        more += block > token
    assert (more > 0) == (gamma > 1)


@FEW
@given(seed=st.integers(0, 10**6))
def test_block_accepts_at_least_as_much_in_context(seed) -> None:
    target, draft = Table(seed, 3, 1), Table(seed + 1, 3, 1)
    token, block = (
        lab.expected_accepted(rule, target, draft, (), 3)
        for rule in (verifiers.token, verifiers.block)
    )
    assert block >= token


def test_the_published_block() -> None:
    p, q = same(BLOCK.p), same(BLOCK.q)
    assert lab.expected_accepted(verifiers.token, p, q) == Fraction(10, 9)
    assert lab.expected_accepted(verifiers.block, p, q) == Fraction(11, 9)
    law = lab.accepted_law(verifiers.token, p, q)
    assert law == (Fraction(1, 3), Fraction(2, 9), Fraction(4, 9))


def test_accepted_drafts_of_a_chain_follow_the_formula() -> None:
    p, q = same([Fraction(1, 4), Fraction(3, 4)]), same([Fraction(1, 2), Fraction(1, 2)])
    alpha = Fraction(3, 4)
    for gamma in (1, 2, 5):
        wanted = (1 - alpha ** (gamma + 1)) / (1 - alpha) - 1
        assert lab.expected_accepted(verifiers.token, p, q, (), gamma) == wanted


@pytest.mark.parametrize("rule", [*CHAINS[:3], verifiers.lenience(Fraction(1, 2))], ids=repr)
def test_both_walks_agree(rule) -> None:
    """From context to context, or block by written-out block: the same Fractions."""
    for seed in range(4):
        target, draft = Table(seed, 3, 1), Table(seed + 9, 3, None)
        models = Models(target, draft, (2,), exact=True)
        nodes, blocks = NodeWalk(rule, models, 3), BlockWalk(rule, models, 3)
        assert (nodes.ahead((2,), 4) == blocks.ahead((2,), 4)).all()
        assert nodes.accepted((2,)) == blocks.accepted((2,))


def test_inexact_rules_show_their_bias() -> None:
    p, q = same([Fraction(3, 5), Fraction(2, 5)]), same([Fraction(4, 5), Fraction(1, 5)])
    law = lab.output_law(verifiers.lenience(Fraction(1, 2)), p, q, (), 1, 1)
    assert law == {(0,): Fraction(4, 5), (1,): Fraction(1, 5)}
    assert lab.distance(law, lab.target_law(p, (), 1)) == Fraction(1, 5)


def test_a_one_token_rule_of_the_zoo_will_do() -> None:
    p, q = same([0.6, 0.3, 0.1]), same([0.2, 0.3, 0.5])
    law = lab.output_law(rules.redraw_from_p, p, q, (), 1, 1)
    assert list(law.values()) == pytest.approx([0.44, 0.42, 0.14])


def test_the_bigram_in_seconds() -> None:
    target, _ = toy()
    start = time.process_time()
    found = lab.output_array(verifiers.token, target, toy_draft(0.3), (), 4, 5)
    assert time.process_time() - start < 5
    assert found.shape == (18,) * 5
    two = found.sum(axis=(2, 3, 4))
    np.testing.assert_allclose(two, joint_law(target), rtol=0, atol=1e-15)
    np.testing.assert_allclose(found, lab.target_array(target, (), 5), rtol=0, atol=1e-16)
    block = lab.output_array(verifiers.block, target, toy_draft(0.3), (), 2, 3)
    np.testing.assert_allclose(block, lab.target_array(target, (), 3), rtol=0, atol=1e-15)


def test_the_bigram_in_fractions() -> None:
    target, _ = toy(exact=True)
    draft = toy_draft(Fraction(3, 10), exact=True)
    wanted = lab.target_law(target, (), 2)
    assert lab.output_law(verifiers.token, target, draft, (), 2, 2) == wanted


def test_declared_order_saves_contexts() -> None:
    laws = {}
    for order in (1, None):
        target, draft = Table(5, 3, 1), Table(6, 3, 1)
        if order is None:
            target, draft = (lambda c, m=model: m(c) for model in (target, draft))
        laws[order] = lab.output_law(verifiers.token, target, draft, (0, 1), 2, 4)
    assert laws[1] == laws[None]
    assert target is not draft
    model = Table(5, 3, 1)
    lab.target_law(model, (), 5)
    assert model.asked <= 5  # once for each of four contexts, and the start once more


def test_impossible_contexts_are_never_asked() -> None:
    def model(context):
        assert 1 not in context
        return [Fraction(1, 2), 0, Fraction(1, 2)]

    for rule in (verifiers.token, verifiers.block, verifiers.recursive(2, replacement=False)):
        assert lab.output_law(rule, model, model, (), 2, 2)[0, 0] == Fraction(1, 4)


def test_kinds_of_numbers() -> None:
    whole, parts, floats = same([1, 0]), same([Fraction(1, 2)] * 2), same([0.5, 0.5])
    assert isinstance(lab.output_law(verifiers.token, parts, whole)[0, 0, 0], Fraction)
    assert isinstance(lab.output_law(verifiers.token, parts, floats)[0, 0, 0], float)
    assert lab.output_law(verifiers.token, parts, whole, length=0) == {(): 1}
    assert lab.output_law(verifiers.token, whole, parts)[1, 1, 1] == 0  # not there: 0
    single = same([Fraction(1)])
    assert lab.output_law(verifiers.block, single, single) == {(0, 0, 0): 1}


@pytest.mark.parametrize("rule", [verifiers.token, verifiers.block, verifiers.recursive(2)])
def test_sampler_follows_the_law(rule) -> None:
    target, draft = Table(21, 3, 1), Table(22, 3, 1)
    drawn = lab.sampler(rule, target, draft, (), 2, 2)(600, np.random.default_rng(8))
    assert drawn.shape == (600, 2)
    report = lab.audit(
        lambda n, rng: drawn, lab.target_law(target, (), 2), 600, np.random.default_rng(1), 1e-6
    )
    assert report.exact


def test_sampler_of_single_tokens_is_flat() -> None:
    sample = lab.sampler(verifiers.token, same([1.0]), same([1.0]))
    assert sample(4, np.random.default_rng(0)).shape == (4,)


P = same([0.5, 0.5])
HOSTILE = [
    ({"gamma": 0}, "gamma must be"),
    ({"gamma": 1.5}, "gamma must be"),
    ({"length": -1}, "length must be"),
    ({"rule": "token"}, "rule must be one of draftproof.verifiers"),
    ({"rule": verifiers.recursive}, "call it with its options first"),
    ({"target": [0.5, 0.5]}, "target must be a callable"),
    ({"target": same([0.5, 0.4])}, r"target\(\) must sum to 1"),
    ({"target": same([1.5, -0.5])}, r"target\(\) must not be negative"),
    ({"target": same([np.nan, 1.0])}, r"target\(\) must be finite"),
    ({"target": same(None)}, r"target\(\) must return a law"),
    ({"target": same({0: 1.0})}, r"target\(\) must return a law"),
    ({"draft": same([[0.5, 0.5]])}, r"draft\(\) must return one law"),
    ({"draft": same([0.2, 0.3, 0.5])}, "must share one vocabulary, got 3 tokens"),
    ({"context": 3}, "context must be a tuple"),
    ({"context": (-1,)}, "context token must be"),
    ({"gamma": 10**9}, r"gamma must be in 1\.\.60"),
    ({"length": 61}, r"length must be in 0\.\.60"),
    ({"length": 23}, "needs 8388608 sequences of length = 23 over 2 tokens, at most 4000000"),
    ({"rule": verifiers.block, "gamma": 30}, "blocks of gamma = 30"),
    ({"rule": verifiers.recursive(30)}, "ways of drafting"),
    (
        {
            "target": (big := same(np.full(5000, 1 / 5000))),
            "draft": big,
            "length": 1,
            "gamma": 1,
            "rule": verifiers.block,
        },
        "masses for gamma = 1",
    ),
    ({"rule": verifiers.tree((2, 1)), "gamma": 3}, "gamma must be 2, the depth of tree 2-1, got 3"),
    ({"rule": verifiers.tree((2, 1, 1))}, "gamma must be 3, the depth of tree 2-1-1, got 2"),
    ({"rule": verifiers.recursive(10**9)}, "ways of drafting"),
    ({"target": same([[0.5], [0.5, 0.5]])}, r"target\(\) must be an array"),
    ({"draft": same(object())}, r"draft\(\) must return a law"),
]


@pytest.mark.parametrize(("changed", "message"), HOSTILE)
def test_hostile_input(changed, message) -> None:
    arguments = {"rule": verifiers.token, "target": P, "draft": P, "gamma": 2, "length": 3}
    with pytest.raises(ValueError, match=message):
        lab.output_law(**(arguments | changed))


def test_hostile_expectations() -> None:
    with pytest.raises(ValueError, match="gamma must be"):
        lab.expected_accepted(verifiers.token, P, P, (), 0)
    with pytest.raises(ValueError, match="up to gamma = 40 tokens ahead"):
        lab.expected_accepted(verifiers.token, P, P, (), 40)
    with pytest.raises(ValueError, match="rule must be"):
        lab.expected_accepted(None, P, P)

    def changing(context):
        return [0.5, 0.5] if len(context) < 2 else [0.2, 0.3, 0.5]

    with pytest.raises(ValueError, match="must share one vocabulary"):
        lab.output_law(verifiers.token, changing, P)


@pytest.mark.parametrize("kind", [float, Fraction])
def test_what_takes_long_is_refused(kind) -> None:
    """The count is of tests: ways of drafting times children, over all contexts."""

    def even(context):
        return [kind(1) / 2, kind(1) / 2]

    for rule, gamma, what in [
        (verifiers.recursive(12), 2, "tests of drafts"),
        (verifiers.recursive(15), 1, "tests of drafts"),
        (verifiers.token, 16, "tests of drafts"),
        (verifiers.block, 20, "contexts up to gamma = 20|blocks of gamma = 20"),
    ]:
        with pytest.raises(ValueError, match=rf"needs \d+ ({what}).*, at most \d+ are taken on"):
            lab.expected_accepted(rule, even, even, (), gamma)
        with pytest.raises(ValueError, match="the enumeration needs"):
            lab.output_law(rule, even, even, (), gamma, 16)


def test_the_best_tokens_are_drafted_in_one_way() -> None:
    law = same(np.full(300, 1 / 300))
    assert lab.expected_accepted(verifiers.top_k(3), law, law, (), 1) == pytest.approx(0.01)


def test_tensors_are_laws_too() -> None:
    torch = pytest.importorskip("torch")
    halves = torch.tensor([0.5, 0.5], requires_grad=True)
    wanted = lab.output_law(verifiers.token, P, P)
    for model in (same(halves), same(torch.tensor([0.5, 0.5], dtype=torch.bfloat16))):
        assert lab.output_law(verifiers.token, model, P) == wanted
        assert lab.target_law(model) == wanted


def test_distances_are_of_laws() -> None:
    law = lab.target_law(P, (), 2)
    assert lab.distance(law, {}) == Fraction(1, 2)
    for one, other, name in ((law, [0.5, 0.5], "other"), (np.array([0.5, 0.5]), law, "law")):
        with pytest.raises(ValueError, match=f"{name} must be a mapping"):
            lab.distance(one, other)


def test_samplers_check_before_they_run() -> None:
    with pytest.raises(ValueError, match="target must be a callable"):
        lab.sampler(verifiers.token, None, P)
    with pytest.raises(ValueError, match="context must be"):
        lab.sampler(verifiers.token, P, P, 5)


def test_the_parts_of_the_lab_are_its_attributes(run) -> None:
    code = "import draftproof.lab as lab; lab.broken.GALLERY, lab.check.EXERCISES, lab.exact.Law"
    done = run([sys.executable, "-c", code])
    assert done.returncode == 0, done.said
