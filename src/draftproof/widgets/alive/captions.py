"""What to see in a picture that moves: true at every setting, unlike the words of its still.

A figure's caption speaks of the still, whose numbers a move makes false. Where the widget runs,
the page shows these words instead; on paper and without JavaScript the still's own stay. A figure
that is not listed keeps its caption, opened by "at the start".
"""

from __future__ import annotations

__all__ = ["LIVE"]

_STAIRS = (
    "the stair is as long as the tokens that a round gives, and the bar below it as long as the "
    "passes that the round costs; the ratio of the two lengths is the speedup."
)
_NOISE = (
    "the shaded band of chance narrows to the right; a biased sampler looks exact until the band "
    "has sunk below its level line."
)
_ROOF = (
    "left of the ridge a pass waits for memory, and further positions cost no time; right of it "
    "the arithmetic is used up and every position costs."
)

LIVE: dict[str, str] = {
    "dart-slice": "the kept share of the slice at $x$ is the chance that a dart there survives; "
    "a taller envelope adds only hatched waste.",
    "broken-constant": "wherever the envelope dips below the target, the missed mass (grey, with a "
    "dashed edge) can never be drawn, and the survivors follow the lower of the two curves.",
    "mosaic": "wherever the bars stand, the speculative rule fills in (dotted) exactly as much as "
    "it cuts off (hatched). As two boards: a column is as wide as its law, and the plain height is "
    "the share that is kept.",
    "classical-against-speculative": "classical rejection lifts the draft until it covers the "
    "target and throws the hatched part away; the speculative rule keeps the low ceiling and "
    "refills the dotted part.",
    "warp-by-hand": "a warp that reaches both sides is exact; one that reaches one side alone "
    "can bring out another law, with mass missing (grey) from the outline wanted.",
    "block-walk": "a draft is kept if its coin lies in the plain part of its bar; the first whose "
    "coin lies in the hatched part is struck and replaced, and what follows it is void, whatever "
    "its coins would have said.",
    "one-context": "after every context the strip of pieces cut off is exactly as long as the "
    "strip of pieces filled in, so what comes out has the solid outline.",
    "one-context-cool": "the plain parts of the bars together are the overlap at this temperature, "
    "and the curve below has it at all others: it can rise, turn, or have a low between two rises.",
    "noise-funnel": _NOISE,
    "noise-band": _NOISE,
    "stairs": _STAIRS,
    "stairs-under-load": _STAIRS,
    "high-acceptance-slow": _STAIRS,
    "three-meters": "what is kept is the same in all three bars; what it is measured against "
    "differs: the drafts that were tested, all that were drafted, or the one pass that it took.",
    "roofline": _ROOF,
    "batch-curve": _ROOF,
    "token-against-block": "both rules get the same drafted blocks, and the plain area of the "
    "second is never the smaller one: it gives up drafts that lead nowhere and keeps more of the "
    "blocks that pass as a whole.",
    "real-ribbon": "each round hands over the characters it kept and one more for one target pass; "
    "the letters alone do not tell which model wrote them.",
    "rounds-tape": "after a round both caches are cut back to the accepted text, but they were not "
    "fed alike, so the two drop different numbers.",
    "drafts-in-turn": "what a draft leaves missing, the dashed frame, is the whole target of the "
    "next one; only what is still missing at the end is filled by a correction.",
}
"""Captions of moving pictures, by the figure that stands for them on paper; ``$p$`` is a letter."""
