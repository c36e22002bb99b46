"""The target's laws over a text, and the counts that they let expect."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from draftproof.decode.laws import expected_counts, window_starts, write_laws  # noqa: E402
from draftproof.decode.models import Config, Transformer  # noqa: E402
from draftproof.decode.training import distil_loss, text_loss  # noqa: E402

SHAPE = Config(vocabulary=5, dim=8, layers=1, heads=2, hidden=16, context=8)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    made = Transformer(SHAPE).eval().requires_grad_(False)
    made.head.weight.normal_()
    return made


@pytest.fixture(scope="module")
def text():
    return torch.randint(5, (37,), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("length", [8, 9, 13, 14, 15, 20, 37, 400])
def test_windows_cover_a_text_and_overlap(length):
    starts = window_starts(length, 8)
    assert starts[0] == 0 and starts[-1] == length - 8 and starts == sorted(set(starts))
    assert all(b - a <= 6 for a, b in pairwise(starts))


def test_a_law_looks_back_a_quarter_of_the_context_at_least(model, text, tmp_path):
    windows = []
    write_laws(tmp_path / "laws.npy", model, text, windows.append)
    laws = np.load(tmp_path / "laws.npy")
    starts = window_starts(len(text), 8)
    assert sum(windows) == len(starts)
    assert laws.shape == (len(text), 5) and laws.dtype == np.float16
    np.testing.assert_allclose(laws.astype(float).sum(1), 1, atol=2e-3)
    for place in range(len(text)):
        # The last window in which the place is not among the first two, but for the text's own.
        start = max(s for s in starts if s <= place and (place - s >= 2 or s == 0))
        with torch.autocast("cpu", dtype=torch.bfloat16):  # as in training
            logits = model(text[None, start : start + 8])[0, place - start]
        np.testing.assert_allclose(laws[place], logits.float().softmax(-1), atol=2e-3)
    assert [path.name for path in tmp_path.iterdir()] == ["laws.npy"]


def test_a_text_shorter_than_a_window_is_refused(model, text, tmp_path):
    with pytest.raises(ValueError, match="text must hold at least 8 tokens, got 7"):
        write_laws(tmp_path / "laws.npy", model, text[:7])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("order", [2, 3, 4])
def test_expected_counts_are_those_of_a_plain_loop(order):
    rng = np.random.default_rng(order)
    text = rng.integers(4, size=300)
    laws = rng.dirichlet(np.full(4, 0.4), size=300).astype(np.float16)
    plain: dict[tuple[int, ...], float] = {}
    for end in range(order - 2, 300):
        for token in range(4):
            run = (*text[end - order + 2 : end + 1].tolist(), token)
            plain[run] = plain.get(run, 0) + float(laws[end, token])
    keys, counts = expected_counts(text, laws, order, 4)
    runs = [tuple(int(key) // 4**i % 4 for i in range(order)[::-1]) for key in keys]
    assert runs == sorted(runs)
    rounded = {run: round(count) for run, count in plain.items()}
    assert dict(zip(runs, counts.tolist(), strict=True)) == {r: c for r, c in rounded.items() if c}


def test_laws_that_are_sure_of_the_text_count_the_text():
    text = np.random.default_rng(0).integers(4, size=500)
    laws = np.eye(4, dtype=np.float16)[np.append(text[1:], 0)]
    keys, counts = expected_counts(text, laws, 3, 4)
    windows = np.lib.stride_tricks.sliding_window_view(np.append(text, 0), 3) @ [16, 4, 1]
    found, often = np.unique(windows, return_counts=True)
    assert np.array_equal(keys, found) and np.array_equal(counts, often)


def test_the_draft_learns_from_the_laws_of_its_own_places(model, text, tmp_path):
    write_laws(tmp_path / "laws.npy", model, text)
    laws = np.load(tmp_path / "laws.npy", mmap_mode="r")
    starts = torch.tensor([0, 20])
    tokens = torch.stack([text[s : s + 7] for s in starts.tolist()])
    q = model(tokens[:, :-1]).softmax(-1).double()
    p = torch.from_numpy(np.stack([laws[0:6], laws[20:26]])).double()
    tv = float((p - q).abs().sum(-1).mean() / 2)
    cross = float(-(p * q.log()).sum(-1).mean())
    for weight in (0.0, 0.3, 1.0):
        wanted = (1 - weight) * cross + weight * tv
        found = distil_loss(laws, weight)(model, tokens, starts)
        assert float(found) == pytest.approx(wanted, abs=1e-5)
    assert text_loss(model, tokens, starts) == text_loss(model, tokens)
