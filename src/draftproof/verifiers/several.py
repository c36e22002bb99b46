"""Several drafts at a position, and trees of them, by recursive rejection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from draftproof.finite import Array, check_flag, check_whole, show_value
from draftproof.speculative import acceptance, residual
from draftproof.verifiers.bounds import Children
from draftproof.verifiers.drafts import distinct, sampled, without
from draftproof.verifiers.nodewise import Judge, Nodewise

__all__ = ["recursive", "tree"]


def _judge(replacement: bool) -> Judge:
    def judge(drafted: Children, q: Array, p: Array) -> tuple[list[Any], Array]:
        kept = []
        for x in drafted:
            kept.append(acceptance(p, q)[x])
            p = residual(p, q)
            rest = q if replacement else without(q, x)
            q = q if rest is None else rest
        return kept, p

    return judge


def recursive(drafts: int = 2, replacement: bool = True) -> Nodewise:
    r"""Return the rule that tests several drafts in turn, each against what is left of p.

    .. math:: p_1 = p, \quad a_i(x) = \min\Bigl(1, \frac{p_i(x)}{q_i(x)}\Bigr), \quad
              p_{i+1} \propto \max(p_i - q_i, 0)

    With replacement every draft comes from :math:`q_i = q`; without, :math:`q_{i+1}` is
    :math:`q_i` given that the token is not the one just rejected, so that no token is tried twice.
    With gamma > 1 every context of the tree has that many children.

    Parameters
    ----------
    drafts : int
        Children of a context, at least 1. One is the token rule.
    replacement : bool

    Returns
    -------
    Nodewise

    Raises
    ------
    ValueError
        If `drafts` < 1 or `replacement` is not a bool.

    References
    ----------
    Miao et al. (2024), SpecInfer, algorithm 2; Yang et al. (2024) and Jeon et al. (2024) for
    drafts without replacement.
    """
    width = check_whole(drafts, "drafts", 1)
    flag = check_flag(replacement, "replacement")
    how = "with" if flag else "without"
    name = f"{width} drafts {how} replacement"
    return Nodewise(name, _judge(flag), sampled if flag else distinct, width=width)


def tree(branching: tuple[int, ...], replacement: bool = False) -> Nodewise:
    """Return the rule for a tree with its own number of children at each depth.

    ``tree((3, 2, 1))`` drafts three first tokens, two after each of them and one after each of
    those. The walk goes down from accepted child to accepted child and corrects at the first
    context whose children are all rejected.

    Parameters
    ----------
    branching : tuple of int
        Children at depth 0, 1, ...; gamma is its length, and the rule takes no other.
    replacement : bool

    Returns
    -------
    Nodewise

    Raises
    ------
    ValueError
        If a number of children is below 1, there is none, or `replacement` is not a bool.
    """
    if not isinstance(branching, (tuple, list)) or not branching:
        raise ValueError(f"branching must be a tuple of numbers, got {show_value(branching)}")
    widths = tuple(check_whole(width, "branching", 1) for width in branching)
    name = f"tree {'-'.join(map(str, widths))}"
    return replace(recursive(1, replacement), name=name, width=widths)
