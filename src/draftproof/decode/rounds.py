"""What decoding made: the rounds of each row, its tokens, its counters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from draftproof.trace import Counters, Trace

__all__ = ["Generation", "Round", "Row"]


@dataclass(frozen=True, eq=False)
class Round(Trace):
    """A round of a real model; it may have ended its row with an accepted draft.

    Attributes
    ----------
    ended : bool
        Whether the last accepted draft was the end of the sequence, so that nothing came after.
    """

    ended: bool = False

    def until(self, eos: int) -> Round:
        """Return the round as it counts if the sequence ends at the first `eos`.

        Parameters
        ----------
        eos : int
            The token that ends a sequence.

        Returns
        -------
        Round
            This very round if no accepted draft is `eos`; else one that ends with the first.
        """
        hits = np.flatnonzero(self.draft_tokens[: self.num_accepted] == eos)
        if not hits.size:
            return self
        return replace(self, num_accepted=int(hits[0]) + 1, ended=True)

    @property
    def tokens(self) -> tuple[int, ...]:
        """What the round emits."""
        kept = self.draft_tokens[: self.num_accepted].tolist()
        return tuple(kept) if self.ended else (*kept, self.next_token)

    @property
    def tested(self) -> int:
        """How many drafts were tested."""
        return self.num_accepted if self.ended else super().tested

    @property
    def is_bonus(self) -> bool:
        """Whether a bonus token came after a fully accepted block."""
        return not self.ended and super().is_bonus

    @property
    def correction(self) -> int | None:
        """The token that replaced the first rejected draft, or None."""
        return None if self.ended else super().correction

    @property
    def counters(self) -> Counters:
        """The counters of this round alone; drafts past the end were drafted all the same."""
        return replace(super().counters, corrections=int(self.correction is not None))


@dataclass(frozen=True)
class Generation:
    """What `generate` made of a batch.

    Attributes
    ----------
    rows : tuple of tuple of int
        New tokens of each row, without its prompt.
    rounds : tuple of tuple of Trace
        For each row its rounds. The laws in them are empty unless they were asked for.
    timings : dict of str to float
        Seconds by part: ``prefill``, ``draft``, ``target``, ``verify``.
    single : bool
        Whether one bare prompt was given.
    """

    rows: tuple[tuple[int, ...], ...]
    rounds: tuple[tuple[Trace, ...], ...]
    timings: dict[str, float]
    single: bool

    @property
    def tokens(self) -> Any:
        """New tokens: a tuple of int for a bare prompt, a tuple of tuples for a batch."""
        return self.rows[0] if self.single else self.rows

    @property
    def trace(self) -> tuple[Trace, ...]:
        """The rounds of the first row."""
        return self.rounds[0]

    def row_counters(self, row: int) -> Counters:
        """Return the counters of one row.

        Parameters
        ----------
        row : int
            Its place in the batch.

        Returns
        -------
        Counters
            Those of its rounds, added up.

        Raises
        ------
        IndexError
            If there is no such row.
        """
        return Counters.total(round_.counters for round_ in self.rounds[row])

    @property
    def counters(self) -> Counters:
        """The counters of all rows together; a call for several rows counts once for each."""
        return Counters.total(self.row_counters(row) for row in range(len(self.rows)))

    @property
    def seconds(self) -> float:
        """All parts together."""
        return sum(self.timings.values())


@dataclass
class Row:
    """One sequence under way.

    Attributes
    ----------
    context : list of int
        The prompt and what was made since.
    left : int
        Tokens still to be made.
    made : list of int
    rounds : list of Round
    """

    context: list[int]
    left: int
    made: list[int] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)

    def allowed(self, gamma: int) -> int:
        """Return how many drafts can still be used: every round adds one token of its own.

        Parameters
        ----------
        gamma : int
            Drafts in a block.

        Returns
        -------
        int
            The smaller of `gamma` and ``left - 1``, and not below 0.
        """
        return max(0, min(gamma, self.left - 1))

    def take(self, round_: Round, eos: int | None) -> None:
        """Append what a round emitted; end the row at its first end-of-sequence token.

        Parameters
        ----------
        round_ : Round
        eos : int or None
            The token that ends a row; None: only `left` does.
        """
        round_ = round_ if eos is None else round_.until(eos)
        tokens = round_.tokens
        self.rounds.append(round_)
        self.made += tokens
        self.context += tokens
        self.left -= len(tokens)
        if eos is not None and eos in tokens:
            self.left = 0
