"""Plain against speculative decoding, in turn, and what the parts promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

from benchmarks.decode.pair import Effort, Pair
from benchmarks.decode.parts import Samples
from draftproof.decode.loop import Generation
from draftproof.decode.measure import Spread, predicted_speedup, take_turns

WARM_TEMPERATURES = (0.0, 0.5)
SOME = (3, 5)


@dataclass(frozen=True)
class Setting:
    """One way to decode; no drafter is plain decoding, `copy` tells its turns apart."""

    drafter: str | None
    gamma: int = 1
    temperature: float = 1.0
    copy: int = 0

    @property
    def name(self) -> str:
        kind = f"{self.drafter} x {self.gamma}" if self.drafter else f"plain #{self.copy}"
        return f"{kind} at T = {self.temperature:g}"


@dataclass
class Log:
    """What the runs of a setting made."""

    made: list[Generation] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return sum(len(row) for one in self.made for row in one.rows)

    @property
    def tokens_per_call(self) -> float:
        return self.tokens / sum(one.counters.target_calls for one in self.made)

    def bare(self) -> list[float]:
        """Return the seconds of each run without its prefill."""
        return [s - one.timings["prefill"] for s, one in zip(self.seconds, self.made, strict=True)]

    def timings(self) -> dict[str, float]:
        """Return the seconds of each part over all runs, prefill left out, and of the rest."""
        parts = {part: sum(one.timings[part] for one in self.made) for part in PARTS}
        rest = sum(self.seconds) - sum(one.seconds for one in self.made)
        return {**parts, "overhead": max(0.0, rest)}


PARTS = ("draft", "target", "verify")


def settings(pair: Pair, effort: Effort) -> list[Setting]:
    """Return all ways to decode, plain ones strewn among them."""
    speculative = []
    for name in pair.drafters:
        all_of_them = name in ("distilled", "plain draft", "4-gram", "5-gram")
        for gamma in effort.gammas:
            if all_of_them or gamma in SOME:
                speculative.append(Setting(name, gamma))
    for heat in WARM_TEMPERATURES:
        names = [name for name in ("distilled", "4-gram", "lookup") if name in pair.drafters]
        speculative += [Setting(name, 5, heat) for name in names]
    mixed: list[Setting] = []
    for i, setting in enumerate(speculative):
        if i % 6 == 0:
            mixed += [Setting(None, copy=i)]
        mixed.append(setting)
    return mixed + [Setting(None, temperature=heat) for heat in WARM_TEMPERATURES]


def run(
    pair: Pair, effort: Effort, tick: Callable[[str], None]
) -> tuple[dict[Setting, Log], Samples]:
    """Time every setting `effort.repeats` times in turn, and the parts once in each turn."""
    ways = settings(pair, effort)
    logs = {setting: Log() for setting in ways}
    makers = pair.drafters

    def contestant(setting: Setting) -> Callable[[int], None]:
        def decode(repeat: int) -> None:
            made = pair.write(
                pair.prompts[repeat % len(pair.prompts)],
                effort.new_tokens,
                drafter=makers[setting.drafter]() if setting.drafter else None,
                gamma=setting.gamma,
                temperature=setting.temperature,
                seed=repeat,
            )
            logs[setting].made.append(made)

        return decode

    for setting in ways:  # the first run of a way pays for what later ones find ready
        contestant(setting)(0)
        logs[setting].made.clear()
    samples = Samples(pair, effort)
    turns = {setting.name: contestant(setting) for setting in ways}
    turns["parts"] = samples.take
    seconds = take_turns(turns, effort.repeats, tick)
    for setting in ways:
        logs[setting].seconds = seconds[setting.name]
    return logs, samples


def plain_logs(logs: dict[Setting, Log], temperature: float) -> list[Log]:
    """Return the logs of plain decoding at a temperature."""
    return [log for s, log in logs.items() if s.drafter is None and s.temperature == temperature]


def plain_seconds(logs: dict[Setting, Log], temperature: float) -> list[float]:
    """Return the seconds of plain decoding in each repeat, the mean of its turns, no prefill."""
    turns = [log.bare() for log in plain_logs(logs, temperature)]
    return [mean(each) for each in zip(*turns, strict=True)]


def plain_part(logs: dict[Setting, Log], effort: Effort) -> dict[str, Any]:
    """Return plain decoding's part of the result: seconds for a token and their parts."""
    found = plain_logs(logs, 1.0)
    spread = Spread.of([s / effort.new_tokens for log in found for s in log.bare()])
    timings = [log.timings() for log in found]
    tokens = sum(log.tokens for log in found)
    parts = {part: sum(one[part] for one in timings) / tokens for part in timings[0]}
    return {
        "seconds_per_token": spread.median,
        "spread": [spread.low, spread.high],
        "tokens_per_second": 1 / spread.median,
        "timings": {part: parts[part] for part in ("target", "verify", "overhead")},
    }


def rows(
    logs: dict[Setting, Log],
    alphas: dict[tuple[str, float], float],
    samples: Samples,
) -> Iterator[dict[str, Any]]:
    """Yield what was found for every speculative setting, with what its parts promise.

    c, v and b are in passes of the target over one position, timed between the runs; b, what
    follows a pass, is plain decoding's.
    """
    b = samples.bookkeeping()
    for setting, log in logs.items():
        if setting.drafter is None:
            continue
        # Reading the prompt is the same work for both, and the parts promise nothing about it.
        plain, own = plain_seconds(logs, setting.temperature), log.bare()
        speed = Spread.of([a / b for a, b in zip(plain, own, strict=True)])
        c, v = samples.prices(setting.drafter, setting.gamma)
        promised = predicted_speedup(log.tokens_per_call, setting.gamma, c, v, b)
        # Of all repeats together, as the tokens of a call are from all of them too.
        speedup = sum(plain) / sum(own)
        yield {
            "drafter": setting.drafter,
            "gamma": setting.gamma,
            "temperature": setting.temperature,
            "speedup": speedup,
            "spread": [speed.low, speed.high],
            "tokens_per_call": log.tokens_per_call,
            "alpha": alphas.get((setting.drafter, setting.temperature)),
            "c": c,
            "v": v,
            "b": b,
            "predicted": promised,
            "share_of_prediction": speedup / promised,
            "timings": log.timings(),
            "tokens": log.tokens,
        }


def batch_gammas(effort: Effort) -> list[int]:
    """Return the block lengths that are tried with batches."""
    return [g for g in (1, 2, 3, 5) if g in effort.gammas]


def batches(
    pair: Pair, effort: Effort, price: Callable[[int, int], float], tick: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Return for every batch size what drafting gains at some block lengths."""
    found = []
    for batch in effort.batches:
        prompts = [pair.prompts[i % len(pair.prompts)] for i in range(batch)]
        gammas = batch_gammas(effort)
        logs: dict[int, Log] = {gamma: Log() for gamma in (0, *gammas)}

        def decode(
            repeat: int, gamma: int, prompts: Any = prompts, logs: dict[int, Log] = logs
        ) -> None:
            drafter = pair.drafters["distilled"]() if gamma else None
            logs[gamma].made.append(
                pair.write(
                    prompts, effort.batch_tokens, drafter=drafter, gamma=max(1, gamma), seed=repeat
                )
            )

        turns = {str(g): lambda repeat, g=g, decode=decode: decode(repeat, g) for g in logs}
        seconds = take_turns(turns, effort.batch_repeats, lambda _: tick(f"batch {batch}"))  # noqa: B023
        for gamma in gammas:
            both = list(zip(seconds["0"], seconds[str(gamma)], strict=True))
            speed = Spread.of([a / b for a, b in both])
            tokens = batch * effort.batch_tokens
            counters = [one.counters for one in logs[gamma].made]
            found.append(
                {
                    "batch": batch,
                    "gamma": gamma,
                    "speedup": speed.median,
                    "spread": [speed.low, speed.high],
                    "plain_tokens_per_second": tokens / median(seconds["0"]),
                    "speculative_tokens_per_second": tokens / median(seconds[str(gamma)]),
                    "verify_ratio": price(batch, gamma + 1),
                    "alpha": sum(c.accepted for c in counters) / sum(c.tested for c in counters),
                }
            )
    return found
