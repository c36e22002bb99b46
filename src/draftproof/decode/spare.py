"""The weights of the next token, max(p - q, 0) or p, made piece by piece as they are read."""

from __future__ import annotations

from math import gcd

import torch
from torch import Tensor

from draftproof.decode.inverse import Source

__all__ = ["Law", "Rows", "Spare", "SpareOfOne"]


class Rows:
    """The laws of a batch, (B, N, V) in any strides, as rows of one matrix; nothing is copied.

    Parameters
    ----------
    laws : Tensor, shape (B, N, V)

    Attributes
    ----------
    matrix : Tensor, shape (rows, V)
    """

    def __init__(self, laws: Tensor) -> None:
        batch, length, size = laws.shape
        # An axis of one entry has no stride worth the name.
        across = laws.stride(0) if batch > 1 else 0
        along = laws.stride(1) if length > 1 else 0
        between = gcd(across, along) or 1
        self._batch, self._across, self._along = batch, across // between, along // between
        rows = (batch - 1) * self._across + (length - 1) * self._along + 1
        self.matrix = laws.as_strided((rows, size), (between, laws.stride(2)))

    def find(self, positions: Tensor) -> Tensor:
        """Return the rows of the matrix that hold one position of each sequence.

        Parameters
        ----------
        positions : Tensor of int64, shape (B, 1)

        Returns
        -------
        Tensor of int64, shape (B,)
        """
        found = positions.view(-1)
        if self._batch > 1 and self._across:
            stop = self._batch * self._across
            starts = torch.arange(0, stop, self._across, device=positions.device)
            return torch.add(starts, found, alpha=self._along)
        return found if self._along == 1 else found * self._along


class Law(Source):
    """The target's laws, each sequence's at a position of its own.

    Parameters
    ----------
    target : Rows
    positions : Tensor of int64, shape (B, 1)
    """

    def __init__(self, target: Rows, positions: Tensor) -> None:
        matrix = target.matrix
        kind = torch.promote_types(matrix.dtype, torch.float32)
        super().__init__(len(positions), matrix.shape[1], kind, matrix.device)
        self._p, self._p_rows = matrix, target.find(positions)
        self._rooms: dict[str, Tensor] = {}

    def law(self) -> Tensor:
        """Return the laws themselves, as a copy.

        Returns
        -------
        Tensor, shape (B, V)
        """
        return self._p.index_select(0, self._p_rows).to(self.dtype)

    def _piece(self, start: int, stop: int) -> Tensor:
        return self._read("p", self._p, self._p_rows, start, stop)

    def _at(self, places: Tensor) -> Tensor:
        return self._p[self._p_rows[:, None], places].to(self.dtype)

    def _read(self, name: str, laws: Tensor, rows: Tensor, start: int, stop: int) -> Tensor:
        """Copy a piece of some rows into memory that the next piece will take again.

        Fresh memory for every piece would cost more than the arithmetic.
        """
        count = self.batch * (stop - start)
        if name not in self._rooms or self._rooms[name].numel() < count:
            self._rooms[name] = torch.empty(count, dtype=self.dtype, device=self.device)
        room = self._rooms[name][:count].view(self.batch, -1)
        if laws.dtype == self.dtype:
            return torch.index_select(laws[:, start:stop], 0, rows, out=room)
        return room.copy_(laws[:, start:stop].index_select(0, rows))


class Spare(Law):
    """After a rejection max(p - q, 0), after a full block p.

    Parameters
    ----------
    target, draft : Rows
    accepted : Tensor of int64, shape (B, 1)
    rejected : Tensor of bool, shape (B, 1)
    ragged : bool
        Whether rows of the draft may be no laws at all, because nothing was drafted there.
    """

    def __init__(
        self, target: Rows, draft: Rows, accepted: Tensor, rejected: Tensor, ragged: bool = True
    ) -> None:
        super().__init__(target, accepted)
        self.dtype = torch.promote_types(self.dtype, draft.matrix.dtype)
        self._q = draft.matrix
        # After a full block q does not count: one row, read again and again, stands for all.
        self._q_rows = draft.find(accepted) * rejected.view(-1)
        self._share = rejected.to(self.dtype)
        # Zero times what is no number is no number either: such rows are cleared bit by bit, ten
        # times as fast as by `masked_fill_`.
        bits = torch.int64 if self.dtype == torch.float64 else torch.int32
        self._bits = -rejected.to(bits) if ragged else None

    def _piece(self, start: int, stop: int) -> Tensor:
        q = self._read("q", self._q, self._q_rows, start, stop)
        return self._minus(super()._piece(start, stop), q)

    def _at(self, places: Tensor) -> Tensor:
        q = self._q[self._q_rows[:, None], places].to(self.dtype)
        return self._minus(super()._at(places), q)

    def _minus(self, p: Tensor, q: Tensor) -> Tensor:
        """Return max(p - q, 0) or p in the place of p; q is lost."""
        if self._bits is not None:
            q.view(self._bits.dtype).bitwise_and_(self._bits)
        return p.addcmul_(q, self._share, value=-1).relu_()

    def spare_only(self, rows: Tensor) -> None:
        """Subtract q in some rows only; the others keep p.

        Parameters
        ----------
        rows : Tensor of bool, shape (B, 1)
        """
        self._share = self._share * rows


class SpareOfOne(Law):
    """The same for drafts that were not drawn: after a rejection p without the rejected token.

    Parameters
    ----------
    target : Rows
    drafts : Tensor of int64, shape (B, T)
    accepted, rejected
        As in `Spare`.
    """

    def __init__(self, target: Rows, drafts: Tensor, accepted: Tensor, rejected: Tensor) -> None:
        super().__init__(target, accepted)
        self._cut = drafts.gather(1, accepted * rejected).where(rejected, self.size)

    def _piece(self, start: int, stop: int) -> Tensor:
        p = super()._piece(start, stop)
        gone = (self._cut >= start) & (self._cut < stop)
        place = (self._cut - start).clamp_(0, stop - start - 1)
        return p.scatter_(1, place, p.gather(1, place).masked_fill_(gone, 0))

    def _at(self, places: Tensor) -> Tensor:
        return super()._at(places).masked_fill_(places == self._cut, 0)

    def spare_only(self, rows: Tensor) -> None:
        """Leave the rejected token out in some rows only; the others keep p.

        Parameters
        ----------
        rows : Tensor of bool, shape (B, 1)
        """
        self._cut = self._cut.where(rows, self.size)
