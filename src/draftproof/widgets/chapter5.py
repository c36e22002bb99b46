"""The controls of the chapter on faults."""

from __future__ import annotations

from draftproof import examples
from draftproof.figures import Shown, chapter5, show
from draftproof.figures.chapter5 import beliefs, gallery, results
from draftproof.lab.broken import GALLERY, LawFault

from .alive import Noise
from .live import Live, choice, slider, whole

__all__ = ["audit_run", "noise_band", "noise_widget", "q_grid"]

PAIRS = {
    "cat, dog, fox": examples.CAT_DOG_FOX,
    "four tokens": examples.FOUR_TOKENS,
    "house": examples.HOUSE,
}
FAULTS = {
    **{
        title: name for name, title in gallery.TITLES.items() if isinstance(GALLERY[name], LawFault)
    },
    results.NO_FAULT: results.NO_FAULT,
}


def noise_band() -> Live:
    """Return the noise band with a bias to set and an n at which two streams are read.

    Returns
    -------
    Live
    """

    def draw(power: float, bias: float, stream: int) -> Shown:
        return show(
            chapter5.noise_band, results.noise(round(bias, 3), stream), power_of_ten=round(power, 2)
        )

    return Live(
        draw,
        power=slider("draws: 10 to the", 4, 2, 6, 0.25),
        bias=slider("bias (TV)", float(results.BIAS), 0.002, 0.1, 0.002),
        stream=whole("seed of the streams", 1, 1, 20),
    )


def noise_widget() -> Noise:
    """Return the noise band as a widget that works without a kernel too.

    Returns
    -------
    Noise
        Cat, dog and fox; the kind coin leans to the law of its largest bias, and so has the law
        of any smaller bias on its way there.
    """
    band = results.noise()
    share = results.LEVELS[1] - results.LEVELS[0]
    return Noise(
        figure="noise-band",
        law=[float(x) for x in results.P],
        fault=[float(x) for x in results.kind_law(0.1)],
        sizes=band.sizes.tolist(),
        band=[band.low.tolist(), band.high.tolist()],
        share=share,
        bias=float(results.BIAS),
        step=len(band.sizes) // 2,
    )


def audit_run() -> Live:
    """Return the audit of a fault to choose, with a number of draws to choose.

    Returns
    -------
    Live
    """

    def draw(fault: str, power: float, seed: int) -> Shown:
        card, report = results.audit_run(FAULTS[fault], round(power, 2), seed)
        return show(chapter5.audit_run, card, report)

    return Live(
        draw,
        fault=choice("fault", list(FAULTS), gallery.TITLES["resample-from-p"]),
        power=slider("draws: 10 to the", 2, 1, 4.5, 0.25),
        seed=whole("seed", 1, 1, 20),
    )


def q_grid() -> Live:
    """Return the grid of draws and beliefs with a cell to enlarge.

    Returns
    -------
    Live
    """

    def draw(drawn: str, told: str, pair: str) -> Shown:
        return show(chapter5.q_grid, beliefs.grid(PAIRS[pair]), drawn=drawn, told=told)

    return Live(
        draw,
        drawn=choice("draft drawn from", list(beliefs.WAYS), "argmax"),
        told=choice("rule is told", list(beliefs.WAYS), "softmax"),
        pair=choice("pair of laws", list(PAIRS)),
    )
