"""Prompt lookup and tables of counts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from draftproof.decode.drafters import NgramTable, ngram_propose  # noqa: E402

LOOKUPS = [
    (([1, 2, 3, 9, 1, 2, 3], 1, 3, 2), [9, 1]),  # the longest end, 1 2 3
    (([5, 1, 7, 1, 8, 1], 1, 3, 2), [7, 1]),  # the first occurrence
    (([4, 1, 2, 8, 2, 9, 1, 2], 1, 2, 1), [8]),  # longer before earlier
    (([1, 2, 3], 1, 3, 4), []),
    (([1], 1, 3, 4), []),
    (([], 1, 3, 4), []),
    (([7, 7, 7], 1, 3, 5), [7]),  # an end may overlap its own occurrence
    (([1, 2, 1, 2, 1], 2, 2, 9), [2, 1]),
    (([1, 2, 1], 2, 2, 3), []),  # too short an end is not looked for
]


@pytest.mark.parametrize(("arguments", "wanted"), LOOKUPS)
def test_lookup(arguments, wanted):
    assert ngram_propose(*arguments) == wanted


def slow_lookup(tokens, min_n, max_n, k):
    for n in range(max_n, min_n - 1, -1):
        for start in range(len(tokens) - n):
            if n < len(tokens) and tokens[start : start + n] == tokens[-n:]:
                return tokens[start + n : start + n + k]
    return []


def test_lookup_equals_a_plain_search():
    rng = np.random.default_rng(1)
    for _ in range(400):
        tokens = rng.integers(0, 3, rng.integers(0, 12)).tolist()
        n = int(rng.integers(1, 4))
        assert ngram_propose(tokens, 1, n, 3) == slow_lookup(tokens, 1, n, 3)


@pytest.mark.parametrize("bad", [[1.5, 2], [True, False], "aba", None, [[1, 2]], [None], [[1], 2]])
def test_lookup_tokens_are_checked(bad):
    with pytest.raises(ValueError, match="tokens must be a row of whole numbers"):
        ngram_propose(bad, 1, 2, 3)


def test_a_long_lookup_is_one_pass():
    assert ngram_propose([0] * 50_000 + [1], 1, 5000, 5) == []
    assert ngram_propose([0] * 20_000, 1, 3000, 2) == [0, 0]


@pytest.mark.parametrize("bad", [(0, 1, 1), (2, 1, 1), (1, 1, 0), (1, 1.5, 1)])
def test_lookup_numbers_are_checked(bad):
    with pytest.raises(ValueError, match="must be"):
        ngram_propose([1, 2], *bad)


def test_a_table_mixes_its_orders():
    text, s = np.array([0, 1, 0, 1, 0, 2, 2, 0, 1]), 2.0
    table = NgramTable.from_tokens(text, 4, 2, s)
    counts = np.zeros((4, 4))
    for a, b in itertools.pairwise(text):
        counts[a, b] += 1
    first = (counts.sum(0) + s / 4) / (counts.sum() + s)
    for a in range(3):
        wanted = (counts[a] + s * first) / (counts[a].sum() + s)
        np.testing.assert_allclose(table.law([3, a]), wanted, rtol=1e-6)
    np.testing.assert_allclose(table.law([3]), first, rtol=1e-6)  # never seen: one order down
    np.testing.assert_allclose(table.law([]), first, rtol=1e-6)


def test_longer_contexts_are_found_and_laws_sum_to_one():
    rng = np.random.default_rng(2)
    text = rng.integers(0, 6, 2000)
    table = NgramTable.from_tokens(text, 6, 4)
    for start in range(200):
        law = table.law(text[start : start + 3])
        assert abs(law.sum() - 1) < 1e-5 and (law > 0).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1, 2], 4, 3), "at least order = 3"),
        (([1, 9, 2], 4, 2), "0..3"),
        (([1, 2, 3], 4, 2, 0.0), "strength"),
        (([1, 2, 3], 4, 2, float("inf")), "strength"),
        (([1, 2, 3], 4, 0), "order"),
        (([1, 2, 3], None, 2), "vocabulary"),
        (([1, 2, 3], 4, True), "order"),
        (([0.5, 1], 2, 1), "tokens must be an array of whole numbers"),
        (([1] * 9, 2**16, 6), r"fewer than 2\*\*62 contexts"),
    ],
)
def test_a_bad_corpus_is_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        NgramTable.from_tokens(*arguments)


def test_a_context_outside_the_vocabulary_is_named():
    table = NgramTable.from_tokens([0, 1, 0, 1, 1], 2, 3)
    with pytest.raises(ValueError, match="context token"):
        table.law([0, 7])
