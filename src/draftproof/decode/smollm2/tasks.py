"""Prompts on which copying from the prompt pays off, and one on which it cannot."""

from __future__ import annotations

from dataclasses import dataclass

from draftproof.checks import show_value
from draftproof.decode.smollm2.tokens import Tokenizer

__all__ = ["TASKS", "Task", "prompt_ids"]


@dataclass(frozen=True)
class Task:
    """Something to ask an assistant for.

    Attributes
    ----------
    question : str
        What is asked, ``{text}`` standing for the text.
    text : str
        What it is asked about; empty if about nothing.
    """

    question: str
    text: str = ""


_MARKET = """\
The market on Harbour Street opens at six in the morning, when the first boats are back. \
Marta sells mackerel and herring from two blue tables near the gate, and by nine o'clock most of \
her fish is gone. Across the lane, old Benedict repairs clocks in a shop no wider than a door. He \
has kept the same hours for forty years and says that a clock which is never opened will never \
be late. On Saturdays the school band plays under the arcade. The baker leaves two trays of \
warm rolls for the children, and nobody has ever asked who pays for them. When it rains, everybody \
moves under the roof of the old customs house, where the scales still weigh in stones and pounds."""

_CODE = """\
def average_speed(trips):
    total_distance = 0.0
    total_hours = 0.0
    for trip in trips:
        if trip.hours <= 0:
            raise ValueError("hours must be positive")
        total_distance = total_distance + trip.distance
        total_hours = total_hours + trip.hours
    if total_hours == 0:
        return 0.0
    return total_distance / total_hours


def slowest_trip(trips):
    slowest = None
    for trip in trips:
        speed = trip.distance / trip.hours
        if slowest is None or speed < slowest.distance / slowest.hours:
            slowest = trip
    return slowest"""

_REPORT = """\
The town council met on Tuesday to decide what should become of the old railway bridge. The bridge \
was built in 1911 and has carried no trains since 1986. Engineers reported that the two southern \
arches need repairs within three years, at a cost of about four hundred thousand crowns. \
Councillor Hale proposed to turn the bridge into a path for walkers and cyclists, which would join \
the station to the river park. Councillor Osei warned that the repairs would use up the money set \
aside for the swimming pool. After two hours the council voted seven to four in favour of the \
path. Work on the southern arches will begin in March, and the path is to open in the \
autumn of the following year. The swimming pool will be discussed again in June."""

TASKS = {
    "quoting": Task("Return the following text unchanged.\n\n{text}", _MARKET),
    "code edit": Task(
        "```python\n{text}\n```\n\nAdd a docstring to each function in the code above. "
        "Return the complete code.",
        _CODE,
    ),
    "summary": Task(
        "Summarise the following report in three sentences, using its own words.\n\n{text}", _REPORT
    ),
    "chat": Task("What should I think about before I adopt a dog from a shelter?"),
    "own text": Task("{text}"),
}
"""The tasks by name; "chat" is the control, "own text" is for the reader's."""


def prompt_ids(tokenizer: Tokenizer, task: str, text: str | None = None) -> list[int]:
    """Return the token numbers of a task, ready for the answer.

    Parameters
    ----------
    tokenizer : Tokenizer
    task : str
        A name in `TASKS`.
    text : str, optional
        Instead of the task's own text; needed for "own text".

    Returns
    -------
    list of int

    Raises
    ------
    ValueError
        If there is no such task, or no text where one is needed.
    """
    chosen = TASKS.get(task) if isinstance(task, str) else None
    if chosen is None:
        raise ValueError(f"task must be one of {', '.join(TASKS)}, got {show_value(task)}")
    about = chosen.text if text is None else text
    if not isinstance(about, str) or (not about.strip() and "{text}" in chosen.question):
        raise ValueError(f"text must be some words for the task {task!r}, got {show_value(about)}")
    return tokenizer.chat(chosen.question.replace("{text}", about))
