"""The blocks under two rules, moved and read in Chromium; all right values from the package."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof import lab, verifiers
from draftproof.figures.chapter6 import results
from draftproof.widgets import alive

pytestmark = pytest.mark.browser
RULES = {"token": verifiers.token, "block": verifiers.block}
PX = 0.006  # of a probability: tiles are drawn on hundredths of a pixel, and edges are rounded


def laws(draft_a, target_a):
    p, q = Fraction(target_a, 12), Fraction(draft_a, 12)
    return (p, 1 - p), (q, 1 - q)


def kept(draft_a, target_a, gamma):
    """Expected kept drafts of both rules, by enumeration."""
    models = [results.steady(law) for law in laws(draft_a, target_a)]
    return [lab.expected_accepted(rule, *models, gamma=gamma) for rule in RULES.values()]


def number(words):
    """What a readout says: a fraction, a decimal, or both with an equals sign."""
    said = words.replace("−", "-").replace("±", "").split(" = ")
    values = [float(Fraction(part)) for part in said]
    assert max(values) - min(values) < 6e-4
    return values[0]


def agrees(hand, draft_a, target_a, gamma):
    """Whether readout and tiles are what the package says."""
    token, block = kept(draft_a, target_a, gamma)
    read = hand.reading()
    assert number(read[0]) == pytest.approx(float(token), abs=6e-4)
    assert number(read[1]) == pytest.approx(float(block), abs=6e-4)
    assert number(read[2]) == pytest.approx(float(block - token), abs=6e-4)
    faster = 100 * float((block - token) / (token + 1))
    assert float(read[3].removesuffix("\u00a0%")) == pytest.approx(faster, abs=0.051)
    p, q = laws(draft_a, target_a)
    for name, rule in RULES.items():
        fates = results.fates(rule, p, q, gamma)
        first = hand.areas(f"{name}/kept/1/") | hand.areas(f"{name}/fixed/1/")
        unit = sum(first.values())  # in the first row every draft is kept or corrected
        for t in range(1, gamma + 1):
            for role, wanted in (
                ("kept", [f for f in fates if f.kept >= t]),
                ("fixed", [f for f in fates if f.kept == t - 1]),
            ):
                drawn = {}
                for fate in wanted:
                    word = "".join("ab"[x] for x in fate.drafted)
                    drawn[word] = drawn.get(word, 0) + float(fate.mass)
                seen = hand.areas(f"{name}/{role}/{t}/")
                for word, mass in drawn.items():
                    area = seen.get(f"{name}/{role}/{t}/{word}", 0)
                    assert area / unit == pytest.approx(mass, abs=PX), (name, role, t, word)
                assert len(seen) <= len(drawn)


def test_it_opens_with_the_book_s_pair(take):
    hand = take("blocks")
    assert hand.reading() == ["10/9 = 1.111", "11/9 = 1.222", "+1/9", "5.3\u00a0%"]
    agrees(hand, 8, 4, 2)
    assert "ab +2/9" in hand.label()
    assert "aa −1/9" in hand.label()


@pytest.mark.parametrize("gamma", [1, 2, 3, 4])
@pytest.mark.parametrize("shares", [(5, 9), (11, 2), (12, 3), (6, 0), (7, 7)])
def test_every_block_of_every_length(take, shares, gamma):
    hand = take("blocks")
    draft_a, target_a = shares
    hand.move(draft_a=draft_a, target_a=target_a, gamma=gamma)
    agrees(hand, draft_a, target_a, gamma)


def test_the_ladder_is_the_weights(take):
    """Columns are filled up to the weights, and the heavy lines stand at the token rule's."""
    hand = take("blocks")
    hand.move(draft_a=8, target_a=3, gamma=3, block=2)
    drafts = (0, 1, 0)
    weights, debts = hand.areas("weight/"), hand.areas("debt/")
    column = weights["weight/1"] + debts["debt/1"]
    first = hand.widget.locator('[data-key="weight/1"]').bounding_box()
    base, tall = first["y"] + first["height"], first["height"] * column / weights["weight/1"]
    for t, level in enumerate(results.boards(*laws(8, 3), 3)[0], 1):
        board = next(b for b in level if b.prefix == drafts[:t])
        assert weights[f"weight/{t}"] / column == pytest.approx(float(board.weight), abs=PX)
        line = hand.widget.locator(f'[data-key="product/{t}"]').bounding_box()
        height = base - line["y"] - line["height"] / 2
        assert height / tall == pytest.approx(float(board.token), abs=2 * PX)


def test_why_each_rule_cuts(take):
    hand = take("blocks")
    notes = hand.widget.locator(".dpa-note").all_inner_texts()
    assert "a with 1/2, b with 1" in notes[0]
    assert "a takes the weight down to 1/2; b pays back, up to 1" in notes[1].lower()
    assert "ab with 1." in notes[1]
    assert notes[2] == "Of ab the token rule keeps 1 on average, the block rule 2."
    hand.move(block=2)
    notes = hand.widget.locator(".dpa-note").all_inner_texts()
    assert "no debt to pay and earns no credit; a takes the weight down to 1/2" in notes[1]
    assert "ba with 1/2, b with 1." in notes[1]


def test_a_block_is_pointed_at(take, desk):
    hand = take("blocks")
    for block, word in enumerate(("aa", "ab", "ba", "bb")):
        tile = hand.widget.locator(f'[data-key="token/kept/1/{word}"]').bounding_box()
        desk.page.mouse.click(tile["x"] + tile["width"] / 2, tile["y"] + 4)
        hand.settle()
        assert hand.state("block") == [block]
        assert f"Along {word} " in hand.label()
        frames = hand.areas("chosen/")
        assert set(frames) == {"chosen/token", "chosen/block"}


def test_blocks_by_arrow_keys(take):
    hand = take("blocks")
    slider = hand.knob("block")
    slider.press("ArrowRight")
    hand.settle()
    assert hand.state("block") == [2]
    assert slider.get_attribute("aria-valuetext") == "ba"
    slider.press("Home")
    hand.settle()
    assert hand.state("block") == [0]


def test_the_block_stays_when_the_length_changes(take):
    hand = take("blocks")
    hand.move(gamma=4)
    assert hand.knob("block").get_attribute("aria-valuetext") == "abaa"
    hand.move(gamma=1)
    assert hand.knob("block").get_attribute("aria-valuetext") == "a"
    hand.move(draft_a=0)
    assert hand.knob("block").is_disabled()
    assert hand.knob("block").get_attribute("aria-valuetext") == "b"


@pytest.mark.parametrize("gamma", [2, 4])
def test_the_largest_gain(take, gamma):
    hand = take("blocks")
    hand.move(gamma=gamma)
    hand.press("best")
    draft_a, target_a = hand.state("draft_a", "target_a")
    agrees(hand, draft_a, target_a, gamma)
    gains = np.array(alive.Blocks(gamma=gamma).facts()["gains"])
    assert gains[target_a, draft_a] == pytest.approx(gains.max(), abs=1e-12)
    token, block = kept(draft_a, target_a, gamma)
    assert float(block - token) == pytest.approx(gains.max(), abs=1e-12)
    assert gains.min() >= 0
    squares = hand.areas("gain/")
    side = max(squares.values()) / gains.max()
    for target in range(13):
        for draft in range(13):
            area = squares.get(f"gain/{draft}/{target}", 0)
            assert area / side == pytest.approx(gains[target, draft], abs=0.004)


def test_one_draft_gains_nothing(take):
    hand = take("blocks")
    hand.move(gamma=1)
    assert hand.knob("best").is_disabled()
    assert hand.reading()[2:] == ["±0", "0.0\u00a0%"]
    assert hand.areas("gain/") == {}


def test_the_map_is_dragged(take):
    hand = take("blocks")
    box = hand.widget.locator('[data-pick="laws"]').bounding_box()
    x, y, step = box["x"], box["y"] + box["height"], box["width"] / 13
    inside, beyond = [(x + k * step, y - 5.5 * step) for k in (9.5, 20)]
    hand.drag((x + 2.5 * step, y - 3.5 * step), inside, beyond)  # over the edge: the last one
    assert hand.state("draft_a", "target_a", "block") == [12, 5, 1]
    agrees(hand, 12, 5, 2)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_blocks_on_a_phone(opened, theme):
    with opened(theme, 360, reduced_motion="reduce") as bench:
        one = bench.hand("blocks")
        one.move(gamma=4)
        one.press("best")
        draft_a, target_a = one.state("draft_a", "target_a")
        read = one.reading()
        token, block = kept(draft_a, target_a, 4)
        assert number(read[0]) == pytest.approx(float(token), abs=6e-4)
        assert number(read[1]) == pytest.approx(float(block), abs=6e-4)
        assert bench.page.evaluate("document.documentElement.scrollWidth") <= 360
        inside(one)
        for at in range(16):
            one.move(block=at)
            inside(one)
            named(one, at)
        assert bench.complaints == []


def named(hand, at):
    """Every column with room for an upright name has one, and the chosen block is named always."""
    name = "".join("ab"[at >> (3 - t) & 1] for t in range(4))
    words = hand.widget.locator("svg text").all_text_contents()
    assert sum(text.startswith(f"draft {name} · ") for text in words) == 1
    assert sum(text.startswith(f"{name}: change ") for text in words) == 1
    columns = hand.widget.locator("rect.edge-q.gone").evaluate_all(
        "list => list.map(r => r.getBoundingClientRect().toJSON())"
    )
    texts = hand.widget.locator("svg text").evaluate_all(
        "list => list.map(t => [t.textContent, t.getBoundingClientRect().toJSON()])"
    )
    names = [box for text, box in texts if set(text) <= set("ab") and len(text) == 4]
    for column in columns:
        own = [
            box
            for box in names
            if box["left"] >= column["left"] - 1
            and box["right"] <= column["right"] + 1
            and box["top"] >= column["top"] - 1
            and box["bottom"] <= column["bottom"] + 1
        ]
        assert len(own) == (column["width"] > 14), column


def inside(hand):
    """No text reaches beyond the picture's sides."""
    view = hand.widget.locator("svg").bounding_box()
    for words in hand.widget.locator("svg text").all():
        box = words.bounding_box()
        assert box["x"] >= view["x"] - 1, words.inner_text()
        assert box["x"] + box["width"] <= view["x"] + view["width"] + 1, words.inner_text()


def test_the_reachable_states_are_all_right(scripts):
    """All 169 pairs of shares, for all lengths: the totals are the package's, to the last digit."""
    for gamma in (1, 2, 3, 4):
        states = [
            {"draft_a": d, "target_a": t, "gamma": gamma, "block": 0}
            for d in range(13)
            for t in range(13)
        ]
        found = scripts.evaluate(
            "(states) => states.map(s => { const f = draftproofAlive.bench.blocks.facts(s);"
            " return [f.token.total, f.block.total]; })",
            states,
        )
        for state, (token, block) in zip(states, found, strict=True):
            assert [Fraction(*token), Fraction(*block)] == kept(
                state["draft_a"], state["target_a"], gamma
            )
