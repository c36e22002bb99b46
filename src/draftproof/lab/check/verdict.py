"""What a check says, and how it calls a function that may do anything."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any, Literal

import numpy as np

__all__ = ["Answer", "Counterexample", "Status", "Verdict", "ask", "is_missing", "show"]

Status = Literal["missing", "keep going", "right"]


@dataclass(frozen=True)
class Counterexample:
    """The smallest case found in which a function is wrong.

    Attributes
    ----------
    inputs : dict
        The arguments by name; laws as tuples of Fractions.
    got, wanted : str
        What came back, and what should have.
    """

    inputs: dict[str, Any]
    got: str
    wanted: str

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Name and text, line by line."""
        given = [(name, show(value)) for name, value in self.inputs.items()]
        return [*given, ("yours", self.got), ("wanted", self.wanted)]


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check.

    Attributes
    ----------
    exercise : str
    status : str
        ``"missing"``, ``"keep going"`` or ``"right"``.
    message : str
        What to do next, or what stands behind ``"right"``.
    counterexample : Counterexample or None
    """

    exercise: str
    status: Status
    message: str
    counterexample: Counterexample | None = None

    def __bool__(self) -> bool:
        return self.status == "right"

    def __str__(self) -> str:
        lines = [f"{self.exercise}: {self.status}. {self.message}"]
        if self.counterexample:
            width = max(len(name) for name, _ in self.counterexample.lines)
            lines += [f"  {name:<{width}} = {text}" for name, text in self.counterexample.lines]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = (
            f"<p><code>{escape(self.exercise)}</code>: <strong>{escape(self.status)}</strong>. "
            f"{escape(self.message)}</p>"
        )
        if not self.counterexample:
            return head
        rows = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:left">{escape(text)}</td></tr>'
            for name, text in self.counterexample.lines
        )
        return f"{head}<table>{rows}</table>"


def show(value: Any) -> str:
    """Return a value as a reader writes it: small fractions, four digits, round brackets.

    Parameters
    ----------
    value : object
        A number, a law, a table of them, or anything else.

    Returns
    -------
    str
        At most 200 characters.
    """
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, (float, np.floating)):
        text = f"{float(value):.6g}"
        return f"{text}.0" if text.lstrip("-").isdigit() else text
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if hasattr(value, "tolist") and not isinstance(value, (list, tuple)):
        value = value.tolist()
        return show(tuple(value) if isinstance(value, list) else value)
    if isinstance(value, (list, tuple)):
        inside = ", ".join(show(part) for part in value)
        text = f"({inside}{',' if len(value) == 1 else ''})"
        return text if len(text) <= 200 else text[:197] + "..."
    text = " ".join(repr(value).split())
    return text if len(text) <= 120 else text[:117] + "..."


def is_missing(value: Any) -> bool:
    """Tell whether a value is the mark of work not done yet.

    Parameters
    ----------
    value : object

    Returns
    -------
    bool
    """
    return value is None or value is Ellipsis or value is NotImplemented


@dataclass(frozen=True)
class Answer:
    """What a call gave: a value, or in words why there is none.

    Attributes
    ----------
    value : object
        What came back.
    failure : str
        Why nothing came back, or "".
    missing : bool
        Whether the work is not done yet.
    """

    value: Any = None
    failure: str = ""
    missing: bool = False


class _TooLongError(BaseException):
    """Not an Exception, so that a handler in the function under check does not swallow it."""


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Interrupt the block after some seconds, where the system and the thread allow it."""
    here = threading.current_thread() is threading.main_thread()
    if not here or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def ask(call: Callable[[], Any], seconds: float = 10.0) -> Answer:
    """Run a call and return its value or its failure; only Ctrl-C gets through.

    Parameters
    ----------
    call : callable
        Takes no arguments.
    seconds : float
        It is interrupted after so many.

    Returns
    -------
    Answer
    """
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), _limit(seconds):
            warnings.simplefilter("ignore")
            value = call()
    except KeyboardInterrupt:
        raise
    except NotImplementedError:
        return Answer(missing=True, failure="NotImplementedError")
    except _TooLongError:
        return Answer(failure=f"no answer within {seconds:g} s")
    except BaseException as error:  # SystemExit and its like are failures here as well
        words = " ".join(str(error).split())
        return Answer(failure=f"{type(error).__name__}: {words}"[:200].removesuffix(": "))
    return Answer(value, missing=is_missing(value))
