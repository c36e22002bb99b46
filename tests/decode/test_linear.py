"""Packed weights give the same products, and never those of weights that are gone."""

from __future__ import annotations

import copy
import pickle

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

from draftproof.decode import linear  # noqa: E402

packing = pytest.mark.skipif(not linear._CAN_PACK, reason="this torch cannot pack weights")


def layer(inputs=192, outputs=600, frozen=True):
    torch.manual_seed(0)
    return linear.Linear(inputs, outputs).requires_grad_(not frozen)


@torch.inference_mode()
def apart(made, *shape):
    x = torch.randn(*shape, made.weight.shape[1], dtype=made.weight.dtype)
    wanted = functional.linear(x, made.weight)
    return float((made(x) - wanted).abs().max()) if x.numel() else made(x).shape == wanted.shape


@packing
@pytest.mark.parametrize("shape", [(1, 2), (1, 6), (3, 5), (7,), (1, 300), (64, 1)])
def test_products_are_the_same(shape):
    made = layer()
    assert apart(made, *shape) < 1e-5
    assert made._packed is not None


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_a_single_row_goes_the_usual_way(shape):
    """It is what plain decoding is made of, and the plain kernel is the faster one for it."""
    made = layer()
    assert apart(made, *shape) == 0 and made._packed is None


@packing
def test_an_empty_and_a_strided_input():
    made = layer()
    assert apart(made, 0)
    x = torch.randn(5, 4, 192).transpose(0, 1)
    with torch.inference_mode():
        torch.testing.assert_close(made(x), functional.linear(x, made.weight))


@packing
def test_changed_weights_are_packed_anew():
    made, other = layer(), layer(frozen=False)
    apart(made, 2)
    with torch.no_grad():
        made.weight.mul_(2)
    assert apart(made, 2) < 1e-4
    other.load_state_dict({"weight": torch.randn(600, 192)})
    made.load_state_dict(other.state_dict())
    assert apart(made, 2) < 1e-4
    made.weight = torch.nn.Parameter(torch.randn(600, 192), requires_grad=False)
    assert apart(made, 2) < 1e-4


@pytest.mark.parametrize("made", [layer(frozen=False), layer(8, 4), layer().double()])
def test_other_weights_go_the_usual_way(made):
    assert apart(made, 3) == 0 and made._packed is None


def test_training_is_what_it_was():
    made = layer(frozen=False)
    made(torch.randn(2, 192)).sum().backward()
    assert made.weight.grad is not None and made._packed is None
    frozen, x = layer(), torch.randn(2, 192, requires_grad=True)
    frozen(x).sum().backward()  # gradients pass through a frozen layer
    assert x.grad is not None


def test_mixed_precision_is_what_it_was():
    made = layer()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert made(torch.randn(2, 192)).dtype == torch.bfloat16
    assert made._packed is None


@packing
def test_copies_leave_the_packed_weights_out():
    made = layer()
    apart(made, 2)
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other._packed is None and apart(other, 2) < 1e-4
