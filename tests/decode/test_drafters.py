"""Prompt lookup and tables of counts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from draftproof.decode import streams  # noqa: E402
from draftproof.decode.drafters import (  # noqa: E402
    NgramTable,
    TableDrafter,
    ngram_propose,
)
from draftproof.decode.streams import Streams  # noqa: E402
from draftproof.decode.warp import Warp  # noqa: E402

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


@pytest.mark.parametrize(
    ("context", "words"),
    [([0, 7], "context token"), ([-1], "context token"), ("ab", "context token"), (3, "a row")],
)
def test_a_context_outside_the_vocabulary_is_named(context, words):
    table = NgramTable.from_tokens([0, 1, 0, 1, 1], 2, 3)
    with pytest.raises(ValueError, match=words):
        table.law(context)


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (2,), ()])
def test_a_table_is_made_of_runs(shape):
    ngrams = np.zeros(shape, dtype=np.int64)
    with pytest.raises(ValueError, match=r"ngrams must have shape \(M, n\)"):
        NgramTable(ngrams, np.ones(shape[:1], dtype=np.int64), 2)


@pytest.mark.parametrize(
    ("context", "known"),
    [
        ([7, 0, 1], [0, 1]),
        ([0, 7, 1], [1]),
        ([0, 1, 7], []),
        ([7, 9, 7], []),
        ([0, 9, 0, 1, 1], [0, 1, 1]),
        ([0, 1, 1], [0, 1, 1]),
    ],
)
def test_a_table_passes_over_tokens_that_it_does_not_know(context, known):
    """What follows the last strange token is all of the context that it can have seen."""
    table = NgramTable.from_tokens([0, 1, 1, 0, 1, 0, 0, 1, 1, 1], 2, 4)
    drafter = TableDrafter(table)
    drafter.start([context], Warp(), Streams(1, torch.Generator().manual_seed(0)))
    draft = drafter.propose([context], 3)
    for step in range(3):
        wanted = table.law([*known, *draft.tokens[0, :step].tolist()])
        np.testing.assert_array_equal(draft.probs[0, step], wanted)


# streams


def reference(seed, batch):
    """Seeds as they would come without a look at collisions."""
    source = torch.Generator().manual_seed(seed)
    return [torch.randint(2**62, (3,), generator=source).tolist() for _ in range(batch)]


def test_torch_looks_at_the_low_bits_of_a_seed_alone():
    """Why seeds of 62 bits can start one stream twice: if this fails, `_SEEDS` is out of date."""
    low, high = (torch.Generator().manual_seed(5 + k * streams._SEEDS) for k in (0, 1))
    assert torch.equal(torch.rand(9, generator=low), torch.rand(9, generator=high))


@pytest.mark.parametrize("seed", [7, 11])
def test_no_two_streams_of_a_batch_are_the_same(seed):
    """Of 36,000 streams two start alike with seed 7, if nobody looks."""
    plain = np.array(reference(seed, 12_000))
    unlike = len(np.unique(plain % 2**32)) == plain.size
    assert unlike == (seed != 7)
    source = torch.Generator().manual_seed(seed)
    found = np.array(streams._row_seeds([source] * 12_000))
    assert len(np.unique(found % 2**32)) == found.size
    first = int((found != plain).any(1).argmax()) if seed == 7 else 12_000
    np.testing.assert_array_equal(found[:first], plain[:first])
    assert first > 0


def test_many_collisions_are_drawn_again(monkeypatch):
    monkeypatch.setattr(streams, "_SEEDS", 64)
    source = torch.Generator().manual_seed(0)
    found = np.array(streams._row_seeds([source] * 20)) % 64
    assert len(np.unique(found)) == 60
    again = streams._row_seeds([torch.Generator().manual_seed(0)] * 20)
    np.testing.assert_array_equal(np.array(again) % 64, found)


def test_rows_with_generators_of_their_own_leave_each_other_alone():
    """Two rows that are seeded alike write the same, as each would alone."""
    rows = streams._row_seeds([torch.Generator().manual_seed(s) for s in (3, 4, 3)])
    assert rows == [reference(s, 1)[0] for s in (3, 4, 3)]
