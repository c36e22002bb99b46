"""The controls of the chapter on real decoding; the models stay with the chapter that calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from draftproof.figures import Shown, chapter4, show
from draftproof.figures.chapter4 import results

from .live import Live, choice, slider, whole

__all__ = ["DRAFTERS", "RECORDED", "ribbon", "rounding"]

DRAFTERS = ("distilled", "4-gram", "5-gram", "lookup", "target")
RECORDED = "the recorded one"
Generate = Callable[[int, float, str, str, int], Mapping[str, Any]]


def ribbon(
    run: Generate,
    prompts: Mapping[str, str] | None = None,
    *,
    first: Mapping[str, Any] | None = None,
    drafters: Sequence[str] = DRAFTERS,
) -> Live:
    """Return the ribbon of a run made on the spot; controls: its settings, and the round lit.

    Parameters
    ----------
    run : callable
        ``run(gamma, temperature, drafter, prompt, seed)`` generates and returns what
        `draftproof.recorded.run_of` makes. It may raise ``ValueError``, which is shown as a line.
    prompts : mapping of str to str, optional
        Names and texts of the prompts on offer; that of the first run is added if it is not
        among them.
    first : mapping, optional
        The run that stands there before a control is moved, by default the one recorded
        with a table of counts. Its
        settings are where the controls start.
    drafters : sequence of str

    Returns
    -------
    Live

    Raises
    ------
    ValueError
        If the first run's drafter is not on offer.
    FileNotFoundError
        If there is neither `first` nor a recording.
    """
    start = results.recorded_run(1) if first is None else first
    if start["drafter"] not in drafters:
        raise ValueError(f"drafters must offer {start['drafter']!r}, got {', '.join(drafters)}")
    texts = dict(prompts or {})
    if start["prompt"] not in texts.values():
        texts = {RECORDED: str(start["prompt"]), **texts}
    name = next(name for name, text in texts.items() if text == start["prompt"])
    seen = {_key(start): start}

    def draw(gamma: int, temperature: float, drafter: str, prompt: str, seed: int,
             lit: int) -> Shown:  # fmt: skip
        wanted = (gamma, round(temperature, 2), drafter, texts[prompt], seed)
        if wanted not in seen:  # the lit round moves without a new run
            seen.clear()
            seen[_key(start)] = start
            seen[wanted] = run(*wanted)
        made = chapter4.ribbon_of(seen[wanted])
        return show(chapter4.real_ribbon, made, name="table-ribbon", lit=lit or None)

    return Live(
        draw,
        gamma=whole("drafts in a block γ", int(start["gamma"]), 1, 10),
        temperature=slider("temperature", float(start["temperature"]), 0, 2, 0.1),
        drafter=choice("drafter", list(drafters), start["drafter"]),
        prompt=choice("prompt", list(texts), name),
        seed=whole("seed", int(start["seed"]), 0, 40),
        lit=whole("round lit up (0: a long one)", 0, 0, 12),
    )


def _key(run: Mapping[str, Any]) -> tuple[int, float, str, str, int]:
    """Return the settings of a run, in the order of the callable's arguments."""
    return (int(run["gamma"]), round(float(run["temperature"]), 2), str(run["drafter"]),
            str(run["prompt"]), int(run["seed"]))  # fmt: skip


def rounding() -> Live:
    """Return two logits on the grid of bfloat16, with their gap to choose.

    Returns
    -------
    Live
    """

    def draw(gap: float, top: float) -> Shown:
        _, bins, model = results.rounding(gap)
        return show(chapter4.lossless_rounding, results.pair(gap, top), bins, model)

    start = results.rounding()[0]
    return Live(
        draw,
        gap=slider("gap of the logits", start.gap, 0, 1.2, 0.01),
        top=slider("largest logit", start.top, 4, 40, 0.1),
    )
