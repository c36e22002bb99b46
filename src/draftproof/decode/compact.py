"""Linear layers that keep weights of sixteen bits as such, and compute in 32.

For a few rows a matrix product costs what it costs to read the weights. Those that the package
ships are 16-bit numbers; written out in 32 bits they are twice as much to read. Here they stay as
they are, in the processor's order, and each is widened as it is read: the products are those of
the 32-bit weights, up to the order of their sums. A row's product is the same to the last bit
whatever rows are beside it, up to 32: a pass over a block multiplies exactly as plain decoding's
passes do. With more rows the library's product takes less time, and is taken.

torch has said that it will take the kernel out some day, and only one family of processors has it.
So nothing in the package depends on it: a model is made compact by whoever wants that.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import Tensor, nn

from draftproof.checks import show_value
from draftproof.decode.linear import Linear
from draftproof.decode.models import Transformer

__all__ = ["CompactLinear", "can_compact", "compact"]

# From here on arithmetic is the price, and the plain kernel does it on several cores.
_MANY = 33
_NAMES = ("fbgemm_pack_gemm_matrix_fp16", "fbgemm_linear_fp16_weight_fp32_activation")


def can_compact() -> bool:
    """Tell whether this torch has the kernel on this processor.

    Returns
    -------
    bool
    """
    known = all(hasattr(torch, name) for name in _NAMES)
    return known and "fbgemm" in torch.backends.quantized.supported_engines


def compact(model: Transformer) -> Transformer:
    """Keep a model's linear layers in 16 bits: the same model, in a shorter time a pass.

    Parameters
    ----------
    model : Transformer
        Of frozen float32 weights on the CPU that 16 bits hold without a change, such as those of
        `load_target` and `load_draft`. Its layers are replaced in place; after its weights were
        changed it can be made compact again.

    Returns
    -------
    Transformer
        The model itself.

    Raises
    ------
    ValueError
        If the weights are others, or this torch or this processor lacks the kernel.
    """
    if not isinstance(model, Transformer):
        raise ValueError(f"model must be a Transformer, got {show_value(model)}")
    if not can_compact():
        raise ValueError("model must stay as it is: torch has no 16-bit kernel on this processor")
    layers = [
        (part, name, layer)
        for part in model.modules()
        for name, layer in part.named_children()
        if isinstance(layer, (Linear, CompactLinear))
    ]
    for _, name, layer in layers:
        if not _is_short(layer.weight):
            raise ValueError(
                "model must have frozen float32 weights on the CPU that 16 bits hold, got others "
                f"in {name}"
            )
    for part, name, layer in layers:
        setattr(part, name, CompactLinear(layer.weight))
    return model


def _is_short(weight: Tensor) -> bool:
    frozen = not weight.requires_grad and not weight.is_inference()  # those hide their changes
    if weight.dtype != torch.float32 or not weight.is_cpu or not frozen:
        return False
    half = weight.half()
    return bool(torch.equal(half.float(), weight) and half.isfinite().all())


class CompactLinear(nn.Linear):
    """`torch.nn.Linear` without bias, over frozen float32 weights that are kept in 16 bits as well.

    Many rows, and other types, devices and modes go the usual way. So do weights that were changed,
    by loading others or in place: torch counts such changes. It does not count those made through
    ``.data`` or through numpy's view of the memory, and then the old weights go on being used.

    Parameters
    ----------
    weight : Tensor, shape (outputs, inputs)
        Frozen, float32, on the CPU, each number a 16-bit one; not copied.
    """

    def __init__(self, weight: Tensor) -> None:
        super().__init__(weight.shape[1], weight.shape[0], bias=False, device="meta")
        self.weight = weight  # type: ignore[assignment]
        self._pack()

    def _pack(self) -> None:
        weight = self.weight
        self._of = (weight.data_ptr(), weight._version)
        self._source = weight.detach()  # kept, so that its address cannot come back
        self._zeros = weight.new_zeros(len(weight))
        with warnings.catch_warnings():  # of the kernel's end, said once at its first use
            warnings.simplefilter("ignore")
            self._packed = torch.fbgemm_pack_gemm_matrix_fp16(weight.detach().contiguous())
            self._product(weight.new_zeros(1, weight.shape[1]))

    def _product(self, x: Tensor) -> Tensor:
        done: Tensor = torch.fbgemm_linear_fp16_weight_fp32_activation(x, self._packed, self._zeros)
        return done

    def forward(self, x: Tensor) -> Tensor:
        """Return the products of rows with the weights, ``x @ weight.T``.

        Parameters
        ----------
        x : Tensor, shape (..., inputs)

        Returns
        -------
        Tensor, shape (..., outputs)
        """
        inputs = self.in_features
        usual = torch.is_grad_enabled() or torch.is_autocast_enabled("cpu")
        if usual or x.numel() >= _MANY * inputs or not self._takes(x):
            return super().forward(x)
        return self._product(x)

    def _takes(self, x: Tensor) -> bool:
        weight = self.weight
        return (
            x.dtype == torch.float32
            and x.is_cpu
            and x.ndim > 1
            and x.shape[-1] == self.in_features
            and not weight.is_inference()
            and (weight.data_ptr(), weight._version) == self._of
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave the packed copy out: it belongs to this processor."""
        return {**self.__dict__, "_packed": None, "_source": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Pack the weights anew."""
        super().__setstate__(state)
        if _is_short(self.weight) and can_compact():
            self._pack()
        else:
            self._of = (0, -1)
