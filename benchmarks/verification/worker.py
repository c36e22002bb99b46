"""What ``python -m benchmarks.verification`` runs in the environment with the public packages."""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Any

import torch

from benchmarks.files import write
from benchmarks.onetoken import clock, machine
from benchmarks.verification.contestants import PEERS, Blocks, Contestants, contestants
from draftproof._progress import Bar

GAMMA = 4
SIZES, BATCHES = (1000, 32_000, 128_000), (1, 8, 32)
TURN = 2e-3  # seconds that a turn of short calls should last


def bandwidth(size: int = 1 << 26) -> float:
    """Return the bytes a second at which one thread reads memory far larger than its caches."""
    numbers = torch.ones(size)
    numbers.sum()
    times = []
    for _ in range(7):
        start = clock()
        numbers.sum()
        times.append(clock() - start)
    return 4 * size / statistics.median(times)


def turn(run: Callable[[], Any], calls: int) -> float:
    """Return the seconds of a call, after one that is not counted."""
    run()
    start = clock()
    for _ in range(calls):
        run()
    return (clock() - start) / calls


def take_turns(
    ready: Contestants, repeats: int, tick: Callable[[str], None] = lambda name: None
) -> dict[str, list[float]]:
    """Return the seconds of a call in every turn; the contestants alternate."""
    calls = {name: max(1, min(50, int(TURN / turn(run, 1)))) for name, run in ready.items()}
    times: dict[str, list[float]] = {name: [] for name in ready}
    for _ in range(repeats):
        for name, run in ready.items():
            times[name].append(turn(run, calls[name]))
            tick(name)
    return times


def spread(values: list[float]) -> dict[str, float]:
    """Return the median and the quartiles."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": middle, "lower_quartile": low, "upper_quartile": high}


def summary(blocks: Blocks, times: dict[str, list[float]], speed: float) -> dict[str, Any]:
    """Return one line of the result: times, the ratio to the fastest peer, the share of the bound.

    The bound is the time in which the rows that one round has to read, p for every sequence and q
    for the rejected ones, come from memory; where they lie in a cache, less than that is possible.
    """
    own = statistics.median(times["draftproof"])
    peers = [name for name in times if name in PEERS] or ["plain torch"]
    fastest = min(peers, key=lambda name: statistics.median(times[name]))
    batch, size = len(blocks.drafts), blocks.p.shape[-1]
    read = 4 * size * (batch + blocks.rejections())
    pairs = zip(times["draftproof"], times[fastest], strict=True)
    return {
        "vocabulary": size,
        "batch": batch,
        "overlap": round(blocks.overlap(), 4),
        "seconds": {name: spread(runs) for name, runs in times.items()},
        "fastest_peer": fastest,
        "ratio": own / statistics.median(times[fastest]),
        "ratio_by_turn": spread([ours / theirs for ours, theirs in pairs]),
        "bytes_needed": round(read),
        "share_of_bandwidth_bound": read / speed / own,
    }


def versions() -> dict[str, str]:
    """Return the versions of the peers that are installed."""
    found = {}
    for name in PEERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def lines(runs: list[dict[str, Any]]) -> list[str]:
    """Return the result as a table."""
    out = ["vocabulary  batch   ours, µs   fastest peer, µs          ratio   share of bound"]
    for run in runs:
        ours, theirs = (
            run["seconds"][name]["median"] * 1e6 for name in ("draftproof", run["fastest_peer"])
        )
        out.append(
            f"{run['vocabulary']:>10}{run['batch']:>7}{ours:>11.1f}{theirs:>19.1f} "
            f"{run['fastest_peer']:<13}{run['ratio']:>6.3f}{run['share_of_bandwidth_bound']:>13.2f}"
        )
    return out


def main(argv: list[str] | None = None) -> int:
    """Time every size and write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verification.worker")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    given = parser.parse_args(argv)
    torch.set_num_threads(1)
    described = machine() | {"threads": 1}
    speed = bandwidth()
    names = len(contestants(Blocks.random(1, GAMMA, 10)))
    tick = Bar(len(given.sizes) * len(given.batches) * names * given.repeats)
    runs = []
    for size, batch in product(given.sizes, given.batches):
        blocks = Blocks.random(batch, GAMMA, size)
        times = take_turns(contestants(blocks), given.repeats, tick)
        runs.append(summary(blocks, times, speed))
    described["load_after"] = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    result = {
        "about": "Acceptance of drafted blocks; written by python -m benchmarks.verification",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": described,
        "versions": versions(),
        "settings": {
            "gamma": GAMMA,
            "dtype": "float32",
            "repeats": given.repeats,
            "clock": clock.__name__,
            "bandwidth_bytes_per_s": speed,
        },
        "runs": runs,
    }
    print("\n".join(lines(runs)))
    write(given.out, result)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
