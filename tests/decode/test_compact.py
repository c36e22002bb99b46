"""Weights kept in 16 bits give the same products, and never those of weights that are gone."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

import draftproof.decode.compact as module  # noqa: E402
from draftproof.decode import ModelDrafter, generate  # noqa: E402
from draftproof.decode.compact import CompactLinear, can_compact, compact  # noqa: E402
from draftproof.decode.corpus import encode  # noqa: E402
from draftproof.decode.linear import Linear  # noqa: E402
from draftproof.decode.models import Config, Transformer  # noqa: E402
from draftproof.decode.shipped import load_draft, load_target  # noqa: E402

FEW = module._MANY - 1
needed = pytest.mark.skipif(not can_compact(), reason="this torch has no 16-bit kernel")


def weights(outputs=600, inputs=192):
    torch.manual_seed(0)
    return torch.nn.Parameter(torch.randn(outputs, inputs).half().float(), requires_grad=False)


@torch.inference_mode()
def apart(made, *shape):
    """The largest error, in bounds of what rounding may do: |error| <= n u sum |x w|."""
    x = torch.randn(*shape, made.in_features)
    wanted = functional.linear(x.double(), made.weight.double())
    if not x.numel():
        return int(made(x).shape != wanted.shape)
    whole = functional.linear(x.double().abs(), made.weight.double().abs())
    unit = torch.finfo(x.dtype).eps / 2
    return float(((made(x) - wanted).abs() / (made.in_features * unit * whole)).max())


def goes_the_usual_way(made, x):
    """Whether the product is the library's to the last bit, the weights being others by now."""
    with torch.inference_mode():
        return torch.equal(made(x), functional.linear(x, made.weight))


@needed
@pytest.mark.parametrize(
    "shape", [(), (0,), (1,), (1, 2), (3, 5), (FEW,), (2, FEW // 2), (FEW + 1,), (1, 300)]
)
@pytest.mark.parametrize("size", [(600, 192), (1, 1), (3, 7), (192, 512), (577, 193)])
def test_products_are_the_same(shape, size):
    assert apart(CompactLinear(weights(*size)), *shape) < 1


@needed
@pytest.mark.parametrize("size", [(576, 192), (577, 193), (65, 512)])
def test_a_rows_product_does_not_depend_on_the_rows_beside_it(size):
    """To the last bit: a block's pass multiplies as plain decoding's passes do."""
    made, x = CompactLinear(weights(*size)), torch.randn(FEW, size[1])
    with torch.inference_mode():
        alone = torch.cat([made(row) for row in x.split(1)])
        for rows in (2, 3, 9, FEW):
            assert torch.equal(made(x[:rows]), alone[:rows])


@needed
@pytest.mark.parametrize("value", [65504.0, 2.0**-24, -(2.0**-14), 1.0])
def test_the_ends_of_sixteen_bits(value):
    assert apart(CompactLinear(torch.nn.Parameter(torch.full((8, 8), value), False)), 3) < 1


@needed
def test_a_strided_input():
    made, x = CompactLinear(weights()), torch.randn(5, 4, 192).transpose(0, 1)
    with torch.inference_mode():
        torch.testing.assert_close(made(x), functional.linear(x, made.weight))


@needed
def test_a_row_of_another_width_is_refused_as_usual():
    made = CompactLinear(weights())
    with torch.inference_mode(), pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        made(torch.randn(2, 191))


@needed
def test_changed_weights_go_the_usual_way():
    x = torch.randn(2, 192)
    made = CompactLinear(weights())
    with torch.no_grad():
        made.weight.mul_(2)
    assert goes_the_usual_way(made, x)
    made = CompactLinear(weights())
    made.load_state_dict({"weight": torch.randn(600, 192)})
    assert goes_the_usual_way(made, x)
    made = CompactLinear(weights())
    made.weight = torch.nn.Parameter(torch.randn(600, 192), requires_grad=False)
    assert goes_the_usual_way(made, x)
    assert goes_the_usual_way(CompactLinear(weights()).double(), x.double())


@needed
@pytest.mark.parametrize("kind", [Linear, CompactLinear])
def test_other_weights_at_an_old_address_are_other_weights(kind):
    """Memory that is given back is given out again, and a fresh tensor's changes count from 0."""
    x = torch.randn(2, 192)
    made = CompactLinear(weights()) if kind is CompactLinear else Linear(192, 600)
    made.requires_grad_(False)
    for seed in range(20):
        torch.manual_seed(seed)
        made.load_state_dict({"weight": torch.randn(600, 192)}, assign=True)
        made.requires_grad_(False)
        with torch.inference_mode():
            wanted = functional.linear(x, made.weight)
            torch.testing.assert_close(made(x), wanted, rtol=1e-4, atol=1e-4)


@needed
def test_changed_models_can_be_made_compact_again():
    made = compact(spoiled(1.0))
    made.load_state_dict({name: 2 * weight for name, weight in made.state_dict().items()})
    assert not made.head._takes(torch.zeros(1, 8))
    assert compact(made).head._takes(torch.zeros(1, 8))
    with torch.no_grad():
        made.head.weight[0, 0] = 0.1
    with pytest.raises(ValueError, match="16 bits hold, got others in head"):
        compact(made)


@needed
def test_gradients_and_mixed_precision_are_what_they_were():
    made, x = CompactLinear(weights()), torch.randn(2, 192, requires_grad=True)
    made(x).sum().backward()
    assert x.grad is not None
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert made(torch.randn(2, 192)).dtype == torch.bfloat16


@needed
def test_copies_are_packed_anew():
    made = CompactLinear(weights())
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other._packed is not None and other._takes(torch.zeros(1, 192))
        assert apart(other, 2) < 1


@needed
def test_nobody_is_told_of_the_kernels_end():
    """torch says once that it will take the kernel out; a reader can do nothing about it."""
    code = (
        "import torch\nfrom draftproof.decode.compact import CompactLinear\n"
        "made = CompactLinear(torch.nn.Parameter(torch.ones(8, 8), False))\n"
        "with torch.inference_mode():\n    made(torch.ones(1, 8))"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@needed
@pytest.mark.parametrize("tied", [False, True])
def test_a_model_is_the_same_model(tied):
    torch.manual_seed(1)
    made = Transformer(Config(11, 16, 2, 2, 24, 32, tied=tied)).eval().requires_grad_(False)
    with torch.no_grad():
        for weight in made.parameters():
            weight.normal_(std=0.5)
            weight.copy_(weight.half())
    state = {name: weight.clone() for name, weight in made.state_dict().items()}
    tokens = torch.randint(11, (2, 9))
    with torch.inference_mode():
        wanted = made(tokens)
        assert compact(made) is made
        torch.testing.assert_close(made(tokens), wanted, atol=1e-4, rtol=1e-4)
    assert not any(isinstance(part, Linear) for part in made.modules())
    assert made.state_dict().keys() == state.keys()
    assert all(torch.equal(weight, state[name]) for name, weight in made.state_dict().items())
    assert (made.head.weight is made.embedding.weight) == tied


@needed
def test_the_shipped_pair_writes_the_same_text_with_and_without_drafts():
    target, draft = compact(load_target()), compact(load_draft())
    prompt = encode("MACBETH.\nIs this a dagger")
    plain, usual = (
        generate(model, prompt, temperature=0, max_new_tokens=60, generator=torch.Generator())
        for model in (target, load_target())
    )
    assert plain.tokens == usual.tokens
    for gamma in range(1, 9):
        made = generate(
            target,
            prompt,
            drafter=ModelDrafter(draft),
            gamma=gamma,
            temperature=0,
            max_new_tokens=60,
            generator=torch.Generator(),
        )
        assert made.tokens == plain.tokens


def small(**changes):
    made = Transformer(Config(5, 8, 1, 2, 8, 8)).eval()
    return made.requires_grad_(changes.get("grad", False)).to(changes.get("dtype", torch.float32))


def spoiled(value):
    made = small()
    with torch.no_grad():
        for weight in made.parameters():
            weight.copy_(weight.half())
        made.blocks[0].down.weight[0, 0] = value
    return made


@needed
@pytest.mark.parametrize("value", [65520.0, 1e-8, 0.1, 1 + 2.0**-12, torch.inf, torch.nan])
def test_weights_that_16_bits_cannot_hold_are_refused(value):
    made = spoiled(value)
    with pytest.raises(ValueError, match=r"16 bits hold, got others in down"):
        compact(made)
    assert isinstance(made.blocks[0].qkv, Linear)  # nothing was changed


@needed
@pytest.mark.parametrize(
    ("model", "words"),
    [
        (lambda: small(grad=True), "must have frozen float32 weights"),
        (lambda: small(dtype=torch.float64), "must have frozen float32 weights"),
        (lambda: small(dtype=torch.float16), "must have frozen float32 weights"),
        (torch.inference_mode()(lambda: spoiled(1.0)), "must have frozen float32 weights"),
        (lambda: torch.nn.Linear(2, 2), "must be a Transformer"),
        (lambda: Transformer, "must be a Transformer"),
        (lambda: None, "must be a Transformer"),
    ],
)
def test_other_models_are_refused(model, words):
    with pytest.raises(ValueError, match=words):
        compact(model())


def test_without_the_kernel_a_model_stays_as_it_is(monkeypatch):
    monkeypatch.setattr(module, "_NAMES", ("no_such_operator",))
    assert not can_compact()
    with pytest.raises(ValueError, match="no 16-bit kernel"):
        compact(spoiled(1.0))
