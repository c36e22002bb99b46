"""Two laws at a temperature in Chromium; the right values are those of `draftproof.warp`."""

import numpy as np
import pytest

from draftproof.examples import toy
from draftproof.finite import overlap
from draftproof.toy_runs import CONTEXT, WEIGHT, row_at
from draftproof.warp import temper
from draftproof.widgets import alive

pytestmark = pytest.mark.browser
NAMES = toy()[0].vocabulary
BARS = {736: (34, 24, 180), 336: (24, 16, 160)}  # by width: the margins, and the bars' height
CURVE = {736: 110, 336: 100}


def shapes(hand):
    """The keyed rectangles with their y and height, the curve's points, and the dot."""
    return hand.widget.evaluate(
        """e => ({
            width: e.querySelector('svg').viewBox.baseVal.width,
            rects: Object.fromEntries([...e.querySelectorAll('rect[data-key]')].map(
                r => [r.dataset.key, [r.y.baseVal.value, r.height.baseVal.value]])),
            curve: e.querySelector('[data-key="curve"]').getAttribute('d'),
            now: ['cx', 'cy'].map(
                side => e.querySelector('[data-key="now"]')[side].baseVal.value),
            roof: e.querySelector('[data-drag]').y.baseVal.value + 6,
        })"""
    )


def agrees(hand, temperature, weight=WEIGHT, context=CONTEXT):
    """Whether readout, bars and curve are the package's."""
    one, cold = row_at(context, weight, temperature), row_at(context, weight)
    read, drawn = hand.reading(), shapes(hand)
    assert float(read[0]) == pytest.approx(one.beta, abs=0.0051)
    assert float(read[1]) == pytest.approx(cold.beta, abs=0.0051)
    best = [NAMES[int(np.argmax(law))].replace(" ", "␣") for law in (cold.p, cold.q)]
    assert read[2] == (best[0] if best[0] == best[1] else f"{best[0]} and {best[1]}")
    left, right, tall = BARS[drawn["width"]]
    top = max(0.2, np.ceil(max(*one.p, *one.q) * 10 - 1e-9) / 10)
    for k, (p, q) in enumerate(zip(one.p, one.q, strict=True)):
        for name, share in (("kept", min(p, q)), ("cut", q - p), ("filled", p - q)):
            high = drawn["rects"].get(f"{name}/{k}", (0, 0))[1]
            assert high == pytest.approx(max(share, 0) * tall / top, abs=0.06), (name, k)
    points = [point.split() for point in drawn["curve"].lstrip("M").split("L")]
    xs, ys = np.array(points, dtype=float).T
    roof = drawn["roof"]
    wide, high = drawn["width"] - left - right, CURVE[drawn["width"]]
    heat = (xs - left) / wide * 5
    assert heat == pytest.approx(np.linspace(0, 5, 101), abs=1e-3)
    wanted = [overlap(temper(cold.p, t), temper(cold.q, t)) for t in np.linspace(0, 5, 101)]
    assert 1 - (ys - roof) / high == pytest.approx(np.array(wanted), abs=1e-3)
    x, y = drawn["now"]
    assert (x - left) / wide * 5 == pytest.approx(temperature, abs=1e-3)
    assert 1 - (y - roof) / high == pytest.approx(one.beta, abs=1e-3)


def test_it_opens_as_its_still(take):
    one = alive.Heat()
    assert one.figure == "one-context-cool"
    beta = row_at(CONTEXT, WEIGHT, one.temperature).beta
    alt = one.still()._repr_mimebundle_()["text/plain"]
    assert f"temperature {one.temperature:g}" in alt and f"{beta:.3f}" in alt
    agrees(take("heat"), 0.5)


@pytest.mark.parametrize("temperature", [0, 0.05, 0.7, 1, 2.35, 5])
def test_the_temperature(take, temperature):
    hand = take("heat")
    hand.move(temperature=temperature)
    agrees(hand, temperature)


@pytest.mark.parametrize("weight, after", [(0, "start"), (1, "e"), (0.9, " "), (0.35, "w")])
def test_weight_and_context(take, weight, after):
    hand = take("heat")
    hand.move(weight=weight)
    hand.choose("context", str(len(NAMES) if after == "start" else NAMES.index(after)))
    agrees(hand, 0.5, weight, "^" if after == "start" else after)
    hand.move(temperature=2)
    agrees(hand, 2, weight, "^" if after == "start" else after)


def test_keys_drag_and_reset(take):
    hand = take("heat")
    hand.knob("temperature").press("ArrowRight")
    hand.settle()
    agrees(hand, 0.55)
    hand.knob("temperature").press("End")
    hand.settle()
    agrees(hand, 5)
    box = hand.widget.locator('[data-drag="temperature"]').bounding_box()
    mouse = hand.widget.page.mouse
    mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 50)
    mouse.down()
    mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 300, steps=4)  # held beyond the picture
    mouse.up()
    hand.settle()
    agrees(hand, 1.25)
    hand.press("reset")
    agrees(hand, 0.5)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone(opened, theme):
    with opened(theme, 360, reduced_motion="reduce") as bench:
        one = bench.hand("heat")
        for temperature in (0, 0.5, 5):
            one.move(temperature=temperature)
            agrees(one, temperature)
        assert bench.page.evaluate("document.documentElement.scrollWidth") <= 360
        assert bench.complaints == []
