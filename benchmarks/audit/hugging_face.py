"""Hugging Face transformers: the verification function, and `generate` as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks.audit.cases import TOKENS, Case, standard
from benchmarks.audit.forms import LOGITS
from benchmarks.audit.tiny import model_law, spread, warp


def hf_verify(
    draft: torch.Tensor, q: torch.Tensor, p: torch.Tensor, weight: float | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Call `_speculative_sampling` for each row."""
    from transformers.generation.utils import _speculative_sampling as verify

    gamma = draft.shape[1]
    accepted = torch.empty(len(draft), dtype=torch.long)
    following = torch.empty(len(draft), dtype=torch.long)
    extra = {} if weight is None else {"assistant_ensemble_weight": weight}
    for i in range(len(draft)):
        tokens, kept = verify(draft[i : i + 1], q[i : i + 1], gamma, p[i : i + 1], **extra)
        accepted[i], following[i] = kept, tokens[0, -1]
    return accepted, following


def hf_cases() -> Iterator[Case]:
    """Yield the audits of transformers' verification function."""
    name, function = "transformers", "generation.utils._speculative_sampling"
    yield from standard(name, function, hf_verify, 10_000, LOGITS)
    form = {"float32 logits": LOGITS["float32 logits"]}
    for weight in (1.0, 0.5):
        verify, called = (
            partial(hf_verify, weight=weight),
            f"{function}(assistant_ensemble_weight={weight:g})",
        )
        lossy = {"claimed": "lossy", "note": "documented to relax the law; audited against p"}
        for case in standard(name, called, verify, 10_000, form, (), ("three tokens",)):
            yield case if weight == 1 else replace(case, **lossy)


def _llama(seed: int) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=TOKENS, hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=64,
        bos_token_id=None, eos_token_id=None, pad_token_id=None,
    )  # fmt: skip
    return spread(LlamaForCausalLM(config), seed, 0.35)


def _gemma() -> tuple[Any, Any]:
    from transformers import (
        Gemma4AssistantConfig,
        Gemma4AssistantForCausalLM,
        Gemma4ForCausalLM,
        Gemma4TextConfig,
    )

    def text(shared: int) -> Any:
        return Gemma4TextConfig(
            num_hidden_layers=2, layer_types=["sliding_attention", "full_attention"],
            num_kv_shared_layers=shared, vocab_size=TOKENS, hidden_size=16, intermediate_size=16,
            num_attention_heads=2, num_key_value_heads=1, head_dim=8, global_head_dim=8,
            hidden_size_per_layer_input=0, vocab_size_per_layer_input=0, enable_moe_block=False,
            use_double_wide_mlp=False, sliding_window=32, max_position_embeddings=64,
            bos_token_id=None, eos_token_id=None, pad_token_id=None,
        )  # fmt: skip

    target = spread(Gemma4ForCausalLM(text(0)), 3, 0.25)
    config = Gemma4AssistantConfig(text_config=text(2), backbone_hidden_size=16)
    assistant = spread(Gemma4AssistantForCausalLM(config), 4, 0.25)
    assistant.generation_config.num_assistant_tokens = 2
    return target, assistant


def _generate(model: Any, prompt: list[int], length: int, options: dict[str, Any]) -> Any:
    ids = torch.tensor([prompt])

    def sampler(n: int, rng: np.random.Generator) -> Any:
        torch.manual_seed(int(rng.integers(2**31)))
        plain = {"do_sample": True, "max_new_tokens": length, "top_k": 0, "top_p": 1.0} | options
        made = [model.generate(ids, **plain)[0, len(prompt) :] for _ in range(n)]
        return torch.stack(made)

    return sampler


def generate_cases() -> Iterator[Case]:
    """Yield the audits of transformers' `generate` as a whole, on tiny random models."""
    target, assistant = _llama(1), _llama(2)
    assistant.generation_config.num_assistant_tokens = 2
    plain = partial(warp, 1.0, TOKENS)
    prompt = [0, 1, 0, 1, 0]
    settings: list[tuple[str, Any, dict[str, Any], Any]] = [
        ("plain sampling, no assistant", target, {}, plain),
        ("assistant_model", target, {"assistant_model": assistant}, plain),
        (
            "assistant_model, temperature 0.5, top_k 2",
            target,
            {"assistant_model": assistant, "temperature": 0.5, "top_k": 2},
            partial(warp, 0.5, 2),
        ),
        ("assistant_model = the target", target, {"assistant_model": target}, plain),
        ("prompt_lookup_num_tokens=2", target, {"prompt_lookup_num_tokens": 2}, plain),
    ]
    gemma, helper = _gemma()
    settings += [
        ("Gemma 4, plain sampling, no assistant", gemma, {}, plain),
        ("Gemma 4 and a Gemma 4 assistant", gemma, {"assistant_model": helper}, plain),
    ]
    for words, model, options, warped in settings:
        about = f"generate(do_sample=True), {words}; three tokens drawn, tiny random models"
        law = model_law(model, prompt, 3, warped)
        note = (
            "the assistant drafts its argmax, yet q is taken as its softmax"
            if "and a" in words
            else ""
        )
        sampler = _generate(model, prompt, 3, options)
        yield Case("transformers", "generate", about, law, 2000, sampler, "exact", note)
