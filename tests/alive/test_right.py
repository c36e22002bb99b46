"""Every control of every widget does its work, and the picture shows the package's numbers.

`CASES` is one table: a widget, a start, what the reader does, and the state that must follow. The
readout and the picture are then compared with the package at that state, by the judge of that
widget: curves are read back through their axes, areas and lengths through their scale.

`MUTANTS` proves that the table sees: each is a fault put into the JavaScript, and the case that
must find it.
"""

import json
import math
import re
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from functools import partial

import numpy as np
import pytest

from draftproof import cost
from draftproof.examples import FOUR_TOKENS, TARGET, bell_envelope
from draftproof.noise import mean_distance
from draftproof.roofline import MODELS
from draftproof.widgets import alive
from draftproof.widgets.alive.bundle import MODULES

pytestmark = pytest.mark.browser
WIDGETS = {getattr(alive, n).module: getattr(alive, n) for n in alive.__all__ if n != "Alive"}
PIXEL = 0.75  # px: pictures are written with one or two digits
AREA = bell_envelope().acceptance * bell_envelope().constant  # under the target
near = partial(pytest.approx, abs=PIXEL)
FATES = {"accepted": "acc", "residual": "res", "bonus": "bon", "rejected": "rej"}


def fixed(x, digits=2):
    """Fixed digits as JavaScript writes them: halves up, no minus sign before a zero."""
    value = Decimal(x).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return str(abs(value) if value == 0 else value)


def digits_of(text):
    """The digits of a number that is written in groups."""
    return re.sub(r"\D", "", text)


def line_through(pairs):
    """The straight line through points (number, pixel), which must lie on one."""
    numbers, pixels = np.array(sorted(pairs), dtype=float).T
    slope, start = np.polyfit(numbers, pixels, 1)
    assert pixels == near(slope * numbers + start)
    return lambda number: slope * number + start


def axis(seen, key, side, shift=0.0, value=float):
    """The line from an axis' numbers to where their labels stand."""
    return line_through([(value(s["text"]), s[side] - shift) for s in seen.all(key, tag="text")])


def right(shape):
    return shape["x"] + shape["width"]


def foot(shape):
    return shape["y"] + shape["height"]


def heights(seen, key, wanted, unit, base=None):
    """Every mass is as high as its share; what has no mass is not drawn."""
    for name, share in wanted.items():
        found = [s for s in seen.all(f"{key}/{name}", tag="rect") if s["key"] == f"{key}/{name}"]
        if share * unit <= 0.1:
            assert sum(s["height"] for s in found) <= 0.2
            continue
        assert len(found) == 1, (key, name, len(found))
        assert found[0]["height"] == near(share * unit), (key, name)
        assert base is None or foot(found[0]) == near(base)


def coloured(seen, key, role):
    """All masses of a key have the fill of their fate."""
    assert all(f"fill-{FATES[role]}" in s["kind"].split() for s in seen.all(key, tag="rect")), key


def level(shape):
    """Height of a path that starts with a level stroke."""
    return float(re.match(r"M[\d.-]+ ([\d.-]+)", shape["d"])[1])


def levels(seen, kind):
    """The heights of all paths of a class that start with a level stroke."""
    return [level(shape) for shape in seen.all(kind=kind, tag="path")]


# ---- the judges ----


def judge_cost(one, seen):
    facts, x, y = one.facts(), axis(seen, "length", "x"), axis(seen, "tick", "y", 4)
    speeds = [1, *cost.speedup_curve(one.alpha, range(1, 17), one.c, one.v)]
    points = seen.points(seen.one("curve"))
    for g, speed in enumerate(speeds):
        dot = seen.one(f"speed/{g}")
        assert (dot["cx"], dot["cy"]) == (near(x(g)), near(y(speed))), g
        assert points[g] == (near(x(g)), near(y(speed)))
    assert 2 <= len(seen.all("tick")) <= 8
    assert level(seen.one("even")) == near(y(1))
    assert min(s["y"] for s in seen.all("tick")) < min(dot["cy"] for dot in seen.all("speed/")) + 4
    now = seen.one("now")
    assert (now["cx"], now["cy"]) == (near(x(one.gamma)), near(y(speeds[one.gamma])))
    judge_best(one, seen, facts, x)
    even = "none" if facts["breakEven"] is None else fixed(facts["breakEven"])
    price = f"{fixed(facts['tokens'])} / {fixed(facts['price'])} = {fixed(facts['speedup'])}"
    assert [seen.values[0], *seen.values[2:]] == [price, even, fixed(facts["operations"])]
    assert ("a loss" in seen.facts[0][1]) == (facts["speedup"] < 1)
    judge_round(one, seen, facts)


def judge_best(one, seen, facts, x):
    """The best length, in the readout, at its place, and on the button."""
    best, said, button = facts["best"], seen.one("best"), seen.knobs["best"]
    reached = 0 < best <= 16
    assert seen.values[1] == (
        "none" if not best else "no end" if one.c == 0 else f"{best}{' or more' * (best == 64)}"
    )
    assert button["off"] == (not reached)
    if reached:
        assert said["text"] == f"best: γ = {best}, {fixed(facts['bestSpeed'])} times"
        assert [ring["cx"] for ring in seen.all("ring")] == [near(x(best))] * (best != one.gamma)
        assert button["words"] == "Best γ"
    else:
        wanted = "do not draft" if not best else "longer" if one.c == 0 else f"γ = {best}"
        assert wanted in said["text"]
        assert len(button["words"]) > len("Best γ: ")


def judge_round(one, seen, facts):
    """The treads and the two rows of passes have one scale."""
    spans = [(s["x"] - 0.5, right(s) + 0.5) for s in seen.all("pass")]
    unit = (spans[0][1] - spans[0][0]) / one.v
    for k in range(one.gamma + 1):
        shares = {"bonus": one.alpha**k} if k == one.gamma else {
            "accepted": one.alpha ** (k + 1), "residual": one.alpha**k * (1 - one.alpha)
        }  # fmt: skip
        for role, share in shares.items():
            drawn = [s["width"] for s in seen.all(f"{role}/{k}") if s["key"] == f"{role}/{k}"]
            assert sum(drawn) == near(share * unit), (role, k)
        coloured(seen, f"accepted/{k}", "accepted")
    plain = seen.all("plain")
    assert right(plain[-1]) + 0.5 - (plain[0]["x"] - 0.5) == near(facts["tokens"] * unit)
    drafts = seen.all("draft", tag="rect")
    start = drafts[0]["x"] - 0.5 if drafts else spans[0][0]
    assert spans[0][1] - start == near(facts["price"] * unit)
    saved = sum(s["width"] for s in seen.all("saved"))
    assert saved == near(max(0, facts["tokens"] - facts["price"]) * unit)


def judge_darts(one, seen):
    facts, env = one.facts(), one.envelope
    xs = np.linspace(-3, 3, 241)
    kept = seen.one("kept/72")
    base, unit = foot(kept), kept["height"] / min(facts["target"], facts["ceiling"])
    assert unit > 0
    target = seen.points(seen.one("target"))
    assert [y for _, y in target] == near((base - unit * TARGET(xs)).tolist())
    left, wide = target[0][0], target[-1][0] - target[0][0]
    assert [x for x, _ in target] == near((left + (xs + 3) / 6 * wide).tolist())
    if one.proposal == "bell":
        drawn = [y for _, y in seen.points(seen.one("envelope"))]
        assert drawn == near((base - unit * env.height(xs)).tolist())
    else:
        roof = float(re.search(r"V([\d.]+)H", seen.one("envelope")["d"])[1])
        assert roof == near(base - unit * one.constant / 6)
    lost = sum(s["height"] for s in seen.all("lost/72"))
    assert lost == near(unit * max(0, facts["ceiling"] - facts["target"]))
    assert right(seen.one("kept/14")) - 7 == near(left + (one.x + 3) / 6 * wide)
    assert bool(seen.all("missed")) == facts["broken"]
    assert ("too low" in " ".join(seen.texts())) == facts["broken"]
    judge_survivors(one, seen, facts, env, xs)
    wanted = [fixed(facts["chance"]), fixed(facts["acceptance"], 3), fixed(facts["smallest"])]
    assert seen.values[:3] == wanted
    assert seen.knobs["width"]["off"] == (one.proposal == "flat")
    assert seen.knobs["tight"]["off"] == (facts["smallest"] > 40)
    assert seen.knobs["constant"]["words"].endswith(fixed(one.constant))


def judge_survivors(one, seen, facts, env, xs):
    """The histogram below, the law wanted, and the law of a broken envelope."""
    law = TARGET(xs) / AREA
    wanted = np.array([y for _, y in seen.points(seen.one("wanted"))])
    unit, base = np.polyfit(law, -wanted, 1)
    base = -base
    assert wanted.tolist() == near((base - unit * law).tolist())
    if facts["broken"]:
        comes = np.minimum(TARGET(xs), env.height(xs)) / facts["kept"]
        drawn = [y for _, y in seen.points(seen.one("comes"))]
        assert drawn == near((base - unit * np.minimum(comes, 0.95)).tolist())
    else:
        assert not seen.all("comes")
    tally = one.tally or {"thrown": 0, "kept": 0, "bins": [0] * 60}
    now = [one.proposal, one.width, one.constant]
    if one.tally and json.loads(tally["of"]) != now:
        tally = {"thrown": 0, "kept": 0, "bins": [0] * 60}
    for i, n in enumerate(tally["bins"]):
        drawn = [s["height"] for s in seen.all(f"bin/{i}") if s["key"] == f"bin/{i}"]
        share = min(0.95, n / max(tally["kept"], 1) * 10)
        assert drawn == ([near(share * unit)] if n else []), i
    first, second = seen.one("survivors")["text"], seen.one("thrown")["text"]
    if not tally["thrown"]:
        assert (first, second) == ("no darts yet", "throw some")
    else:
        assert digits_of(first) == str(tally["kept"])
        assert digits_of(second) == str(tally["thrown"])
        assert seen.values[3] == fixed(tally["kept"] / tally["thrown"], 3)
        marks = sum(len(re.findall("M", s["d"])) for key in ("dots", "crosses")
                    for s in seen.all(key) if s["key"] == key)  # fmt: skip
        assert marks <= min(500, 2 * tally["thrown"])


def judge_walk(one, seen):
    facts, law = one.facts(), one.pairs[one.pair]
    p, q, names = np.array(law["p"]), np.array(law["q"]), law["names"]
    tested = min(max(one.step - one.gamma, 0), facts["tested"])
    over = one.step >= one.gamma + facts["tested"] + 1
    unit = 130 / max(p.max(), q.max())
    for k, token in enumerate(facts["drafts"][:tested]):
        low, high = min(p[token], q[token]) * unit, q[token] * unit
        heights(seen, "kept", {k: low / unit}, unit, base=190)
        heights(seen, "cut", {k: (high - low) / unit}, unit)
        assert level(seen.one(f"coin/{k}")) == near(190 - one.coins[k] * high)
    assert len(seen.all("coin/", tag="path")) == tested
    out = [*facts["drafts"][: min(tested, facts["accepted"])], *[facts["next"]] * over]
    fates = ["accepted"] * (len(out) - over) + [facts["fate"]] * over
    drawn = list(seen.all("out/", tag="rect"))
    assert [s["key"] for s in drawn] == [f"out/{fate}" for fate in fates]
    assert [f"fill-{FATES[fate]}" for fate in fates] == [s["kind"] for s in drawn]
    judge_end(one, seen, facts, law, over)
    judge_tree(one, seen, facts, p, q)
    judge_counters(one, seen, facts, tested, over)
    words = seen.knobs["coin"]["words"]
    assert f"of draft {one.position}" in words
    assert words.endswith(fixed(one.coins[one.position]))
    assert seen.knobs["coin"]["value"] == pytest.approx(one.coins[one.position], abs=0.005)
    assert seen.knobs["position"]["options"] == list(range(one.gamma))
    said = " ".join(seen.texts())
    assert all(name in said for name in (names[x] for x in facts["drafts"][: one.step]))


def judge_end(one, seen, facts, law, over):
    """The correction or the bonus: its law, and the token that was drawn."""
    if one.step <= one.gamma or min(one.step - one.gamma, facts["tested"]) < facts["tested"]:
        assert not seen.all("end/")
        return
    shares = law["p"] if facts["fate"] == "bonus" else facts["residual"]
    heights(seen, "end", dict(zip(law["names"], shares, strict=True)), 130)
    coloured(seen, "end/", facts["fate"])
    assert ("drawn" in seen.texts()) == over


def judge_tree(one, seen, facts, p, q):
    """Widths in the tree are probabilities; the tokens of this round are framed."""
    wide = sum(s["width"] for key in ("accepted", "residual") for s in seen.all(f"tree/{key}/0"))
    assert wide == near(728)
    rows = min(one.gamma, 3 if len(p) > 2 else 4)
    high = [s["height"] for s in seen.all("tree/accepted/0")]
    for k in range(rows):
        for key, share in (("accepted", facts["alpha"]), ("residual", 1 - facts["alpha"])):
            drawn = sum(s["width"] for s in seen.all(f"tree/{key}/{k}"))
            assert drawn == pytest.approx(wide * share * facts["alpha"] ** k, abs=3), (key, k)
    bonus = sum(s["width"] for s in seen.all("tree/bonus"))
    whole = facts["alpha"] ** one.gamma * wide if rows == one.gamma else 0
    assert bonus == pytest.approx(whole, abs=3)
    assert set(high) == {high[0]}
    assert bool(re.search(r"rows? more", " ".join(seen.texts()))) == (rows < one.gamma)


def judge_counters(one, seen, facts, tested, over):
    """The table, and the mean of the rounds that are over."""
    before = one.tally or dict.fromkeys(("rounds", "drafted", "tested", "accepted", "emitted"), 0)
    kept = min(tested, facts["accepted"])
    here = {"drafted": min(one.step, one.gamma), "tested": tested, "accepted": kept}
    here["emitted"] = kept + over
    now = {key: before[key] + n for key, n in here.items()}
    assert [int(digits_of(cell)) for cell in seen.cells] == list(now.values())
    wanted = [fixed(facts["tokens"]), fixed(facts["alpha"]), fixed(facts["lengths"][-1])]
    rounds = before["rounds"] + over
    if over:
        wanted.insert(1, fixed(now["emitted"] / rounds))
        assert str(rounds) in seen.facts[1][1]
    assert seen.values == wanted


def judge_roofline(one, seen):
    facts = one.facts()
    tens = [(int(s["key"].split("/")[1]), s["x"]) for s in seen.all("decade/")]
    x = line_through(tens)
    y = line_through([(-int(s["key"].split("/")[1]), s["y"] - 4) for s in seen.all("share/")])

    def place(rate):
        return near(x(math.log10(rate))), near(y(math.log10(min(1, rate / facts["ridge"]))))

    roof = seen.points(seen.one("roof"))
    ends = [min(k for k, _ in tens), max(k for k, _ in tens)]
    assert roof[1] == place(facts["ridge"])
    assert roof[0][0] <= x(ends[0]) + 1
    assert roof[2][0] == near(x(ends[1]))
    assert roof[2][1] == near(y(0))
    slope = (roof[1][1] - roof[0][1]) / (roof[1][0] - roof[0][0])
    assert slope == pytest.approx((y(1) - y(0)) / (x(1) - x(0)), rel=0.02)
    assert float(seen.one("ridge")["d"][1:].split()[0]) == near(x(math.log10(facts["ridge"])))
    assert f"ridge {fixed(facts['ridge'], 0)}" in seen.texts()
    for role, part in (("p", facts["one"]), ("q", facts["many"])):
        spot = seen.one(f"spot/{role}")
        assert (spot["cx"], spot["cy"]) == place(part["intensity"])
        assert roof[0][0] - 1 <= spot["cx"] <= roof[2][0] + 1
        other = seen.one(f"memory/{role}")["width"], seen.one(f"compute/{role}")["width"]
        longest = max(facts["one"]["time"], facts["many"]["time"])
        for drawn, time in zip(other, (part["memory"], part["compute"]), strict=True):
            assert drawn == near(max(1.5, 486 * time / longest))
    judge_bounds(one, seen, facts)


def judge_bounds(one, seen, facts):
    """The readout: the price, and which side bounds each of the two passes."""
    assert seen.values[0] == fixed(facts["price"])
    for shown, part in zip(seen.facts[1:], (facts["one"], facts["many"]), strict=True):
        number = float(re.sub(r"\s", "", shown[0]))
        assert number == pytest.approx(part["intensity"], rel=0.06, abs=0.005)
        side = "compute" if part["compute"] > part["memory"] else "memory"
        assert f"{side}-bound" in shown[1]
    assert f"of {one.rows} positions" in seen.facts[0][1]
    assert one.machines[one.machine]["name"] in seen.alt
    known = [(m["billions"], m["cache"]) for m in one.models]
    chosen = known.index((one.billions, one.cache)) if (one.billions, one.cache) in known else -1
    menu = seen.knobs["model"]
    assert menu["value"] == chosen
    # What stands for "none of these" cannot be chosen, only reached.
    assert (-1 in menu["options"]) == (chosen == -1)
    assert "16" in next(s["text"] for s in seen.all(tag="text") if "arithmetic" in s["text"])


def judge_tokens(one, seen):
    facts, p, q = one.facts(), np.array(one.p), np.array(one.q)
    classical = one.rule == "classical"
    if classical:
        constant = facts["constant"]
        wanted = [fixed(x) for x in (1 / constant, constant, facts["alpha"])] if constant else []
        assert seen.values == (wanted or ["none"])
        assert seen.knobs["draw1"]["off"] == (constant is None)
    else:
        # Kept and cut off are rounded so that they add up to 1.
        kept, cut, filled = map(float, seen.values[:3])
        assert [kept, cut] == pytest.approx([facts["alpha"], facts["tv"]], abs=0.0101)
        assert kept + cut == pytest.approx(1)
        assert filled == cut
        law = [float(x) for x in re.findall(r"[\d.]+", seen.values[3])]
        scale = 100 if "%" in seen.values[3] else 1
        assert law == pytest.approx(
            (scale * np.array(facts["residual"])).tolist(), abs=0.01 * scale
        )
    judge_boards(one, seen, facts) if one.view == "board" else judge_bars(one, seen, facts, p, q)
    judge_ledgers(one, seen)


def judge_bars(one, seen, facts, p, q):
    """Bars: what is kept, cut off and filled in, both laws, and the two bands."""
    classical, unit = one.rule == "classical", 0.0
    lifted = q * (facts["constant"] or 1) if classical else q
    low = dict(zip(one.names, np.minimum(p, lifted).tolist(), strict=True))
    unit = sum(s["height"] for s in seen.all("kept/", kind="fill-acc")) / sum(low.values())
    base = foot(seen.all("kept/", tag="rect")[0])
    assert unit > 100
    heights(seen, "kept", low, unit, base)
    coloured(seen, "kept/", "accepted")
    heights(seen, "cut", dict(zip(one.names, np.maximum(lifted - p, 0), strict=True)), unit)
    gone = dict(zip(one.names, np.maximum(p - lifted, 0), strict=True))
    if classical:
        heights(seen, "missed", gone, unit)
    elif one.moved == 1:
        heights(seen, "filled", gone, unit)
        coloured(seen, "filled/", "residual")
    tops = [re.search(r"V([\d.]+)h", s["d"]) for s in seen.all(kind="law-p", tag="path")]
    assert [float(top[1]) for top in tops] == near((base - unit * p).tolist())
    assert levels(seen, "law-q") == near((base - unit * q).tolist())
    cut, filled = (
        sum(s["width"] for s in seen.all(f"band/{key}")) for key in ("rejected", "residual")
    )
    if not classical:
        assert cut == near(filled)
    judge_marks(one, seen, p, unit, base)


def ledger(one):
    """What has been drawn of the laws now shown: accepted and filled-in tokens."""
    zeros = [0] * len(one.p)
    if not one.tally or json.loads(one.tally["of"]) != [one.p, one.q, one.rule]:
        return 0, zeros, zeros
    return one.tally["drafted"], one.tally["accepted"], one.tally["filled"]


def judge_marks(one, seen, p, unit, base):
    """A diamond at each share of what was drawn, on a line over 1.96 standard errors of p."""
    _, accepted, filled = ledger(one)
    total = sum(accepted) + sum(filled)
    marks = seen.all("seen/")
    assert len(marks) == (len(one.p) if total else 0)
    lines = [s for s in seen.all(kind="line-ink", tag="path") if re.fullmatch(REACH, s["d"])]
    assert len(lines) == len(marks)
    for k, (mark, line) in enumerate(zip(marks, lines, strict=True)):
        roof = 1.04 * 230 / unit  # what is higher ends there
        share = min((accepted[k] + filled[k]) / total, roof)
        assert level(mark) + 7 == near(base - unit * share)
        reach = 1.96 * math.sqrt(p[k] * (1 - p[k]) / total)
        ends = [float(y) for y in re.fullmatch(REACH, line["d"]).groups()]
        wanted = [max(0, p[k] - reach), min(1, p[k] + reach, roof)]
        assert ends == near([base - unit * y for y in wanted])


REACH = r"M[\d.]+ ([\d.]+)V([\d.]+)"


def judge_boards(one, seen, facts):
    """Two boards: areas are masses, of drafts on the left and of tokens on the right."""
    sums = {key: sum(seen.masses(f"{key}/").values()) for key in ("kept", "cut", "out", "filled")}
    side = sums["kept"] + sums["cut"]
    gain = 1 / facts["constant"] if one.rule == "classical" else facts["alpha"]
    shares = {key: area / side for key, area in sums.items()}
    filled = 0 if one.rule == "classical" else facts["tv"]
    wanted = {"kept": gain, "cut": 1 - gain, "out": gain, "filled": filled}
    assert shares == pytest.approx(wanted, abs=0.004)


def judge_ledgers(one, seen):
    drafted, accepted, filled = ledger(one)
    if not drafted:
        assert seen.cells == []
        return
    out = np.add(accepted, filled)
    columns = [accepted, filled, out] if one.rule == "speculative" else [accepted]
    for i, row in enumerate(zip(*columns, strict=True)):
        cells = seen.cells[i * (len(columns) + 2) :]
        assert [int(digits_of(cell)) for cell in cells[: len(columns)]] == list(row)
        assert float(cells[len(columns)]) == pytest.approx(out[i] / out.sum(), abs=0.0011)
        assert cells[len(columns) + 1] == fixed(one.p[i], 3)


def judge_warps(one, seen):
    facts, names = one.facts(), one.pairs[one.pair]["names"]
    p, q = np.array(facts["p"]), np.array(facts["q"])
    low = np.minimum(p, q)
    tall = [s["height"] for s in seen.all("out/", tag="rect") if s["kind"].startswith("fill")]
    unit = (
        sum(tall) / facts["accepted"]
        if tall
        else sum(s["height"] for s in seen.all("refill/", tag="rect"))
    )
    for key, shares in {
        "kept": low, "cut": np.maximum(q - p, 0), "filled": np.maximum(p - q, 0),
        "out": facts["kept"], "refill": facts["filled"],
        "missing": np.maximum(p - facts["got"], 0),
    }.items():  # fmt: skip
        heights(seen, key, dict(zip(names, shares, strict=True)), unit)
    distance = facts["distance"]
    wrong = distance > 1e-9
    said = next(text for text in seen.texts() if text.startswith(("what comes out", "out:")))
    assert ("exactly" in said) == (not wrong)
    if wrong:
        assert fixed(distance) in said
    wanted = [fixed(facts[key]) for key in ("alpha", "plain", "accepted")]
    assert seen.values == [*wanted, fixed(distance, 3) if wrong else "0"]
    judge_logits(one, seen)
    judge_heat(one, seen, facts)


def judge_logits(one, seen):
    """Two levels for each token, at the logarithms of its shares or at the reader's logits."""
    shares = dict(zip("pq", one.laws, strict=True))
    with np.errstate(divide="ignore"):
        logits = one.logits or {law: np.log(share) for law, share in shares.items()}
    marks = {law: [s["cy"] for s in seen.all(f"logit/{law}/")] for law in "pq"}
    line_through(
        [(min(max(x, -5), 2), y) for law in "pq"
         for x, y in zip(logits[law], marks[law], strict=True)]
    )  # fmt: skip


def judge_heat(one, seen, facts):
    """The acceptance against the temperature, both sides warped."""
    half = next(s for s in seen.all(tag="text") if s["text"] == "0.5" and s["anchor"] == "end")
    last = max((s for s in seen.all(tag="text") if s["text"] == "3"), key=lambda s: s["y"])
    y = line_through(
        [(float(s["text"]), s["y"] - 4) for s in seen.all(tag="text")
         if s["x"] == half["x"] and s["text"] in ("0", "0.5", "1") and abs(s["y"] - half["y"]) < 60]
    )  # fmt: skip
    x = line_through(
        [(float(s["text"]), s["x"]) for s in seen.all(tag="text")
         if s["y"] == last["y"] and s["anchor"] == "middle"]
    )  # fmt: skip
    curve = next(c for c in map(seen.points, seen.all(kind="line-ink", tag="path")) if len(c) > 100)
    _p, _q = one.laws
    heats = np.linspace(0, 3, len(curve))
    for heat, (left, top) in list(zip(heats, curve, strict=True))[::8]:
        both = alive.Warps(**{**one.state, "temperature": float(heat), "side": "both"})
        assert left == near(x(heat))
        assert top == near(y(both.facts()["alpha"])), heat
    now = seen.one("now")
    assert (now["cx"], now["cy"]) == (near(x(one.temperature)), near(y(facts["alpha"])))


def judge_noise(one, seen):
    facts, texts = one.facts(), seen.all(tag="text")
    tens = {f"10{'⁰¹²³⁴⁵⁶⁷'[k]}": k for k in range(8)}
    x = line_through([(tens[s["text"]], s["x"]) for s in texts if s["text"] in tens])
    y = line_through([(math.log10(float(s["text"])), s["y"] - 4) for s in texts
                      if re.fullmatch(r"0\.0*1", s["text"]) and s["anchor"] == "end"])  # fmt: skip
    n, low = np.log10(one.sizes), [np.log10(edge) for edge in one.band]
    band = seen.points(seen.one("band"))
    edges = band[: len(n)], band[len(n) :][::-1]
    for drawn, edge in zip(edges, (low[0], low[-1]), strict=True):
        assert [a for a, _ in drawn] == near(x(n).tolist())
        assert [b for _, b in drawn] == near(y(edge).tolist())
    law, top = np.array(one.law), y(math.log10(0.4))
    mean = [math.log10(mean_distance(law, one.biased, size)) for size in one.sizes]
    dashed = seen.points(seen.all(kind="line-dashed", tag="path")[0])
    assert [b for _, b in dashed] == near(np.maximum(y(np.array(mean)), top).tolist())
    judge_runs(one, seen, facts, x, y)
    assert seen.knobs["bias"]["words"].endswith(fixed(one.bias, 3))


def judge_runs(one, seen, facts, x, y):
    """The samples of this run, and where the bias leaves the band."""
    exact = [s for s in seen.all("exact/") if s["tag"] == "circle"]
    biased = seen.all("biased/")
    assert len(exact) == len(biased) == one.step + 1
    assert [s["cx"] for s in exact] == near(x(np.log10(one.sizes[: one.step + 1])).tolist())
    said = [float(v) for v in seen.values[1:3]]
    deepest = max(foot_ for _, foot_ in seen.points(seen.one("band")))
    for mark, distance in zip((exact[-1]["cy"], level(biased[-1]) + 5), said, strict=True):
        rough = 0.00006 / max(distance, 1e-4)  # the readout has four digits
        wanted = y(math.log10(max(distance, 1e-6)))
        slack = PIXEL + abs(y(1) - y(0)) * rough
        assert abs(mark - wanted) < slack or mark > deepest
    for distance, (_, words) in zip(said, seen.facts[1:3], strict=True):
        side = "above" if distance > facts["high"] else "below" if distance < facts["low"] else "in"
        close = min(abs(distance - facts[k]) for k in ("high", "low")) < 6e-5
        assert side in words or close
    assert int(digits_of(seen.values[0])) == facts["n"]
    rings = seen.all("crossing")
    if facts["crossing"] is None:
        assert not rings
        assert "beyond" in seen.values[3]
        return
    edge = np.interp(math.log10(facts["crossing"]), np.log10(one.sizes), np.log10(one.band[-1]))
    assert (rings[0]["cx"], rings[0]["cy"]) == (
        near(x(math.log10(facts["crossing"]))), near(y(edge)),
    )  # fmt: skip
    assert int(digits_of(seen.values[3])) == pytest.approx(facts["crossing"], rel=0.06)


def judge_bigram(one, seen):
    facts, p = one.facts(), np.array(one.facts()["p"])
    q, size = np.array(facts["q"]), len(one.names)
    drawn = sum(s["height"] for s in seen.all("kept/", kind="fill-acc"))
    unit = drawn / facts["beta"]
    base = foot(seen.all("kept/", tag="rect")[0])
    for key, shares in {
        "kept": np.minimum(p, q), "cut": np.maximum(q - p, 0), "filled": np.maximum(p - q, 0),
    }.items():  # fmt: skip
        heights(seen, key, dict(zip(map(str, range(size)), shares, strict=True)), unit)
    assert levels(seen, "law-q") == near((base - unit * q).tolist())
    assert levels(seen, "law-p") == near((base - unit * p).tolist())
    for role in ("rejected", "residual"):
        wide = [s["width"] for s in seen.all(f"band/{role}")]
        assert sum(wide) == near(420 * facts["tv"])
    wanted = [fixed(facts["beta"]), fixed(facts["alpha"], 3), fixed(facts["calls"])]
    assert seen.values[:3] == wanted
    now = one.text and json.loads(one.text["of"]) == [one.weight, one.gamma]
    judge_text(one, seen, one.text["rounds"] if now else [])


def judge_text(one, seen, rounds):
    """The text: the colour of every character is its fate, and the table counts them."""
    shown = list(seen.all("text/", tag="rect"))
    written = [each for one_round in rounds for each in one_round][-len(shown) :] if shown else []
    assert [s["kind"] for s in shown] == [f"fill-{FATES[fate]}" for _, fate in written]
    glyphs = [s["text"] for s in seen.all(kind="mono", tag="text")][len(one.names) :]
    names = [one.names[token].replace(" ", "␣") for token, _ in written]
    assert glyphs == names
    if not rounds:
        assert seen.cells == []
        assert len(seen.values) == 3
        return
    fates = [fate for one_round in rounds for _, fate in one_round]
    counted = [fates.count(fate) for fate in ("accepted", "residual", "bonus")]
    wanted = [len(rounds) * one.gamma, counted[0] + counted[1], *counted]
    assert [int(digits_of(cell)) for cell in seen.cells] == wanted
    assert seen.values[3] == fixed(len(fates) / len(rounds))
    assert len(shown) >= min(len(fates), 40)


JUDGES = {
    "bigram": judge_bigram, "cost": judge_cost, "darts": judge_darts, "noise": judge_noise,
    "roofline": judge_roofline, "tokens": judge_tokens, "walk": judge_walk, "warps": judge_warps,
}  # fmt: skip


# ---- the table ----


@dataclass
class Case:
    """What the reader does with a widget, and the state that must follow."""

    module: str
    start: dict
    steps: list
    state: dict = field(default_factory=dict)
    more: object = None  # a further look at what is seen, and at the state

    @property
    def name(self):
        """What is done, in short."""
        done = "-".join(f"{key}={value}" if value is not None else key for key, value in self.steps)
        begun = "-".join(f"{key}={value}" for key, value in self.start.items())
        return re.sub(r"[^\w.=,+-]", "", f"{self.module}:{begun}:{done}")[:90]

    def run(self, mounted, change=None):
        """Do it, and look."""
        widget = WIDGETS[self.module]
        seen = mounted(self.module, widget(**self.start).state, self.steps, change=change)
        for key, value in self.state.items():
            wanted = value if isinstance(value, dict) else pytest.approx(value, abs=1e-9)
            assert seen.state[key] == wanted, key
        one = widget(**{key: seen.state[key] for key in widget.parts})
        JUDGES[self.module](one, seen)
        if self.more:
            self.more(one, seen)


def thrown(n):
    def look(one, _):
        assert (one.tally or {}).get("thrown") == n
        assert sum(one.tally["bins"]) == one.tally["kept"] <= n

    return look


def rounds(n, step):
    def look(one, _):
        assert (one.tally or {}).get("rounds", 0) == n
        assert one.step == step or step is None

    return look


def drawn(n):
    return lambda one, _: _same((one.tally or {}).get("drafted"), n)


def written(n):
    return lambda one, _: _same(len((one.text or {}).get("rounds", [])), n)


def _same(found, wanted):
    assert found == wanted


def logit(law, i, value):
    return lambda one, _: _same(one.logits[law][i], pytest.approx(value))


def _score(value):
    """Where a logit stands in the picture of Warps."""
    return 26 + (2 - value) / 7 * 96


LOGIT = [(125, _score(math.log(FOUR_TOKENS.q[0]))), (125, _score(0.5))]
FLAT = {"proposal": "flat", "constant": 25.0, "seed": 5}
SHAPE = MODELS["Llama 3 70B"]
C = Case
CASES = [
    C("cost", {}, []),
    C("cost", {}, [("alpha", 0.85)], {"alpha": 0.85}),
    C("cost", {}, [("gamma", 9)], {"gamma": 9}),
    C("cost", {}, [("gamma", 1)], {"gamma": 1}),
    C("cost", {}, [("c", 0.24)], {"c": 0.24}),
    C("cost", {}, [("v", 1.75)], {"v": 1.75}),
    C("cost", {}, [("alpha", 0.9), ("gamma", 2), ("c", 0.05), ("best", None)],
      {"gamma": cost.best_gamma(0.9, 0.05)[0]}),
    C("cost", {}, [("alpha", 1), ("c", 0)], {"alpha": 1, "c": 0}),
    C("cost", {"c": 0.2}, [("alpha", 1)], {"alpha": 1}),
    C("cost", {"alpha": 0.99, "c": 0.02}, [("best", None)], {"gamma": 4}),
    C("cost", {"alpha": 0.1, "c": 0.3}, [("best", None)], {"gamma": 4}),
    C("cost", {"alpha": 0.5, "c": 0.0, "v": 3.0}, []),
    C("cost", {}, [("drag", [(40 + 4 * 37.5, 120), (40 + 12 * 37.5, 100)])], {"gamma": 12}),
    C("cost", {"gamma": 9}, [("alpha", 0.2), ("reset", None)], {"gamma": 9, "alpha": 0.7}),
    C("cost", {}, [("key", ("gamma", "ArrowRight"))], {"gamma": 5}),
    C("darts", {}, [("x", -0.35)], {"x": -0.35}),
    C("darts", {}, [("drag", [(300, 200), (28 + 76 * 3.5, 200)])], {"x": 0.5}),
    C("darts", {}, [("width", 1.6)], {"width": 1.6}),
    C("darts", {}, [("constant", 7)], {"constant": 7}),
    C("darts", {}, [("constant", 24.5)], {"constant": 24.5}),
    C("darts", {}, [("proposal", "flat")], {"proposal": "flat", "constant": 25}),
    C("darts", {"width": 0.7}, [("proposal", "flat"), ("proposal", "bell")], {"constant": 40}),
    C("darts", {"width": 0.7}, [("tight", None)], {"constant": 11}),
    C("darts", FLAT, [("tight", None)], {"constant": alive.Darts(**FLAT).facts()["smallest"]}),
    C("darts", {"seed": 3, "constant": 40.0}, [("throw1", None)], more=thrown(1)),
    C("darts", {"seed": 3}, [("throw100", None), ("throw1", None)], more=thrown(101)),
    C("darts", {"seed": 3, "constant": 6.0}, [("throw10000", None)], more=thrown(10_000)),
    C("darts", {"seed": 3}, [("throw100", None), ("constant", 30)], {"constant": 30}),
    C("darts", {"seed": 3}, [("throw100", None), ("reset", None)], {"tally": {}}),
    C("walk", {}, []),
    C("walk", {}, [("step", 6)], {"step": 6}),
    C("walk", {}, [("step", 6), ("next", None)], {"step": 7}),
    C("walk", {}, [("next", None)], {"step": 8}),
    C("walk", {}, [("gamma", 8)], {"gamma": 8, "step": 12}),
    C("walk", {}, [("gamma", 1)], {"gamma": 1, "step": 3}),
    C("walk", {}, [("position", 2), ("gamma", 2)], {"gamma": 2, "position": 1}),
    C("walk", {}, [("position", 2)], {"position": 2}),
    C("walk", {}, [("position", 2), ("coin", 0.1)], {"coins": [0.2, 0.9, 0.1, 0.1, *[0.5] * 4]}),
    C("walk", {}, [("coin", 0.6)], {"step": 6}),
    C("walk", {}, [("pair", 1)], {"pair": 1}),
    C("walk", {"seed": 4}, [("fresh", None)], {"step": 0}, rounds(1, 0)),
    C("walk", {"seed": 4}, [("fresh", None), ("fresh", None), ("step", 5), ("fresh", None)], {},
      rounds(1, 0)),
    C("walk", {"seed": 4}, [("many", None)], {}, rounds(100, None)),
    C("walk", {"seed": 4}, [("step", 2), ("many", None)], {}, rounds(99, None)),
    C("walk", {"seed": 4}, [("many", None), ("reset", None)], {"tally": {}, "step": 8}),
    C("roofline", {}, []),
    C("roofline", {}, [("machine", 3)], {"machine": 3}),
    C("roofline", {}, [("model", 1)],
      {"billions": SHAPE.parameters / 1e9, "cache": SHAPE.kv_bytes / 1e3}),
    C("roofline", {}, [("bytes", 0.5)], {"bytes": 0.5}),
    C("roofline", {}, [("billions", 2)], {"billions": 100}),
    C("roofline", {}, [("rows", 33)], {"rows": 33}),
    C("roofline", {}, [("batch", 7)], {"batch": 128}),
    C("roofline", {"batch": 64}, [("context", 65536)], {"context": 65536}),
    C("roofline", {"batch": 64}, [("cache", 400)], {"cache": 400}),
    C("roofline", {"billions": 1000.0, "bytes": 0.5, "cache": 0.0, "batch": 512}, [("rows", 64)]),
    C("roofline", {"billions": 0.1, "cache": 600.0}, [("context", 131072)]),
    C("roofline", {}, [("rows", 40), ("reset", None)], {"rows": 5}),
    C("tokens", {}, []),
    C("tokens", {}, [("token", 2), ("q", 0.42)], {"token": 2, "q": [0.58 * 2 / 3, 0.58 / 3, 0.42]}),
    C("tokens", {}, [("p", 0.5)], {"p": [0.5, 2 / 7, 3 / 14]}),
    C("tokens", {}, [("drag", [(156, 109), (156, 306 - 0.3 * 230 / 0.7)])],
      {"q": [0.3, 0.525, 0.175]}),
    C("tokens", {"q": [1.0, 0.0, 0.0]}, [("rule", "classical")], {"rule": "classical"}),
    C("tokens", {}, [("size", 5)], {"token": 0}),
    C("tokens", {}, [("rule", "classical")], {"rule": "classical"}),
    C("tokens", {}, [("view", "board")], {"view": "board"}),
    C("tokens", {"moved": 0.0}, [("play", None)], {"moved": 1}),
    C("tokens", {}, [("moved", 0)], {"moved": 0}),
    C("tokens", {"seed": 2}, [("draw1", None)], more=drawn(1)),
    C("tokens", {"seed": 2}, [("draw100", None)], more=drawn(100)),
    C("tokens", {"seed": 2}, [("draw10000", None)], more=drawn(10_000)),
    C("tokens", {"seed": 2}, [("rule", "classical"), ("draw100", None)], more=drawn(100)),
    C("tokens", {"seed": 2}, [("draw100", None), ("reset", None)], {"tally": {}}),
    C("warps", {}, []),
    C("warps", {}, [("temperature", 1.3)], {"temperature": 1.3}),
    C("warps", {}, [("temperature", 0)], {"temperature": 0}),
    C("warps", {}, [("k", 3)], {"k": 3}),
    C("warps", {"k": 4}, [("mass", 0.7)], {"mass": 0.7}),
    C("warps", {"k": 4, "temperature": 1.0}, [("mass", 0.8)], {"mass": 0.8}),
    *[C("warps", {}, [("side", side)], {"side": side})
      for side in ("both", "target alone", "draft, and the rule not told")],
    C("warps", {}, [("pair", 2)], {"pair": 2}),
    C("warps", {}, [("side", "both"), ("reset", None)], {"side": "draft alone"}),
    C("warps", {}, [("token", 1), ("q", 1.0)], {"token": 1}, logit("q", 1, 1.0)),
    C("warps", {"side": "both"}, [("p", -3.0)], {"token": 0}, logit("p", 0, -3.0)),
    C("warps", {}, [("drag", LOGIT)], {"token": 0}, logit("q", 0, 0.5)),
    C("noise", {"seed": 6}, [("bias", 0.03)], {"bias": 0.03}),
    C("noise", {"seed": 6}, [("bias", 0.002)], {"bias": 0.002}),
    C("noise", {"seed": 6}, [("step", 20)], {"step": 20}),
    C("noise", {"seed": 6}, [("grow", None)], {"step": 24}),
    C("noise", {"seed": 6}, [("again", None)], {"run": 1}),
    C("noise", {"seed": 6}, [("drag", [(300, 150), (58 + 654 / 4, 160)])], {"step": 6}),
    C("noise", {"seed": 6}, [("step", 3), ("reset", None)], {"step": 12}),
    C("bigram", {"seed": 7}, []),
    C("bigram", {"seed": 7}, [("weight", 0.8)], {"weight": 0.8}),
    C("bigram", {"seed": 7}, [("weight", 1)], {"weight": 1}),
    C("bigram", {"seed": 7}, [("gamma", 6)], {"gamma": 6}),
    C("bigram", {"seed": 7}, [("context", 3)], {"context": 3}),
    C("bigram", {"seed": 7}, [("context", 18)], {"context": 18}),
    C("bigram", {"seed": 7}, [("round", None)], more=written(1)),
    C("bigram", {"seed": 7}, [("rounds", None)], more=written(30)),
    C("bigram", {"seed": 7}, [("rounds", None), ("round", None), ("reset", None)], {"text": {}}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_state_the_numbers_and_the_picture_follow(mounted, case):
    case.run(mounted)


BY_TIME = {"pause"}  # needs a run that takes its time: see test_page.py


@pytest.mark.parametrize("module", JUDGES)
def test_no_control_is_left_out(mounted, module):
    """The table uses every control of a widget, and every option of the short menus."""
    seen = mounted(module, WIDGETS[module]().state)
    used = {key for case in CASES if case.module == module for key, _ in case.steps}
    assert set(seen.knobs) - BY_TIME == used - {"drag", "key"}


# Where a button has nothing left to do as the widget opens.
BEFORE = {"cost": {"gamma": 9}, "tokens": {"moved": 0.0}}


def settings(knob):
    """What a control can be set to: both ends of a slider, all of a short menu."""
    if knob["kind"] == "button":
        return [None]
    ends = [knob["min"], knob["max"]] if knob["kind"] == "slider" else knob["options"]
    return [value for value in ends[:4] + ends[4:][-1:] if value != knob["value"]]


@pytest.mark.parametrize("module", MODULES)
def test_no_control_is_dead(mounted, module):
    """Whatever a control can be set to makes another state, and something else is seen."""
    state = WIDGETS[module](**BEFORE.get(module, {})).state
    first = mounted(module, state)
    for key, knob in first.knobs.items():
        if knob["off"] or knob["hidden"] or key == "reset":
            continue
        for value in settings(knob):
            seen = mounted(module, state, [(key, value)])
            assert seen.state != first.state, (key, value)
            assert (seen.shapes, seen.facts, seen.knobs) != (
                first.shapes, first.facts, first.knobs,
            ), (key, value)  # fmt: skip
            if value is not None:
                assert seen.knobs[key]["value"] == pytest.approx(value, abs=knob["step"] or 0)


# ---- faults that the table must find ----


@dataclass
class Mutant:
    """A fault, and the control whose case must find it (none: the widget as it opens)."""

    module: str
    pattern: str
    instead: str
    control: str = ""
    case: int = 0  # which of the cases that end with this control

    @property
    def catcher(self):
        """The case that must fail."""
        mine = [case for case in CASES if case.module == self.module]
        return [case for case in mine if self.control == (case.steps or [("", 0)])[-1][0]][
            self.case
        ]

    def put_in(self, texts):
        """The scripts with the fault."""
        changed = [re.sub(self.pattern, self.instead, text) for text in texts]
        if changed == texts:
            raise ValueError(f"no such text: {self.pattern}")
        return changed


M = Mutant
DEAD = r"\g<0>set: () => ({}), "
MUTANTS = {
    "new round is dead": M(
        "walk", r"act: \(app\) => begin\(app, false\)", "act: () => {}", "fresh"
    ),
    "30 rounds are dead": M("bigram", r"act: writing\(30\)", "act: () => {}", "rounds"),
    "let it run is dead": M("noise", r": grow\(app\)\)", ": null)", "grow"),
    "the context is dead": M("bigram", r'kind: "menu", key: "context", ', DEAD, "context"),
    "drag is dead": M("noise", r'return \{ held: "step", set: .*', "return null;", "drag"),
    "break even at 1.5": M("cost", r"a\.y\(1\)\}H", "a.y(1.5)}H"),
    "best length off by one": M("cost", r"= \$\{short\}, \$\{num", "= ${+short + 1}, ${num"),
    "roof bent at 5 ridges": M("roofline", r"\*\* low, f\.ridge,", "** low, 5 * f.ridge,"),
    "acceptance mirrored": M("warps", r"temperature: t \}", "temperature: most - t }"),
    "the right law for what comes out": M(
        "darts",
        r"curve\(\(x\) => Math\.min.*f\.kept\)",
        "curve((x) => target(x) / WHOLE)",
        "constant",
    ),
    "every character accepted": M(
        "bigram", r"mass\(fate, start", 'mass("accepted", start', "rounds"
    ),
    "no 1.96": M(
        "tokens",
        r"return pen\.line\(`M\$\{x\} \$\{s\.y\(Math\.max[^\n]*\n *\+",
        "return",
        "draw100",
    ),
    "the coin of another draft": M("walk", r"s\.coins\[s\.position\]", "s.coins[0]", "position"),
    # and more
    "reset is dead": M(
        "cost", r"set\(JSON\.parse\(JSON\.stringify\(home\)\)\)", "later()", "reset"
    ),
    "sliders are dead": M("cost", r"app\.set\(set\(app\.state\(\), Number.*\)\)\)", "0)", "c"),
    "menus are dead": M(
        "roofline", r"app\.set\(set\(app\.state\(\), JSON.*\)\)\)", "0)", "machine"
    ),
    "the drag is stuck": M("cost", r"set: \{ gamma: clamp", "set: { x: clamp", "drag"),
    "best is one less": M("cost", r"app\.facts\(\)\.best", "app.facts().best - 1", "best"),
    "another break even": M("cost", r"num\(f\.breakEven\)", "num(f.bonus)"),
    "free drafts have a best": M("cost", r"if \(c === 0\) return.*", "", "c", 1),
    "the best beyond the slider is set": M(
        "cost", r", off: \(s\) => !verdict.*shown,", ",", "best", 1
    ),
    "a tread too wide": M(
        "cost", r'"residual", chance \* \(1 - alpha\)', '"residual", chance', "alpha"
    ),
    "shares of all darts": M("darts", r"n / tally\.kept", "n / tally.thrown", "throw10000"),
    "an envelope without C": M("darts", r"s\.y\(g\(x\)\)", "s.y(density(state, x))", "x"),
    "no survivors, no darts": M("darts", r"if \(!thrown\)", "if (!thrown || !kept)", "throw1"),
    "the lowest C off the slider": M("darts", r", off: tooHigh", "", "tight"),
    "a bell beyond the slider": M("darts", r": Math\.min\(MOST, ", ": (", "proposal", 1),
    "the width of a flat one": M(
        "darts", r', off: \(s\) => s\.proposal === "flat"', "", "proposal"
    ),
    "a coin on another scale": M("walk", r"state\.coins\[k\] \* high", "state.coins[k] * tall"),
    "unseen rounds count": M(
        "walk", r": state\.tally;", ": counters({ ...state, step: 99 });", "fresh", 1
    ),
    "corrections as wide as what is kept": M("walk", r"r \* \(1 - f\.alpha\)", "r * f.alpha"),
    "coins of one draft": M("walk", r"k === s\.position \?", "k === 0 ?", "coin"),
    "spots at the edge": M(
        "roofline",
        r"\(Math\.log10\(i\) - low\)",
        "Math.min(5, Math.log10(i) - low)",
        "rows",
        1,
    ),
    "decades stop at 10 000": M("roofline", r"high: Math\.max\(4, .*", "high: 4,", "rows", 1),
    "bound by the other side": M(
        "roofline", r'"compute-bound" : "memory-bound"', '"memory-bound" : "compute-bound"'
    ),
    "none of the models": M("roofline", r"\.\.\.\(which\(s\) < 0 \? (.*?) : \[\]\)", r"...\1"),
    "filled in as accepted": M(
        "tokens", r'mass\("residual", \.\.\.box, \{ key', 'mass("accepted", ...box, { key'
    ),
    "one for a hundred": M("tokens", r"act: drawMore\(n\)", "act: drawMore(1)", "draw100"),
    "one law twice": M("tokens", r"V\$\{s\.y\(p\[i\]\)\}", "V${s.y(q[i])}"),
    "top-k is dead": M("warps", r'key: "k", ', DEAD, "k"),
    "refilled twice": M("warps", r"f\.filled\[i\], \"refill\"", 'f.filled[i] / 2, "refill"', "k"),
    "a band without a lower edge": M(
        "noise", r"\[band\[0\], band\.at\(-1\)\]", "[band.at(-1), band.at(-1)]", "bias"
    ),
    "a crossing too late": M("noise", r"s\.x\(f\.crossing\)", "s.x(2 * f.crossing)", "bias"),
    "the same samples": M(
        "noise", r"run: app\.state\(\)\.run \+ 1", "run: app.state().run", "again"
    ),
    "kept beyond the draft": M(
        "bigram", r"y\(low\), wide, base - y\(low\)", "y(p), wide, base - y(p)"
    ),
    "bonus not counted": M("bigram", r'bonus: of\("bonus"\)', 'bonus: of("none")', "rounds"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_is_found(mounted, name):
    mutant = MUTANTS[name]
    with pytest.raises(AssertionError):
        mutant.catcher.run(mounted, mutant.put_in)
