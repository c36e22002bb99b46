"""The weights of the next token, max(p - q, 0) or p, made as they are read."""

from __future__ import annotations

from functools import cached_property
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

    def law(self) -> Tensor:
        """Return the laws themselves, as a copy.

        Returns
        -------
        Tensor, shape (B, V)
        """
        return self._p.index_select(0, self._p_rows).to(self.dtype)

    def _whole(self) -> Tensor:
        return self.law()

    def _rows(self, start: int, stop: int) -> Tensor:
        if stop - start == 1:  # read where it lies
            return self._p[self._numbers[start]].to(self.dtype)[None]
        return self._p.index_select(0, self._p_rows[start:stop]).to(self.dtype)

    def _at(self, places: Tensor) -> Tensor:
        return self._p[self._p_rows[:, None], places].to(self.dtype)

    @cached_property
    def _numbers(self) -> list[int]:
        """The rows as plain numbers; only the processor need not wait for them."""
        return self._p_rows.tolist()

    @cached_property
    def _room(self) -> Tensor:
        """Memory for a row that is changed: fresh memory would cost more than the arithmetic."""
        return torch.empty((1, self.size), dtype=self.dtype, device=self.device)


class Spare(Law):
    """After a rejection max(p - q, 0), after a full block p.

    Parameters
    ----------
    target, draft : Rows
    accepted : Tensor of int64, shape (B, 1)
    rejected : Tensor of bool, shape (B, 1)
    """

    def __init__(self, target: Rows, draft: Rows, accepted: Tensor, rejected: Tensor) -> None:
        super().__init__(target, accepted)
        self.dtype = torch.promote_types(self.dtype, draft.matrix.dtype)
        self._q, self._cut = draft.matrix, rejected
        # After a full block q does not count: one row, read again and again, stands for all.
        self._q_rows = draft.find(accepted) * rejected.view(-1)
        # That row may hold anything, and zero times what is no number is no number either. So it
        # is cleared bit by bit, ten times as fast as by `masked_fill_`.
        self._bits = -rejected.to(torch.int64 if self.dtype == torch.float64 else torch.int32)

    def _whole(self) -> Tensor:
        q = self._q.index_select(0, self._q_rows).to(self.dtype)
        return self._minus(self.law(), q, self._bits)

    def _rows(self, start: int, stop: int) -> Tensor:
        p = super()._rows(start, stop)
        if stop - start == 1:
            if not self._cuts[start]:
                return p
            q = self._q[self._q_numbers[start]].to(self.dtype)
            return torch.sub(p, q, out=self._room).relu_()
        q = self._q.index_select(0, self._q_rows[start:stop]).to(self.dtype)
        return self._minus(p, q, self._bits[start:stop])

    def _at(self, places: Tensor) -> Tensor:
        q = self._q[self._q_rows[:, None], places].to(self.dtype)
        return self._minus(super()._at(places), q, self._bits)

    @staticmethod
    def _minus(p: Tensor, q: Tensor, bits: Tensor) -> Tensor:
        """Return max(p - q, 0) or p in the place of p; q is lost."""
        q.view(bits.dtype).bitwise_and_(bits)
        return p.sub_(q).relu_()

    @cached_property
    def _cuts(self) -> list[bool]:
        return self._cut.view(-1).tolist()

    @cached_property
    def _q_numbers(self) -> list[int]:
        return self._q_rows.tolist()

    def spare_only(self, rows: Tensor) -> None:
        """Subtract q in some rows only; the others keep p.

        Parameters
        ----------
        rows : Tensor of bool, shape (B, 1)
        """
        self._cut = self._cut & rows
        self._bits = self._bits * rows
        self.__dict__.pop("_cuts", None)


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
        self._gone = drafts.gather(1, accepted * rejected).where(rejected, self.size)

    def _whole(self) -> Tensor:
        # One column more takes what nothing is cut from.
        wide = torch.nn.functional.pad(self.law(), (0, 1))
        return wide.scatter_(1, self._gone, 0)[:, :-1]

    def _rows(self, start: int, stop: int) -> Tensor:
        p = super()._rows(start, stop)
        if stop - start == 1:
            gone = self._tokens[start]
            if gone == self.size:
                return p
            p = self._room.copy_(p)
        for index, gone in enumerate(self._tokens[start:stop]):
            if gone < self.size:
                p[index, gone] = 0
        return p

    def _at(self, places: Tensor) -> Tensor:
        return super()._at(places).masked_fill_(places == self._gone, 0)

    @cached_property
    def _tokens(self) -> list[int]:
        return self._gone.view(-1).tolist()

    def spare_only(self, rows: Tensor) -> None:
        """Leave the rejected token out in some rows only; the others keep p.

        Parameters
        ----------
        rows : Tensor of bool, shape (B, 1)
        """
        self._gone = self._gone.where(rows, self.size)
        self.__dict__.pop("_tokens", None)
