"""Two caches after a round: which entries stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from draftproof.finite import check_whole

from ..marks import arrow, label, line, mass, wash
from ..plate import Plate, drawing
from .pieces import box

__all__ = ["Cut", "rounds_tape"]

_SEEN = 3  # entries of the context that are drawn; the rest is "..."


@dataclass(frozen=True)
class Cut:
    """A round that accepted a prefix of its drafts, and how many entries each cache drops.

    Attributes
    ----------
    gamma, accepted : int
    target, draft : int, optional
        Entries dropped; by default the right numbers. -1 for the draft means that it is fed the
        one entry it lacks.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    gamma: int
    accepted: int
    target: int = -2
    draft: int = -2

    def __post_init__(self) -> None:
        check_whole(self.gamma, "gamma", 1, 12)
        check_whole(self.accepted, "accepted", 0, self.gamma)
        for name, right in (("target", self.right_target), ("draft", self.right_draft)):
            if getattr(self, name) == -2:
                object.__setattr__(self, name, right)
        check_whole(self.target, "target", 0, self.gamma)
        check_whole(self.draft, "draft", -1, self.gamma)

    @property
    def right_target(self) -> int:
        """Entries that the target's cache must drop: gamma - accepted."""
        return self.gamma - self.accepted

    @property
    def right_draft(self) -> int:
        """Entries that the draft's cache must drop: gamma - 1 - accepted; -1 is one to feed."""
        return self.gamma - 1 - self.accepted

    def held(self, who: str) -> int:
        """Return how many of the round's drafts the cache holds before the cut.

        Parameters
        ----------
        who : str
            ``"target"`` or ``"draft"``.

        Returns
        -------
        int
        """
        return self.gamma if who == "target" else self.gamma - 1

    def left(self, who: str) -> int:
        """Return how many of them are left after it.

        Parameters
        ----------
        who : str
            ``"target"`` or ``"draft"``.

        Returns
        -------
        int
        """
        return self.held(who) - (self.target if who == "target" else self.draft)

    def wrong(self, who: str) -> int:
        """Return entries too many (positive) or missing (negative); 0 if the cut is right.

        Parameters
        ----------
        who : str
            ``"target"`` or ``"draft"``.

        Returns
        -------
        int
        """
        return self.left(who) - self.accepted


@drawing
def rounds_tape(plate: Plate, cuts: Sequence[Cut]) -> None:
    """Draw both caches after each of several rounds, rightly cut.

    Parameters
    ----------
    cuts : sequence of Cut
    """
    tall = plate.pick(232, 244)
    ax = plate.pixels(tall * len(cuts) - 14)
    plate.unit = _cell(plate, max(cut.gamma for cut in cuts)) * _HIGH
    for k, cut in enumerate(cuts):
        _both(ax, plate, cut, k * tall, f"{k + 1}/")
    say = [
        f"After {cut.accepted} of {cut.gamma} drafts were accepted the target's cache drops "
        f"{cut.right_target}, the draft's "
        + (f"drops {cut.right_draft}" if cut.right_draft >= 0 else "lacks one and is fed it")
        for cut in cuts
    ]
    plate.say(
        caption="both cuts stand at the end of the accepted text, but the draft's cache is one "
        "entry shorter, for nobody fed it its own last guess: the two drop different numbers.",
        alt="Two rows of cache entries, the target's and the draft's, for each round: context, "
        f"then the round's drafts, then a cut. {'. '.join(say)}.",
    )


_HIGH = 40.0


def _cell(plate: Plate, gamma: int) -> float:
    """Return the width of one entry."""
    return min(58.0, (plate.width - plate.pick(168, 12)) / (_SEEN + gamma + 1.7))


def _both(ax: Axes, plate: Plate, cut: Cut, top: float, key: str) -> None:
    wide = _cell(plate, cut.gamma)
    start = plate.pick(158, 6)
    full = cut.accepted == cut.gamma
    words = f"{'all' if full else cut.accepted} of {cut.gamma} drafts accepted"
    label(ax, plate.pick(8, 6), top + 17, words, bold=True)
    edge = start + (_SEEN + 1.4 + cut.accepted) * wide
    low = top + plate.pick(206, 222)
    line(ax, [edge, edge], [top + plate.pick(28, 44), low - 14], "dashed", zorder=7)
    label(ax, min(max(edge, 60), plate.width - 64), low, "end of the text", color="ink2",
          ha="center")  # fmt: skip
    for row, (who, role) in enumerate((("target", "p"), ("draft", "q"))):
        y = top + plate.pick(36, 52) + row * plate.pick(78, 82)
        if plate.phone:
            label(ax, start, y - 8, f"{who}'s cache: {_drops(cut, who)}", bold=True, color=role,
                  halo="background")  # fmt: skip
        else:
            label(ax, 8, y + 17, f"{who}'s cache", bold=True, color=role)
            label(ax, 8, y + 34, _drops(cut, who), bold=True)
        _tape(ax, plate, cut, who, (start, y, wide), key)


def _drops(cut: Cut, who: str) -> str:
    n = cut.target if who == "target" else cut.draft
    return f"drops {n}" if n >= 0 else "feed it 1"


def _tape(
    ax: Axes, plate: Plate, cut: Cut, who: str, at: tuple[float, float, float], key: str
) -> None:
    """Draw one cache: context, last token, drafts; those behind the cut hatched."""
    x, y, wide = at
    gap = 1.5
    label(ax, x + 0.2 * wide, y + _HIGH / 2, "…", ha="center", va="middle", bold=True)
    x += 0.4 * wide
    for k in range(_SEEN + 1):
        shape = (x + k * wide + gap / 2, y, wide - gap, _HIGH)
        box(ax, "p" if who == "target" else "q", shape, dashed=who != "target")
    wash(
        ax,
        "p" if who == "target" else "q",
        (x + 2 * wide - 28, y + _HIGH / 2 - 9, 56, 18),
        zorder=4,
    )
    label(ax, x + 2 * wide, y + _HIGH / 2, "context", ha="center", va="middle", size=12)
    first = x + (_SEEN + 1) * wide
    stay = cut.left(who)
    for k in range(max(cut.held(who), stay, cut.accepted)):
        _entry(ax, cut, who, k, (first + k * wide + gap / 2, y, wide - gap, _HIGH), key)
    at_x = first + stay * wide
    line(ax, [at_x, at_x], [y - 6, y + _HIGH + 6], "ink", zorder=7.5)


def _entry(
    ax: Axes,
    cut: Cut,
    who: str,
    k: int,
    shape: tuple[float, float, float, float],
    key: str,
) -> None:
    """Draw the entry of draft `k`, counted from 0, by its fate."""
    held = cut.held(who)
    role = "accepted" if k < cut.accepted else "rejected"
    middle = shape[0] + shape[2] / 2
    fate = "fed" if k >= held else "kept" if k < cut.left(who) else "dropped"
    mass(ax, role, shape, key=f"{key}{who}/{fate}", left=fate == "dropped")
    label(ax, middle, shape[1] + _HIGH / 2, str(k), halo=role, ha="center", va="middle",
          bold=True)  # fmt: skip
    if fate == "fed":
        y = shape[1] + _HIGH
        arrow(ax, [(middle, y + 24), (middle, y + 3)])
        label(ax, middle - 9, y + 21, "fed afterwards", bold=True, ha="right", halo="background")
