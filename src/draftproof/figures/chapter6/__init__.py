"""Chapter 6: block verification, several drafts, trees, and the rules that are not exact."""

from __future__ import annotations

from typing import Any

from draftproof import examples, verifiers

from ..recipe import Entry, recipe
from . import results
from .blocks import block_sorted, token_against_block
from .compare import gain_by_overlap, never_less
from .flows import flows
from .several import cut_square, drafts_in_turn
from .trade import price_of_bias, speed_by_batch
from .trees import accepted_by_drafts, draft_tree
from .weights import running_weights, shrunken_target

__all__ = [
    "accepted_by_drafts",
    "block_sorted",
    "cut_square",
    "draft_tree",
    "drafts_in_turn",
    "flows",
    "gain_by_overlap",
    "never_less",
    "price_of_bias",
    "recipes",
    "results",
    "running_weights",
    "shrunken_target",
    "speed_by_batch",
    "token_against_block",
]


def recipes() -> list[Entry]:
    """List the figures of chapter 6 with the results the book shows them with.

    Returns
    -------
    list[Entry]
    """
    two: Any = examples.BLOCK
    three = results.THREE
    return [
        recipe(token_against_block, lambda: results.panels(two.p, two.q), names=two.names),
        recipe(
            block_sorted,
            lambda: (results.fates(verifiers.block, two.p, two.q), two.p),
            names=two.names,
        ),
        recipe(running_weights, lambda: results.boards(two.p, two.q), names=two.names),
        recipe(shrunken_target, lambda: results.scaled(two.p, two.q), names=two.names),
        recipe(never_less, results.never_less, name="block-never-less"),
        recipe(gain_by_overlap, results.gains, name="block-gain"),
        recipe(flows, results.overlap_moves, name="overlap-bands", names=three.names),
        recipe(drafts_in_turn, lambda: results.turns(three.p, three.q), names=three.names),
        recipe(
            drafts_in_turn,
            lambda: results.turns(three.p, three.q, replacement=False),
            name="drafts-without-replacement",
            names=three.names,
            how="without replacement",
        ),
        recipe(flows, results.transport, name="transport-bands", names=three.names),
        recipe(cut_square, results.cut, names=three.names),
        recipe(draft_tree, results.tree_levels),
        recipe(accepted_by_drafts, results.shapes),
        recipe(price_of_bias, results.price),
        recipe(speed_by_batch, results.worth),
    ]
