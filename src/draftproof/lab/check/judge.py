"""The two ways to judge: case by case against a reference, and by auditing draws."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from draftproof.lab.audit_detect import smallest_detectable
from draftproof.lab.audits import audit
from draftproof.lab.check.verdict import (
    Answer,
    Counterexample,
    Status,
    Verdict,
    ask,
    is_missing,
    show,
)

__all__ = ["Case", "Draws", "by_audit", "by_cases", "close", "refuse"]

ALPHA = 1e-5
"""False alarms of one audit inside a check, of which there are two an input.

Its streams are fixed: an answer never changes.
"""


@dataclass(frozen=True)
class Case:
    """One input of an exercise: as it is shown, as it is passed, and the answer.

    Attributes
    ----------
    inputs : dict
        By name, exact.
    arguments : callable
        Makes the arguments afresh, so that a function may spoil them.
    wanted : object
        The right answer, exact where it can be.
    """

    inputs: dict[str, Any]
    arguments: Callable[[], tuple[Any, ...]]
    wanted: Any


Agree = Callable[[Any, Case], str | None]
"""From an answer and its case to None, or to what is wrong in words."""


def refuse(name: str, function: Any) -> Verdict | None:
    """Return a verdict on what is no function at all, or None.

    Parameters
    ----------
    name : str
        Of the exercise.
    function : object
        What the reader gave.

    Returns
    -------
    Verdict or None
    """
    if is_missing(function):
        return Verdict(name, "missing", "There is no function yet.")
    if not callable(function):
        return Verdict(name, "keep going", f"A function is needed, this is {show(function)}.")
    return None


def by_cases(
    name: str, function: Any, cases: Iterable[Case], agree: Agree, evidence: str
) -> Verdict:
    """Judge a function on cases from the smallest on; the first wrong one is shown.

    Parameters
    ----------
    name : str
    function : object
    cases : iterable of Case
    agree : callable
    evidence : str
        What was checked, with ``{count}`` for the number of cases.

    Returns
    -------
    Verdict
    """
    early = refuse(name, function)
    if early is not None:
        return early
    count = 0
    for case in cases:
        answer = ask(lambda case=case: function(*case.arguments()))  # type: ignore[misc]
        if answer.missing and count == 0:
            return Verdict(name, "missing", "The function returns nothing yet.")
        wrong = answer.failure or (
            "it returned nothing" if answer.missing else _compare(agree, answer, case)
        )
        if wrong:
            got = answer.failure or show(answer.value)
            example = Counterexample(case.inputs, got, show(case.wanted))
            return Verdict(name, "keep going", f"{_sentence(wrong)} For example:", example)
        count += 1
    return Verdict(name, "right", evidence.format(count=count))


def _compare(agree: Agree, answer: Answer, case: Case) -> str | None:
    """Compare under the same guard: an answer may be an object that raises when looked at."""
    looked = ask(lambda: agree(answer.value, case) or "")
    return looked.failure or str(looked.value) or None


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "."


def close(got: Any, wanted: Any, tolerance: float = 1e-9) -> str | None:
    """Return None if two numbers or arrays agree, else what is wrong.

    Parameters
    ----------
    got, wanted : array_like
        The answer, and the right one.
    tolerance : float
        Relative to the wanted number, absolute below 1.

    Returns
    -------
    str or None
    """
    target = np.asarray(wanted).astype(np.float64)
    if isinstance(got, (str, bytes, Mapping, set)):
        return f"a number or an array is wanted, not {type(got).__name__}"
    try:
        values = np.asarray(got)
        if values.dtype.kind not in "iufO":
            return f"numbers are wanted, not {values.dtype}"
        values = values.astype(np.float64)
    except (TypeError, ValueError):
        return f"numbers are wanted, not {type(got).__name__}"
    if values.shape != target.shape:
        one = "one number" if target.shape == () else f"shape {target.shape}"
        return f"{one} is wanted, not shape {values.shape}"
    if np.isnan(values).any():
        return "there is a NaN in the answer"
    scale = np.maximum(1.0, abs(target))
    with np.errstate(invalid="ignore"):
        fits = (values == target) | (abs(values - target) <= tolerance * scale)
    return None if fits.all() else "the answer is not the one wanted"


@dataclass(frozen=True)
class Draws:
    """One input of a sampler, the law of what it should return, and how that is read.

    Attributes
    ----------
    inputs : dict
        By name, exact.
    call : callable
        From the function and a generator to one raw draw.
    read : callable
        From a raw draw to an outcome of the law, or to a text that says what is wrong with it.
    law : dict
        From outcomes (tuples of whole numbers) to probabilities.
    names : callable
        From an outcome to words.
    """

    inputs: dict[str, Any]
    call: Callable[[Any, np.random.Generator], Any]
    read: Callable[[Any], tuple[int, ...] | str]
    law: Mapping[tuple[int, ...], Any]
    names: Callable[[tuple[int, ...]], str]


FEW = 3000
"""Draws of the first look: they catch what is quite wrong, before anybody waits."""


@dataclass
class _Run:
    """The draws of one input, as far as they have come."""

    case: Draws
    rng: np.random.Generator
    drawn: list[tuple[int, ...]]
    spent: float = 0.0
    blind: float = 0.0


def _goal(case: Draws, sight: float) -> int:
    """Return the draws with which the audit sees a bias of `sight`, in the hardest direction."""
    law = np.array([float(mass) for mass in case.law.values() if mass])
    n = FEW
    while len(law) > 1 and sight < (seen := smallest_detectable(law, n, ALPHA)) < 1:
        n = max(n + n // 50, int(n * (seen / sight) ** 2))
    return n


def by_audit(
    name: str,
    function: Any,
    cases: Iterable[Draws],
    sight: float,
    evidence: str,
    seconds: float = 20.0,
) -> Verdict:
    """Judge a sampler by auditing its draws for one input after the other.

    A first look at few draws of every input finds what is quite wrong; a second one, at as many
    as show a bias of TV `sight`, what is a little wrong. An input gets fewer if its draws take
    long; the verdict says what would have shown.

    Parameters
    ----------
    name : str
    function : object
    cases : iterable of Draws
    sight : float
        The bias, in total variation, that is to be seen on every input.
    evidence : str
        What was checked, with ``{count}`` inputs, ``{n}`` draws at most and ``{tv}``, the bias
        that would have shown 99 times in 100.
    seconds : float
        For the draws of one input.

    Returns
    -------
    Verdict
    """
    early = refuse(name, function)
    if early is not None:
        return early
    runs = [
        _Run(case, np.random.default_rng([20_260_101, seed]), []) for seed, case in enumerate(cases)
    ]
    for look in (1, 2):
        for run in runs:
            goal = FEW if look == 1 else min(_goal(run.case, sight), _affordable(run, seconds))
            found = _looked_at(name, function, run, goal, seconds, first=run is runs[0])
            if found is not None:
                return found
    most, blind = max(len(run.drawn) for run in runs), max(run.blind for run in runs)
    return Verdict(
        name, "right", evidence.format(count=len(runs), n=f"{most:,}", tv=f"{blind:.2g}")
    )


def _affordable(run: _Run, seconds: float) -> int:
    """Return how many draws half the time would be enough for."""
    return int(len(run.drawn) * (seconds / 2) / max(run.spent, 1e-9))


def _looked_at(
    name: str, function: Any, run: _Run, goal: int, seconds: float, *, first: bool
) -> Verdict | None:
    """Draw on to a number of draws and audit them all; return what is wrong, or None."""
    case, more = run.case, goal - len(run.drawn)
    if more <= 0:
        return None
    start = time.perf_counter()
    answer = ask(lambda: _draws(function, case, more, run.rng), seconds)
    run.spent += time.perf_counter() - start
    if answer.missing:
        status: Status = "missing" if first and not run.drawn else "keep going"
        return Verdict(name, status, "The function returns nothing yet.")
    if answer.failure or isinstance(answer.value, str):
        wrong = answer.failure or answer.value
        example = Counterexample(case.inputs, wrong, _law_in_words(case))
        return Verdict(name, "keep going", "A draw went wrong. For example:", example)
    run.drawn += answer.value
    n, drawn = len(run.drawn), run.drawn
    report = audit(lambda _n, _rng: drawn, case.law, n, run.rng, ALPHA)
    if not report.exact:
        shares = dict(zip(case.law, report.shares, strict=True))
        got = ", ".join(f"{case.names(x)} {shares[x]:.3f}" for x in case.law)
        message = f"In {n:,} draws {_impossible(drawn, case) or 'the shares are off'}. For example:"
        example = Counterexample(case.inputs, got, _law_in_words(case))
        return Verdict(name, "keep going", message, example)
    run.blind = report.detectable if report.detectable < 1 else 0.0
    return None


def _draws(function: Any, case: Draws, n: int, rng: np.random.Generator) -> Any:
    """Return `n` outcomes, or what is wrong with the first bad one; None if nothing comes."""
    found = []
    for i in range(n):
        raw = case.call(function, rng)
        if is_missing(raw):
            return None if i == 0 else "it returned nothing"
        outcome = case.read(raw)
        if isinstance(outcome, str):
            return outcome
        found.append(outcome)
    return found


def _impossible(drawn: list[tuple[int, ...]], case: Draws) -> str:
    """Return the first outcome without probability in words, or ""."""
    for outcome in drawn:
        if not case.law.get(outcome):
            return f"there is {case.names(outcome)}, which has probability 0"
    return ""


def _law_in_words(case: Draws) -> str:
    return ", ".join(f"{case.names(x)} {show(mass)}" for x, mass in case.law.items())
