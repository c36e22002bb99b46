"""The two ways to judge: case by case against a reference, and by auditing draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from draftproof.lab.audits import audit
from draftproof.lab.check.verdict import Answer, Counterexample, Verdict, ask, is_missing, show

__all__ = ["Case", "Draws", "by_audit", "by_cases", "close", "refuse"]

ALPHA = 1e-5
"""False alarms of one audit inside a check. Its streams are fixed: an answer never changes."""


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


def by_audit(
    name: str, function: Any, cases: Iterable[Draws], n: int, evidence: str, seconds: float = 20.0
) -> Verdict:
    """Judge a sampler by auditing its draws for one input after the other.

    Parameters
    ----------
    name : str
    function : object
    cases : iterable of Draws
    n : int
        Draws for each input.
    evidence : str
        What was checked, with ``{count}`` inputs, ``{n}`` draws and ``{tv}``, the bias that would
        have shown.
    seconds : float
        For the draws of one input.

    Returns
    -------
    Verdict
    """
    early = refuse(name, function)
    if early is not None:
        return early
    count, blind = 0, 0.0
    for seed, case in enumerate(cases):
        rng = np.random.default_rng([20_260_101, seed])
        answer = ask(lambda case=case, rng=rng: _draws(function, case, n, rng), seconds)  # type: ignore[misc]
        if answer.missing:
            status = "missing" if count == 0 else "keep going"
            return Verdict(name, status, "The function returns nothing yet.")  # type: ignore[arg-type]
        drawn = answer.value
        if answer.failure or isinstance(drawn, str):
            wrong = answer.failure or drawn
            example = Counterexample(case.inputs, wrong, _law_in_words(case))
            return Verdict(name, "keep going", "A draw went wrong. For example:", example)
        report = audit(lambda _n, _rng, drawn=drawn: drawn, case.law, n, rng, ALPHA)  # type: ignore[misc]
        if not report.exact:
            shares = dict(zip(case.law, report.shares, strict=True))
            got = ", ".join(f"{case.names(x)} {shares[x]:.3f}" for x in case.law)
            message = (
                f"In {n:,} draws {_impossible(drawn, case) or 'the shares are off'}. For example:"
            )
            example = Counterexample(case.inputs, got, _law_in_words(case))
            return Verdict(name, "keep going", message, example)
        blind = max(blind, report.detectable if report.detectable < 1 else 0.0)
        count += 1
    return Verdict(name, "right", evidence.format(count=count, n=f"{n:,}", tv=f"{blind:.2g}"))


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
