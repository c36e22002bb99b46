"""The torch warp equals the numpy warp."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from draftproof.decode.warp import Warp  # noqa: E402
from draftproof.warp import softmax, warp  # noqa: E402

OPTIONS = [
    {},
    {"temperature": 0},
    {"temperature": 0.3},
    {"temperature": 2.0, "top_k": 3},
    {"top_p": 0.7},
    {"top_k": 4, "top_p": 0.5},
    {"top_k": 1},
    {"top_p": 1.0},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("ties", [False, True])
def test_equals_numpy(options, ties):
    logits = np.random.default_rng(0).normal(size=(20, 9))
    logits = logits.round() if ties else logits
    wanted = warp(softmax(logits), **options)
    np.testing.assert_allclose(Warp(**options)(torch.tensor(logits)).numpy(), wanted, atol=1e-12)


@pytest.mark.parametrize("temperature", [1e-300, 1e-46, 1e-30, 1e30, 1e100])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float64])
def test_extreme_temperatures_give_their_limits(temperature, kind):
    law = Warp(temperature)(torch.tensor([[1.0, 2.0, -torch.inf]]).to(kind))[0]
    wanted = [0.0, 1.0, 0.0] if temperature < 1 else [0.5, 0.5, 0.0]
    np.testing.assert_allclose(law.numpy(), wanted, atol=1e-7)


def test_ties_go_to_the_lowest_index():
    law = Warp(top_k=1)(torch.tensor([1.0, 1.0, 0.5]))
    assert law.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "bad", [{"temperature": -1}, {"temperature": float("nan")}, {"top_k": 1.5}, {"top_p": 1.1}]
)
def test_bad_values_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        Warp(**bad)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("top_p", "kept"), [(0.4, 1), (0.7, 2), (0.9, 3), (1e-9, 1), (1.0, 4)])
def test_a_sum_that_rounding_keeps_below_top_p_has_reached_it(dtype, top_p, kept):
    logits = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64).log().to(dtype)
    assert int((Warp(top_p=top_p)(logits) > 0).sum()) == kept
