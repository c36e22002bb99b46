"""The landing page: the picture that poses the book's question."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from .marks import arrow, frame, label, line, wash
from .plate import Plate, drawing
from .recipe import Entry, recipe
from .words import listed, num

__all__ = ["book_question"]

DRAFT_COST = 0.1
GUESSED = ("the", "warm", "red", "mat")
NEXT = "and"


@drawing
def book_question(plate: Plate, guessed: Sequence[str], following: str, cost: float) -> None:
    """Draw one slow pass a token above a few quick guesses and one pass that judges them.

    Parameters
    ----------
    guessed : sequence of str
        The words that the small model guesses.
    following : str
        The word after them.
    cost : float
        Time of one guess, in passes of the large model.
    """
    count = len(guessed)
    left = plate.pick(20, 10)
    unit = (plate.width - 2 * left) / (count + 1)
    high, first, second, third = 42, 44, 146, 248
    ax = plate.pixels(plate.pick(third + 84, third + 118))
    alone = plate.pick(
        "The large model alone: one slow pass for each token", "One slow pass for each token"
    )
    label(ax, left, first - 14, alone, bold=True)
    for k, word in enumerate((*guessed, following)):
        box = (left + k * unit, first, unit, high)
        wash(ax, "p", box)
        frame(ax, "p", box)
        label(ax, box[0] + unit / 2, first + high / 2, word, mono=True, ha="center", va="middle")
    head = plate.pick(
        "A small model guesses ahead, and one pass judges all the guesses",
        "Quick guesses, then one pass",
    )
    label(ax, left, second - 14, head, bold=True)
    x = _guesses_and_pass(plate, ax, left, second, unit, high, count, cost)
    end = left + (count + 1) * unit
    line(ax, [x + 8, end], [second + high - 3] * 2, "dashed")
    saved = count + 1 - (count * cost + 1)
    words = plate.pick(
        f"{num(saved)} passes of time saved,\nif the guesses may stay",
        f"{num(saved)} passes saved\nif they stay",
    )
    for row, part in enumerate(words.split("\n")):
        label(ax, (x + end) / 2 + 4, second + high - 30 + 18 * row, part, ha="center")
    for k, word in enumerate(guessed):
        box = (left + k * unit + 4, third, unit - 8, high)
        frame(ax, "q", box)
        label(
            ax,
            box[0] + box[2] / 2,
            third + high / 2,
            f"{word}?",
            mono=True,
            ha="center",
            va="middle",
        )
    last = (left + count * unit, third, unit, high)
    wash(ax, "p", last)
    frame(ax, "p", last)
    middle = last[0] + unit / 2
    label(ax, middle, third + high / 2, following, mono=True, ha="center", va="middle")
    label(ax, end, third - 10, "the large model's own", color="p", ha="right")
    arrow(
        ax,
        [
            (left + count * cost * unit + 20, second + high + 8),
            (left + count * cost * unit + 20, third - 10),
        ],
    )
    question = (
        "Which guesses may stay, so that{}the text still follows the large{}"
        "model's law $p$, exactly?"
    )
    question = question.replace("{}", plate.pick(" ", "\n"))
    label(ax, left, third + high + 32, question, size=plate.pick(16, 15), bold=False)
    total = num(count * cost + 1)
    plate.say(
        caption=(
            f"the {count + 1} slow passes above against the one below: everything hangs on how "
            "many of the dashed guesses may stay; the solid word after them is the large "
            "model's own."
        ),
        alt=(
            f"Above, {count + 1} boxes of equal length, one slow pass of the large model for each "
            f"of the words {listed([*guessed, following])}. Below, {count} short boxes, the quick "
            f"guesses of a small model, and one pass: {total} passes of time instead of "
            f"{count + 1}. Under it the guessed words stand with question marks, and after "
            f"them {following}, which the pass gives of its own. Which guesses may stay, "
            "so that the text still follows the large model's law p exactly?"
        ),
    )


def _guesses_and_pass(
    plate: Plate,
    ax: Axes,
    left: float,
    top: float,
    unit: float,
    high: float,
    count: int,
    cost: float,
) -> float:
    """Draw the guesses and the pass end to end; return where they end."""
    for k in range(count):
        box = (left + k * cost * unit, top, cost * unit, high)
        wash(ax, "q", box)
        frame(ax, "q", box)
    start = left + count * cost * unit
    box = (start, top, unit, high)
    wash(ax, "p", box)
    frame(ax, "p", box)
    label(ax, start + unit / 2, top + high / 2, "one pass", ha="center", va="middle")
    return start + unit


def recipes() -> list[Entry]:
    """List the picture of the landing page."""
    return [recipe(book_question, lambda: (GUESSED, NEXT, DRAFT_COST))]
