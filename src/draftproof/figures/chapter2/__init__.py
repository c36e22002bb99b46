"""Chapter 2: from a classical rejection to the speculative rule, token by token and in blocks."""

from __future__ import annotations

from typing import Any

from draftproof import examples
from draftproof.rules import zoo
from draftproof.speculative import accepted_law, classical_constant

from ..recipe import Entry, recipe
from . import results
from .alone import accepted_alone
from .blocks import prefix_tree
from .classical import classical_against_speculative
from .cooling import greedy_limit
from .counters import two_counters
from .cut import cut_and_slide
from .draws import logits_to_draw, three_draws
from .mosaic import mosaic
from .rules import one_sided_warp, rules_zoo

__all__ = [
    "accepted_alone",
    "classical_against_speculative",
    "cut_and_slide",
    "greedy_limit",
    "logits_to_draw",
    "mosaic",
    "one_sided_warp",
    "prefix_tree",
    "recipes",
    "results",
    "rules_zoo",
    "three_draws",
    "two_counters",
]


def recipes() -> list[Entry]:
    """List the figures of chapter 2 with the results the book shows them with.

    Returns
    -------
    list[Entry]
    """
    pet: Any = examples.CAT_DOG_FOX
    four: Any = examples.FOUR_TOKENS
    house: Any = examples.HOUSE
    block: Any = examples.BLOCK

    def accepted() -> tuple[Any, ...]:
        return four.p, four.q, accepted_law(four.p, four.q)

    def classical() -> tuple[Any, ...]:
        return pet.p, pet.q, classical_constant(pet.p, pet.q)

    return [
        recipe(logits_to_draw, results.first_draw, names=results.WORDS),
        recipe(three_draws, results.three_draws, names=pet.names),
        recipe(cut_and_slide, lambda: (pet.p, pet.q), names=pet.names),
        recipe(cut_and_slide, lambda: (four.p, four.q), names=four.names, name="cut-and-pool"),
        recipe(mosaic, lambda: (pet.p, pet.q), names=pet.names),
        recipe(mosaic, lambda: (four.p, four.q), names=four.names, name="mosaic-four"),
        recipe(classical_against_speculative, classical, names=pet.names),
        recipe(accepted_alone, accepted, names=four.names),
        recipe(rules_zoo, lambda: (house.p, zoo(house.p, house.q)), names=house.names),
        recipe(greedy_limit, results.cooling, names=house.names),
        recipe(one_sided_warp, results.one_sided, names=four.names),
        recipe(prefix_tree, lambda: (block.p, block.q), names=block.names),
        recipe(two_counters, results.rounds, names=pet.names, setting=results.ROUNDS_SETTING),
    ]
