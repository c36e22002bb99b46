"""Train the book's pair of models: ``python -m training [--out FOLDER]``.

The target first, then the draft on the same plays, then the draft once more on the target's laws.
On two cores of a plain server the whole takes about an hour; a progress bar says how far it is,
and a run that was stopped goes on where its last checkpoint was.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import torch
from safetensors.torch import save_file

from draftproof.decode.corpus import HELD_OUT, encode, fetch_plays
from draftproof.decode.models import Config, Transformer
from draftproof.decode.training import Recipe, distil_loss, heldout_loss, text_loss, train

TARGET = Config(vocabulary=64, dim=192, layers=8, heads=6, hidden=512, context=512)
DRAFT = Config(vocabulary=64, dim=128, layers=1, heads=4, hidden=352, context=512)
RECIPES = {
    "target": Recipe(steps=4000, batch=8),
    "draft": Recipe(steps=3000, batch=16, seed=1),
    "distilled": Recipe(steps=2400, batch=8, matrix_rate=0.01, other_rate=1.5e-3, seed=2),
}
TV_WEIGHT = 0.8


class Bar:
    """One line on stderr: share done, mean loss of the last steps, time left."""

    def __init__(self, name: str, steps: int) -> None:
        self.name, self.steps, self.started, self.mean = name, steps, time.time(), 0.0

    def __call__(self, step: int, value: float) -> None:
        """Note a step."""
        self.mean = value if step == 0 else 0.98 * self.mean + 0.02 * value
        if (step + 1) % 20 and step + 1 < self.steps:
            return
        share = (step + 1) / self.steps
        left = (time.time() - self.started) * (1 / share - 1)
        bar = "#" * int(30 * share)
        text = f"\r{self.name:9} [{bar:<30}] {share:4.0%}  loss {self.mean:.3f}"
        print(
            f"{text}  {left / 60:.0f} min left ",
            end="\n" if share == 1 else "",
            file=sys.stderr,
            flush=True,
        )


def save(model: Transformer, path: Path, note: dict[str, object]) -> None:
    """Write a model as 16-bit safetensors with its shape in the header, whole or not at all."""
    weights = {
        name: weight.detach().half().contiguous() for name, weight in model.state_dict().items()
    }
    header = {"config": json.dumps(vars(model.config)), "note": json.dumps(note)}
    part = path.with_suffix(".part")
    save_file(weights, str(part), metadata=header)
    part.replace(path)


def main() -> None:
    """Train all three and write two weight files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("src/draftproof/decode/weights"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    plays = fetch_plays()
    text = torch.tensor(encode("".join(t for name, t in plays.items() if name not in HELD_OUT)))
    held = torch.tensor(encode("".join(plays[name] for name in HELD_OUT)))

    def fit(name: str, model: Transformer, loss=text_loss) -> float:
        recipe = RECIPES[name]
        train(model, text, recipe, loss, Bar(name, recipe.steps), out / f"{name}.checkpoint")
        value = heldout_loss(model, held)
        print(f"{name}: held-out loss {value:.4f} nats a character", file=sys.stderr)
        return value

    torch.manual_seed(0)
    target = Transformer(TARGET)
    save(target, out / "target.safetensors", {"held_out_nats": fit("target", target)})
    torch.manual_seed(1)
    draft = Transformer(DRAFT)
    before = fit("draft", draft)
    save(draft, out / "draft-plain.safetensors", {"held_out_nats": before})
    after = fit("distilled", draft, distil_loss(target, TV_WEIGHT))
    save(draft, out / "draft.safetensors", {"held_out_nats": after})


if __name__ == "__main__":
    main()
