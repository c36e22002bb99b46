"""Faults in what the rule believes of the drafts: their law, their vocabulary, their order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from draftproof import warp
from draftproof.finite import Array, normalise
from draftproof.lab.broken_fault import Fault, LawFault, always, rule_fault
from draftproof.lab.broken_verdicts import exactly
from draftproof.speculative import acceptance, residual
from draftproof.verifiers import Nodewise, recursive, token
from draftproof.verifiers.bounds import Children
from draftproof.verifiers.drafts import best, from_law

__all__ = ["FAULTS", "rounded"]


def rounded(q: Array, steps: int = 8) -> Array:
    """Return a law whose masses were rounded to a coarse grid and normalised.

    Parameters
    ----------
    q : ndarray, shape (V,)
    steps : int
        Masses become multiples of 1/steps, before they are normalised.

    Returns
    -------
    ndarray of Fraction, shape (V,)
    """
    grid = np.array([Fraction(round(mass * steps), steps) for mass in q.tolist()], dtype=object)
    return normalise(grid)


def _stale_target(drafted: Children, q: Array, p: Array) -> tuple[list[Any], Array]:
    return [acceptance(p, q)[x] for x in drafted], residual(p, q)


def _stale_draft(drafted: Children, q: Array, p: Array) -> tuple[list[Any], Array]:
    kept = []
    for x in drafted:
        kept.append(acceptance(p, q)[x])
        p = residual(p, q)
    return kept, p


def _clamped(drafted: Children, q: Array, p: Array) -> tuple[list[Any], Array]:
    """Judge a token beyond the target's vocabulary by the target's last token."""
    (x,) = drafted
    held = p[min(x, len(p) - 2)]
    return [min(Fraction(1), held / q[x])], residual(p, q)


def _drawn(name: str, proposals: Any) -> Nodewise:
    return replace(token, name=name, proposals=proposals, exact=False)


def _top_p(law: Array) -> Array:
    return warp.top_p(law, Fraction(4, 5))


def _one_sided() -> LawFault:
    p, q = exactly("0.5 0.3 0.15 0.05"), exactly("0.4 0.4 0.1 0.1")
    return rule_fault(
        "one-sided-warp",
        "Top-p is applied to the draft and not to the target.",
        ("vllm-project/vllm#10198",),
        replace(token, name="both warped", view=_top_p),
        replace(token, name="draft warped", exact=False),
        always(p),
        always(_top_p(q)),
        wanted=_top_p(p),
    )


def _ties() -> LawFault:
    p = warp.softmax([1.0, 1.0, 0.5])
    return rule_fault(
        "top-k-with-ties",
        "With top_k = 1 and two equal logits either token is drawn.",
        ("vllm-project/vllm#5404",),
        replace(token, name="top-1, lowest index", view=lambda p: warp.top_k(p, 1)),
        replace(token, name="top-1, all ties", view=lambda p: normalise(p * (p == p.max()))),
        always(p),
        always([0.5, 0.25, 0.25]),
        wanted=warp.top_k(p, 1),
    )


FAULTS: tuple[Fault, ...] = (
    rule_fault(
        "greedy-draft-softmax-q",
        "The draft takes its argmax, but the ratio uses q from its softmax.",
        (
            "huggingface/transformers#32867",
            "jaymody/speculative-sampling#3",
            "apple/ml-recurrent-drafter#6",
        ),
        token,
        _drawn("argmax draft, softmax q", best),
        always(exactly("0.6 0.4")),
        always(exactly("0.8 0.2")),
    ),
    rule_fault(
        "raw-q-warped-draw",
        "The draft is drawn from a top-k law, the ratio uses the q before the cut.",
        ("huggingface/transformers#47932", "mlx-node/mlx-node#11"),
        token,
        _drawn("top-2 draft, raw q", from_law(lambda q: warp.top_k(q, 2))),
        always(exactly("0.5 0.3 0.2")),
        always(exactly("0.5 0.25 0.25")),
    ),
    rule_fault(
        "low-precision-draw",
        "The draft is drawn from rounded masses, the ratio uses the unrounded q.",
        ("deepseek-ai/DeepSpec#31",),
        token,
        _drawn("rounded draft, full q", from_law(rounded)),
        always(exactly("0.5 0.3 0.2")),
        always(exactly("0.55 0.3 0.15")),
    ),
    _one_sided(),
    _ties(),
    rule_fault(
        "vocabulary-mismatch",
        "The draft's padding token is looked up in the shorter target at its last token.",
        ("vllm-project/vllm#5203",),
        token,
        replace(token, name="clamped look-up", judge=_clamped, exact=False),
        always(exactly("0.5 0.5 0")),
        always(exactly("0.4 0.4 0.2")),
    ),
    rule_fault(
        "retry-against-stale-p",
        "A second draft is verified against p, not against what the first rejection left of it.",
        ("foundation-model-stack/fms-extras#12",),
        recursive(2),
        replace(recursive(2), name="stale p", judge=_stale_target, exact=False),
        always(exactly("0.5 0.3 0.2")),
        always(exactly("0.2 0.3 0.5")),
    ),
    rule_fault(
        "without-replacement-stale-q",
        "A second draft comes from q without the first, but the ratio still uses q.",
        (),
        recursive(2, replacement=False),
        replace(recursive(2, replacement=False), name="stale q", judge=_stale_draft, exact=False),
        always(exactly("0.4 0.3 0.2 0.1")),
        always(exactly("0.1 0.2 0.3 0.4")),
    ),
)
