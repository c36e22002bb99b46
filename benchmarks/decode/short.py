"""The same pair with its weights kept in 16 bits: half of a speedup is the baseline."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

from benchmarks.decode.pair import Effort, Pair
from draftproof.decode.compact import can_compact, compact
from draftproof.decode.measure import take_turns

GAMMAS = (3, 5, 8)
DRAFTERS = ("distilled", "5-gram")


def runs(effort: Effort) -> int:
    """Return how many runs `compare` times."""
    return 2 * (1 + len(DRAFTERS) * len(GAMMAS)) * effort.repeats


def compare(pair: Pair, effort: Effort, tick: Callable[[str], None]) -> dict[str, Any] | None:
    """Time both ways to keep the weights in turn; None where this processor has but one."""
    if not can_compact():
        return None
    models = {"distilled": compact(deepcopy(pair.models["distilled"]))}
    tables = {"5-gram": pair.tables["5-gram"]}
    other = Pair(compact(deepcopy(pair.target)), models, tables, pair.prompts)
    sides = {"usual": pair, "compact": other}
    spent: dict[tuple[str, str, int], float] = {}

    def decode(repeat: int, side: str, drafter: str, gamma: int) -> None:
        chosen = sides[side]
        made = chosen.write(
            chosen.prompts[repeat % len(chosen.prompts)],
            effort.new_tokens,
            drafter=chosen.drafters[drafter]() if gamma else None,
            gamma=max(1, gamma),
            seed=repeat,
        )
        way = side, drafter, gamma
        spent[way] = spent.get(way, 0.0) + made.seconds - made.timings["prefill"]

    ways = [("", 0), *((name, gamma) for name in DRAFTERS for gamma in GAMMAS)]
    turns: dict[str, Callable[[int], None]] = {
        f"{side} {name} {gamma}": partial(decode, side=side, drafter=name, gamma=gamma)
        for name, gamma in ways
        for side in sides
    }
    take_turns(turns, 1)  # warm up
    spent.clear()
    take_turns(turns, effort.repeats, tick)
    plain = {side: spent[side, "", 0] for side in sides}
    rows = []
    for name in DRAFTERS:
        for side in sides:
            gamma, seconds = min(((g, spent[side, name, g]) for g in GAMMAS), key=lambda w: w[1])
            rows.append(
                {
                    "drafter": name,
                    "weights": side,
                    "gamma": gamma,
                    "speedup": plain[side] / seconds,
                    "over_usual_plain": plain["usual"] / seconds,
                }
            )
    return {
        "plain": plain["usual"] / plain["compact"],
        "rows": rows,
        "new_tokens": effort.new_tokens,
        "repeats": effort.repeats,
    }
