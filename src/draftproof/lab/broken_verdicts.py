"""Faults in the coin and in the correction: one draft, one token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from draftproof.examples import HOUSE
from draftproof.finite import Array
from draftproof.lab.broken_fault import Fault, always, rule_fault
from draftproof.rules import accept_iff_p_at_least_q, redraw_from_p, softmax_of_residual
from draftproof.speculative import acceptance, residual
from draftproof.verifiers import Nodewise, from_rule, lenience, token
from draftproof.verifiers.bounds import Children
from draftproof.verifiers.drafts import without
from draftproof.verifiers.single import argmax

__all__ = ["FAULTS", "GRID", "exactly"]

GRID = 2**11
"""Half-precision uniforms are multiples of 1/2048: so often is one of them exactly 0."""

_half = Fraction(1, 2)


def exactly(text: str) -> Array:
    """Return a law from a text such as ``"0.6 0.3 1/10"``, in Fractions.

    Parameters
    ----------
    text : str
        Masses apart by spaces.

    Returns
    -------
    ndarray of Fraction, shape (V,)
    """
    parts = [Fraction(part) for part in text.split()]
    law = np.empty(len(parts), dtype=object)
    law[:] = parts
    return law


def _changed(
    name: str,
    keep: Callable[[int, Array, Array], Any] | None = None,
    correct: Callable[[int, Array, Array], Array] | None = None,
) -> Nodewise:
    """Return the token rule with another coin or another correction, given x, q and p."""

    def judge(drafted: Children, q: Array, p: Array) -> tuple[list[Any], Array]:
        (x,) = drafted
        kept = acceptance(p, q)[x] if keep is None else keep(x, q, p)
        return [kept], residual(p, q) if correct is None else correct(x, q, p)

    return replace(token, name=name, judge=judge, exact=False)


def _drop(threshold: Fraction) -> Nodewise:
    def keep(x: int, q: Array, p: Array) -> Any:
        return acceptance(p, q)[x] if q[x] >= threshold else 0 * q[x]

    def correct(x: int, q: Array, p: Array) -> Array:
        return residual(p, q) if q[x] >= threshold else p

    return _changed("drop the unsure", keep, correct)


def _is_argmax(x: int, q: Array, p: Array) -> Any:
    return argmax(p)[x]


def _argmax(x: int, q: Array, p: Array) -> Array:
    return argmax(p)


def _at_equality(x: int, q: Array, p: Array) -> Any:
    """Count the grid's uniforms u = i / GRID with u <= p / q."""
    ratio = acceptance(p, q)[x] * GRID
    return Fraction(min(GRID, int(ratio) + 1), GRID)


def _over_the_largest(x: int, q: Array, p: Array) -> Any:
    return p[x] / p.max()


def _strike(x: int, q: Array, p: Array) -> Array:
    rest = without(p, x)
    return p if rest is None else rest


def _fault(
    name: str, what: str, reports: tuple[str, ...], wrong: Nodewise, p: str, q: str
) -> Fault:
    return rule_fault(name, what, reports, token, wrong, always(exactly(p)), always(exactly(q)))


_p, _q = (" ".join(map(str, law)) for law in (HOUSE.p, HOUSE.q))

FAULTS: tuple[Fault, ...] = (
    _fault(
        "resample-from-p",
        "After a rejection the target itself is drawn from, not the residual.",
        ("ShopeeLLM/Spec-RL#14",),
        from_rule(redraw_from_p),
        "0.6 0.3 0.1",
        "0.2 0.3 0.5",
    ),
    _fault(
        "softmax-of-residual",
        "The residual's masses go through a softmax as if they were logits.",
        ("huggingface/transformers#28508",),
        from_rule(softmax_of_residual),
        _p,
        _q,
    ),
    _fault(
        "strike-only-the-rejected",
        "After a rejection only the rejected token is struck from p; q is not subtracted.",
        ("SafeAILab/EAGLE#20", "xLLM-AI/xllm#2175"),
        _changed("strike only the rejected", correct=_strike),
        "0.6 0.3 0.1",
        "0.2 0.3 0.5",
    ),
    _fault(
        "no-coin",
        "A draft is accepted exactly when p >= q, without a random number.",
        (),
        from_rule(accept_iff_p_at_least_q),
        _p,
        _q,
    ),
    _fault(
        "uniform-stuck-at-zero",
        "The uniform is always 0, so that every draft with p > 0 is accepted.",
        ("vllm-project/vllm-ascend#13730",),
        _changed("uniform stuck at zero", keep=lambda x, q, p: int(p[x] > 0)),
        "0.6 0.3 0.1",
        "0.2 0.3 0.5",
    ),
    _fault(
        "over-the-largest-p",
        "The acceptance is p over the largest p; what the draft thought of its token is not asked.",
        ("1bit-MONSTER/1bit-MONSTER#637",),
        _changed("over the largest p", keep=_over_the_largest),
        "0.5 0.3 0.2",
        "0.2 0.3 0.5",
    ),
    _fault(
        "greedy-test-of-sampled-text",
        "Sampled text is verified greedily: only the target's argmax passes or comes out.",
        ("1bit-MONSTER/1bit-MONSTER#630",),
        _changed("greedy test", keep=_is_argmax, correct=_argmax),
        "0.5 0.3 0.2",
        "0.2 0.3 0.5",
    ),
    _fault(
        "accept-at-equality",
        "The test u <= p/q lets a token of target probability 0 through when u is exactly 0.",
        ("NVIDIA-NeMo/Automodel#3166", "sgl-project/sglang#35771"),
        _changed("accept at equality", keep=_at_equality),
        "0 1",
        "0.5 0.5",
    ),
    _fault(
        "lenience",
        "The acceptance is p / (q / 2), capped at 1: the draft is forgiven a half.",
        ("sgl-project/sglang#7702",),
        lenience(_half),
        "0.6 0.4",
        "0.8 0.2",
    ),
    _fault(
        "drop-unsure-sampled-token",
        "A drafted token whose q is under a threshold is thrown away after it was drawn.",
        (),
        _drop(_half),
        "0.5 0.5",
        "0.9 0.1",
    ),
)
