"""What the tests decode with: models of a few thousand weights, and seeded generators."""

from __future__ import annotations

import torch

from draftproof.decode.models import Config, Transformer

SIZE = 5


def model(seed, size=SIZE, *, dim=16, layers=1, context=64, kv_heads=0, head=0.6):
    """A model whose laws are far from uniform and far from certain.

    Training starts the head at zero, which would hide faults: it is drawn with a spread of `head`.
    """
    torch.manual_seed(seed)
    made = Transformer(Config(size, dim, layers, 2, 24, context, kv_heads)).double().eval()
    for weight, std in ((made.head.weight, head), (made.embedding.weight, 0.6)):
        torch.nn.init.normal_(weight, std=std)
    return made


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def text(length=300):
    """Tokens of any kind, one after another."""
    return torch.randint(SIZE, (length,), generator=seeded(9)).numpy()


class Answers:
    """A drafter that gives one answer, whatever it is asked."""

    def __init__(self, answer):
        self.answer = answer

    def start(self, *_):
        pass

    def propose(self, *_):
        return self.answer

    def accept(self, *_):
        pass
