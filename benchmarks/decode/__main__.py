"""Time real decoding: ``python -m benchmarks.decode [--quick]``.

Plain and speculative decoding take turns with every drafter and block length; then come the prices
of verification and drafting, acceptance on the target's own text, batches, the machine's limits,
the same weights kept in 16 bits and, where transformers is installed, its assisted generation. A
full run takes about a quarter of an hour on two cores that do nothing else. The results are the
package's ``decode.json`` and ``ribbon.json``.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import torch

from benchmarks.decode import accept, hugging, parts, ribbon, short, speed
from benchmarks.decode.pair import QUICK, Effort, Pair, shipped
from benchmarks.files import write
from benchmarks.onetoken import machine
from draftproof import recorded
from draftproof._progress import Bar
from draftproof.decode.measure import pass_seconds

PLAIN_DRAFT = Path("_build/weights/draft-plain.safetensors")


def describe() -> dict[str, Any]:
    """Return what the numbers depend on."""
    found = machine()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return found | {
        "cpu": found["processor"],
        "threads": torch.get_num_threads(),
        "memory_gib": round(pages / 2**30, 1),
        "torch": torch.__version__,
    }


def measure(pair: Pair, effort: Effort, quick: bool, note: str = "") -> dict[str, dict[str, Any]]:
    """Return both results by the name of their file; `note` says what else the machine did."""
    ways = len(speed.settings(pair, effort))
    many = len(effort.batches) * effort.batch_repeats * (1 + len(speed.batch_gammas(effort)))
    heats = 3 * len(accept.TEMPERATURES) + len(pair.drafters) + 2
    bar = Bar(
        (ways + 1) * effort.repeats + many + heats + hugging.runs(effort) + short.runs(effort)
    )
    about = describe() | ({"note": note} if note else {})
    alphas, acceptance = accept.alphas(pair, effort, bar)
    logs, samples = speed.run(pair, effort, bar)
    runs = list(speed.rows(logs, alphas, samples))
    best = max(
        (row for row in runs if row["drafter"] == "distilled" and row["temperature"] == 1),
        key=lambda row: row["speedup"],
    )["gamma"]

    def price_of(batch: int, positions: int) -> float:
        both = pass_seconds(
            pair.target, [1, positions], batch=batch, held=effort.held, repeats=5 * effort.passes
        )
        return both[positions].median / both[1].median

    decode = {
        "machine": about,
        "settings": {
            "temperature": 1.0,
            "new_tokens": effort.new_tokens,
            "prompts": len(pair.prompts),
            "prompt_tokens": len(pair.prompts[0]),
            "repeats": effort.repeats,
            "drafter": "distilled",
            "gamma": best,
            "context": effort.held,
        },
        "plain": speed.plain_part(logs, effort),
        "runs": runs,
        "verification_cost": parts.prices(samples.verification()),
        "batches": speed.batches(pair, effort, price_of, bar),
        "acceptance": acceptance,
        "roofline": parts.roofline(pair, effort, best, quick),
        "hugging_face": hugging.compare(pair, effort, bar),
        "compact": short.compare(pair, effort, bar),
    }
    seconds = {
        heat: sum(speed.plain_seconds(logs, heat)) / effort.repeats / effort.new_tokens
        for heat in (0.0, 0.5, 1.0)
    }
    shown = [("distilled", best, 1.0), ("4-gram", best, 1.0), ("lookup", best, 0.0)]
    recordings = {
        "runs": ribbon.runs(pair, shown, seconds),
        "lossless": ribbon.lossless(pair, effort, best),
    }
    bar.finish()
    about["load_after"] = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"decode": decode, "ribbon": recordings}


def lines(found: dict[str, Any]) -> list[str]:
    """Return what a reader wants to see first."""
    said = [f"plain: {found['plain']['tokens_per_second']:.0f} tokens a second"]
    for row in sorted(found["runs"], key=lambda row: -row["speedup"])[:8]:
        said.append(
            f"{row['drafter']:>12} gamma {row['gamma']} T {row['temperature']:g}: "
            f"{row['speedup']:.2f} x, {row['share_of_prediction']:.0%} of what the parts promise"
        )
    if found["hugging_face"]:
        theirs = found["hugging_face"]
        said.append(f"over assisted generation: {theirs['ours_over_assisted']:.2f} x")
    return said


def main(argv: list[str] | None = None) -> int:
    """Measure everything, print the gist, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a walk through it; needs --out")
    parser.add_argument("--out", type=Path, help=f"folder, default {recorded.FOLDER}")
    parser.add_argument("--threads", type=int, default=1, help="as the chapter decodes: 1")
    parser.add_argument("--plain-draft", type=Path, default=PLAIN_DRAFT)
    parser.add_argument("--note", default="", help="what else the machine did meanwhile")
    given = parser.parse_args(argv)
    if given.quick and given.out is None:
        parser.error("--out is needed for a quick run: it is no measurement")
    torch.set_num_threads(given.threads)
    effort = QUICK if given.quick else Effort()
    found = measure(shipped(given.plain_draft), effort, given.quick, given.note)
    for name, content in found.items():
        write((given.out or recorded.FOLDER) / f"{name}.json", content)
    print("\n".join(lines(found["decode"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
