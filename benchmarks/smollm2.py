"""Time SmolLM2 with prompt lookup: ``python -m benchmarks.smollm2 [--quick --out FILE]``.

Four tasks, greedy, bfloat16: plain decoding and prompt lookup in turn. Beside them the price of a
pass over several positions, and how far a pass over five positions rounds away from passes over
one. Needs the model (``python -m draftproof.decode.smollm2``) and the extra ``[hf]``.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.decode.__main__ import describe
from benchmarks.files import write
from draftproof import recorded
from draftproof._progress import Bar
from draftproof.decode import Generation, PromptLookup, Transformer, generate
from draftproof.decode.measure import Spread, pass_seconds, take_turns
from draftproof.decode.smollm2 import load, prompt_ids

TASKS = ("quoting", "code edit", "summary", "chat")
GAMMA, LONGEST = 8, 3
POSITIONS = (1, 2, 3, 5, 9, 17)
EDGES = (0.0, 0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0, np.inf)
BLOCK = 5


def answer(model: Transformer, ids: list[int], end: int, new: int, *, look: bool) -> Generation:
    """Return the greedy answer to a prompt."""
    return generate(
        model,
        ids,
        drafter=PromptLookup(1, LONGEST) if look else None,
        gamma=GAMMA,
        temperature=0,
        max_new_tokens=new,
        eos_token_id=end,
        generator=torch.Generator().manual_seed(0),
    )


def seconds_a_token(made: Generation) -> float:
    """Return the time of a new token, the reading of the prompt left out."""
    spent = sum(value for part, value in made.timings.items() if part != "prefill")
    return spent / len(made.tokens)


def task(
    model: Transformer,
    ids: list[int],
    end: int,
    new: int,
    repeats: int,
    tick: Callable[[str], None],
) -> dict[str, Any]:
    """Time one task with and without lookup, in turn."""
    found: dict[str, list[Generation]] = {"plain": [], "lookup": []}
    turns = {
        name: lambda _, name=name: found[name].append(
            answer(model, ids, end, new, look=name == "lookup")
        )
        for name in found
    }
    take_turns(turns, repeats, tick)
    pairs = zip(*found.values(), strict=True)
    ratio = Spread.of([seconds_a_token(a) / seconds_a_token(b) for a, b in pairs])
    counters = found["lookup"][0].counters
    return {
        "tokens_per_call": counters.emitted / counters.target_calls,
        "speedup": ratio.median,
        "spread": [ratio.low, ratio.high],
        "drafted": counters.drafted,
        "accepted": counters.accepted,
        "new_tokens": counters.emitted,
    }


@torch.inference_mode()
def logits_in_blocks(model: Transformer, ids: Tensor, start: int, block: int) -> Tensor:
    """Return the logits after every token from `start` on, computed `block` positions a pass."""
    cache = model.new_cache(1)
    model(ids[:, :start], cache)
    return torch.cat([model(part, cache) for part in ids[:, start:].split(block, 1)], 1)[0].float()


def rounding(model: Transformer, ids: Tensor, start: int) -> tuple[dict[str, float], Any, Any]:
    """Compare passes over one position with passes over five."""
    one, five = (logits_in_blocks(model, ids, start, block) for block in (1, BLOCK))
    tv = (one.softmax(-1) - five.softmax(-1)).abs().sum(-1) / 2
    flips = one.argmax(-1) != five.argmax(-1)
    said = {"tv": float(tv.mean()), "argmax": 1 - float(flips.float().mean())}
    return said, one, flips


def bins(gaps: Any, flips: Any) -> list[dict[str, Any]]:
    """Count argmax flips by the gap between the two largest logits."""
    rows = []
    for low, high in itertools.pairwise(EDGES):
        inside = (gaps >= low) & (gaps < high)
        rows.append(
            {
                "low": low,
                "high": None if np.isinf(high) else high,
                "positions": int(inside.sum()),
                "flips": int((flips & inside).sum()),
            }
        )
    return rows


def measure(new: int, repeats: int, places: int, passes: int) -> dict[str, Any]:
    """Return the whole result."""
    bar = Bar(2 * repeats * len(TASKS) + 5)
    model, tokenizer = load(dtype=torch.bfloat16)
    prompts = {name: prompt_ids(tokenizer, name) for name in TASKS}
    rows, text = [], []
    for name, ids in prompts.items():
        end = tokenizer.eos_token_id
        rows.append({"task": name, **task(model, ids, end, new, repeats, bar)})
        text += ids + list(answer(model, ids, end, new, look=False).tokens)
    written = torch.tensor([text[: places + 64]])
    bar("rounding, bf16")
    bf16, _, flips = rounding(model, written, 64)
    exact, _ = load(dtype=torch.float32)
    bar("rounding, fp32")
    fp32, logits, _ = rounding(exact, written, 64)
    top = logits.topk(2, -1).values
    largest = float(top[:, 0].median())
    costs = []
    for dtype, each in (("bf16", model), ("fp32", exact)):
        bar(f"price, {dtype}")
        seconds = pass_seconds(each, POSITIONS, held=256, repeats=passes)
        costs += [
            {
                "positions": n,
                "ratio": found.median / seconds[1].median,
                "spread": [found.low / seconds[1].median, found.high / seconds[1].median],
                "dtype": dtype,
            }
            for n, found in seconds.items()
        ]
    bar("done")
    return {
        "machine": describe(),
        "settings": {
            "gamma": GAMMA,
            "longest": LONGEST,
            "new_tokens": new,
            "repeats": repeats,
            "weights": sum(weight.numel() for weight in model.parameters()),
        },
        "tasks": rows,
        "verification_cost": costs,
        "bf16": bf16,
        "fp32": fp32,
        "rounding": {
            "positions": len(flips),
            "model": "SmolLM2-135M bf16",
            "blocks": [1, BLOCK],
            "bins": bins((top[:, 0] - top[:, 1]).numpy(), flips.numpy()),
            # bfloat16 keeps 8 bits: between 2^k and 2^(k+1) its numbers lie 2^(k-7) apart.
            "spacing": 2.0 ** (np.floor(np.log2(abs(largest))) - 7),
            "top_logit": largest,
        },
    }


def main(argv: list[str] | None = None) -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a walk through it; needs --out")
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args(argv)
    if given.quick and given.out is None:
        parser.error("--out is needed for a quick run: it is no measurement")
    found = measure(16, 1, 24, 2) if given.quick else measure(160, 5, 600, 15)
    write(given.out or recorded.FOLDER / "smollm2.json", found)
    for row in found["tasks"]:
        print(f"{row['task']:>10}: {row['tokens_per_call']:.2f} a call, {row['speedup']:.2f} x")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
