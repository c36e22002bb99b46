"""What the speed is made of: passes of the target, draft steps, the machine's own limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from benchmarks.decode.pair import Effort, Pair
from draftproof.decode.drafters import Drafter
from draftproof.decode.loop import Generation
from draftproof.decode.measure import Spread, pass_seconds, take_turns
from draftproof.roofline import intensity

POSITIONS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17)


@dataclass
class Parts:
    """Seconds of the parts of some rounds, added up, and how many rounds they were."""

    draft: float = 0.0
    target: float = 0.0
    after: float = 0.0
    calls: int = 0

    def add(self, made: Generation) -> None:
        """Add the rounds of a run."""
        self.draft += made.timings["draft"]
        self.target += made.timings["target"]
        self.after += made.timings["verify"]
        self.calls += made.counters.target_calls


class Samples:
    """Prices taken again and again between the runs that they are to explain.

    They are those of other runs with other seeds, as long as the ones to explain: the more a cache
    holds, the dearer is a pass, and more so for many positions. A pass that is timed in a loop of
    passes is cheaper than in a round, where drafting, drawing and keeping books come between, and
    each leaves the processor's caches to itself. The first draft of a block costs more than those
    after it, so every block length is timed.
    """

    def __init__(self, pair: Pair, effort: Effort) -> None:
        self.pair, self.effort = pair, effort
        self.alone: dict[int, list[float]] = {n: [] for n in POSITIONS}
        self.plain = Parts()
        ways = [(name, gamma) for name in pair.drafters for gamma in effort.gammas]
        self.rounds = {way: Parts() for way in ways}

    def take(self, turn: int) -> None:
        """Time some passes of the target, some plain steps and some rounds of every drafter."""
        target, held, repeats = self.pair.target, self.effort.held, self.effort.passes
        for n, spread in pass_seconds(target, POSITIONS, held=held, repeats=repeats).items():
            self.alone[n].append(spread.median)
        if turn % self.effort.parts_every:
            return
        makers = self.pair.drafters
        for name, gamma in self.rounds:
            self.rounds[name, gamma].add(self._run(turn, makers[name](), gamma))
            if gamma == max(self.effort.gammas):
                self.plain.add(self._run(turn))

    def _run(self, turn: int, drafter: Drafter | None = None, gamma: int = 1) -> Generation:
        prompt = self.pair.prompts[turn % len(self.pair.prompts)]
        new, seed = self.effort.new_tokens, _OTHER_SEEDS + turn
        return self.pair.write(prompt, new, drafter=drafter, gamma=gamma, seed=seed)

    def verification(self) -> dict[int, Spread]:
        """Return the seconds of a pass of the target alone by its positions."""
        return {n: Spread.of(found) for n, found in self.alone.items()}

    @property
    def one(self) -> float:
        """The seconds of a pass over one position, in plain decoding."""
        return self.plain.target / self.plain.calls

    def bookkeeping(self) -> float:
        """Return what follows a pass of plain decoding, in passes over one position."""
        return self.plain.after / self.plain.target

    def prices(self, name: str, gamma: int) -> tuple[float, float]:
        """Return a draft and a verification pass, in passes over one position."""
        found = self.rounds[name, gamma]
        return (
            found.draft / found.calls / gamma / self.one,
            found.target / found.calls / self.one,
        )


_OTHER_SEEDS = 1000  # the timed runs have seeds below


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
