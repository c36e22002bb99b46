"""The short way to an RMS norm gives torch's numbers, and is taken only where it is the same."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from draftproof.decode.norm import Norm  # noqa: E402


def pair(dim=48, dtype=torch.float32):
    ours, theirs = Norm(dim), nn.RMSNorm(dim, eps=1e-5)
    weight = torch.rand(dim, generator=torch.Generator().manual_seed(3)) + 0.5
    for made in (ours, theirs):
        made.load_state_dict({"weight": weight})
        made.to(dtype)
    return ours, theirs


def rows(*shape, scale=1.0, dtype=torch.float32):
    drawn = torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    return (drawn * scale).to(dtype)


@pytest.mark.parametrize("scale", [0.0, 1e-30, 1e-6, 1e-3, 1.0, 1e4, 1e18])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (3, 5), (7,), (0, 4)])
def test_the_numbers_are_torchs(shape, dtype, scale):
    ours, theirs = pair(dtype=dtype)
    x = rows(*shape, 48, scale=scale, dtype=dtype)
    before = x.clone()
    # 20 units in the last place: two ways to add 48 squares.
    close = {"rtol": 20 * torch.finfo(dtype).eps, "atol": 0}
    with torch.inference_mode():
        torch.testing.assert_close(ours(x), theirs(x), **close)
    assert torch.equal(x, before), "the input belongs to the caller"


@pytest.mark.parametrize(("weight", "value"), [(1e20, 1e19), (1e-30, 1e-12), (1e30, 1e-35)])
def test_nothing_overflows_or_fades_on_the_way(weight, value):
    ours, theirs = pair()
    for made in (ours, theirs):
        made.load_state_dict({"weight": torch.full((48,), weight)})
    x = torch.full((2, 48), value)
    x[:, 0] = 0
    with torch.inference_mode():
        torch.testing.assert_close(ours(x), theirs(x), rtol=1e-5, atol=0)


@pytest.mark.parametrize("shape", [(), (1,), (2, 1), (2, 47), (48, 2)])
def test_rows_of_another_width_are_refused_as_by_torch(shape):
    ours, theirs = pair()
    for made in (ours, theirs):
        with torch.inference_mode(), pytest.raises((RuntimeError, ValueError)):
            made(torch.ones(shape))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((0,), "dim"), ((2.5,), "dim"), (((3, 4),), "dim"), ((4, 0), "eps"), ((4, -1e-5), "eps"),
     ((4, None), "eps"), ((4, float("nan")), "eps")],
)  # fmt: skip
def test_numbers_out_of_range_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        Norm(*arguments)


def test_strided_rows():
    ours, theirs = pair()
    x = rows(4, 48, 6).transpose(1, 2)
    with torch.inference_mode():
        torch.testing.assert_close(ours(x), theirs(x))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_goes_torchs_way(dtype):
    ours, theirs = pair(dtype=dtype)
    x = rows(3, 48, dtype=dtype)
    with torch.inference_mode():
        assert torch.equal(ours(x), theirs(x))


def test_training_goes_torchs_way():
    ours, theirs = pair()
    x = rows(3, 48)
    for made in (ours, theirs):
        made(x).square().sum().backward()
    assert torch.equal(ours(x), theirs(x))
    assert torch.equal(ours.weight.grad, theirs.weight.grad)


def test_state_copies_and_weights_made_nowhere():
    """Its numbers are no part of its state, and it can be made without memory and filled after."""
    ours, theirs = pair()
    assert list(ours.state_dict()) == ["weight"]
    with torch.device("meta"):
        empty = Norm(48)
    empty.load_state_dict(theirs.state_dict(), assign=True)
    x = rows(2, 48)
    with torch.inference_mode():
        torch.testing.assert_close(empty(x), theirs(x))
        torch.testing.assert_close(copy.deepcopy(ours)(x), theirs(x))
