"""The two models of an enumeration: checked, cached, contexts merged where they may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from draftproof.finite import Array, as_array, as_law, check_whole, is_exact, show_value
from draftproof.speculative import Model

__all__ = ["Context", "Models", "enumerated"]

Context = tuple[int, ...]
Result = TypeVar("Result")


class _NotExactError(Exception):
    """A model returned floats where Fractions were hoped for."""


def enumerated(
    target: Model, draft: Model, context: Any, compute: Callable[[Models], Result]
) -> Result:
    """Run an enumeration in Fractions, or in floats as soon as a model returns one.

    Parameters
    ----------
    target, draft : callable
        From a context to the law of the next token.
    context : iterable of int
        The text so far.
    compute : callable
        From `Models` to the result.

    Returns
    -------
    object
        What `compute` returns.
    """
    try:
        return compute(Models(target, draft, context, exact=True))
    except _NotExactError:
        return compute(Models(target, draft, context, exact=False))


class Models:
    """A target and a draft, asked once for each context.

    Two contexts are one if their last `order` tokens agree, `order` being the larger of the two
    models' ``.order``. A model without it is asked with the whole context.

    Parameters
    ----------
    target, draft : callable
        From a context to the law of the next token.
    context : iterable of int
        The text so far.
    exact : bool
        Whether to insist on Fractions.

    Attributes
    ----------
    exact : bool
        Whether laws are Fractions; otherwise they are float64.
    start : tuple of int
        The context that the enumeration starts from.
    size : int
        V, the tokens of the vocabulary.
    """

    def __init__(self, target: Model, draft: Model, context: Any, exact: bool) -> None:
        self._models = {"target": target, "draft": draft}
        for name, model in self._models.items():
            if not callable(model):
                raise ValueError(
                    f"{name} must be a callable from a context to a law, got {show_value(model)}"
                )
        orders = [_order(model, name) for name, model in self._models.items()]
        known = [order for order in orders if order is not None]
        self._order = max(known) if len(known) == len(orders) else None
        self._laws: dict[tuple[str, Context], Array] = {}
        self.exact = exact
        self.start = self._key(_check_context(context))
        self.size = 0
        self.size = len(self.p(self.start))
        self.q(self.start)

    def _key(self, context: Context) -> Context:
        cut = 0 if self._order is None else max(0, len(context) - self._order)
        return context[cut:]

    def after(self, context: Context, *tokens: int) -> Context:
        """Return the context that follows some more tokens.

        Parameters
        ----------
        context : tuple of int
        *tokens : int
            What follows it.

        Returns
        -------
        tuple of int
            Cut to what the models look back at.
        """
        return self._key((*context, *tokens))

    def p(self, context: Context) -> Array:
        """Return the target's law.

        Parameters
        ----------
        context : tuple of int

        Returns
        -------
        ndarray, shape (V,)
        """
        return self._ask("target", context)

    def q(self, context: Context) -> Array:
        """Return the draft's law.

        Parameters
        ----------
        context : tuple of int

        Returns
        -------
        ndarray, shape (V,)
        """
        return self._ask("draft", context)

    def one(self) -> Array:
        """Return the law of no token at all: mass 1 on the empty sequence.

        Returns
        -------
        ndarray, shape ()
        """
        return np.array(1, dtype=object if self.exact else np.float64)

    def zeros(self, *shape: int) -> Array:
        """Return an array of zeros of the laws' kind.

        Parameters
        ----------
        *shape : int
            The lengths of its axes.

        Returns
        -------
        ndarray
        """
        return np.zeros(shape, dtype=object if self.exact else np.float64)

    def contexts(self, length: int) -> int:
        """Return at most how many contexts lie fewer than `length` tokens ahead.

        Parameters
        ----------
        length : int
            Tokens of a sequence.

        Returns
        -------
        int
        """
        depths = range(length if self._order is None else min(length, self._order + 1))
        return sum(int(self.size**depth) for depth in depths)

    def _ask(self, name: str, context: Context) -> Array:
        known = self._laws.get((name, context))
        if known is None:
            law = _checked(self._models[name](context), f"{name}{context}", self.exact)
            if self.size and len(law) != self.size:
                raise ValueError(
                    f"target and draft must share one vocabulary, got {len(law)} tokens from "
                    f"{name}{context} where target{self.start} has {self.size}"
                )
            known = self._laws[name, context] = law
        return known


def _checked(values: Any, called: str, exact: bool) -> Array:
    if isinstance(values, (Mapping, str)) or not np.iterable(values):
        raise ValueError(f"{called} must return a law, got {show_value(values)}")
    given: Any = values
    array = as_array(values, called)
    if array.dtype.kind in "iu":  # one-hot laws, as exact as Fractions
        given = array.astype(object)
    law = as_law(given, called)
    if law.ndim != 1:
        raise ValueError(f"{called} must return one law of shape (V,), got shape {law.shape}")
    if exact and not is_exact(law):
        raise _NotExactError
    return law if exact else law.astype(np.float64)


def _order(model: Any, name: str) -> int | None:
    order: Any = getattr(model, "order", None)
    return None if order is None else check_whole(order, f"{name}.order")


def _check_context(context: Any) -> Context:
    try:
        tokens = tuple(context)
    except TypeError:
        raise ValueError(f"context must be a tuple of tokens, got {show_value(context)}") from None
    return tuple(check_whole(token, "context token") for token in tokens)
