"""A linear layer that keeps its weights as the processor's kernels want them.

For a few rows a matrix product costs what it costs to read the weights. The plain kernel also puts
them into another order first, every time: a pass over a few positions then takes up to twice as
long as over one, and verification is dear for no reason. Here the order is made once. A single row
needs no other order, and the plain kernel is the faster one for it: plain decoding, which speeds
are compared with, must not be slowed down.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

__all__ = ["Linear"]

_ROWS = 6  # the number of rows that the order is made for; others work as well
# Smaller weights stay in a core's own cache, where the plain kernel is as good and starts sooner.
_SMALLEST = 96 * 1024


def _can_pack() -> bool:
    """Return whether this build of torch has both operators (they are what its compiler uses)."""
    if not torch.backends.mkldnn.is_available():
        return False
    names = ("_reorder_linear_weight", "_linear_pointwise")
    return all(hasattr(torch.ops.mkldnn, name) for name in names)


_CAN_PACK = _can_pack()


def _packs(x: Tensor, weight: Tensor) -> bool:
    """Return whether this product can be had from packed weights."""
    if torch.is_grad_enabled() or torch.is_autocast_enabled("cpu") or not _CAN_PACK:
        return False
    if weight.is_inference():  # does not say when it is changed
        return False
    return x.dtype == weight.dtype == torch.float32 and weight.device.type == "cpu"


class Linear(nn.Linear):
    """`torch.nn.Linear` without bias; large frozen float32 weights on a CPU are packed once.

    A single row, weights that need a gradient, and other devices and types go the usual way. Frozen
    weights that were changed all the same, by loading others or in place, are packed anew: torch
    counts such changes. It does not count those made through ``.data`` or through numpy's view of
    the memory, and then the old weights go on being used.

    Parameters
    ----------
    inputs, outputs : int
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(inputs, outputs, bias=False)
        self._packed: Tensor | None = None
        self._of: tuple[int, int] = (0, 0)
        self._source: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Return the products of rows with the weights, ``x @ weight.T``.

        Parameters
        ----------
        x : Tensor, shape (..., inputs)

        Returns
        -------
        Tensor, shape (..., outputs)
        """
        weight = self.weight
        alone = x.numel() <= weight.shape[1]
        if alone or weight.requires_grad or weight.numel() < _SMALLEST or not _packs(x, weight):
            return super().forward(x)
        now = (weight.data_ptr(), weight._version)
        if self._packed is None or self._of != now:
            ordered = torch.ops.mkldnn._reorder_linear_weight(weight.detach().contiguous(), _ROWS)
            # The old weights are kept as long as their order is: their address cannot come back.
            self._packed, self._of, self._source = ordered, now, weight.detach()
        done: Tensor = torch.ops.mkldnn._linear_pointwise(x, self._packed, None, "none", [], "")
        return done

    def __getstate__(self) -> dict[str, Any]:
        """Leave the packed copy out: it belongs to this processor."""
        return {**self.__dict__, "_packed": None, "_source": None}
