"""The same weights under Hugging Face's assisted generation, block lengths constant for both."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from benchmarks.decode.pair import Effort, Pair
from draftproof.decode.measure import Spread, take_turns
from draftproof.decode.models import Transformer

GAMMAS = (3, 5, 8)


def llama(model: Transformer) -> Any:
    """Return a transformers Llama of the same shape with the same weights."""
    from transformers import LlamaConfig, LlamaForCausalLM

    shape = model.config
    config = LlamaConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.dim,
        intermediate_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        max_position_embeddings=shape.context,
        rms_norm_eps=1e-5,
        tie_word_embeddings=shape.tied,
        attention_bias=False,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    made = LlamaForCausalLM(config).eval()
    made.load_state_dict(dict(weights(model)))
    settings = made.generation_config
    settings.eos_token_id, settings.pad_token_id = None, 0
    return made


def weights(model: Transformer) -> Any:
    """Yield our weights under the library's names."""
    yield "model.embed_tokens.weight", model.embedding.weight
    yield "model.norm.weight", model.norm.weight
    yield "lm_head.weight", model.head.weight
    wide = model.config.head_dim
    sizes = [wide * heads for heads in (model.config.heads, *[model.config.kv_heads] * 2)]
    for i, block in enumerate(model.blocks):
        layer = f"model.layers.{i}"
        yield f"{layer}.input_layernorm.weight", block.attention_norm.weight
        yield f"{layer}.post_attention_layernorm.weight", block.feed_norm.weight
        for name, part in zip("qkv", block.qkv.weight.split(sizes), strict=True):
            yield f"{layer}.self_attn.{name}_proj.weight", part
        yield f"{layer}.self_attn.o_proj.weight", block.out.weight
        gate, up = block.gate_up.weight.chunk(2)
        yield f"{layer}.mlp.gate_proj.weight", gate
        yield f"{layer}.mlp.up_proj.weight", up
        yield f"{layer}.mlp.down_proj.weight", block.down.weight


@torch.inference_mode()
def difference(ours: Transformer, theirs: Any, tokens: list[int]) -> float:
    """Return the largest difference of logits."""
    row = torch.tensor([tokens])
    return float((ours(row) - theirs(row).logits).abs().max())


def runs(effort: Effort) -> int:
    """Return how many runs `compare` times."""
    return 2 * (1 + len(GAMMAS)) * effort.repeats


def compare(pair: Pair, effort: Effort, tick: Callable[[str], None]) -> dict[str, Any] | None:
    """Time both on identical weights; None without the library.

    Raises
    ------
    RuntimeError
        If logits differ: then the weights are not identical.
    """
    try:
        version = importlib.metadata.version("transformers")
        target, draft = llama(pair.target), llama(pair.models["distilled"])
    except ImportError:
        return None
    apart = max(
        difference(pair.target, target, pair.prompts[0]),
        difference(pair.models["distilled"], draft, pair.prompts[0]),
    )
    if apart > 1e-3:
        raise RuntimeError(f"the copied weights give other logits: {apart}")
    settings = draft.generation_config
    settings.num_assistant_tokens_schedule = "constant"
    settings.assistant_confidence_threshold = 0.0
    calls = {"theirs": 0}
    target.register_forward_hook(lambda *_: calls.update(theirs=calls["theirs"] + 1))
    made: dict[str, list[int]] = {}

    def theirs(repeat: int, gamma: int = 0) -> None:
        torch.manual_seed(repeat)
        row = torch.tensor([pair.prompts[repeat % len(pair.prompts)]])
        calls["theirs"], settings.num_assistant_tokens = 0, gamma
        text = target.generate(
            row,
            attention_mask=torch.ones_like(row),
            do_sample=True,
            temperature=1.0,
            top_k=0,
            max_new_tokens=effort.new_tokens,
            **({"assistant_model": draft} if gamma else {}),
        )
        if text.shape[1] - row.shape[1] != effort.new_tokens:
            raise RuntimeError("the library made another number of tokens")
        made.setdefault(f"theirs, {gamma}", []).append(calls["theirs"])

    def ours(repeat: int, gamma: int = 0) -> None:
        text = pair.write(
            pair.prompts[repeat % len(pair.prompts)],
            effort.new_tokens,
            drafter=pair.drafters["distilled"]() if gamma else None,
            gamma=max(1, gamma),
            seed=repeat,
        )
        made.setdefault(f"ours, {gamma}", []).append(text.counters.target_calls)

    turns: dict[str, Callable[[int], None]] = {}
    for gamma in (0, *GAMMAS):
        turns[f"ours, {gamma}"] = partial(ours, gamma=gamma)
        turns[f"theirs, {gamma}"] = partial(theirs, gamma=gamma)
    take_turns(turns, 1)  # warm up
    made.clear()
    seconds = take_turns(turns, effort.repeats, tick)
    total = {name: sum(found) for name, found in seconds.items()}
    fastest = {
        side: min(GAMMAS, key=lambda g: total[f"{side}, {g}"]) for side in ("ours", "theirs")
    }

    def over(first: str, second: str) -> float:
        """Return how many times as fast the first is, all repeats together."""
        return total[second] / total[first]

    def spread(first: str, second: str) -> list[float]:
        """Return the quartiles of that, repeat by repeat."""
        both = zip(seconds[first], seconds[second], strict=True)
        found = Spread.of([b / a for a, b in both])
        return [found.low, found.high]

    best = {side: f"{side}, {gamma}" for side, gamma in fastest.items()}
    tokens = effort.repeats * effort.new_tokens
    return {
        "ours_over_assisted": over(best["ours"], best["theirs"]),
        "spread": spread(best["ours"], best["theirs"]),
        "ours_plain_over_hf_plain": over("ours, 0", "theirs, 0"),
        "plain_spread": spread("ours, 0", "theirs, 0"),
        "assisted_over_hf_plain": over(best["theirs"], "theirs, 0"),
        "tokens_per_call_ours": tokens / sum(made[best["ours"]]),
        "tokens_per_call_hf": tokens / sum(made[best["theirs"]]),
        "largest_logit_difference": apart,
        "seconds": {name: Spread.of(found).median for name, found in seconds.items()},
        "gamma_ours": fastest["ours"],
        "gamma_hf": fastest["theirs"],
        "by_gamma": [{"gamma": g, "ratio": over(f"ours, {g}", f"theirs, {g}")} for g in GAMMAS],
        "new_tokens": effort.new_tokens,
        "repeats": effort.repeats,
        "versions": {"transformers": version, "torch": torch.__version__},
    }
