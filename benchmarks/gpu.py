"""Check and time decoding on a GPU: ``python -m benchmarks.gpu [--device cuda] [--minutes 7.5]``.

Exactness first: on the device and in float32 the loop writes the greedy text of plain decoding for
every block length, with and without CUDA graphs, and the batched rule passes an audit. Then prices:
a pass over 1..17 positions, for shapes of 135 million to 8 billion parameters and batches of
1..64, and plain steps against rounds of drafting and verification. The large shapes carry random
weights: their timing does not depend on the values, their acceptance does and is not reported.

Each timing is the median over runs between two events of the device, after ten runs to warm up.
The result is written after every part, so that a run that ends early keeps what it has.
``--device cpu --tiny`` walks through the whole script without a GPU in a few seconds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy import stats
from torch import Tensor

from benchmarks.files import write
from benchmarks.onetoken import machine
from draftproof import recorded
from draftproof.decode.drafters import ModelDrafter
from draftproof.decode.graphs import StaticModel
from draftproof.decode.loop import generate
from draftproof.decode.models import Config, Transformer
from draftproof.decode.scorer import check_device
from draftproof.decode.shipped import load_draft, load_target
from draftproof.decode.verify import rejection_sample

RESULT = recorded.FOLDER / "gpu.json"
WARM = 10
CONTEXT = 512
SHAPES = {  # embeddings included; the first three are SmolLM2's shapes, the last is Llama 3's
    "135M": Config(49_152, 576, 30, 9, 1536, CONTEXT, kv_heads=3, tied=True),
    "360M": Config(49_152, 960, 32, 15, 2560, CONTEXT, kv_heads=5, tied=True),
    "1.7B": Config(49_152, 2048, 24, 32, 8192, CONTEXT, tied=True),
    "8B": Config(128_256, 4096, 32, 32, 14_336, CONTEXT, kv_heads=8),
}
PAIRS = (("360M", "135M"), ("1.7B", "135M"), ("8B", "135M"))
POSITIONS = (1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 17)
BATCHES = (1, 2, 4, 8, 16, 32, 64)
TINY = {
    "tiny": Config(50, 16, 1, 2, 24, CONTEXT, kv_heads=1, tied=True),
    "small": Config(50, 32, 2, 2, 48, CONTEXT),
}


class Clock:
    """The time that is left, and how a run on the device is timed."""

    def __init__(self, device: torch.device, minutes: float) -> None:
        self.device, self.end = device, time.monotonic() + 60 * minutes

    @property
    def over(self) -> bool:
        return time.monotonic() > self.end

    def median(self, run: Callable[[], object], repeats: int = 20) -> float:
        """Return the median seconds of a run."""
        for _ in range(WARM):
            run()
        if self.device.type != "cuda":
            return statistics.median(_seconds(run) for _ in range(repeats))
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(2 * repeats)]
        torch.cuda.synchronize()
        for start, stop in zip(marks[::2], marks[1::2], strict=True):
            start.record()
            run()
            stop.record()
        torch.cuda.synchronize()
        pairs = zip(marks[::2], marks[1::2], strict=True)
        return statistics.median(start.elapsed_time(stop) / 1e3 for start, stop in pairs)


def _seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


class Result:
    """What was found so far, on disk after every part."""

    def __init__(self, path: Path, content: dict[str, Any]) -> None:
        self.path, self.content = path, content

    def keep(self, **parts: Any) -> None:
        """Add parts and write the whole, all or nothing."""
        self.content.update(parts)
        write(self.path, self.content)


@contextmanager
def full_precision() -> Iterator[None]:
    """Multiply float32 matrices as float32, not as TF32."""
    flags = torch.backends.cuda.matmul, torch.backends.cudnn
    before = [flag.allow_tf32 for flag in flags]
    for flag in flags:
        flag.allow_tf32 = False
    yield
    for flag, value in zip(flags, before, strict=True):
        flag.allow_tf32 = value


def build(config: Config, device: torch.device, dtype: torch.dtype) -> Transformer:
    """Return a model with random weights, made on the device in its final type."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.device(device):
            made = Transformer(config)
    finally:
        torch.set_default_dtype(before)
    return made.to(dtype).eval().requires_grad_(False)


def pair(device: torch.device, tiny: bool) -> tuple[str, Transformer, Transformer]:
    """Return the name, target and draft of the shipped pair, or of a tiny one for a walk."""
    if not tiny:
        return "shipped", load_target(device=device), load_draft(device=device)
    made = [build(TINY[name], device, torch.float32) for name in ("small", "tiny")]
    torch.nn.init.normal_(made[0].head.weight, std=0.5)
    return "tiny", made[0], made[1]


def exactness(
    device: torch.device, gammas: range, new: int, draws: int, tiny: bool
) -> dict[str, Any]:
    """Return what was checked on the device, in float32 with TF32 off."""
    name, target, draft = pair(device, tiny)
    chooser = torch.Generator().manual_seed(0)
    prompts = torch.randint(50, (3, 16), generator=chooser).tolist()

    def text(model: Any, drafter: ModelDrafter | None, gamma: int = 1) -> Any:
        made = generate(
            model,
            prompts,
            drafter=drafter,
            gamma=gamma,
            temperature=0,
            max_new_tokens=new,
            generator=torch.Generator().manual_seed(0),
        )
        return made.rows

    with full_precision():
        plain = text(target, None)
        found: dict[str, Any] = {"pair": name, "new_tokens": new, "prompts": len(prompts)}
        static = StaticModel(target), StaticModel(draft)
        for way, (model, guesser) in {"plain shapes": (target, draft), "graphs": static}.items():
            drafter = ModelDrafter(guesser)
            found[way] = {str(gamma): text(model, drafter, gamma) == plain for gamma in gammas}
        found["largest logit difference of graphs"] = _difference(target, static[0])
        found["rule"] = audit_rule(device, draws)
    return found


@torch.inference_mode()
def _difference(model: Transformer, static: StaticModel) -> float:
    """Return how far logits of fixed shapes lie from those of plain ones, over several passes."""
    chooser = torch.Generator().manual_seed(1)
    caches, most = (model.new_cache(2), static.new_cache(2)), 0.0
    for new, kept in ((9, 7), (1, 8), (5, 10), (5, 15), (1, 16)):
        tokens = torch.randint(model.vocabulary_size, (2, new), generator=chooser)
        tokens = tokens.to(model.device)
        a, b = (m(tokens, cache) for m, cache in zip((model, static), caches, strict=True))
        most = max(most, float((a - b).abs().max()))
        for cache in caches:
            cache.rollback([kept, kept - 1])
    return most


def audit_rule(device: torch.device, draws: int, size: int = 50, gamma: int = 3) -> dict[str, Any]:
    """Audit the batched rule on the device: the first token's law, and a second machine's word."""
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(size) / 2, gamma + 1), rng.dirichlet(np.ones(size) / 2, gamma)
    u = torch.from_numpy(rng.random((draws, gamma + 1)))
    drafts = torch.from_numpy(
        np.stack([rng.choice(size, draws, p=law) for law in q], 1).astype(np.int64)
    )
    laws = [torch.from_numpy(law).expand(draws, -1, -1) for law in (q, p)]
    there = [x.to(device) for x in (drafts, *laws, u)]
    made, _ = rejection_sample(*there[:3], None, there[3])
    here, _ = rejection_sample(drafts, *laws, None, u)
    counts = np.bincount(made[:, 0].cpu().numpy(), minlength=size)
    keep = p[0] * draws >= 5  # pool the rare tokens: a chi-square test needs five of each
    seen = np.append(counts[keep], counts[~keep].sum())
    wanted = np.append(p[0][keep], p[0][~keep].sum()) * draws
    known = wanted > 0
    return {
        "draws": draws,
        "p_value": float(stats.chisquare(seen[known], wanted[known]).pvalue),
        "same_as_cpu": float((made.cpu() == here).all(1).double().mean()),
    }


def tokens_of(model: StaticModel, batch: int, count: int) -> Tensor:
    """Return random tokens on the device."""
    return torch.randint(model.vocabulary_size, (batch, count), device=model.device)


@torch.inference_mode()
def pass_seconds(
    model: StaticModel, clock: Clock, batch: int, positions: tuple[int, ...], held: int
) -> dict[str, float]:
    """Return the seconds of a pass by its positions, over caches that hold `held` tokens."""
    cache = model.new_cache(batch)
    model(tokens_of(model, batch, held), cache)
    found = {}
    for count in positions:
        tokens = tokens_of(model, batch, count)

        def run(tokens: Tensor = tokens) -> None:
            model(tokens, cache)
            cache.rollback([held] * batch)

        found[str(count)] = clock.median(run)
    return found


def prices(
    shapes: dict[str, Config], clock: Clock, result: Result, held: int, dtype: torch.dtype
) -> None:
    """Time passes of every shape, batch and length, until the time is over."""
    rows: list[dict[str, Any]] = []
    for name, config in shapes.items():
        try:
            model = build(config, clock.device, dtype)
            count = sum(weight.numel() for weight in model.parameters())
            for batch in BATCHES:
                if clock.over:
                    return
                static = StaticModel(model, held + max(POSITIONS))
                seconds = pass_seconds(static, clock, batch, POSITIONS, held)
                ratio = {key: value / seconds["1"] for key, value in seconds.items()}
                row = {"shape": name, "parameters": count, "batch": batch, "held": held}
                rows.append(row | {"seconds": seconds, "ratio": ratio})
                result.keep(verification_cost=rows)
                say(f"{name} batch {batch}: 5 positions cost {ratio['5']:.2f} of one")
        except torch.OutOfMemoryError:
            result.keep(skipped=[*result.content.get("skipped", []), f"{name}: no memory"])
        finally:
            model = static = None  # type: ignore[assignment]
            if clock.device.type == "cuda":
                torch.cuda.empty_cache()


@torch.inference_mode()
def rounds(
    shapes: dict[str, Config],
    pairs: tuple[tuple[str, str], ...],
    clock: Clock,
    result: Result,
    held: int,
    dtype: torch.dtype,
) -> None:
    """Time a plain step against a round: gamma draft steps and one verification.

    ``break_even`` is how many tokens a round must make to be as fast as plain decoding; what it
    does make depends on trained weights.
    """
    rows: list[dict[str, Any]] = []
    for big, small in pairs:
        try:
            models = [build(shapes[name], clock.device, dtype) for name in (big, small)]
            for batch in BATCHES[::3]:
                if clock.over:
                    return
                target, draft = (StaticModel(model, held + 32) for model in models)
                for gamma in (1, 3, 5, 8):
                    rows.append(
                        {"target": big, "draft": small, "batch": batch, "gamma": gamma}
                        | _round(target, draft, clock, batch, gamma, held)
                    )
                result.keep(rounds=rows)
                say(f"{big} with {small}, batch {batch}: break-even {rows[-1]['break_even']:.2f}")
        except torch.OutOfMemoryError:
            result.keep(skipped=[*result.content.get("skipped", []), f"{big}+{small}: no memory"])
        finally:
            models = target = draft = None  # type: ignore[assignment]
            if clock.device.type == "cuda":
                torch.cuda.empty_cache()


def _round(
    target: StaticModel, draft: StaticModel, clock: Clock, batch: int, gamma: int, held: int
) -> dict[str, float]:
    caches = [model.new_cache(batch) for model in (target, draft)]
    for model, cache in zip((target, draft), caches, strict=True):
        model(tokens_of(model, batch, held), cache)
    u = torch.rand(batch, gamma + 1, dtype=torch.float64, device=clock.device)
    start = tokens_of(draft, batch, 1)

    def back() -> None:
        for cache in caches:
            cache.rollback([held] * batch)

    def plain() -> None:
        law = target(start, caches[0])[:, -1:].float().softmax(-1)
        rejection_sample(start[:, :0], None, law, None, u[:, :1])
        back()

    def speculative() -> None:
        tokens, laws = [start], []
        for _ in range(gamma):
            laws.append(draft(tokens[-1], caches[1])[:, -1:].float().softmax(-1))
            tokens.append(laws[-1].argmax(-1))
        drafts = torch.cat(tokens, 1)
        p = target(drafts.clamp_max(target.vocabulary_size - 1), caches[0]).float().softmax(-1)
        q = torch.cat(laws, 1)
        q = torch.nn.functional.pad(q, (0, p.shape[-1] - q.shape[-1]))
        rejection_sample(drafts[:, 1:], q, p, None, u)
        back()

    step, whole = clock.median(plain), clock.median(speculative)
    return {"plain_step": step, "round": whole, "break_even": whole / step}


def decoding(clock: Clock, result: Result, new: int, dtype: torch.dtype, tiny: bool) -> None:
    """Time whole texts of the pair, plain and speculative in turn."""
    name, target, draft = pair(clock.device, tiny)
    target, draft = target.to(dtype), draft.to(dtype)
    ways = {"plain shapes": (target, draft), "graphs": (StaticModel(target), StaticModel(draft))}
    rows = []
    for way, (model, guesser) in ways.items():
        for batch in BATCHES[::3]:
            if clock.over:
                return
            for gamma in (1, 3, 5, 8):
                rows.append(
                    {"pair": name, "shapes": way, "batch": batch, "gamma": gamma}
                    | _texts(model, guesser, clock, batch, gamma, new)
                )
            result.keep(decoding=rows)


def _texts(
    model: Any, guesser: Any, clock: Clock, batch: int, gamma: int, new: int
) -> dict[str, Any]:
    prompts = torch.randint(50, (batch, 32), generator=torch.Generator().manual_seed(2)).tolist()
    seconds: dict[str, list[float]] = {"plain": [], "speculative": []}
    made = None
    for repeat in range(4):
        for kind, drafter in (("plain", None), ("speculative", ModelDrafter(guesser))):
            if clock.device.type == "cuda":
                torch.cuda.synchronize()
            started = time.perf_counter()
            made = generate(
                model,
                prompts,
                drafter=drafter,
                gamma=gamma,
                max_new_tokens=new,
                generator=torch.Generator().manual_seed(repeat),
            )
            if repeat:  # the first records the graphs
                seconds[kind].append(time.perf_counter() - started)
    middle = {kind: statistics.median(found) for kind, found in seconds.items()}
    return {
        "plain_tokens_per_second": batch * new / middle["plain"],
        "speculative_tokens_per_second": batch * new / middle["speculative"],
        "speedup": middle["plain"] / middle["speculative"],
        "tokens_per_call": made.counters.accept_length,
    }


def say(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)


def describe(device: torch.device) -> dict[str, Any]:
    """Return what the numbers depend on."""
    found = machine() | {"device": str(device), "torch": torch.__version__}
    if device.type == "cuda":
        about = torch.cuda.get_device_properties(device)
        found |= {
            "gpu": about.name,
            "gpu_memory_gib": round(about.total_memory / 2**30, 1),
            "cuda": torch.version.cuda,
            "capability": f"{about.major}.{about.minor}",
        }
    return found


def main(argv: list[str] | None = None) -> int:
    """Run every part, or say that there is no such device."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--minutes", type=float, default=7.5, help="no new part starts after that")
    parser.add_argument(
        "--tiny", action="store_true", help="tiny shapes: a walk through the script"
    )
    parser.add_argument("--out", type=Path, help=f"default {RESULT}")
    given = parser.parse_args(argv)
    if not given.minutes >= 0:
        parser.error(f"--minutes must be at least 0, got {given.minutes:g}")
    if given.device.startswith("cuda") and not torch.cuda.is_available():
        print("no GPU found: nothing measured (--device cpu --tiny walks through the script)")
        return 1
    try:
        device = check_device(given.device, "--device")
    except ValueError as error:
        parser.error(str(error))
    if given.out is None and (given.tiny or device.type != "cuda"):
        parser.error("--out is needed for a run that is not the real one on a GPU")
    torch.manual_seed(0)
    clock = Clock(device, given.minutes)
    shapes, pairs = (TINY, (("small", "tiny"),)) if given.tiny else (SHAPES, PAIRS)
    new, held = (12, 8) if given.tiny else (200, 256)
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    content = {
        "machine": describe(device),
        "settings": {"dtype": str(dtype), "held": held, "warm": WARM, "tiny": given.tiny},
        "complete": False,
    }
    result = Result(given.out or RESULT, content)
    gammas = range(1, 9, 3) if given.tiny else range(1, 9)
    draws = 20_000 if given.tiny else 1_000_000
    result.keep(exactness=exactness(device, gammas, new, draws, given.tiny))
    decoding(clock, result, new, dtype, given.tiny)
    prices(shapes, clock, result, held, dtype)
    rounds(shapes, pairs, clock, result, held, dtype)
    result.keep(complete=not clock.over)
    cut = "" if content["complete"] else " (not complete: the time was up)"
    print(f"written: {result.path}{cut}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
