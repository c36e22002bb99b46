"""Recorded rounds of the real pair, step by step: the text, its drafts, and two clocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from traitlets import Dict, Int, List, default

from draftproof import recorded
from draftproof.figures.chapter4.ribbon import ROOM, ribbon_of
from draftproof.figures.words import num
from draftproof.trace import Counters, Run, Trace

from .base import Alive

__all__ = ["Ribbon", "run_state"]

_DRAFTERS = {
    "distilled": "small model",
    "4-gram": "4-gram table",
    "5-gram": "5-gram table",
    "lookup": "prompt lookup",
    "target": "the target itself",
}


def run_state(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recorded run in the short form that the page carries.

    Parameters
    ----------
    run : mapping
        As `draftproof.recorded.run_of` makes it.

    Returns
    -------
    dict
        ``title``, ``prompt``, ``rounds`` (drafted, number accepted, last character of each), and
        the mean times of a round in plain steps: ``drafts``, ``check``, ``rest``. ``step`` is the
        plain step in seconds.
    """
    made = ribbon_of(run)
    drafter = _DRAFTERS.get(made.drafter, made.drafter)
    return {
        "title": f"{drafter}, T = {num(made.temperature)}",
        "prompt": run["prompt"],
        "rounds": [[r["drafted"], r["accepted"], r["next"]] for r in run["rounds"]],
        "drafts": made.gamma * made.c,
        "check": made.v,
        "rest": made.o,
        "step": made.step,
    }


def _recorded() -> list[Mapping[str, Any]]:
    return list(recorded.need(recorded.load("ribbon"), "runs"))


def _trace(drafted: str, accepted: int, last: str) -> Trace:
    """Return a round without its laws, which no recording keeps."""
    drafts, none = np.array([ord(x) for x in drafted], dtype=int), np.empty(0)
    return Trace(drafts, none, none, none, np.arange(len(drafts)) < accepted, accepted, ord(last))


class Ribbon(Alive):
    """A text as it was written, round by round, with what each round drafted.

    Attributes
    ----------
    runs : list of dict
        What can be chosen, as `run_state` makes it; by default all recorded runs.
    run : int
        Which of them.
    round : int
        Rounds that are over; 0 is the start.
    """

    module = "ribbon"
    figure = "real-ribbon"
    parts: ClassVar[tuple[str, ...]] = ("runs", "run", "round")

    runs = List(Dict()).tag(sync=True)
    run = Int(0, min=0).tag(sync=True, of="runs")
    round = Int(0, min=0).tag(sync=True)

    @default("runs")
    def _all_runs(self) -> list[dict[str, Any]]:
        return [run_state(run) for run in _recorded()]

    @default("round")
    def _round_of_the_still(self) -> int:
        """Return the still's last round that left a draft untested: it has all three verdicts."""
        rounds = self.runs[0]["rounds"][: len(ribbon_of(_recorded()[0]).fitting(ROOM[0]))]
        left = [k for k, (drafted, kept, _) in enumerate(rounds, 1) if kept + 1 < len(drafted)]
        return left[-1] if left else len(rounds)

    def facts(self) -> dict[str, Any]:
        """Return the text so far, the counters of its rounds, and both times.

        Returns
        -------
        dict
            Plain JSON values by name; the times in seconds.
        """
        chosen = self.runs[self.run]
        rounds = [_trace(*each) for each in chosen["rounds"][: self.round]]
        counters = Counters.total(each.counters for each in rounds)
        tokens = tuple(token for each in rounds for token in each.tokens)
        price = chosen["drafts"] + chosen["check"] + chosen["rest"]
        spent = len(rounds) * price
        return {
            "rounds": len(rounds),
            "text": "".join(map(chr, tokens)),
            "fates": list(Run(tokens, tuple(rounds)).fates),
            "last": _last(rounds),
            "drafted": counters.drafted,
            "tested": counters.tested,
            "accepted": counters.accepted,
            "corrected": counters.corrections,
            "bonus": counters.bonus,
            "emitted": counters.emitted,
            "rate": counters.acceptance_rate,
            "each": counters.accept_length,
            "price": price,
            "plain": counters.emitted * chosen["step"],
            "speculative": spent * chosen["step"],
            "speed": counters.emitted / spent if rounds else None,
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Ribbon:
        """Return a state within the reach of the controls.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Ribbon
        """
        run = _recorded()[int(rng.integers(len(_recorded())))]
        return cls(runs=[run_state(run)], round=int(rng.integers(len(run["rounds"]) + 1)))


def _last(rounds: Sequence[Trace]) -> dict[str, Any] | None:
    """Return what the latest round drafted, tested and emitted, or nothing before the first."""
    if not rounds:
        return None
    now = rounds[-1]
    return {
        "drafted": now.drafted,
        "tested": now.tested,
        "accepted": now.num_accepted,
        "emitted": len(now.tokens),
        "fate": "bonus" if now.is_bonus else "corrected",
    }
