"""How a round's drafts hang together: a chain, or a tree in which a context has several children.

Contexts are numbered breadth first: 0 is the text so far, i + 1 is that text plus the path to
drafted node i. A chain of T drafts is the tree with one child everywhere: context t is the text
plus t drafts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from operator import mul

from draftproof.trace import Trace

__all__ = ["NO_DRAFT", "BlockTrace", "TreeTrace", "children", "leaves_per_level", "nodes"]

NO_DRAFT = -1
"""Fills a child's place where there was no token left to draft."""


@lru_cache(maxsize=1024)
def children(branching: tuple[int, ...]) -> tuple[range, ...]:
    """Return the child contexts of every context that has drafts, breadth first.

    Parameters
    ----------
    branching : tuple of int
        How many children a context has at depth 0, 1, ...

    Returns
    -------
    tuple of range
        One for each context that has drafts.
    """
    families: list[range] = []
    level = range(1)
    for width in branching:
        first, end = level.stop, level.stop + len(level) * width
        families += [range(at, at + width) for at in range(first, end, width)]
        level = range(first, end)
    return tuple(families)


def leaves_per_level(branching: tuple[int, ...]) -> tuple[int, ...]:
    """Return how many nodes each level of the tree has.

    Parameters
    ----------
    branching : tuple of int
        How many children a context has at depth 0, 1, ...

    Returns
    -------
    tuple of int
    """
    return tuple(accumulate(branching, mul))


def nodes(branching: tuple[int, ...]) -> int:
    """Return how many tokens are drafted in all.

    Parameters
    ----------
    branching : tuple of int
        How many children a context has at depth 0, 1, ...

    Returns
    -------
    int
    """
    return sum(leaves_per_level(branching))


@dataclass(frozen=True)
class BlockTrace(Trace):
    """A round of a rule that looks at the whole block before it decides.

    Attributes
    ----------
    draft_tokens, uniforms, q, p, verdicts, num_accepted, next_token
        As for `draftproof.trace.Trace`. `verdicts` says which prefixes pass; the longest of them
        is kept, also where a shorter one fails.
    tested : int
        All drafts.
    """

    @property
    def tested(self) -> int:
        """Every draft is tested, also after one that failed its own test."""
        return self.drafted


@dataclass(frozen=True)
class TreeTrace(Trace):
    """A round over a tree of drafts.

    The arrays of `Trace` run over nodes and contexts, breadth first.

    Attributes
    ----------
    draft_tokens, uniforms, q, p, verdicts, num_accepted, next_token
        As for `draftproof.trace.Trace`, a verdict a node.
    path : tuple of int
        The accepted nodes, from the root downwards.
    looked_at : int
        How many nodes were tested.
    """

    path: tuple[int, ...]
    looked_at: int

    @property
    def tested(self) -> int:
        """How many nodes were tested before the round ended."""
        return self.looked_at

    @property
    def is_bonus(self) -> bool:
        """Whether the accepted path ends at a context without drafts."""
        context = self.path[-1] + 1 if self.path else 0
        return context >= len(self.q)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The accepted path's tokens, then the correction or the bonus."""
        return (*(int(self.draft_tokens[node]) for node in self.path), self.next_token)
