"""Decoding in torch: the only part of the package that needs it (the extra ``[decode]``).

`generate` runs the loop of chapter 2 with a real model, a cache and a drafter;
`rejection_sample` is its batched acceptance.
"""

from draftproof.decode.cache import Cache
from draftproof.decode.drafters import (
    Draft,
    Drafter,
    ModelDrafter,
    NgramTable,
    PromptLookup,
    TableDrafter,
    ngram_propose,
)
from draftproof.decode.loop import Generation, Round, generate
from draftproof.decode.models import Config, Transformer
from draftproof.decode.one_token import accept_or_correct
from draftproof.decode.verify import rejection_sample
from draftproof.decode.warp import Warp

__all__ = [
    "Cache",
    "Config",
    "Draft",
    "Drafter",
    "Generation",
    "ModelDrafter",
    "NgramTable",
    "PromptLookup",
    "Round",
    "TableDrafter",
    "Transformer",
    "Warp",
    "accept_or_correct",
    "generate",
    "ngram_propose",
    "rejection_sample",
]
