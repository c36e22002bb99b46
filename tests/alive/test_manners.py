"""Good manners: the focus stays, numbers add up, captions stay true, paper is light."""

import re
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from draftproof.figures.style import contrast
from draftproof.speculative import residual
from draftproof.widgets import alive
from draftproof.widgets.alive.base import correction
from draftproof.widgets.alive.captions import LIVE
from draftproof.widgets.alive.warps import PAIRS, SIDES

WIDGETS = [getattr(alive, name) for name in alive.__all__ if name != "Alive"]
MODULES = [widget.module for widget in WIDGETS]
CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
CALM = {"reduced_motion": "reduce"}

browser = pytest.mark.browser


# ---- the focus ----


def focused(hand):
    return hand.widget.evaluate(
        "(e) => e.contains(document.activeElement) ? document.activeElement.dataset.key : null"
    )


def is_off(button):
    return button.get_attribute("aria-disabled") == "true"


@browser
@pytest.mark.parametrize("module", MODULES)
def test_a_pressed_button_keeps_the_focus(take, module):
    hand = take(module)
    keys = "e => [...e.querySelectorAll('button')].map(b => b.dataset.key)"
    for key in hand.widget.evaluate(keys):
        button = hand.knob(key)
        for _ in range(12):  # until the last step, if it has steps
            if is_off(button) or not button.is_visible():
                break
            button.press("Enter")
            hand.settle()
            assert focused(hand) == key
    assert hand.widget.locator("button[disabled]").count() == 0


@browser
def test_a_button_that_is_off_does_nothing_and_comes_back(opened):
    with opened() as bench:
        hand = bench.hand("darts")
        button = hand.knob("throw100")
        button.press("Enter")
        hand.settle()
        assert is_off(button)
        assert focused(hand) == "throw100"
        bench.page.keyboard.press("Enter")
        bench.page.wait_for_function(
            "e => e.getAttribute('aria-disabled') === 'false'", arg=button.element_handle()
        )
        assert hand.get("tally")["thrown"] == 100
        bench.page.keyboard.press("Enter")
        hand.settle()
        assert is_off(button)
        assert bench.complaints == []


# ---- warps ----


def facts_of(scripts, module, states):
    return scripts.evaluate(
        "([module, states]) => states.map(draftproofAlive.bench[module].facts)", [module, states]
    )


@browser
@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_warps_agree_at_round_settings(scripts, temperature):
    """Where a slider stands on a round number, a running sum may meet the mass exactly."""
    drawn = [
        alive.Warps(pair=pair, temperature=temperature, k=k, mass=m / 20, side=SIDES[0])
        for pair, laws in enumerate(PAIRS)
        for k, m in product(range(1, len(laws["p"]) + 1), range(1, 21))
    ]
    theirs = facts_of(scripts, "warps", [one.state for one in drawn])
    for one, found in zip(drawn, theirs, strict=True):
        ours = one.facts()
        for key in ("p", "q", "got"):
            assert found[key] == pytest.approx(ours[key], abs=1e-9), one.state


def test_the_default_pair_at_nine_tenths():
    found = alive.Warps(temperature=1.0, k=4, mass=0.9, side="both").facts()
    assert found["q"] == pytest.approx([2 / 3, 2 / 9, 1 / 9, 0])


@browser
def test_warps_take_the_readers_logits(take):
    hand = take("warps")
    before = hand.reading()
    slider = hand.knob("q")
    slider.press("ArrowLeft")
    hand.settle()
    assert hand.reading() != before
    assert hand.knob("pair").input_value() == "-1"
    hand.move(q=-2)
    hand.choose("token", "3")
    hand.move(p=1.5)
    logits = hand.get("logits")
    assert (logits["q"][0], logits["p"][3]) == (-2, 1.5)
    facts = alive.Warps(logits=logits).facts()
    assert hand.reading()[:2] == [f"{facts['alpha']:.2f}", f"{facts['plain']:.2f}"]
    circle = hand.widget.locator('[data-key="logit/p/1"]').bounding_box()
    start = (circle["x"] + 5, circle["y"] + 5)
    hand.drag(start, (start[0], start[1] - 20))
    assert hand.get("logits")["p"][1] > logits["p"][1] + 0.5
    hand.choose("pair", "1")
    assert not hand.get("logits")
    assert hand.knob("pair").input_value() == "1"


# ---- tokens: two boards ----


def test_chapter_2_opens_on_bars_to_drag():
    text = (CHAPTERS / "02-tokens.md").read_text(encoding="utf-8")
    calls = re.findall(r"^alive\.Tokens\((.*)\)$", text, re.M)
    assert "" in calls
    assert not [call for call in calls if "board" in call]


def edge(hand, law, i):
    box = hand.widget.locator(f'[data-edge="{law}/{i}"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@browser
@pytest.mark.parametrize("law", ["p", "q"])
def test_an_edge_of_a_board_shares_out_its_law(take, law):
    hand = take("tokens")
    hand.choose("view", '"board"')
    before = hand.get(law)
    x, y = edge(hand, law, 0)
    hand.drag((x, y), (x + 27, y))
    after = hand.get(law)
    side = 270 * hand.widget.locator("svg").bounding_box()["width"] / 736
    assert after[0] - before[0] == pytest.approx(27 / side, abs=0.006)
    assert after[2] == before[2]
    assert sum(after) == pytest.approx(1)
    assert edge(hand, law, 0)[0] == pytest.approx(x + 27, abs=2)  # it stays under the pointer


@browser
@pytest.mark.parametrize(("board", "other", "token"), [("q", "p", 0), ("p", "q", 2)])
def test_a_height_on_a_board_is_a_ratio(take, board, other, token):
    hand = take("tokens")
    hand.choose("view", '"board"')
    box = hand.widget.locator(f'[data-grab="{board}/{token}"]').bounding_box()
    x, foot = box["x"] + box["width"] / 2, box["y"] + box["height"] - 4
    hand.drag((x, foot - 60), (x, foot - 135))
    laws = {law: hand.get(law) for law in ("p", "q")}
    share = laws[other][token] / laws[board][token]
    side = 270 * hand.widget.locator("svg").bounding_box()["width"] / 736
    assert share == pytest.approx(135 / side, abs=0.03)
    assert hand.get("token") == token


@browser
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("tokens", ["3", "8"])
def test_every_column_of_a_board_is_named(opened, width, tokens):
    with opened(width=width, **CALM) as bench:
        hand = bench.hand("tokens")
        hand.choose("view", '"board"')
        hand.choose("size", tokens)
        names = hand.get("names")
        for token, share in ((1, 0), (0, 0.85)):  # some columns without any width, then a wide one
            hand.choose("token", str(token))
            hand.move(q=share)
            found = hand.widget.evaluate(
                """(e) => [...e.querySelectorAll('svg text.b')]
                    .filter(t => /^[a-z]+$/.test(t.textContent))
                    .map(t => [t.textContent, t.getBoundingClientRect()])
                    .map(([words, box]) => [words, box.left, box.right])"""
            )
            said = [text for text, _, _ in found]
            assert len(said) == 2 * len(names)
            for text, name in zip(said, [*names, *names], strict=True):
                assert name.startswith(text)
            for board in (found[: len(names)], found[len(names) :]):
                for (_, _, end), (_, start, _) in pairwise(board):
                    assert end <= start
        assert bench.complaints == []


@browser
@pytest.mark.parametrize("module", MODULES)
def test_only_what_can_be_dragged_looks_so(take, module):
    """The hand shows over handles, not over the whole picture."""
    cursor = take(module).widget.locator("svg").evaluate("e => getComputedStyle(e).cursor")
    assert cursor in ("auto", "default")


# ---- numbers ----


@browser
@pytest.mark.parametrize("size", ["2", "4", "5", "8"])
def test_what_adds_up_is_shown_to_add_up(take, size):
    hand = take("tokens")
    hand.choose("size", size)
    row = "(e, t) => [...e.querySelectorAll(`svg text.${t}`)].map(t => Number(t.textContent))"
    for q in (0.07, 0.125, 0.33, 0.6):
        hand.move(q=q)
        kept, cut, filled, law = hand.reading()
        assert float(kept) + float(cut) == pytest.approx(1, abs=1e-9)
        assert cut == filled
        masses = [float(x) for x in law.removesuffix(" %").split(" · ")]
        assert len(masses) == int(size)
        assert sum(masses) == pytest.approx(100 if "%" in law else 1, abs=1e-9)
        for tone in ("tone-p", "tone-q"):
            printed = [x for x in hand.widget.evaluate(row, tone) if not np.isnan(x)]
            assert sum(printed) == pytest.approx(1, abs=1e-9)


@browser
def test_bigram_numbers_add_up(take):
    hand = take("bigram")
    for weight in (0, 0.15, 0.29, 0.5, 1):
        hand.move(weight=weight)
        texts = hand.widget.locator("svg text").all_text_contents()
        beta = float(next(t for t in texts if "β" in t).split("=")[1])
        for word in ("cut off", "filled in"):
            lost = float(next(t for t in texts if t.startswith(word)).removeprefix(word))
            assert beta + lost == pytest.approx(1, abs=1e-9)


@browser
def test_equal_laws_are_corrected_by_p(take):
    """After p = q by way of other values nothing but rounding is missing."""
    hand = take("tokens")
    hand.choose("size", "2")
    for q, p in [(0.37, 0.81), (0.1, 0.1)]:
        hand.move(q=q, p=p)
    assert hand.reading() == ["1.00", "0.00", "0.00", "0.10 · 0.90"]


@browser
@pytest.mark.parametrize("module", ["tokens"])
def test_rounding_is_no_correction(scripts, module):
    p = [0.1, 0.9]
    one = alive.Tokens(names=["a", "b"], p=p, q=[0.1 - 2**-55, 0.9])
    assert one.facts()["residual"] == p
    assert facts_of(scripts, module, [one.state])[0]["residual"] == p
    far = np.array([0.1 - 1e-9, 0.9 + 1e-9])
    assert correction(np.array(p), far).tolist() == residual(p, far).tolist()


# ---- captions ----


def used():
    """The figures that stand for widgets in the chapters."""
    calls = r"^alive\.(\w+)\((.*)\)$"
    for path in sorted(CHAPTERS.glob("*.md")):
        for name, given in re.findall(calls, path.read_text(encoding="utf-8"), re.M):
            own = re.search(r'figure="([a-z-]+)"', given)
            yield own[1] if own else getattr(alive, name).figure


def test_captions_of_moving_pictures_name_no_setting():
    from draftproof.figures.catalog import CATALOG

    assert set(LIVE) <= set(CATALOG)
    assert set(used()) <= set(LIVE)
    assert not [name for name, words in LIVE.items() if re.search(r"\d", words)]


def caption(page, module):
    return page.locator(f'figure:has([data-module="{module}"]) figcaption')


@browser
@pytest.mark.parametrize("widget", WIDGETS, ids=lambda w: w.module)
def test_a_caption_fits_what_is_shown(desk, widget):
    """On the screen the widget's words, or the still's as those of the start; on paper its own."""
    desk.widget(widget.module)
    words = caption(desk.page, widget.module)
    still, live = words.locator(".dpa-live + span"), words.locator(".dpa-live")
    own = LIVE.get(widget.figure)
    start = (own or "at the start,").replace("$", "")
    assert live.inner_text().strip() == start
    assert still.is_visible() == (not own)
    desk.page.emulate_media(media="print")
    try:
        assert still.is_visible()
        assert not live.is_visible()
        assert words.inner_text().split(":")[0].endswith("What to see")
    finally:
        desk.page.emulate_media(media="screen")


@browser
def test_without_javascript_captions_are_the_stills(opened):
    with opened(java_script_enabled=False) as bench:
        for widget in WIDGETS:
            assert widget().still().caption[:40] in caption(bench.page, widget.module).inner_text()


# ---- paper ----

PROSE = """<section id="paper"><h2>Heading</h2>
<p>Text, <a href="#paper">a link</a>, <code>code</code>.</p><ul><li>Item</li></ul>
<div class="admonition note"><p class="admonition-title">Title</p><p>In a box.</p></div>
<blockquote><p>Quoted.</p></blockquote>
<table class="table"><caption>Caption</caption><thead><tr><th>head</th></tr></thead>
<tbody><tr><td>cell</td></tr></tbody></table>
<details class="dp-solution" open><summary>Solution</summary><p>Solved.</p></details>
</section>"""

COLOURS = """() => {
    const paint = (e, key) => getComputedStyle(e)[key];
    const behind = (e) => {
        while (e && /, 0\\)$/.test(paint(e, "backgroundColor"))) e = e.parentElement;
        return e ? paint(e, "backgroundColor") : "rgb(255, 255, 255)";
    };
    const found = [], page = document.querySelector("main");
    const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const e = walker.currentNode.parentElement, words = walker.currentNode.textContent.trim();
        if (!words || !e.checkVisibility() || e.closest("script, style, .headerlink")) continue;
        found.push([`${e.tagName}: ${words.slice(0, 30)}`, paint(e, "color"), behind(e)]);
    }
    return found;
}"""


def hexed(colour):
    return "#" + "".join(f"{int(c):02x}" for c in re.findall(r"\d+", colour)[:3])


@browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_paper_is_light_whatever_the_screen_was(opened, theme):
    with opened(theme, **CALM) as bench:
        page = bench.page
        article = page.locator(".bd-article")
        article.evaluate("(e, html) => e.insertAdjacentHTML('beforeend', html)", PROSE)
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        page.emulate_media(media="print", color_scheme=theme)
        page.wait_for_timeout(200)  # colours may change in a transition
        found = page.evaluate(COLOURS)
        seen = {name.split(":")[0] for name, _, _ in found}
        assert seen >= {"H1", "H2", "P", "CODE", "TH", "TD", "LI", "SPAN", "SUMMARY"}
        for name, text, ground in found:
            assert contrast("#ffffff", hexed(ground)) < 1.2, name  # paper, or as good as
            assert contrast(hexed(text), "#ffffff") >= 4.5, (name, text)
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
