"""The three meters of a block in Chromium; the right values are those of `draftproof.cost`."""

import pytest

from draftproof import cost
from draftproof.widgets import alive

pytestmark = pytest.mark.browser
NEAR = 0.01  # of a draft: pictures are drawn on hundredths of a pixel


def rects(hand):
    """Position and size of every keyed rectangle, by key; patterns and outlines have no key."""
    found = hand.widget.evaluate(
        """e => [...e.querySelectorAll('rect[data-key]')].map(r => [r.dataset.key,
            ...['x', 'y', 'width', 'height'].map(side => r[side].baseVal.value)])"""
    )
    assert len({key for key, *_ in found}) == len(found)
    return {key: box for key, *box in found}


def agrees(hand, alpha, gamma):
    """Whether readout, columns, bars and words are those of the package."""
    kept, tested = cost.expected_accepted(alpha, gamma), cost.expected_tokens(alpha, gamma - 1)
    share, tokens = cost.accepted_over_drafted(alpha, gamma), cost.expected_tokens(alpha, gamma)
    assert [float(x) for x in hand.reading()] == pytest.approx([alpha, share, tokens], abs=0.0051)
    drawn = rects(hand)
    width = hand.widget.evaluate("e => e.querySelector('svg').viewBox.baseVal.width")
    unit = (width - 2 * (12 if width > 400 else 6)) / 17
    base, left = columns(drawn, alpha, gamma, unit)
    bonus = cost.bonus_probability(alpha, gamma)
    bars = {
        "tested": {"kept": kept, "rejected": tested - kept},
        "drafted": {"kept": kept, "rejected": tested - kept, "untested": gamma - tested},
        "pass": {"kept": kept, "corrected": 1 - bonus, "bonus": bonus},
    }
    for name, parts in bars.items():
        at = left
        for part, size in parts.items():
            if size <= 0.005:
                assert f"{name}/{part}" not in drawn
                continue
            x, y, wide, _ = drawn[f"{name}/{part}"]
            assert y > base
            assert x == pytest.approx(at, abs=0.25)
            assert wide / unit == pytest.approx(size, abs=NEAR)
            at += size * unit
    words = hand.widget.locator("svg").text_content()
    assert f"{kept:.2f} + 1 = {tokens:.2f}" in words
    assert f" / {gamma} = " in words
    assert f"Kept of tested {alpha:.2f}, kept of drafted {share:.2f}, " in hand.label()


def columns(drawn, alpha, gamma, unit):
    """Compare the columns with the chances; return their foot and their left end."""
    left, foot = (12, 180) if unit > 30 else (6, 150)
    tall = foot - 30
    places = {int(key.rpartition("/")[2]) for key in drawn if key.startswith("rejected/")}
    assert all(k < gamma for k in places)
    for k in range(gamma):
        met, kept = cost.bonus_probability(alpha, k), cost.bonus_probability(alpha, k + 1)
        for name, low, high in (("kept", 0, kept), ("rejected", kept, met), ("untested", met, 1)):
            key, share = f"{name}/{k}", high - low
            if share * tall <= 0.1:
                assert drawn.get(key, (0, 0, 0, 0))[3] <= 0.1
                continue
            x, y, wide, high_px = drawn[key]
            assert (x, wide) == pytest.approx((left + k * unit, unit), abs=0.02)
            assert high_px == pytest.approx(share * tall, abs=0.02)
            assert y + high_px == pytest.approx(foot - low * tall, abs=0.02)
    return foot, left


def test_it_opens_with_the_still_s_acceptance(take):
    one = alive.Meters()
    assert one.figure == "three-meters"
    assert one.still()._repr_mimebundle_()["text/plain"].count("0.8") > 0
    agrees(take("meters"), one.alpha, one.gamma)


@pytest.mark.parametrize("alpha", [0, 0.05, 0.5, 0.93, 1])
@pytest.mark.parametrize("gamma", [1, 4, 16])
def test_the_controls_bring_the_package_s_numbers(take, alpha, gamma):
    hand = take("meters")
    hand.move(alpha=alpha)
    hand.move(gamma=gamma)
    assert hand.state("alpha", "gamma") == [alpha, gamma]
    agrees(hand, alpha, gamma)


def test_a_longer_block_moves_the_three_apart(take):
    """The answer to the question: one stays, one falls, one rises."""
    hand, seen = take("meters"), []
    for gamma in range(1, 17):
        hand.move(gamma=gamma)
        seen.append([float(x) for x in hand.reading()])
    stays, falls, rises = zip(*seen, strict=True)
    assert set(stays) == {0.8}
    assert sorted(falls, reverse=True) == list(falls) and falls[0] > falls[-1]
    assert sorted(rises) == list(rises) and rises[0] < rises[-1]


def test_keys_drag_and_reset(take):
    hand = take("meters")
    hand.knob("gamma").press("ArrowRight")
    hand.settle()
    agrees(hand, 0.8, 9)
    hand.knob("alpha").press("End")
    hand.settle()
    agrees(hand, 1, 9)
    box = hand.widget.locator('[data-drag="gamma"]').bounding_box()
    mouse, step = hand.widget.page.mouse, box["width"] / 17
    mouse.move(box["x"] + 9 * step, box["y"] + 40)
    mouse.down()
    mouse.move(box["x"] + 3.2 * step, box["y"] + 200, steps=4)
    mouse.up()
    hand.settle()
    agrees(hand, 1, 3)
    hand.press("reset")
    agrees(hand, 0.8, 8)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone(opened, theme):
    with opened(theme, 360, reduced_motion="reduce") as bench:
        one = bench.hand("meters")
        for alpha, gamma in ((0.8, 8), (1, 16), (0, 16), (0.5, 1), (0.97, 16)):
            one.move(alpha=alpha)
            one.move(gamma=gamma)
            agrees(one, alpha, gamma)
            view = one.widget.locator("svg").bounding_box()
            for words in one.widget.locator("svg text").all():
                box = words.bounding_box()
                assert view["x"] - 1 <= box["x"]
                assert box["x"] + box["width"] <= view["x"] + view["width"] + 1
        assert bench.page.evaluate("document.documentElement.scrollWidth") <= 360
        assert bench.complaints == []
