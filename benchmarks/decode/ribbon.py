"""Recorded runs for the chapter's pictures: one text round by round, and many first letters."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.decode.pair import Effort, Pair
from draftproof.decode.corpus import CHARACTERS, decode, encode
from draftproof.decode.prompts import PROMPTS
from draftproof.recorded import run_of

OPENING = encode(PROMPTS["dagger"])
SHOWN = 160
PLACE = 3
AT_ONCE = 500


def runs(pair: Pair, drafters: list[tuple[str, int, float]], plain: dict[float, float]) -> Any:
    """Return one run for each (drafter, gamma, temperature), seed 0."""
    found = []
    for name, gamma, heat in drafters:
        for _ in range(2):  # the first warms up; both write the same
            made = pair.write(
                OPENING,
                SHOWN,
                drafter=pair.drafters[name](),
                gamma=gamma,
                temperature=heat,
            )
        recorded = run_of(
            made,
            decode,
            drafter=name,
            gamma=gamma,
            temperature=heat,
            prompt=decode(OPENING),
            seed=0,
            plain_seconds_per_token=plain[heat],
        )
        found.append(recorded)
    return found


def lossless(pair: Pair, effort: Effort, gamma: int) -> dict[str, Any]:
    """Return two texts of one seed, and counts of one character over many other seeds."""
    prompt, makers = OPENING, {"plain": None, "speculative": "distilled"}
    texts, counts = {}, {}
    for way, name in makers.items():
        drafter = pair.drafters[name]() if name else None
        made = pair.write(prompt, 80, drafter=drafter, gamma=gamma)
        texts[way] = decode(list(made.tokens))
        seen = np.zeros(len(CHARACTERS), dtype=int)
        for part in range(1, 1 + max(1, effort.seeds // AT_ONCE)):
            rows = min(AT_ONCE, effort.seeds)
            many = pair.write([prompt] * rows, PLACE, drafter=drafter, gamma=gamma, seed=part)
            seen += np.bincount([row[PLACE - 1] for row in many.rows], minlength=len(seen))
        counts[way] = seen
    met = [i for i in range(len(CHARACTERS)) if counts["plain"][i] + counts["speculative"][i]]
    return {
        "prompt": decode(prompt),
        "seed": 0,
        "gamma": gamma,
        "temperature": 1.0,
        **texts,
        "place": PLACE,
        "characters": [CHARACTERS[i] for i in met],
        "plain_counts": [int(counts["plain"][i]) for i in met],
        "speculative_counts": [int(counts["speculative"][i]) for i in met],
    }
