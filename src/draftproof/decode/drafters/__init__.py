"""Where guesses come from: a small model, a table of counts, the text itself, or the target.

Every drafter runs under the same loop: it is started with the prompts, proposes, and is told how
much of its proposal was kept.
"""

from draftproof.decode.drafters.base import Draft, Drafter
from draftproof.decode.drafters.lookup import PromptLookup, ngram_propose
from draftproof.decode.drafters.model import ModelDrafter
from draftproof.decode.drafters.table import NgramTable, TableDrafter

__all__ = [
    "Draft",
    "Drafter",
    "ModelDrafter",
    "NgramTable",
    "PromptLookup",
    "TableDrafter",
    "ngram_propose",
]
