"""What the chapter's figures show of the recorded measurements, in the figures' own terms.

Each function returns the argument, or the tuple of arguments, of one drawing. A recording that
is not there, or lacks an entry, is named in the error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftproof import roofline
from draftproof.recorded import load, need

from .clocks import Clock
from .ribbon import Ribbon, ribbon_of
from .rounding import Rounded
from .stairs import MeasuredRound

__all__ = [
    "DRAFTER",
    "batches",
    "best_run",
    "by_context",
    "by_position",
    "by_temperature",
    "clocks",
    "lossless",
    "measured_round",
    "pair",
    "prices",
    "recorded_run",
    "ribbon",
    "roof",
    "rounding",
    "slow",
    "speeds",
    "table_ribbon",
    "tasks",
]

DRAFTER = "distilled"


def recorded_run(place: int = 0) -> Mapping[str, Any]:
    """Return a recorded run of the ribbon; none of them was picked.

    Parameters
    ----------
    place : int
        0: with the distilled draft; 1: with a table of counts.

    Returns
    -------
    dict
        As `draftproof.recorded.run_of` makes it.

    Raises
    ------
    ValueError
        If the recording of the ribbon holds no such run, or is damaged.
    FileNotFoundError
        If it is not there.
    """
    runs = need(load("ribbon"), "runs")
    if len(runs) <= place:
        raise ValueError(f"the recording of the ribbon must hold run {place}; it holds {len(runs)}")
    return dict(runs[place])


def ribbon() -> Ribbon:
    """Return the first recorded run as the ribbon draws it.

    Returns
    -------
    Ribbon
    """
    return ribbon_of(recorded_run())


def table_ribbon() -> Ribbon:
    """Return the second recorded run, drafted from a table of counts, as the ribbon draws it.

    Returns
    -------
    Ribbon
    """
    return ribbon_of(recorded_run(1))


def _runs(temperature: float = 1.0) -> list[Mapping[str, Any]]:
    return [run for run in need(load("decode"), "runs") if run["temperature"] == temperature]


def best_run(drafter: str = DRAFTER, longest: int | None = None) -> Mapping[str, Any]:
    """Return the fastest run of a drafter at temperature 1.

    Parameters
    ----------
    drafter : str
    longest : int, optional
        The longest block that counts.

    Returns
    -------
    mapping

    Raises
    ------
    ValueError
        If there is no such run.
    """
    found = [run for run in _runs() if run["drafter"] == drafter]
    if longest is not None:
        found = [run for run in found if run["gamma"] <= longest]
    if not found:
        raise ValueError(f"drafter must be one that was recorded at temperature 1, got {drafter!r}")
    return max(found, key=lambda run: float(run["speedup"]))


def measured_round() -> MeasuredRound:
    """Return the distilled draft's round at its best block length.

    Its parts are those of the timed runs, in steps of plain decoding (which draws tokens as well),
    so that the lengths can be compared with the clock.

    Returns
    -------
    MeasuredRound
    """
    places = sorted(need(load("decode"), "acceptance", "by_position"))
    run = best_run(longest=len(places))
    gamma, parts = int(run["gamma"]), run["timings"]
    alphas = tuple(float(place[1]) for place in places[:gamma])
    step = need(load("decode"), "plain", "seconds_per_token")
    each = 1 / (step * run["tokens"] / run["tokens_per_call"])  # from seconds to steps a round
    rest = parts["verify"] + parts.get("overhead", 0.0)
    return MeasuredRound(DRAFTER, alphas, parts["draft"] * each / gamma, parts["target"] * each,
                         rest * each, run["tokens_per_call"], run["speedup"])  # fmt: skip


def by_position() -> tuple[list[Any], float]:
    """Return the share kept at each place of the block, and the share of all places.

    Returns
    -------
    tuple
        Rows of position, alpha, low, high and drafts tested; and alpha over all.
    """
    found = need(load("decode"), "acceptance")
    return sorted(need(found, "by_position")), float(need(found, "overall")[0])


def by_context() -> tuple[list[Any], float]:
    """Return the share kept in each kind of context, and the share of all.

    Returns
    -------
    tuple
        Rows of name, alpha, low, high and drafts tested; and alpha over all.
    """
    found = need(load("decode"), "acceptance")
    return list(need(found, "by_context")), float(need(found, "overall")[0])


def by_temperature() -> dict[str, list[tuple[float, float, float, float]]]:
    """Return for each drafter its acceptance at each temperature, with an interval.

    Returns
    -------
    dict of str to list of tuple
        Temperature, alpha, low and high.
    """
    curves: dict[str, list[tuple[float, float, float, float]]] = {}
    for row in need(load("decode"), "acceptance", "by_temperature"):
        point = (row["temperature"], row["alpha"], row["lo"], row["hi"])
        curves.setdefault(row["drafter"], []).append(point)
    return curves


def clocks() -> tuple[Clock, Clock]:
    """Return where the time of plain and of the distilled draft's decoding goes, a token.

    Returns
    -------
    tuple of Clock
    """
    plain, run = need(load("decode"), "plain"), best_run()
    # Shares of the parts from one timing, the whole from the median of all repeats.
    first = _scaled(need(plain, "timings"), plain["seconds_per_token"])
    second = _scaled(run["timings"], plain["seconds_per_token"] / run["speedup"])
    name = f"speculative, {run['gamma']} {'draft' if run['gamma'] == 1 else 'drafts'}"
    return Clock("plain", first, 1.0), Clock(name, second, 1 / run["tokens_per_call"])


def _scaled(parts: Mapping[str, float], whole: float) -> dict[str, float]:
    total = sum(parts.values())
    order = ("draft", "target", "verify", "overhead")
    return {part: whole * parts[part] / total for part in order if parts.get(part)}


def speeds() -> dict[str, list[Mapping[str, Any]]]:
    """Return the runs at temperature 1 by drafter, the fastest drafter first.

    Returns
    -------
    dict of str to list of mapping
    """
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for run in _runs():
        groups.setdefault(run["drafter"], []).append(run)
    best = {name: max(float(r["speedup"]) for r in group) for name, group in groups.items()}
    return {
        name: sorted(groups[name], key=lambda r: int(r["gamma"]))
        for name in sorted(groups, key=lambda n: -best[n])
    }


def batches() -> list[Mapping[str, Any]]:
    """Return the measured batches, each with some block lengths.

    Returns
    -------
    list of mapping
    """
    return list(need(load("decode"), "batches"))


def tasks() -> list[Mapping[str, Any]]:
    """Return the tasks of the real language model with prompt lookup.

    Returns
    -------
    list of mapping
    """
    return list(need(load("smollm2"), "tasks"))


def prices() -> dict[str, list[Mapping[str, Any]]]:
    """Return the verification prices by model.

    Returns
    -------
    dict of str to list of mapping
    """
    lines = {"our target, fp32": list(need(load("decode"), "verification_cost"))}
    for row in need(load("smollm2"), "verification_cost"):
        lines.setdefault(f"SmolLM2, {row.get('dtype', 'bf16')}", []).append(row)
    return lines


def roof() -> tuple[float, float, list[Mapping[str, Any]]]:
    """Return this machine's measured bandwidth and arithmetic, and the measured passes.

    Returns
    -------
    tuple
        Bytes a second, operations a second, the measured passes.
    """
    found = need(load("decode"), "roofline")
    return (
        float(need(found, "bandwidth_bytes_per_s")),
        float(need(found, "flops_per_s")),
        list(need(found, "points")),
    )


def rounding(gap: float = 0.01) -> tuple[Rounded, list[Mapping[str, Any]], str]:
    """Return a pair of logits so far apart, and the flips measured by gap.

    Parameters
    ----------
    gap : float
        Of the two largest logits.

    Returns
    -------
    tuple
        The pair, the measured flips by gap, and what was measured.
    """
    found = need(load("smollm2"), "rounding")
    top = round(float(need(found, "top_logit")), 1)
    return pair(gap, top), list(need(found, "bins")), str(found.get("model", "SmolLM2, bf16"))


def pair(gap: float, top: float) -> Rounded:
    """Return two logits, `gap` apart, below a largest one.

    Parameters
    ----------
    gap, top : float

    Returns
    -------
    Rounded
    """
    return Rounded(round(top, 3), round(gap, 3))


def lossless() -> dict[str, Any]:
    """Return the two texts of one seed and the counts over many seeds.

    Returns
    -------
    dict
    """
    return dict(need(load("ribbon"), "lossless"))


def slow(
    alpha: float = 0.9, gamma: int = 4, c: float = 0.05, v: float = 1.0, batch: int = 64
) -> tuple[float, int, float, float]:
    """Return alpha, gamma, c, and the price of the pass at a batch.

    The price at batch 1 is `v`; a batch raises it as the roofline of a small machine says.

    Parameters
    ----------
    alpha : float
    gamma : int
    c, v : float
    batch : int

    Returns
    -------
    tuple
        alpha, gamma, c, and the price of the pass in plain steps.
    """
    load_ = roofline.verification_price(
        roofline.HARDWARE["laptop CPU"], 1e8, gamma + 1, batch=batch, bytes_per_parameter=4
    )
    return alpha, gamma, c, v * load_
