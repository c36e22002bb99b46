"""A cached pass equals a recomputed one, whatever was rolled back before."""

from __future__ import annotations

import copy
import pickle

import pytest

torch = pytest.importorskip("torch")

from draftproof.decode.cache import Cache  # noqa: E402
from draftproof.decode.models import Config, Transformer  # noqa: E402

CONFIG = Config(vocabulary=11, dim=32, layers=3, heads=2, hidden=48, context=64)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    model = Transformer(CONFIG).double().eval()
    torch.nn.init.normal_(model.head.weight)  # training starts it at zero; zeros would hide faults
    return model


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


@pytest.mark.parametrize("seed", range(6))
def test_cached_logits_equal_recomputed_ones_over_random_rounds(model, seed):
    chooser = torch.Generator().manual_seed(seed)

    def whole(high, low=0):
        return int(torch.randint(low, high, (1,), generator=chooser))

    batch = 1 + seed % 3
    cache = Cache(CONFIG, batch, dtype=torch.float64)
    rows = [[] for _ in range(batch)]
    for _ in range(12):
        new = whole(6, 1)
        block = torch.randint(CONFIG.vocabulary, (batch, new), generator=chooser)
        cached = model(block, cache)
        for row, tokens, logits in zip(rows, block.tolist(), cached, strict=True):
            row += tokens
            fresh = model(torch.tensor([row]))[0, -new:]
            torch.testing.assert_close(logits, fresh, rtol=1e-9, atol=1e-9)
        kept = [len(row) - whole(new + 1) for row in rows]  # every row accepts its own number
        cache.rollback(kept)
        rows = [row[:length] for row, length in zip(rows, kept, strict=True)]
        if max(map(len, rows)) > CONFIG.context - 6:
            break


def test_growing_past_the_context_is_an_error_and_changes_nothing(model):
    cache = Cache(CONFIG, 1, capacity=4, dtype=torch.float64)
    model(torch.zeros(1, 3, dtype=torch.long), cache)
    with pytest.raises(ValueError, match="cache holds 4 tokens a row, got 3 and 2 more"):
        model(torch.zeros(1, 2, dtype=torch.long), cache)
    assert cache.lengths == [3]


@pytest.mark.parametrize("lengths", [[5], [-1], [1, 1], []])
def test_rollback_takes_only_shorter_lengths(model, lengths):
    cache = Cache(CONFIG, 1, dtype=torch.float64)
    model(torch.zeros(1, 3, dtype=torch.long), cache)
    with pytest.raises(ValueError, match="lengths must be within"):
        cache.rollback(lengths)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((3,), "shape must be a Config, got 3"),
        ((Config,), "shape must be a Config"),
        ((CONFIG, 0), "batch must be a whole number of at least 1, got 0"),
        ((CONFIG, 1, 0), "capacity must be a whole number of at least 1, got 0"),
        ((CONFIG, 1, 2.5), "capacity must be a whole number of at least 1, got 2.5"),
    ],
)
def test_a_cache_is_made_of_numbers_that_make_sense(arguments, words):
    with pytest.raises(ValueError, match=words):
        Cache(*arguments)


def test_a_batch_of_many_rows_makes_no_long_message():
    cache = Cache(CONFIG, 500, capacity=1)
    with pytest.raises(ValueError, match="lengths must be within") as caught:
        cache.rollback([1] * 500)
    assert len(str(caught.value)) < 250


def test_reading_fills_the_cache_as_scoring_does_and_asks_for_no_logits(model, monkeypatch):
    tokens = torch.randint(CONFIG.vocabulary, (2, 9), generator=torch.Generator().manual_seed(1))
    caches = [Cache(CONFIG, 2, dtype=torch.float64) for _ in range(2)]
    model(tokens, caches[0])
    with monkeypatch.context() as patch:
        patch.setattr(model.head, "forward", lambda _: pytest.fail("nobody asked"))
        model.read(tokens, caches[1])
    assert caches[0].lengths == caches[1].lengths == [9, 9]
    assert torch.equal(caches[0].entries, caches[1].entries)


@pytest.mark.parametrize("bad", [{"dim": 30}, {"layers": 0}, {"heads": 2.0}, {"context": True}])
def test_a_model_shape_is_checked(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        Config(**{**vars(CONFIG), **bad})


def test_a_cache_can_be_filled_while_gradients_are_wanted():
    torch.manual_seed(0)
    made = Transformer(Config(7, 8, 2, 2, 12, 16))
    with torch.enable_grad():
        cache = made.new_cache(2)
        first = made(torch.tensor([[1, 2, 3]] * 2), cache)
        made(torch.tensor([[4], [5]]), cache)
        cache.rollback([4, 2])
        made(torch.tensor([[4], [5]]), cache)
    assert first.requires_grad and cache.lengths == [5, 3]


def test_a_stored_cache_is_as_large_as_its_entries(model):
    cache = model.new_cache(1)
    model(torch.tensor([[1, 2, 3]]), cache)
    size = cache.entries.numel() * cache.entries.element_size()
    stored = pickle.dumps(cache)
    assert len(stored) < size + 10_000
    for other in (pickle.loads(stored), copy.deepcopy(cache)):
        wanted = model(torch.tensor([[4]]), cache)
        assert torch.equal(model(torch.tensor([[4]]), other), wanted)
        cache.rollback([3])
