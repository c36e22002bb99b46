"""Whatever a rule is handed, only a ValueError that names the argument comes out."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof import rules, verifiers
from draftproof.verifiers import best_cut, optimal_transport_bound

P, Q = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
RULES = [verifiers.token, verifiers.block, verifiers.tree((1, 1)), verifiers.one_hot]
RNG = np.random.default_rng(0)


def always(law):
    return lambda context: law


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"target": None}, "target must be a callable"),
        ({"draft": [0.5, 0.5]}, "draft must be a callable"),
        ({"context": 5}, "context must be"),
        ({"context": "ab"}, "context must be"),
        ({"context": (0, "a")}, "context token must be"),
        ({"gamma": 0}, "gamma must be"),
        ({"gamma": None}, "gamma must be"),
        ({"rng": 3}, "rng must be"),
        ({"target": always(None)}, r"target\(context\)"),
        ({"target": always([[0.5], [0.5, 0.5]])}, r"target\(context\) must be"),
        ({"draft": always([P, P])}, r"draft\(context\) must be one law"),
        ({"draft": always([0.5, 0.6, 0.1])}, r"draft\(context\) must sum"),
        ({"target": always([0.5, 0.5])}, "must share one vocabulary"),
    ],
)
def test_round(rule, changed, words):
    given = {"target": always(P), "draft": always(Q), "context": (), "gamma": 2, "rng": RNG}
    rule.round(**given)
    with pytest.raises(ValueError, match=words):
        rule.round(**(given | changed))


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"q": [[0.5], [0.5, 0.5]]}, "^q must be"),
        ({"q": None}, "^q must"),
        ({"p": [[1.0], [0.5, 0.5], [1.0]]}, "^p must be"),
        ({"p": "abc"}, "^p must"),
        ({"draft_tokens": [[0], [0, 1]]}, "^draft_tokens must be"),
        ({"draft_tokens": [0.5, 1.0]}, "^draft_tokens must be"),
        ({"draft_tokens": None}, "^draft_tokens must be"),
        ({"draft_tokens": [0, 7]}, r"^draft_tokens\[1\] must be"),
    ],
)
def test_law_and_draw(rule, changed, words):
    given = {"draft_tokens": [0, 1], "q": [Q, Q], "p": [P, P, P]}
    rule.law(**given)
    with pytest.raises(ValueError, match=words):
        rule.law(**(given | changed))
    with pytest.raises(ValueError, match=words):
        rule.draw(**(given | changed), uniforms=[0.1, 0.2], rng=RNG)


def test_trees_that_do_not_fit():
    for rule, drafted in ((verifiers.recursive(2), 3), (verifiers.tree((2, 1)), 5)):
        with pytest.raises(ValueError, match="draft_tokens must fill a tree"):
            rule.law([0] * drafted, [Q], [P] * (drafted + 1))
    with pytest.raises(ValueError, match="draft_tokens must fill"):
        verifiers.recursive(2).law([0] * 5000, [Q], [P])
    with pytest.raises(ValueError, match="gamma must leave a tree"):
        verifiers.recursive(3).round(always(P), always(Q), (), 50, RNG)
    with pytest.raises(ValueError, match="ways of drafting"):
        verifiers.recursive(30).round(always(P), always(Q), (), 1, RNG)


def test_kinds_of_laws_mix_in_a_round():
    exact = always([Fraction(1, 2), Fraction(1, 2)])
    for target, draft in ((exact, always([0.5, 0.5])), (always([1, 0]), exact)):
        assert len(verifiers.token.round(target, draft, (), 2, RNG).tokens) >= 1


def test_tensors_are_laws_too():
    torch = pytest.importorskip("torch")
    wanted = verifiers.token.law([0, 1], [Q, Q], [P, P, P])
    for tensor in (
        torch.tensor([P] * 3, dtype=torch.float64, requires_grad=True),
        torch.tensor([P] * 3, dtype=torch.float32),
        torch.tensor([P] * 3, dtype=torch.bfloat16, requires_grad=True),
    ):
        found = verifiers.token.law(torch.tensor([0, 1]), [Q, Q], tensor)
        np.testing.assert_allclose(found, wanted, atol=1e-2)
        verifiers.token.round(always(tensor[0]), always(Q), (), 2, RNG)


@pytest.mark.parametrize("flag", [np.array([True, False]), None, 1, "yes"])
def test_flags(flag):
    for call in (
        lambda: verifiers.recursive(2, flag),
        lambda: verifiers.tree((2,), flag),
        lambda: optimal_transport_bound(P, Q, 2, flag),
        lambda: best_cut(P, Q, 2, flag),
    ):
        with pytest.raises(ValueError, match="replacement must be True or False"):
            call()
    with pytest.raises(ValueError, match="exact must be True or False"):
        verifiers.from_rule(rules.redraw_from_p, flag)


@pytest.mark.parametrize("rule", [5, None, verifiers.token, len])
def test_only_rules_make_verifiers(rule):
    with pytest.raises(ValueError, match="rule must be a one-token rule"):
        verifiers.from_rule(rule)


def test_exact_laws_have_an_exact_bound():
    p, q = ([Fraction(number).limit_denominator(10) for number in law] for law in (P, Q))
    for replacement, wanted in ((True, Fraction(43, 50)), (False, Fraction(69, 70))):
        found = optimal_transport_bound(p, q, 2, replacement)
        assert isinstance(found, Fraction)
        assert found == best_cut(p, q, 2, replacement).bound == wanted
        assert optimal_transport_bound(P, Q, 2, replacement) == pytest.approx(float(wanted))
    same = optimal_transport_bound(p, p, 2)
    assert isinstance(same, Fraction) and same == 1
    many = [Fraction(1, 17)] * 17
    assert optimal_transport_bound(many, many, 1) == pytest.approx(1)
