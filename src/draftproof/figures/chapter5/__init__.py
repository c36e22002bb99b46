"""The figures of the chapter on faults: noise, audits, and what each fault does to the law."""

from __future__ import annotations

from functools import partial

from ..recipe import Entry, recipe
from . import beliefs, gallery, results
from .cards import fault_cards, rule_cards
from .grid import q_grid
from .judges import audit_run, calibration, the_bet
from .noise import noise_band, two_samplers
from .strip import cache_hole, catch_strip

__all__ = [
    "audit_run",
    "beliefs",
    "cache_hole",
    "calibration",
    "catch_strip",
    "fault_cards",
    "gallery",
    "noise_band",
    "q_grid",
    "recipes",
    "results",
    "rule_cards",
    "the_bet",
    "two_samplers",
]

_LESSONS = {
    "draw": "one of the two laws is not the one that was meant, and plain and dotted mass together "
    "miss the outline.",
    "test": "the plain, accepted mass is not min(p, q), and the dotted correction cannot mend what "
    "the coin has spoilt.",
    "correction": "the plain mass is right in all of them, and the dotted mass is poured into the "
    "wrong tokens.",
    "block": "one wrong link between two tokens, and the law of the pair (grey) misses the outline "
    "somewhere.",
}


def recipes() -> list[Entry]:
    """List the chapter's figures with the results the book shows them with.

    Returns
    -------
    list[Entry]
    """
    places = [
        recipe(
            fault_cards, partial(gallery.cards, place), name=f"faults-in-the-{place}", lesson=lesson
        )
        for place, lesson in _LESSONS.items()
    ]
    return [
        recipe(two_samplers, results.opening),
        recipe(noise_band, results.noise),
        recipe(audit_run, results.audit_run),
        recipe(calibration, results.calibration),
        recipe(the_bet, results.bets),
        recipe(catch_strip, gallery.catches),
        recipe(q_grid, beliefs.grid),
        recipe(rule_cards, gallery.rule_cards),
        recipe(cache_hole, results.cache_hole),
        *places,
    ]
