"""Character models small enough to print: a table with one law a context.

`draftproof.bigram` has every name that the book uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from draftproof.finite import (
    LARGEST,
    Array,
    ArrayLike,
    as_array,
    as_exact,
    as_law,
    check_flag,
    check_number,
    check_whole,
    is_exact,
    show_value,
)
from draftproof.warp import temper

__all__ = ["CORPUS", "START", "BigramModel", "Mixture", "Model", "UnigramModel", "check_models"]

START = "^"


CORPUS = "".join(
    (
        "to be or not to be ",  # Hamlet, act three, in lower case and without
        "that is the question ",  # its punctuation: eighty characters,
        "whether tis nobler ",  # eighteen of them distinct,
        "in the mind to suffer",  # the space among them
    )
)


@dataclass(frozen=True, eq=False)
class Model:
    """A table of laws, one a context: the vocabulary's tokens, then the start.

    Attributes
    ----------
    vocabulary : tuple of str
    table : ndarray, shape (V + 1, V)
        float64 or Fractions; the last row belongs to the start context.

    Raises
    ------
    ValueError
        If the vocabulary is not a tuple of distinct strings, or the table does not fit it.
    """

    vocabulary: tuple[str, ...]
    table: Array

    # One token back is all it looks at: contexts that end alike are one.
    order: ClassVar[int] = 1

    def __post_init__(self) -> None:
        names = self.vocabulary
        if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
            raise ValueError(f"vocabulary must be a tuple of strings, got {show_value(names)}")
        if len(set(names)) < len(names):
            raise ValueError(f"vocabulary must not repeat a token, got {show_value(names)}")
        rows = as_law(self.table, "table")
        size = len(names)
        if rows.shape != (size + 1, size):
            raise ValueError(f"table must have shape ({size + 1}, {size}), got {rows.shape}")
        object.__setattr__(self, "table", rows)

    def __call__(self, context: tuple[int, ...]) -> Array:
        """Return the law of the next token after a context of token ids (empty: the start).

        Raises
        ------
        ValueError
            If the context is not a sequence, or its last entry no token id.
        """
        try:
            row = self._row(context[-1]) if len(context) else len(self.vocabulary)
        except (TypeError, KeyError):
            raise ValueError(
                f"context must be a tuple of token ids, got {show_value(context)}"
            ) from None
        return np.asarray(self.table[row])

    def _row(self, token: Any, name: str = "context token") -> int:
        return check_whole(token, name, 0, len(self.vocabulary) - 1)

    def law(self, context: str = START) -> Array:
        """Return the law of the next character after a string; ``^`` or "" is the start.

        Parameters
        ----------
        context : str
            Its last character counts.

        Returns
        -------
        ndarray, shape (V,)

        Raises
        ------
        ValueError
            If the last character is not in the vocabulary.
        """
        if not isinstance(context, str):
            raise ValueError(f"context must be a string, got {show_value(context)}")
        return self(() if context in ("", START) else self.encode(context[-1]))

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the token ids of a text.

        Parameters
        ----------
        text : str

        Returns
        -------
        tuple of int

        Raises
        ------
        ValueError
            If a character is not in the vocabulary.
        """
        if not isinstance(text, str):
            raise ValueError(f"text must be a string, got {show_value(text)}")
        for character in text:
            if character not in self.vocabulary:
                raise ValueError(
                    f"text must use the characters {''.join(self.vocabulary)!r}, got {character!r}"
                )
        return tuple(self.vocabulary.index(character) for character in text)

    def decode(self, tokens: ArrayLike) -> str:
        """Return the text of some token ids.

        Parameters
        ----------
        tokens : array_like of int

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If an entry is no token id.
        """
        ids = as_array(tokens, "tokens").ravel().tolist()
        return "".join(self.vocabulary[self._row(token, "tokens")] for token in ids)

    def at(self, temperature: Any) -> Model:
        """Return the model with every law at another temperature (see `warp.temper`).

        Parameters
        ----------
        temperature : float or Fraction

        Returns
        -------
        Model

        Raises
        ------
        ValueError
            If the temperature is negative or not a number.
        """
        return Model(self.vocabulary, temper(self.table, temperature))

    @property
    def size(self) -> int:
        """V, the number of tokens that can be emitted."""
        return len(self.vocabulary)

    @property
    def chain(self) -> Array:
        """The square table without the start context, shape (V, V)."""
        return self.table[:-1]


def _counts(corpus: str, vocabulary: tuple[str, ...]) -> NDArray[np.int64]:
    size = len(vocabulary)
    index = {character: i for i, character in enumerate(vocabulary)}
    counts = np.zeros((size + 1, size), dtype=np.int64)
    previous = size
    for character in corpus:
        counts[previous, index[character]] += 1
        previous = index[character]
    return counts


def _smoothed(counts: Array, smoothing: int, exact: bool) -> Array:
    raised = counts + smoothing
    totals = raised.sum(axis=-1, keepdims=True)
    if np.any(totals == 0):
        raise ValueError(
            f"smoothing must be at least 1 where a context has no successor, got {smoothing}"
        )
    if not exact:
        return np.asarray(raised / totals)
    rows = np.empty(counts.shape, dtype=object)
    for at in np.ndindex(*counts.shape):
        rows[at] = Fraction(int(raised[at]), int(totals[at[0], 0]))
    return rows


def _check_corpus(corpus: str) -> tuple[str, ...]:
    if not isinstance(corpus, str) or not corpus or START in corpus:
        raise ValueError(
            f"corpus must be a text, not empty and without {START!r}, got {show_value(corpus)}"
        )
    return tuple(sorted(set(corpus)))


class BigramModel(Model):
    """The target: the next character given the one before, from counts plus `smoothing`.

    Parameters
    ----------
    corpus : str
    smoothing : int
        Added to every count (1: Laplace).
    exact : bool
        Hold the table in Fractions.

    Raises
    ------
    ValueError
        If the corpus is empty or holds the start mark, `smoothing` leaves a context empty, or
        `exact` is not True or False.
    """

    def __init__(self, corpus: str = CORPUS, smoothing: int = 1, exact: bool = False) -> None:
        vocabulary = _check_corpus(corpus)
        check_whole(smoothing, "smoothing", 0, LARGEST)
        check_flag(exact, "exact")
        counts = _counts(corpus, vocabulary)
        super().__init__(vocabulary, _smoothed(counts, smoothing, exact))


class UnigramModel(Model):
    """The cheapest draft: the same law whatever came before.

    Parameters
    ----------
    corpus : str
    smoothing : int
    exact : bool

    Raises
    ------
    ValueError
        As `BigramModel`.
    """

    def __init__(self, corpus: str = CORPUS, smoothing: int = 1, exact: bool = False) -> None:
        vocabulary = _check_corpus(corpus)
        check_whole(smoothing, "smoothing", 0, LARGEST)
        check_flag(exact, "exact")
        counts = _counts(corpus, vocabulary).sum(axis=0, keepdims=True)
        law = _smoothed(counts, smoothing, exact)
        super().__init__(vocabulary, np.repeat(law, len(vocabulary) + 1, axis=0))


class Mixture(Model):
    r"""The draft with a knob: :math:`q_w = w\, p + (1 - w)\, q_0`.

    Parameters
    ----------
    weight : float or Fraction
        w in [0, 1]: 0 forgets the context, 1 is the target. Beside tables of Fractions a float
        counts as the decimal that it prints as.
    target, base : Model
        p and q0, over one vocabulary.

    Raises
    ------
    ValueError
        If the weight is out of range or the vocabularies differ.
    """

    def __init__(self, weight: Any, target: Model, base: Model) -> None:
        check_models(target=target, base=base)
        check_number(weight, "weight", 0, 1)
        exact = is_exact(target.table) and is_exact(base.table)
        w = as_exact(weight) if exact else float(weight)
        kind = object if exact else np.float64
        p, q = target.table.astype(kind), base.table.astype(kind)
        super().__init__(target.vocabulary, w * p + (1 - w) * q)
        object.__setattr__(self, "weight", weight)

    weight: Any


def check_models(**models: object) -> None:
    """Raise unless the arguments, given by name, are models over one vocabulary.

    Parameters
    ----------
    **models : object

    Raises
    ------
    ValueError
        Naming the argument that is no `Model`, or all of them if the vocabularies differ.
    """
    for name, model in models.items():
        if not isinstance(model, Model):
            raise ValueError(f"{name} must be a bigram.Model, got {show_value(model)}")
    vocabularies = {model.vocabulary for model in models.values() if isinstance(model, Model)}
    if len(vocabularies) > 1:
        names = " and ".join(models)
        raise ValueError(f"{names} must share one vocabulary, got {len(vocabularies)} of them")
