"""Time the one-token rule: ``python -m benchmarks.onetoken [--n N] [--repeats R]``.

Two settings: the bigram toy at the context t (w = 0.3), 200,000 tokens, against plain Python loops
(`benchmarks.plain`: one asks the draft model at every token, one does so in whole rounds with
their bonus, one has the draft's law made beforehand); and a pair of laws over 50 tokens, 1,000,000
tokens, against the same rule written with ``numpy.random.Generator.choice`` and with
``torch.multinomial``. Contestants take turns, each runs in one thread, and the median of the
processor time counts: a busy machine slows the clock, not that. The result, with the machine it
was measured on, is ``benchmarks/results/onetoken.json``.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import plain
from benchmarks.files import write
from draftproof._progress import Bar
from draftproof.examples import toy, toy_draft
from draftproof.speculative import residual, speculative_sample

RESULT = Path(__file__).resolve().parent / "results" / "onetoken.json"
Contestants = dict[str, Callable[[int], Any]]
# Where the system counts processor time in coarse ticks, the wall clock has to do.
_COARSE = time.get_clock_info("process_time").resolution > 1e-4
clock = time.perf_counter if _COARSE else time.process_time


def toy_contestants(n: int) -> Contestants:
    """Return the contestants on the toy: each takes a seed and makes `n` tokens after t."""
    target, base = toy()
    names, w = target.vocabulary, 0.3
    p, q = target.law("t"), toy_draft(w).law("t")
    p_dict, base_dict = (dict(zip(names, law.tolist(), strict=True)) for law in (p, base.law("t")))
    q_dict = plain.mixture(w, p_dict, base_dict)
    return {
        "draftproof": lambda seed: np.bincount(
            speculative_sample(p, q, np.random.default_rng(seed), n), minlength=len(names)
        ),
        "plain loop": lambda seed: plain.count(n, p_dict, base_dict, w, random.Random(seed)),
        "plain loop of whole rounds": lambda seed: plain.count_rounds(
            n, p_dict, base_dict, w, random.Random(seed)
        ),
        "plain loop, law made once": lambda seed: plain.count_lean(
            n, p_dict, q_dict, random.Random(seed)
        ),
    }


def pair_contestants(n: int, size: int = 50) -> Contestants:
    """Return the contestants on a random pair of laws over `size` tokens."""
    rng = np.random.default_rng(size)
    p, q = rng.dirichlet(np.ones(size)), rng.dirichlet(np.ones(size))
    spare = residual(p, q)
    found: Contestants = {
        "draftproof": lambda seed: speculative_sample(p, q, np.random.default_rng(seed), n),
        "numpy, choice": lambda seed: _with_choice(p, q, spare, np.random.default_rng(seed), n),
    }
    try:
        import torch
    except ImportError:
        return found
    torch.set_num_threads(1)
    tensors = [torch.from_numpy(law) for law in (p, q, spare)]
    found["torch, multinomial"] = lambda seed: _with_multinomial(
        *tensors, torch.Generator().manual_seed(seed), n
    )
    return found


def _with_choice(p: Any, q: Any, spare: Any, rng: np.random.Generator, n: int) -> Any:
    x = rng.choice(len(q), size=n, p=q)
    lost = rng.random(n) * q[x] >= p[x]
    x[lost] = rng.choice(len(q), size=int(lost.sum()), p=spare)
    return x


def _with_multinomial(p: Any, q: Any, spare: Any, rng: Any, n: int) -> Any:
    import torch

    x = torch.multinomial(q, n, replacement=True, generator=rng)
    u = torch.rand(n, dtype=torch.float64, generator=rng)
    lost = u * q[x] >= p[x]
    x[lost] = torch.multinomial(spare, int(lost.sum()), replacement=True, generator=rng)
    return x


def take_turns(
    contestants: Contestants, repeats: int, tick: Callable[[str], None] = lambda name: None
) -> dict[str, list[float]]:
    """Return the processor seconds of every run; the contestants alternate after a warm-up."""
    for name, run in contestants.items():
        if name == "draftproof":
            run(0)
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for seed in range(repeats):
        for name, run in contestants.items():
            start = clock()
            run(seed)
            times[name].append(clock() - start)
            tick(name)
    return times


def summary(times: dict[str, list[float]], n: int) -> dict[str, Any]:
    """Return the median, the fastest and the slowest run of each, and how often we are faster."""
    own = statistics.median(times["draftproof"])
    rows = {
        name: {
            "median_cpu_s": round(statistics.median(runs), 6),
            "fastest_cpu_s": round(min(runs), 6),
            "slowest_cpu_s": round(max(runs), 6),
            "times_draftproof": round(statistics.median(runs) / own, 2),
        }
        for name, runs in times.items()
    }
    return {"tokens": n, "repeats": len(times["draftproof"]), "contestants": rows}


def machine() -> dict[str, Any]:
    """Return what the numbers depend on."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load_before": load,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": getattr(sys.modules.get("torch"), "__version__", None),
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unknown"


def _lines(name: str, result: dict[str, Any]) -> Iterator[str]:
    yield f"{name}: {result['tokens']:,} tokens, median of {result['repeats']}"
    for who, row in result["contestants"].items():
        yield f"  {who:<28}{row['median_cpu_s'] * 1000:10.2f} ms{row['times_draftproof']:10.1f} x"


def main(argv: list[str] | None = None) -> int:
    """Run both settings, print them, write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=200_000, help="tokens on the toy")
    parser.add_argument("--pair-n", type=int, default=1_000_000, help="tokens of the pair")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--out", type=Path, default=RESULT)
    given = parser.parse_args(argv)
    settings = {
        "bigram toy, context t, w = 0.3": (toy_contestants(given.n), given.n),
        "50 tokens": (pair_contestants(given.pair_n), given.pair_n),
    }
    tick = Bar(given.repeats * sum(len(who) for who, _ in settings.values()))
    described = machine()
    results = {
        name: summary(take_turns(who, given.repeats, tick), n)
        for name, (who, n) in settings.items()
    }
    for name, result in results.items():
        print("\n".join(_lines(name, result)))
    write(given.out, {"machine": described, "settings": results}, indent=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
