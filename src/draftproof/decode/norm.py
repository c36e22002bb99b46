"""RMS normalisation in few steps.

torch has a kernel of its own for it on a GPU. On a CPU it takes seven steps one after the other,
and for one token each step costs its start and little else: a sixth of a small model's pass.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from draftproof.checks import check_number, check_whole

__all__ = ["Norm"]

_WIDE = (torch.float32, torch.float64)


class Norm(nn.RMSNorm):
    r"""Divide each row by its root mean square, then scale its columns.

    .. math:: y_i = w_i \, x_i \Big/ \sqrt{\tfrac1d \textstyle\sum_j x_j^2 + \varepsilon}

    The root is that of a right-angled triangle with the sides :math:`\lVert x \rVert / \sqrt d` and
    :math:`\sqrt\varepsilon`, which is one step (``hypot``). Training, other devices and half
    precision go torch's own way; the two differ by rounding.

    Parameters
    ----------
    dim : int
        Width of a row, d.
    eps : float
        Above 0; keeps a row of zeros zero.

    Raises
    ------
    ValueError
        If a number is out of range.

    References
    ----------
    Zhang and Sennrich (2019), root mean square layer normalization.
    """

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        dim = check_whole(dim, "dim", 1)
        eps = float(check_number(eps, "eps", low=0, above=True))
        super().__init__(dim, eps=eps)
        # Tensors, in either type: a plain number would be made into one at every call. Not buffers:
        # they stay on the CPU, where alone they are used.
        self._sizes = {
            kind: torch.tensor([dim**-0.5, eps**0.5], dtype=kind, device="cpu").unbind()
            for kind in _WIDE
        }

    def forward(self, x: Tensor) -> Tensor:
        """Return rows of root mean square 1, scaled.

        Parameters
        ----------
        x : Tensor, shape (..., dim)

        Returns
        -------
        Tensor, shape (..., dim)
        """
        weight = self.weight
        fits = x.dtype == weight.dtype and x.dtype in _WIDE and x.shape[-1:] == weight.shape
        if torch.is_grad_enabled() or x.device.type != "cpu" or not fits:
            return super().forward(x)
        share, side = self._sizes[x.dtype]
        size = torch.linalg.vector_norm(x, dim=-1, keepdim=True).mul_(share)
        # Divided first: the quotient is of moderate size whatever the row is.
        scaled: Tensor = (x / size.hypot_(side)).mul_(weight)
        return scaled
