"""From weights and one uniform a row to a token: the inverse CDF of a batch.

Long rows are summed in blocks. The processor does so a few rows at a time: nothing as large as the
weights is ever made, and a long row that needs no arithmetic is read where it lies.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor

__all__ = ["BLOCK", "Plain", "Source", "inverse_cdf", "is_short_row", "pick", "search"]

BLOCK = 128  # masses summed together before the search
PIECE = 1 << 15  # masses in the processor's caches at a time
SHORT = 2048  # up to this size one running sum over the whole row is cheaper


class Source(ABC):
    """Weights of a batch that can be read as a whole, or row by row.

    Attributes
    ----------
    batch, size : int
        Rows, and tokens in each.
    dtype : torch.dtype
        Of the weights.
    device : torch.device
    """

    def __init__(self, batch: int, size: int, dtype: torch.dtype, device: torch.device) -> None:
        self.batch, self.size, self.dtype, self.device = batch, size, dtype, device

    def whole(self) -> Tensor:
        """Return all weights.

        Returns
        -------
        Tensor, shape (B, V)
        """
        return self._whole()

    def rows(self, start: int, stop: int) -> Tensor:
        """Return the weights of some sequences.

        Parameters
        ----------
        start, stop : int
            The first, and the one past the last.

        Returns
        -------
        Tensor, shape (stop - start, V)
            Good until the next call, and not to be written to.
        """
        return self._rows(start, stop)

    def at(self, places: Tensor) -> Tensor:
        """Return the weights of chosen tokens.

        Parameters
        ----------
        places : Tensor of int64, shape (B, n)

        Returns
        -------
        Tensor, shape (B, n)
        """
        return self._at(places)

    @abstractmethod
    def _whole(self) -> Tensor: ...

    @abstractmethod
    def _rows(self, start: int, stop: int) -> Tensor: ...

    @abstractmethod
    def _at(self, places: Tensor) -> Tensor: ...


class Plain(Source):
    """Weights that lie in memory.

    Parameters
    ----------
    weights : Tensor, shape (B, V)
    """

    def __init__(self, weights: Tensor) -> None:
        batch, size = weights.shape
        super().__init__(batch, size, weights.dtype, weights.device)
        self._weights = weights

    def _whole(self) -> Tensor:
        return self._weights

    def _rows(self, start: int, stop: int) -> Tensor:
        return self._weights[start:stop]

    def _at(self, places: Tensor) -> Tensor:
        return self._weights.gather(1, places)


def inverse_cdf(weights: Tensor, u: Tensor) -> Tensor:
    r"""Turn one uniform a row into a token, never one without mass.

    .. math:: x(u) = \min\{x : w(0) + \dots + w(x) > u \sum_y w(y)\}

    The running sums are float64 whatever the weights are, so that a long tail of tiny masses keeps
    its probability. A row of more than 2048 tokens is summed in blocks of 128: the running sum
    over the blocks' sums finds the block, the running sum inside it finds the token.

    Parameters
    ----------
    weights : Tensor, shape (B, V)
        Non-negative float32 or float64 weights with some mass in every row, any strides.
    u : Tensor of float64, shape (B,)
        In [0, 1).

    Returns
    -------
    Tensor of int64, shape (B,)
        In 0..V - 1. Values are not looked at: for a row without mass it is V - 1.
    """
    weights = weights.detach()
    if is_short_row(weights):
        return torch.tensor([search(weights[0], u.item())[0]], device=weights.device)
    return pick(Plain(weights), u.unsqueeze(1))[0].squeeze(1)


def is_short_row(weights: Tensor) -> bool:
    """Tell whether weights are one short row in main memory, which `search` is made for.

    Parameters
    ----------
    weights : Tensor, shape (B, V)

    Returns
    -------
    bool
    """
    return weights.shape[0] == 1 and weights.shape[1] <= SHORT and weights.is_cpu


def search(weights: Tensor, u: float) -> tuple[int, float]:
    """Return the token that a uniform stands for, and the mass of its row, as `pick` finds them.

    The price of a short row is the number of calls, and numpy's cost a third of torch's.

    Parameters
    ----------
    weights : Tensor, shape (V,)
        In main memory, without a gradient.
    u : float
        In [0, 1).

    Returns
    -------
    token : int
    mass : float
    """
    cdf = weights.double().numpy().cumsum()
    mass = float(cdf[-1])
    point = u * mass
    if weights.dtype == torch.float64:  # see `_point`
        point = min(point, math.nextafter(mass, 0.0))
    return min(int(cdf.searchsorted(point, "right")), len(cdf) - 1), mass


def pick(source: Source, u: Tensor) -> tuple[Tensor, Tensor]:
    """Return the tokens that uniforms stand for, and the mass of each row.

    Parameters
    ----------
    source : Source
    u : Tensor of float64, shape (B, 1)
        In [0, 1).

    Returns
    -------
    tokens : Tensor of int64, shape (B, 1)
    mass : Tensor of float64, shape (B, 1)
    """
    if source.size <= SHORT:
        cdf = source.whole().cumsum(1, dtype=torch.float64)
        mass = cdf[:, -1:]
        return _first(cdf, _point(u, mass, source.dtype)), mass
    cdf = _block_sums(source).cumsum(1)
    mass = cdf[:, -1:]
    point = _point(u, mass, source.dtype)
    block = _first(cdf, point).sub_(1)  # the first sum is that of no block
    places = torch.add(torch.arange(BLOCK, device=source.device), block, alpha=BLOCK)
    if source.size % BLOCK:
        # The last block repeats the last token: past the block's mass, hence never reached.
        places.clamp_(max=source.size - 1)
    inner = source.at(places).cumsum(1, dtype=torch.float64)
    # The block's sum was rounded in another order than this running sum: stay below its end.
    inside = _first(inner, _below(point - cdf.gather(1, block), inner[:, -1:]))
    return places.gather(1, inside), mass


def _first(cdf: Tensor, point: Tensor) -> Tensor:
    """Return the first place whose running sum passes `point`, shape (B, 1)."""
    return torch.searchsorted(cdf, point, right=True).clamp_(max=cdf.shape[1] - 1)


def _point(u: Tensor, mass: Tensor, dtype: torch.dtype) -> Tensor:
    """Return ``u * mass``, below the mass."""
    # The product is below for every u < 1, except that one of denormals may round up.
    return _below(u * mass, mass) if dtype == torch.float64 else u * mass


def _below(point: Tensor, end: Tensor) -> Tensor:
    """Return `point`, or the last number below `end` if rounding has put it past that."""
    return torch.minimum(point, torch.nextafter(end, end.new_zeros(())))


def _block_sums(source: Source) -> Tensor:
    """Return a zero and the sums of the blocks in float64, shape (B, 1 + ceil(V / BLOCK))."""
    count = -(-source.size // BLOCK)
    sums = torch.empty((source.batch, 1 + count), dtype=torch.float64, device=source.device)
    sums[:, 0] = 0
    step = source.batch  # one large step costs least where nothing has to fit into a cache
    if source.device.type == "cpu":
        step = min(step, max(1, PIECE // source.size))
    room = torch.empty((step, count * BLOCK), dtype=torch.float64, device=source.device)
    weights, blocks = room, room.view(step, count, BLOCK)
    if source.size % BLOCK:
        weights = room[:, : source.size]
        room[:, source.size :] = 0  # past the last token is no mass
    for start in range(0, source.batch, step):
        stop = min(start + step, source.batch)
        if stop - start < step:
            weights, blocks = weights[: stop - start], blocks[: stop - start]
        weights.copy_(source.rows(start, stop))
        torch.sum(blocks, -1, out=sums[start:stop, 1:])
    return sums
