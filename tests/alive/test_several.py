"""Several drafts for one place, moved and read in Chromium; all right values from the package."""

import numpy as np
import pytest

from draftproof import verifiers
from draftproof.figures.chapter6 import results
from draftproof.finite import as_law
from draftproof.widgets import alive
from draftproof.widgets.alive.several import PAIRS

pytestmark = pytest.mark.browser
HALF = 6e-4  # what is read is rounded to three decimals
PX = 0.004  # of the whole picture's mass


def turns(p, q, drafts, replacement):
    """What each turn keeps, by enumeration of everything that may be drafted."""
    rule = verifiers.recursive(drafts, replacement)
    return [float(x) for x in results.shares(rule, as_law(p), as_law(q), drafts)]


def agrees(hand):
    """Whether readout, table, bars and shelf are what the package says of the state."""
    p, q, drafts, replacement = hand.state("p", "q", "drafts", "replacement")
    each = turns(p, q, drafts, replacement)
    some, bound = sum(each), verifiers.best_cut(p, q, drafts, replacement).bound
    wanted = [some, some - each[0], 1 - some, bound]
    assert [float(word) for word in hand.reading()] == pytest.approx(wanted, abs=HALF)
    so_far = np.cumsum(each)
    rows = hand.widget.locator("table tbody tr").all()
    for row, keeps, after in zip(rows, each, so_far, strict=False):
        cells = [float(cell) for cell in row.locator("td").all_inner_texts()]
        assert cells[1:] == pytest.approx([keeps, after, 1 - after], abs=HALF)
    shelf = hand.areas("shelf/")
    whole = sum(shelf.values())
    for k, keeps in enumerate(each, 1):
        assert shelf.get(f"shelf/{k}", 0) / whole == pytest.approx(keeps, abs=PX)
    return each


def test_it_opens_with_the_book_s_pair(take):
    hand = take("several")
    assert hand.reading() == ["0.76", "+0.06", "0.24", "0.86"]
    assert agrees(hand) == pytest.approx([0.7, 0.06])


@pytest.mark.parametrize("replacement", ["true", "false"])
@pytest.mark.parametrize("pair", range(len(PAIRS)))
def test_every_number_of_drafts(take, pair, replacement):
    hand = take("several")
    hand.choose("pair", str(pair))
    hand.choose("replacement", replacement)
    for drafts in (1, 2, 3, 4):
        hand.move(drafts=drafts)
        agrees(hand)
        bars_agree(hand)
        how = "with" if replacement == "true" else "without"
        assert f"drawn {how} replacement" in hand.label()


def bars_agree(hand):
    """Areas are masses: kept, missing and filled in every turn, at one scale."""
    one = alive.Several(
        **dict(
            zip(
                ("names", "p", "q", "drafts", "replacement"),
                hand.state("names", "p", "q", "drafts", "replacement"),
                strict=True,
            )
        )
    )
    facts, names = one.facts(), one.names
    kept, missing, filled = (hand.areas(f"{role}/") for role in ("kept", "missing", "filled"))
    unit = sum(v for key, v in kept.items() if key.startswith("kept/1/")) / facts["after"][0]
    for k, turn in enumerate(facts["turns"], 1):
        left = np.zeros(len(names))
        for path in turn["paths"]:
            left += path["weight"] * np.maximum(np.subtract(path["target"], path["draft"]), 0)
        for i, name in enumerate(names):
            area = kept.get(f"kept/{k}/{name}", 0)
            assert area / unit == pytest.approx(turn["kept"][i], abs=PX)
            key = f"{k}/{name}"
            area = missing.get(f"missing/{key}", 0) + filled.get(f"filled/{key}", 0)
            assert area / unit == pytest.approx(left[i], abs=PX)
    assert sum(filled.values()) / unit == pytest.approx(1 - facts["after"][-1], abs=PX)


def test_two_ways_to_be_rejected_split_the_bars(take):
    """Without replacement the second draft's law depends on the first: a column for each."""
    hand = take("several")
    for token, p, q in ((0, 0.2, 0.45), (1, 0.3, 0.4)):
        hand.choose("token", str(token))
        hand.move(p=p, q=q)
    hand.choose("replacement", "false")
    hand.move(drafts=3)
    agrees(hand)
    bars_agree(hand)
    columns = hand.widget.locator('rect[data-key="kept/2/c"]').count()
    paths = alive.Several(
        **dict(zip(("p", "q"), hand.state("p", "q"), strict=True)), drafts=3, replacement=False
    ).facts()["turns"][1]["paths"]
    assert columns == len(paths) == 2
    assert "split by what was rejected" in hand.widget.locator("svg").inner_html()


@pytest.mark.parametrize("seed", range(4))
def test_any_laws(take, seed):
    rng = np.random.default_rng(seed)
    hand = take("several")
    for token in (0, 1):
        hand.choose("token", str(token))
        p, q = rng.random(2).round(2)
        hand.move(p=float(p), q=float(q))
    hand.move(drafts=int(rng.integers(2, 5)))
    hand.choose("replacement", "false" if seed % 2 else "true")
    agrees(hand)
    bars_agree(hand)
    assert hand.knob("pair").input_value() == "-1"


def test_each_turn_enlarged(take):
    """The second turn's bars grow as the reach of the turn is small, and the numbers stay."""
    hand = take("several")
    before, read = hand.areas("filled/2/"), hand.reading()
    hand.choose("scale", '"own"')
    first = hand.areas("kept/1/")
    after = hand.areas("filled/2/")
    assert hand.reading() == read
    assert after["filled/2/a"] > 2 * before["filled/2/a"]
    assert "3.3 times enlarged" in hand.widget.locator("svg").inner_html()
    assert sum(first.values()) > 0


def test_nothing_missing_ends_it(take):
    hand = take("several")
    hand.move(q=1, p=1, drafts=4)
    assert hand.widget.locator("table tbody tr").count() == 1
    assert "Nothing is missing any more" in hand.widget.locator(".dpa-note").inner_text()
    hand.move(p=0)  # the one draft is never wanted, and no other can be drawn
    hand.choose("replacement", "false")
    assert hand.reading() == ["0", "+0", "1", "0"]
    assert "No token is left" in hand.widget.locator(".dpa-note").inner_text()


def test_the_bound_is_marked(take):
    hand = take("several")
    for drafts in (1, 2, 3):
        hand.move(drafts=drafts)
        bound = verifiers.best_cut(*map(as_law, hand.state("p", "q")), drafts).bound
        mark = hand.widget.locator('[data-key="bound"]').bounding_box()
        ends = [hand.widget.locator(f'rect[data-key="shelf/{k}"]') for k in (1, "corrected")]
        left, right = (end.bounding_box() for end in ends)
        whole = right["x"] + right["width"] - left["x"]
        place = (mark["x"] + mark["width"] / 2 - left["x"]) / whole
        assert place == pytest.approx(float(bound), abs=0.003)
        assert f"keeps more than {round(float(bound), 3):g}" in hand.label()


def test_a_bar_is_dragged(take):
    hand = take("several")
    box = hand.widget.locator('[data-grab="0"]').bounding_box()
    mass = hand.widget.locator('rect[data-key="missing/1/a"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, mass["y"] + 1
    hand.drag((x, y), (x, y + 30))
    p, q, token = hand.state("p", "q", "token")
    assert token == 0
    assert p[0] < 0.45
    assert sum(p) == pytest.approx(1)
    assert q == pytest.approx([0.2, 0.3, 0.5])
    agrees(hand)


def test_several_by_arrow_keys(take):
    hand = take("several")
    slider = hand.knob("drafts")
    slider.press("ArrowRight")
    hand.settle()
    assert hand.state("drafts") == [3]
    agrees(hand)
    hand.knob("replacement").press("ArrowDown")
    hand.settle()
    assert hand.state("replacement") == [False]
    agrees(hand)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_several_on_a_phone(opened, theme):
    with opened(theme, 360, reduced_motion="reduce") as bench:
        one = bench.hand("several")
        for drafts in (4, 1, 3):
            one.move(drafts=drafts)
            agrees(one)
            bars_agree(one)
        assert bench.page.evaluate("document.documentElement.scrollWidth") <= 360
        view = one.widget.locator("svg").bounding_box()
        for words in one.widget.locator("svg text").all():
            box = words.bounding_box()
            assert box["x"] >= view["x"] - 1, words.inner_text()
            assert box["x"] + box["width"] <= view["x"] + view["width"] + 1, words.inner_text()
        assert bench.complaints == []


def test_the_facts_are_the_verifiers():
    """The turns of random pairs are those of `verifiers.recursive`, and kept and filled make p."""
    rng = np.random.default_rng(4)
    for _ in range(40):
        one = alive.Several.random(rng)
        facts = one.facts()
        each = turns(one.p, one.q, one.drafts, one.replacement)
        found = [sum(turn["kept"]) for turn in facts["turns"]]
        found += [0.0] * (len(each) - len(found))
        assert found == pytest.approx(each, abs=1e-12)
        out = np.sum([turn["kept"] for turn in facts["turns"]], axis=0) + facts["filled"]
        assert out == pytest.approx(one.p, abs=1e-12)
        assert facts["after"][-1] <= facts["bound"] + 1e-9
        most = verifiers.optimal_transport_bound(one.p, one.q, one.drafts, one.replacement)
        assert facts["bound"] == pytest.approx(most, abs=1e-7)
