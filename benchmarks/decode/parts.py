"""What the speed is made of: passes of the target, draft steps, the machine's own limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from benchmarks.decode.pair import Effort, Pair
from draftproof.decode.measure import Spread, draft_block, draft_seconds, pass_seconds, take_turns
from draftproof.roofline import intensity

POSITIONS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17)


class Samples:
    """Prices taken again and again between the runs that they are to explain.

    In a round drafting and verification take turns, and each leaves the processor's caches to its
    own weights. So a block of drafts is timed after the pass that comes before it, and a pass after
    the block; a plain step comes after a plain step. Every block length is timed by itself, as the
    first draft of a block costs more than those after it.
    """

    def __init__(self, pair: Pair, effort: Effort) -> None:
        self.pair, self.effort = pair, effort
        self.alone: dict[int, list[float]] = {n: [] for n in POSITIONS}
        ways = [(name, gamma) for name in pair.drafters for gamma in effort.gammas]
        self.passes: dict[tuple[str, int], list[float]] = {way: [] for way in ways}
        self.steps: dict[tuple[str, int], list[float]] = {way: [] for way in ways}

    def take(self) -> None:
        """Time some passes of the target and some blocks of every drafter."""
        target, held, repeats = self.pair.target, self.effort.held, self.effort.passes
        for n, spread in pass_seconds(target, POSITIONS, held=held, repeats=repeats).items():
            self.alone[n].append(spread.median)
        context = (self.pair.prompts[0] * held)[:held]
        verify = self._verify()
        for name, make in self.pair.drafters.items():
            drafter = make()
            for gamma in self.effort.gammas:
                step = draft_seconds(
                    drafter,
                    context,
                    gamma=gamma,
                    repeats=repeats,
                    before=partial(verify, gamma + 1),
                )
                whole = pass_seconds(
                    target,
                    [gamma + 1],
                    held=held,
                    repeats=repeats,
                    warm=1,
                    before=draft_block(drafter, context, gamma),
                )
                self.steps[name, gamma].append(step.median)
                self.passes[name, gamma].append(whole[gamma + 1].median)

    def _verify(self) -> Callable[[int], None]:
        """Return a verification pass over some positions."""
        target, held = self.pair.target, self.effort.held
        cache = target.new_cache(1)
        tokens = torch.zeros(1, held, dtype=torch.long)
        with torch.inference_mode():
            target(tokens, cache)

        def run(positions: int) -> None:
            target(tokens[:, :positions], cache)
            cache.rollback([held])

        return run

    def verification(self) -> dict[int, Spread]:
        """Return the seconds of a pass of the target alone by its positions."""
        return {n: Spread.of(found) for n, found in self.alone.items()}

    def verifying(self) -> dict[tuple[str, int], float]:
        """Return the seconds of a verification pass by drafter and block length."""
        return {way: Spread.of(found).median for way, found in self.passes.items()}

    def drafting(self) -> dict[tuple[str, int], float]:
        """Return the seconds of one draft by drafter and block length."""
        return {way: Spread.of(found).median for way, found in self.steps.items()}


def prices(found: dict[int, Spread]) -> list[dict[str, Any]]:
    """Return the price of each number of positions in passes over one."""
    one = found[1].median
    return [
        {"positions": n, "ratio": s.median / one, "spread": [s.low / one, s.high / one]}
        for n, s in found.items()
    ]


def roofline(pair: Pair, effort: Effort, gamma: int, quick: bool) -> dict[str, Any]:
    """Return the machine's measured limits, and where passes of the target lie under them."""
    weights = weight_count(pair)
    points = []
    for batch in [b for b in (1, 4, 16, 64) if b <= max(effort.batches)]:
        both = [1, gamma + 1]
        found = pass_seconds(
            pair.target, both, batch=batch, held=effort.held, repeats=5 * effort.passes
        )
        points += [
            {
                "model": "Shakespeare fp32",
                "positions": n,
                "batch": batch,
                "intensity": intensity(weights, n, batch=batch, bytes_per_parameter=4),
                "flops_per_s": 2 * weights * n * batch / found[n].median,
            }
            for n in both
        ]
    return {
        "bandwidth_bytes_per_s": bandwidth(2**22 if quick else 2**26),
        "flops_per_s": peak(256 if quick else 3072),
        "weight_bytes": 4 * weights,
        "points": points,
    }


def weight_count(pair: Pair) -> int:
    """Return the weights that every pass multiplies with: all but the embedding's rows."""
    whole = sum(weight.numel() for weight in pair.target.parameters())
    return whole - pair.target.embedding.weight.numel()


def bandwidth(size: int) -> float:
    """Return bytes a second of a = b + s c over arrays far larger than the caches."""
    a, b, c = (torch.ones(size) for _ in range(3))
    return 12 * size / fastest(lambda _: torch.add(b, c, alpha=0.5, out=a))


def peak(size: int) -> float:
    """Return float32 operations a second of a product of two square matrices."""
    a, b, out = (torch.ones(size, size) for _ in range(3))
    return 2 * size**3 / fastest(lambda _: torch.mm(a, b, out=out))


def fastest(run: Any) -> float:
    """Return the seconds of the fastest of some runs: a limit is what is reached at best."""
    seconds: Sequence[float] = take_turns({"": run}, 7)[""]
    return min(seconds)
