"""A rule that runs: what `draftproof.lab.audit` takes, made of a verifier and two models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draftproof.finite import Array, check_rng, check_whole, show_value
from draftproof.lab.exact_limits import usual_gamma
from draftproof.rules import Rule
from draftproof.speculative import Model, _ask, _check_context, _check_model
from draftproof.verifiers import Verifier, from_rule

__all__ = ["as_verifier", "sampler"]

_MOST_CONTEXTS = 10_000  # whose laws a sampler keeps


def as_verifier(rule: Any) -> Verifier:
    """Return a verifier as it is, and a one-token rule of `draftproof.rules` as a verifier.

    Parameters
    ----------
    rule : object
        What the caller gave.

    Returns
    -------
    Verifier

    Raises
    ------
    ValueError
        If it is neither.
    """
    if isinstance(rule, Verifier):
        return rule
    if isinstance(rule, Rule):
        return from_rule(rule)
    hint = ""
    if callable(rule) and getattr(rule, "__module__", "").startswith("draftproof.verifiers"):
        hint = "; call it with its options first"
    raise ValueError(
        f"rule must be one of draftproof.verifiers, such as verifiers.token, "
        f"got {show_value(rule)}{hint}"
    )


def sampler(
    rule: Any,
    target: Model,
    draft: Model,
    context: tuple[int, ...] = (),
    gamma: int | None = None,
    length: int = 1,
) -> Callable[[int, np.random.Generator], NDArray[np.int64]]:
    """Return a function that runs a rule, for `audit`: ``sampler(n, rng)``.

    It drafts, verifies and chains rounds until `length` tokens are out, `n` times over.

    Parameters
    ----------
    rule, target, draft, context, gamma
        As for `output_law`.
    length : int
        Tokens of a draw, at least 1.

    Returns
    -------
    callable
        From a number of draws and a `numpy.random.Generator` to an int64 array of shape (n,), or
        (n, length) if `length` > 1.

    Raises
    ------
    ValueError
        If `rule` is not a rule, a model no callable, `context` no tuple of tokens, `gamma` < 1 or
        not the depth of the rule's tree, or `length` < 1. The draws themselves raise it if a model
        or the rule answers with something that is no law.
    """
    chosen = as_verifier(rule)
    depth = check_whole(usual_gamma(chosen) if gamma is None else gamma, "gamma", 1)
    chosen.branching(depth)
    check_whole(length, "length", 1)
    for name, model in (("target", target), ("draft", draft)):
        _check_model(model, name)
    start = _check_context(context)
    p, q = _remembered(target, "target"), _remembered(draft, "draft")

    def sample(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        out = np.empty((check_whole(n, "n"), length), dtype=np.int64)
        check_rng(rng)
        for row in out:
            text: tuple[int, ...] = ()
            while len(text) < length:
                text += chosen.round(p, q, (*start, *text), depth, rng).tokens
            row[:] = text[:length]
        return out[:, 0] if length == 1 else out

    return sample


def _remembered(model: Model, name: str) -> Model:
    """Return a model that is asked once a context and answers in floats: draws need no more."""
    known: dict[tuple[int, ...], Array] = {}

    def answer(context: tuple[int, ...]) -> Array:
        law = known.get(context)
        if law is None:
            law = _ask(model, name, context).astype(np.float64)
            if len(known) < _MOST_CONTEXTS:
                known[context] = law
        return law

    return answer
