"""Train the book's models: ``python -m training [--out FOLDER]``.

The target first, then the draft on the same plays. Then the target reads the plays, and its laws
are kept in a file (of 600 MB, not shipped): the draft learns from them once more, and so do the
counts of the table. Last comes the model card. On two cores of a plain server the whole takes a
little over an hour. A progress bar says how far it is; a run that was stopped goes on at its last
checkpoint, and a file that is there is not made again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor

from draftproof._progress import Bar
from draftproof._whole import whole
from draftproof.decode.corpus import HELD_OUT, encode, fetch_plays
from draftproof.decode.laws import window_starts, write_laws
from draftproof.decode.models import Config, Transformer
from draftproof.decode.shipped import read_model, write_table
from draftproof.decode.training import (
    Loss,
    Recipe,
    distil_loss,
    heldout_loss,
    text_loss,
    train,
)
from training.card import write_card

TARGET = Config(vocabulary=64, dim=192, layers=8, heads=6, hidden=512, context=512)
DRAFT = Config(vocabulary=64, dim=128, layers=1, heads=4, hidden=352, context=512)
RECIPES = {
    "target": Recipe(steps=4000, batch=8),
    "draft-plain": Recipe(steps=3000, batch=16, seed=1),
    "draft": Recipe(steps=12000, batch=16, matrix_rate=0.01, other_rate=1.5e-3, seed=2),
}
TV_WEIGHT = 0.8
SHIPPED = ("target.safetensors", "draft.safetensors", "table.npz")


class Losses:
    """A progress bar that says the mean loss of the last steps."""

    def __init__(self, name: str, steps: int) -> None:
        self.name, self.steps, self.mean = name, steps, 0.0
        self.bar: Bar | None = None

    def __call__(self, step: int, value: float) -> None:
        """Note a step; the first one may be that of a run that goes on."""
        if self.bar is None:
            self.bar, self.mean = Bar(self.steps, step), value
        self.mean = 0.98 * self.mean + 0.02 * value
        done = step + 1
        if done % 20 == 0 or done == self.steps:
            self.bar(f"{self.name:11} loss {self.mean:.3f}", done - self.bar.done)


def save(model: Transformer, path: Path, note: dict[str, object]) -> None:
    """Write a model as 16-bit safetensors with its shape in the header, whole or not at all."""
    weights = {
        name: weight.detach().half().contiguous() for name, weight in model.state_dict().items()
    }
    header = {"config": json.dumps(vars(model.config)), "note": json.dumps(note)}
    with whole(path) as part:
        save_file(weights, str(part), metadata=header)


class Trainer:
    """Makes one weight file after the other in a folder, from one text."""

    def __init__(self, out: Path, text: Tensor, held: Tensor) -> None:
        self.out, self.text, self.held = out, text, held

    def fit(
        self, name: str, fresh: Callable[[], Transformer], loss: Loss = text_loss
    ) -> Transformer:
        """Return the model of a file, trained first if there is no such file."""
        path = self.out / f"{name}.safetensors"
        if not path.exists():
            recipe = RECIPES[name]
            torch.manual_seed(recipe.seed)
            model = fresh()
            told = Losses(name, recipe.steps)
            train(model, self.text, recipe, loss, told, self.out / f"{name}.checkpoint")
            save(model, path, {"held_out_nats": heldout_loss(model, self.held)})
        return read_model(path)

    def laws(self, target: Transformer) -> NDArray[np.float16]:
        """Return the target's laws over the text, from their file; made first if there is none."""
        path = self.out / "laws.npy"
        if not path.exists():
            bar = Bar(len(window_starts(len(self.text), target.config.context)))
            write_laws(path, target, self.text, lambda windows: bar("target's laws", windows))
        found: NDArray[np.float16] = np.load(path, mmap_mode="r")
        return found


def main() -> None:
    """Train all three, count the table, write the sums and the card."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("_build/weights"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    plays = fetch_plays()
    text = torch.tensor(encode("".join(t for name, t in plays.items() if name not in HELD_OUT)))
    held = torch.tensor(encode("".join(plays[name] for name in HELD_OUT)))
    trainer = Trainer(out, text, held)
    target = trainer.fit("target", lambda: Transformer(TARGET))
    plain = trainer.fit("draft-plain", lambda: Transformer(DRAFT))
    laws = trainer.laws(target)
    # The second training goes on from the first one's weights.
    trainer.fit("draft", lambda: plain.requires_grad_(True), distil_loss(laws, TV_WEIGHT))
    write_table(out / "table.npz", text.numpy(), laws)
    sums = [f"{hashlib.sha256((out / n).read_bytes()).hexdigest()}  {n}\n" for n in SHIPPED]
    (out / "SHA256SUMS").write_text("".join(sums), encoding="ascii")
    write_card(out, RECIPES, text, held)


if __name__ == "__main__":
    main()
