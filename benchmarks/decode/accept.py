"""Where drafts are accepted: by position, by context, by temperature, on the target's own text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.decode.pair import Effort, Pair
from draftproof.decode.corpus import decode
from draftproof.decode.measure import Overlaps, Share, overlaps
from draftproof.decode.warp import Warp

TEMPERATURES = (0, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3)
LONGEST = 8


def own_texts(pair: Pair, effort: Effort, temperature: float = 1.0) -> tuple[Any, Any]:
    """Return prompts and what the target writes after them."""
    prompts = [pair.prompts[i % len(pair.prompts)] for i in range(effort.texts)]
    made = pair.write(prompts, effort.text_tokens, temperature=temperature, seed=1)
    return prompts, made.rows


def alphas(
    pair: Pair, effort: Effort, tick: Callable[[str], None]
) -> tuple[dict[tuple[str, float], float], dict[str, Any]]:
    """Return alpha by drafter and temperature for `rows`, and the result's part on acceptance."""
    prompts, texts = own_texts(pair, effort)
    found: dict[tuple[str, float], float] = {}
    part: dict[str, Any] = {}
    for name, make in pair.drafters.items():
        beside = overlaps(pair.target, make(), prompts, texts)
        found[name, 1.0] = beside.alpha.value
        tick(f"alpha, {name}")
        if name == "distilled":
            part = places(beside, prompts, texts)
        part.setdefault("computed_tokens_per_call", {})[name] = [
            [gamma, beside.tokens_per_call(gamma)] for gamma in effort.gammas
        ]
    for heat in (0.0, 0.5):
        own = own_texts(pair, effort, heat)
        for name in ("distilled", "4-gram", "lookup"):
            beside = overlaps(pair.target, pair.drafters[name](), *own, Warp(heat))
            found[name, heat] = beside.alpha.value
        tick(f"alpha at T = {heat:g}")
    part["by_temperature"] = by_temperature(pair, prompts, texts, tick)
    return found, part


def places(beside: Overlaps, prompts: Any, texts: Any) -> dict[str, Any]:
    """Return alpha by position in a block and by the kind of the next character."""
    both = zip(prompts, texts, strict=True)
    kinds = np.array([kinds_of(decode(prompt), decode(list(text))) for prompt, text in both])
    return {
        "setting": {"drafter": "distilled", "gamma": LONGEST, "temperature": 1.0},
        "by_position": [
            [k, *_row(share)] for k, share in enumerate(beside.by_position(LONGEST), start=1)
        ],
        "by_context": [
            [str(kind), *_row(beside.where(kinds == kind))] for kind in np.unique(kinds)
        ],
        "overall": _row(beside.alpha),
    }


def _row(share: Share) -> list[float]:
    return [share.value, *share.interval, share.weight]


def kinds_of(prompt: str, text: str) -> list[str]:
    """Name what each character of a text is, from itself and the line before it."""
    whole, found = prompt + text, []
    for at in range(len(prompt), len(whole)):
        line = whole[whole.rfind("\n", 0, at) + 1 : at]
        found.append(_kind(line, whole[at]))
    return found


def _kind(line: str, character: str) -> str:
    if character == " ":
        return "space after a word"
    if not character.isalpha():
        return "line end" if character == "\n" else "punctuation"
    if not line:
        return "line start"
    if (line + character).isupper() and len(line) > 1:
        return "speaker's name"
    return "inside a word" if line[-1].isalpha() else "first letter of a word"


def by_temperature(
    pair: Pair, prompts: Any, texts: Any, tick: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Return alpha at several temperatures, over the same contexts: text written at T = 1."""
    found = []
    for name in [n for n in ("distilled", "plain draft", "4-gram") if n in pair.drafters]:
        for heat in TEMPERATURES:
            beside = overlaps(pair.target, pair.drafters[name](), prompts, texts, Warp(heat or 1))
            share = beside.alpha if heat else beside.agreement
            low, high = share.interval
            row = {"temperature": heat, "drafter": name, "alpha": share.value}
            found.append(row | {"lo": low, "hi": high})
            tick(f"alpha, {name} at T = {heat:g}")
    return found
