"""What a run leaves behind: candidates, uniforms, verdicts, corrections, the laws used.

Samplers write traces; pictures, counters and audits only read them. Nothing here draws. Two traces
are equal only if they are one object: arrays have no single answer to ``==``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Counters", "EnvelopeTrace", "Run", "TokenTrace", "Trace"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class EnvelopeTrace:
    """Darts thrown under an envelope (chapter 1).

    Attributes
    ----------
    candidates : ndarray of float, shape (n,)
        Draws from the proposal.
    uniforms : ndarray of float, shape (n,)
        The height of each dart as a share of the envelope there.
    heights : ndarray of float, shape (n,)
        ``uniforms * C * g(candidates)``.
    accepted : ndarray of bool, shape (n,)
        Whether the dart lies below the target.
    constant : float
        The C of the envelope.
    """

    candidates: Array
    uniforms: Array
    heights: Array
    accepted: Array
    constant: float

    @property
    def proposed(self) -> int:
        """How many darts were thrown."""
        return len(self.candidates)

    @property
    def num_accepted(self) -> int:
        """How many darts survived."""
        return int(self.accepted.sum())

    @property
    def acceptance_rate(self) -> float:
        """Accepted over proposed; 0 for an empty run."""
        return self.num_accepted / self.proposed if self.proposed else 0.0

    @property
    def survivors(self) -> Array:
        """The accepted candidates, in order."""
        return self.candidates[self.accepted]


@dataclass(frozen=True, eq=False)
class TokenTrace:
    """Many independent runs of a one-token rule on one pair of laws (chapter 2).

    Attributes
    ----------
    p, q : ndarray, shape (V,)
        Target and draft law.
    candidates : ndarray of int, shape (n,)
        Tokens drafted from q.
    uniforms : ndarray of float, shape (n,)
    accepted : ndarray of bool, shape (n,)
    tokens : ndarray of int, shape (n,)
        What was emitted: the candidate, or the correction. -1 where a rule emits nothing
        (classical rejection throws the round away).
    """

    p: Array
    q: Array
    candidates: Array
    uniforms: Array
    accepted: Array
    tokens: Array

    def _count(self, tokens: Array) -> Array:
        return np.bincount(tokens[tokens >= 0], minlength=len(self.p))

    @property
    def drafted_counts(self) -> Array:
        """How often each token was drafted, shape (V,)."""
        return self._count(self.candidates)

    @property
    def accepted_counts(self) -> Array:
        """How often each token was accepted as drafted, shape (V,)."""
        return self._count(self.candidates[self.accepted])

    @property
    def corrected_counts(self) -> Array:
        """How often each token came as a correction, shape (V,)."""
        return self._count(self.tokens[~self.accepted])

    @property
    def emitted_counts(self) -> Array:
        """How often each token was emitted, shape (V,)."""
        return self._count(self.tokens)


@dataclass(frozen=True, eq=False)
class Trace:
    """One verified block of drafts (one round).

    Attributes
    ----------
    draft_tokens : ndarray of int, shape (T,)
    uniforms : ndarray of float, shape (T,)
    q : ndarray, shape (T, V)
        The laws the drafts were drawn from.
    p : ndarray, shape (T + 1, V)
        The target's laws at every position of the block and after it.
    verdicts : ndarray of bool, shape (T,)
        What the test says of each position on its own. Only the first `tested` of them count.
    num_accepted : int
        Length of the accepted prefix.
    next_token : int
        The correction after a rejection, or the bonus token after a full block.
    """

    draft_tokens: Array
    uniforms: Array
    q: Array
    p: Array
    verdicts: Array
    num_accepted: int
    next_token: int

    @property
    def drafted(self) -> int:
        """How many tokens were drafted."""
        return len(self.draft_tokens)

    @property
    def tested(self) -> int:
        """How many drafts were tested: the accepted ones and the first rejected one."""
        return min(self.num_accepted + 1, self.drafted)

    @property
    def is_bonus(self) -> bool:
        """Whether every draft was accepted, so that the next token is a bonus."""
        return self.num_accepted == self.drafted

    @property
    def correction(self) -> int | None:
        """The token that replaced the first rejected draft, or None."""
        return None if self.is_bonus else self.next_token

    @property
    def bonus(self) -> int | None:
        """The token drawn after a fully accepted block, or None."""
        return self.next_token if self.is_bonus else None

    @property
    def tokens(self) -> tuple[int, ...]:
        """What the round emits: the accepted prefix, then the correction or the bonus."""
        return (*(int(x) for x in self.draft_tokens[: self.num_accepted]), self.next_token)

    @property
    def counters(self) -> Counters:
        """The counters of this round alone."""
        return Counters(
            drafted=self.drafted,
            tested=self.tested,
            accepted=self.num_accepted,
            corrections=int(not self.is_bonus),
            bonus=int(self.is_bonus),
            target_calls=1,
        )


@dataclass(frozen=True)
class Counters:
    """The counts that the field mixes up, kept apart.

    An accepted draft is a drafted token that was kept; a correction or a bonus is emitted but
    was never an accepted draft.

    Attributes
    ----------
    drafted, tested, accepted, corrections, bonus, target_calls : int
    """

    drafted: int = 0
    tested: int = 0
    accepted: int = 0
    corrections: int = 0
    bonus: int = 0
    target_calls: int = 0

    def __add__(self, other: Counters) -> Counters:
        """Add count by count."""
        both = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return Counters(**both)

    @classmethod
    def total(cls, parts: Iterable[Counters]) -> Counters:
        """Add up counters.

        Parameters
        ----------
        parts : iterable of Counters

        Returns
        -------
        Counters

        Raises
        ------
        ValueError
            If a part is something else.
        """
        parts = tuple(parts)
        if not all(isinstance(part, cls) for part in parts):
            raise ValueError(f"parts must be Counters, got {parts!r}")
        return sum(parts, cls())

    @property
    def emitted(self) -> int:
        """Tokens that left the rounds: accepted drafts, corrections and bonus tokens."""
        return self.accepted + self.corrections + self.bonus

    @property
    def acceptance_rate(self) -> float:
        """Accepted over tested: the estimate of alpha. 0 when nothing was tested."""
        return self.accepted / self.tested if self.tested else 0.0

    @property
    def accepted_over_drafted(self) -> float:
        """Accepted over drafted: falls as gamma grows, at the same alpha. 0 when none drafted."""
        return self.accepted / self.drafted if self.drafted else 0.0

    @property
    def accept_length(self) -> float:
        """Tokens emitted for one target call. 0 before the first call."""
        return self.emitted / self.target_calls if self.target_calls else 0.0


@dataclass(frozen=True, eq=False)
class Run:
    """A generated sequence and the rounds that made it.

    Attributes
    ----------
    tokens : tuple of int
        Exactly as many as were asked for; the last round may have made more.
    rounds : tuple of Trace
    """

    tokens: tuple[int, ...]
    rounds: tuple[Trace, ...]

    @property
    def counters(self) -> Counters:
        """The counters of all rounds together."""
        return Counters.total(round_.counters for round_ in self.rounds)

    @property
    def fates(self) -> tuple[str, ...]:
        """For each token how it came: ``"accepted"``, ``"corrected"`` or ``"bonus"``."""
        fates: list[str] = []
        for round_ in self.rounds:
            last = "bonus" if round_.is_bonus else "corrected"
            fates += ["accepted"] * round_.num_accepted + [last]
        return tuple(fates[: len(self.tokens)])
