"""The models that are timed, the openings they go on from, and how much is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from draftproof.decode.corpus import encode
from draftproof.decode.drafters import Drafter, ModelDrafter, PromptLookup, TableDrafter
from draftproof.decode.loop import Generation, generate
from draftproof.decode.models import Transformer
from draftproof.decode.prompts import PROMPTS
from draftproof.decode.shipped import load_draft, load_table, load_target, read_model


@dataclass(frozen=True)
class Effort:
    """How much is done: a full run, or a quick one that finds a broken script."""

    repeats: int = 12
    new_tokens: int = 200
    parts_every: int = 2
    passes: int = 6
    held: int = 128
    texts: int = 64
    text_tokens: int = 256
    seeds: int = 4000
    batch_repeats: int = 3
    batch_tokens: int = 100
    gammas: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)
    batches: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64)


QUICK = Effort(
    repeats=2,
    new_tokens=24,
    passes=1,
    held=32,
    texts=8,
    text_tokens=24,
    seeds=200,
    batch_repeats=1,
    batch_tokens=8,
    gammas=(1, 3, 5),
    batches=(1, 4),
)


@dataclass(frozen=True)
class Pair:
    """A target, everything that drafts for it, and prompts of one length."""

    target: Transformer
    models: dict[str, Transformer]
    tables: dict[str, Any]
    prompts: list[list[int]] = field(default_factory=list)

    @property
    def drafters(self) -> dict[str, Callable[[], Drafter]]:
        """Name -> maker, models first."""
        made: dict[str, Callable[[], Drafter]] = {
            name: lambda model=model: ModelDrafter(model) for name, model in self.models.items()
        }
        for name, table in self.tables.items():
            # One drafter for all runs, as a reader would keep it: it remembers the laws it met.
            drafter = TableDrafter(table)
            made[name] = lambda drafter=drafter: drafter
        made["lookup"] = PromptLookup
        made["target"] = lambda: ModelDrafter(self.target)
        return made

    def write(
        self,
        prompts: Any,
        new: int,
        *,
        drafter: Drafter | None = None,
        gamma: int = 1,
        temperature: float = 1.0,
        seed: int = 0,
    ) -> Generation:
        """Generate with the target."""
        return generate(
            self.target,
            prompts,
            drafter=drafter,
            gamma=gamma,
            temperature=temperature,
            max_new_tokens=new,
            generator=torch.Generator().manual_seed(seed),
        )


def openings() -> list[list[int]]:
    """Return the book's prompts, each cut at its front to the length of the shortest."""
    whole = [encode(text) for text in PROMPTS.values()]
    shortest = min(map(len, whole))
    return [tokens[-shortest:] for tokens in whole]


def shipped(plain_draft: Path | None) -> Pair:
    """Return the package's models; the draft before its distillation too, if its file is there."""
    models = {"distilled": load_draft()}
    if plain_draft is not None and plain_draft.exists():
        models["plain draft"] = read_model(plain_draft)
    tables = {f"{order}-gram": load_table(order) for order in (3, 4, 5)}
    return Pair(load_target(), models, tables, openings())
