"""The widgets in the static page, opened from disk in Chromium: moved, and read back."""

import re
from urllib.parse import unquote

import numpy as np
import pytest

from draftproof.roofline import MODELS
from draftproof.widgets import alive
from tests.axe import violations
from tests.pages import STEPS, busy

pytestmark = pytest.mark.browser
WIDGETS = [getattr(alive, name) for name in alive.__all__ if name != "Alive"]
MODULES = [widget.module for widget in WIDGETS]
UNIT = 0.005  # of a probability: half of what the pictures print
CALM = {"reduced_motion": "reduce"}


# ---- every widget ----


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_all_are_there(opened, theme, width):
    with opened(theme, width) as bench:
        for module in MODULES:
            hand = bench.hand(module)
            box = hand.widget.locator("svg").bounding_box()
            assert box["width"] <= width
            view = hand.widget.locator("svg").get_attribute("viewBox").split()
            assert float(view[2]) == (736 if width == 1280 else 336)
            assert len(hand.label()) > 60
            still = hand.widget.locator("xpath=ancestor::div[contains(@class,'dp-plates')]/img")
            assert not any(image.is_visible() for image in still.all())
            fonts = hand.widget.evaluate(
                """(e) => Math.min(...[...e.querySelectorAll('svg text')].map(t =>
                    parseFloat(getComputedStyle(t).fontSize)
                    * e.querySelector('svg').getBoundingClientRect().width
                    / e.querySelector('svg').viewBox.baseVal.width))"""
            )
            assert fonts > (11.9 if width == 1280 else 9.9), fonts
        assert bench.page.evaluate("document.documentElement.scrollWidth") <= width
        background = bench.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(18, 22, 28)") == (theme == "dark")
        assert bench.complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_follow_the_theme(opened, theme):
    with opened("light" if theme == "dark" else "dark") as bench:
        bench.widget("tokens")
        bench.page.evaluate("(t) => { document.documentElement.dataset.theme = t; }", theme)
        fill = bench.page.locator(".fill-acc").first.evaluate("e => getComputedStyle(e).fill")
        assert fill == {"light": "rgb(114, 207, 176)", "dark": "rgb(30, 122, 99)"}[theme]


def test_without_javascript_and_on_paper_the_still_shows(opened):
    with opened(java_script_enabled=False) as bench:
        for module in MODULES:
            place = bench.page.locator(f'.dp-plates:has([data-module="{module}"])')
            assert place.locator("img.dp-light-wide").is_visible()
            assert not place.locator(".dpa-place").is_visible()
    with opened() as bench:
        for module in MODULES:
            hand = bench.hand(module)
            bench.page.emulate_media(media="print")
            place = bench.page.locator(f'.dp-plates:has([data-module="{module}"])')
            assert place.locator("img.dp-light-wide").is_visible()
            assert not hand.widget.is_visible()
            bench.page.emulate_media(media="screen")


@pytest.mark.parametrize("module", MODULES)
def test_names_for_screen_readers(take, module):
    hand = take(module)
    for control in hand.widget.locator("input, select, button").all():
        name = control.evaluate("e => (e.labels && e.labels[0] || e).innerText.trim()")
        assert name, control
        assert control.get_attribute("data-lm-suppress-shortcuts") == "true"
    assert hand.widget.locator("[aria-live=polite]").count() == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(opened, theme):
    pytest.importorskip("axe_playwright_python")
    with opened(theme, **CALM) as bench:
        for module in MODULES:
            bench.widget(module)
        assert bench.page.locator(".dp-alive").count() == len(MODULES)
        assert violations(bench.page, ".dp-alive") == []


@pytest.mark.parametrize("module", MODULES)
def test_every_slider_moves_by_keyboard_and_resets(take, module):
    hand = take(module)
    before = hand.label(), hand.reading()
    for slider in hand.widget.locator("input[type=range]").all():
        if slider.is_disabled() or not slider.is_visible():
            continue
        slider.press("Tab")
        slider.page.keyboard.press("Shift+Tab")
        outline = slider.evaluate("e => getComputedStyle(e).outlineStyle")
        assert outline != "none"
        value = slider.input_value()
        slider.press("ArrowLeft")
        if slider.input_value() == value:
            slider.press("ArrowRight")
        assert slider.input_value() != value
        hand.settle()
    assert (hand.label(), hand.reading()) != before
    hand.press("reset")
    assert hand.label() == before[0] or module == "noise"


@pytest.mark.parametrize("module", MODULES)
def test_tab_goes_through_all_controls(take, module):
    """Every control that can be used takes the focus in turn, and shows that it has it."""
    hand = take(module)
    usable = hand.widget.evaluate(
        """(e) => [...e.querySelectorAll('input, select, button')]
            .filter(c => !c.disabled && c.checkVisibility()).map(c => c.dataset.key)"""
    )
    hand.knob(usable[0]).focus()
    reached = []
    for _ in usable:
        focused = hand.widget.evaluate(
            """() => { const now = document.activeElement, style = getComputedStyle(now);
                return [now.dataset.key, style.outlineStyle, parseFloat(style.outlineWidth)]; }"""
        )
        reached.append(focused[0])
        hand.widget.page.keyboard.press("Tab")
        if len(reached) > 1:  # the first took the focus from a script, which shows no ring
            assert focused[1] != "none", focused
            assert focused[2] >= 2, focused
    assert reached == usable


@pytest.mark.parametrize("module", MODULES)
def test_menus_and_buttons_work_by_keyboard(take, module):
    hand = take(module)
    for select in hand.widget.locator("select").all():
        value = select.input_value()
        select.press("ArrowDown")
        if select.input_value() == value:
            select.press("ArrowUp")
        assert select.input_value() != value, select.get_attribute("data-key")
        hand.settle()
    hand.press("reset")
    before = hand.label(), hand.reading()
    slider = hand.widget.locator("input[type=range]:enabled").first
    slider.press("Home" if slider.input_value() != slider.get_attribute("min") else "End")
    hand.settle()
    assert (hand.label(), hand.reading()) != before
    hand.knob("reset").press("Enter")
    hand.settle()
    assert hand.label() == before[0] or module == "noise"  # new samples, if it has drawn any


@pytest.mark.parametrize("module", MODULES)
def test_nothing_moves_for_readers_who_want_no_motion(take, module):
    """With reduced motion every button has done its work by the next frame."""
    hand = take(module)
    picture = "(e) => e.querySelector('svg').innerHTML + e.querySelector('.dpa-read').innerHTML"
    for button in hand.widget.locator("button").all():
        if button.is_disabled() or not button.is_visible():
            continue
        button.click()
        hand.settle()
        now = hand.widget.evaluate(picture)
        hand.widget.page.wait_for_timeout(120)
        assert hand.widget.evaluate(picture) == now, button.get_attribute("data-key")
        assert hand.widget.evaluate("() => document.getAnimations().length") == 0


@pytest.mark.parametrize("module", MODULES)
def test_a_frame_is_quick(take, module):
    """Moving a slider costs less than 50 ms of script and layout (median of 15, best of 5)."""
    hand = take(module)
    medians = []
    for _ in range(5):
        medians.append(np.median(hand.widget.evaluate(STEPS, 15)))
        if medians[-1] < 50:
            return
    if busy():
        pytest.skip(f"the machine is busy: {medians}")
    assert min(medians) < 50, medians


# Their pictures grow with what is shown: a panel for each draft, a line for each line of text.
GROWING = ("blocks", "ribbon", "several")


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("module", GROWING)
def test_a_slider_in_use_stays_where_it_is(opened, module, width):
    """The page is scrolled by as much as the picture above the slider grows."""
    with opened("light", width, **CALM) as bench:
        hand, grown = bench.hand(module), set()
        for slider in hand.widget.locator("input[type=range]:enabled").all():
            slider.scroll_into_view_if_needed()
            slider.focus()
            tops = set()
            for share in (0, 0.5, 1, 0.25):
                slider.evaluate(
                    """(e, share) => {
                        e.value = Number(e.min) + share * (Number(e.max) - Number(e.min));
                        e.dispatchEvent(new Event("input", { bubbles: true }));
                    }""",
                    share,
                )
                hand.settle()
                tops.add(round(slider.bounding_box()["y"]))
                grown.add(hand.widget.evaluate("e => Math.round(e.getBoundingClientRect().height)"))
            assert max(tops) - min(tops) <= 2, tops
        assert len(grown) > 1


@pytest.mark.parametrize("width", [736, 336])
@pytest.mark.parametrize("module", [module for module in MODULES if module not in GROWING])
def test_a_slider_stays_where_it_is_held(mounted, module, width):
    """The picture and the readout above a slider keep their height while it moves."""
    state = next(w for w in WIDGETS if w.module == module)().state
    for key, knob_ in mounted(module, state, width=width).knobs.items():
        if knob_["kind"] != "slider" or knob_["off"] or knob_["hidden"]:
            continue
        low, high, step = knob_["min"], knob_["max"], knob_["step"]
        tops = set()
        for share in (0, 0.25, 0.5, 0.75, 1):
            value = low + round(share * (high - low) / step) * step
            seen = mounted(module, state, [(key, value)], width=width)
            tops.add(round(seen.knobs[key]["top"]))
        assert max(tops) - min(tops) <= 1, (key, tops)


RUN = """async (e, key) => {
    const playing = () => e.querySelector(".dpa-read").getAttribute("aria-live") === "off";
    const shown = () => e.querySelector("svg").innerHTML;
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    const usable = (b) => b.checkVisibility() && !b.disabled && b.ariaDisabled !== "true";
    const buttons = [...e.querySelectorAll("button")], pressed = buttons.find(
        (b) => b.dataset.key === key);
    if (!usable(pressed)) return "off";
    pressed.click();
    await wait(200);
    if (!playing()) return "at once";
    const stop = buttons.find((b) => usable(b) && ["Stop", "Pause"].includes(b.textContent));
    if (stop) {
        stop.click();
        await wait(100);
        const then = shown();
        await wait(200);
        return !playing() && shown() === then ? "stopped" : "runs on";
    }
    await wait(1700);
    return playing() ? "too long, and no stop" : "short";
}"""


@pytest.mark.parametrize("module", MODULES)
def test_a_long_run_can_be_stopped(opened, module):
    """What moves longer than 1.6 s has a button that stops it, and then stands still."""
    with opened() as bench:
        hand = bench.hand(module)
        keys = hand.widget.locator("button").evaluate_all("all => all.map(b => b.dataset.key)")
        ran = {}
        for key in keys:
            hand.press("reset")
            ran[key] = hand.widget.evaluate(RUN, key)
        assert set(ran.values()) <= {"off", "at once", "short", "stopped"}, ran
        assert bench.complaints == []


# ---- tokens ----


def test_tokens_areas_are_the_laws(take):
    hand = take("tokens")
    hand.choose("size", "5")
    hand.choose("token", "2")
    hand.move(q=0.42, p=0.2)
    p, q = hand.state("p", "q")
    assert q[2] == pytest.approx(0.42)
    assert p[2] == pytest.approx(0.2)
    facts = alive.Tokens(names=["cat", "dog", "fox", "owl", "hen"], p=p, q=q).facts()
    assert hand.reading()[0] == f"{facts['alpha']:.2f}"
    kept, cut = hand.areas("kept/"), hand.areas("cut/")
    filled = hand.areas("filled/")
    unit = sum(kept.values()) / facts["alpha"]
    assert sum(cut.values()) / unit == pytest.approx(facts["tv"], abs=UNIT)
    assert sum(filled.values()) / unit == pytest.approx(facts["tv"], abs=UNIT)
    for name, share in zip(["cat", "dog", "fox", "owl", "hen"], facts["kept"], strict=True):
        assert kept[f"kept/{name}"] / unit == pytest.approx(share, abs=UNIT)
    bands = hand.areas("band/")
    assert bands["band/rejected"] == pytest.approx(bands["band/residual"], rel=0.01)


def test_tokens_boards_have_equal_areas(take):
    hand = take("tokens")
    hand.choose("view", '"board"')
    side = sum(hand.areas("kept/").values()) + sum(hand.areas("cut/").values())
    assert sum(hand.areas("cut/").values()) / side == pytest.approx(0.3, abs=UNIT)
    assert sum(hand.areas("filled/").values()) / side == pytest.approx(0.3, abs=UNIT)


def test_tokens_classical_rule(take):
    hand = take("tokens")
    hand.choose("rule", '"classical"')
    assert hand.reading()[:2] == ["0.33", "3.00"]
    assert "1/3" in hand.label() or "0.33" in hand.label()
    hand.move(q=1)
    assert hand.reading() == ["none"]
    assert hand.knob("draw1").is_disabled()


def test_tokens_ledgers(take):
    hand = take("tokens")
    for key in ("draw1", "draw100", "draw10000"):
        hand.press(key)
    tally = hand.get("tally")
    assert tally["drafted"] == 10_101
    out = np.add(tally["accepted"], tally["filled"])
    assert out.sum() == 10_101
    cells = hand.widget.locator("table tbody tr").first.locator("td").all_inner_texts()
    assert re.sub(r"\D", "", cells[0]) == str(tally["accepted"][0])
    shares = out / out.sum()
    assert abs(shares - [0.3, 0.4, 0.3]).max() < 0.03  # 6 standard errors
    hand.move(q=0.5)
    assert hand.widget.locator("table").count() == 0


def test_tokens_drag(take):
    hand = take("tokens")
    box = hand.widget.locator('[data-grab="1"]').bounding_box()
    mass = hand.widget.locator('rect[data-key="filled/dog"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, mass["y"] + 1
    hand.drag((x, y), (x, y - 30))
    p, token = hand.state("p", "token")
    assert token == 1
    assert p[1] > 0.45
    assert sum(p) == pytest.approx(1)


def test_tokens_move_rigidly(take, opened):
    with opened() as bench:
        hand = bench.hand("tokens")
        hand.move(moved=0.5)
        moving = hand.widget.locator("g[opacity] rect.fill-res").all()
        areas = [float(m.get_attribute("width")) * float(m.get_attribute("height")) for m in moving]
        kept = hand.areas("kept/")
        unit = sum(kept.values()) / 0.7
        assert sorted(areas) == pytest.approx([0.1 * unit, 0.2 * unit], rel=0.02)
        hand.knob("play").click()
        bench.page.wait_for_timeout(2200)
        assert hand.get("moved") == 1
    hand = take("tokens")
    hand.move(moved=0)
    hand.press("play")  # without motion it is done at once
    assert hand.get("moved") == 1


# ---- darts ----


def test_darts_slice(take):
    hand = take("darts")
    assert hand.reading()[:3] == ["0.48", "0.522", "9.93"]
    hand.move(x=-0.35)
    facts = alive.Darts(x=-0.35).facts()
    assert hand.reading()[0] == f"{facts['chance']:.2f}"
    kept, lost = hand.areas("kept/"), hand.areas("lost/")
    for width in ("14", "72"):
        share = kept[f"kept/{width}"] / (kept[f"kept/{width}"] + lost[f"lost/{width}"])
        assert share == pytest.approx(facts["chance"], abs=UNIT)


def test_darts_break(take):
    hand = take("darts")
    hand.choose("proposal", '"flat"')
    assert hand.get("constant") == 25
    hand.move(constant=14)
    assert "too low" in hand.label()
    assert hand.widget.locator('[data-key="missed"]').count() > 0
    hand.press("tight")
    facts = alive.Darts(proposal="flat").facts()
    assert hand.get("constant") == pytest.approx(facts["smallest"], abs=1e-9)
    assert hand.widget.locator('[data-key="missed"]').count() == 0


def test_darts_are_thrown_and_kept(take):
    hand = take("darts")
    hand.press("throw100")
    hand.press("throw10000")
    tally = hand.get("tally")
    assert tally["thrown"] == 10_100
    assert sum(tally["bins"]) == tally["kept"]
    assert tally["kept"] / tally["thrown"] == pytest.approx(0.522, abs=0.03)  # 6 standard errors
    assert hand.widget.locator('[data-key^="bin/"]').count() > 40
    bars = hand.areas("bin/")
    top = max(tally["bins"])
    assert bars[f"bin/{tally['bins'].index(top)}"] == pytest.approx(max(bars.values()))
    hand.move(constant=12)
    assert hand.widget.locator('[data-key^="bin/"]').count() == 0


def test_darts_can_pause(opened):
    with opened() as bench:
        hand = bench.hand("darts")
        hand.press("throw10000")
        bench.page.wait_for_timeout(400)
        hand.press("pause")
        thrown = hand.get("tally")["thrown"]
        assert 0 < thrown < 10_000
        bench.page.wait_for_timeout(200)
        assert hand.get("tally")["thrown"] == thrown
        assert hand.knob("pause").inner_text() == "Go on"
        hand.press("pause")
        bench.page.wait_for_timeout(2500)
        assert hand.get("tally")["thrown"] == 10_000
        assert bench.complaints == []


def test_darts_left_by_a_pause_are_not_thrown_under_another_envelope(opened):
    with opened() as bench:
        hand = bench.hand("darts")
        hand.press("throw10000")
        bench.page.wait_for_timeout(300)
        hand.press("pause")
        assert hand.knob("pause").inner_text() == "Go on"
        hand.move(constant=30)
        assert hand.knob("pause").inner_text() == "Pause"
        assert hand.knob("pause").is_disabled()
        assert "0 of 0 darts" in hand.label()
        hand.press("throw1")
        bench.page.wait_for_timeout(600)
        assert hand.get("tally")["thrown"] == 1  # none of the other run's
        assert bench.complaints == []


@pytest.mark.parametrize("seed", range(1, 9))
def test_darts_say_what_was_thrown(mounted, seed):
    """Also when the first dart is lost."""
    state = alive.Darts(constant=40.0, seed=seed).state
    seen = mounted("darts", state, [("throw1", None)])
    kept = seen.state["tally"]["kept"]
    assert seen.one("survivors")["text"] == ["0 survivors", "1 survivor"][kept]
    assert seen.one("thrown")["text"] == "of 1 dart"


# ---- cost ----


def test_cost(take):
    hand = take("cost")
    assert hand.reading() == ["2.77 / 1.40 = 1.98", "4", "0.29", "1.95"]
    hand.move(alpha=0.85, gamma=7, c=0.2, v=1.3)
    facts = alive.Cost(alpha=0.85, gamma=7, c=0.2, v=1.3).facts()
    assert hand.reading()[0].endswith(f"= {facts['speedup']:.2f}")
    assert hand.reading()[1] == str(facts["best"])
    passes = sum(hand.areas("draft").values()) + sum(hand.areas("pass").values())
    plain = sum(hand.areas("plain").values())
    # Boxes are drawn 1 px smaller than they are, so that their outlines do not touch.
    assert plain / passes == pytest.approx(facts["speedup"], rel=0.05)
    treads = {role: sum(hand.areas(role).values()) for role in ("accepted", "residual")}
    assert treads["accepted"] / treads["residual"] == pytest.approx(0.85 / 0.15, rel=0.02)
    hand.press("best")
    assert hand.get("gamma") == facts["best"]


# ---- noise ----


def test_noise(take):
    hand = take("noise")
    first = hand.reading()
    assert re.sub(r"\D", "", first[0]) == "10000"
    hand.move(step=24)
    now = hand.reading()
    assert re.sub(r"\D", "", now[0]) == "1000000"
    assert float(now[2]) == pytest.approx(0.0103, abs=0.002)
    assert hand.widget.locator('[data-key^="exact/"]').count() == 25
    hand.move(bias=0.05)
    facts = alive.Noise(bias=0.05).facts()
    seen = float(re.sub(r"[^\d]", "", hand.reading()[3]))
    assert seen == pytest.approx(facts["crossing"], rel=0.06)
    before = hand.label()
    hand.press("again")
    assert hand.label() != before


# ---- bigram ----


def test_bigram(take):
    hand = take("bigram")
    hand.move(weight=0.8, gamma=6)
    hand.choose("context", "4")
    facts = alive.Bigram(weight=0.8, gamma=6, context=4).facts()
    wanted = [f"{facts['beta']:.2f}", f"{facts['alpha']:.3f}", f"{facts['calls']:.2f}"]
    assert hand.reading() == wanted
    kept, cut = sum(hand.areas("kept/").values()), sum(hand.areas("cut/").values())
    assert kept / (kept + cut) == pytest.approx(facts["beta"], abs=UNIT)
    hand.press("round")
    hand.press("rounds")
    cells = hand.widget.locator("table tbody td").all_inner_texts()
    drafted, tested, accepted, corrected, bonus = (int(cell) for cell in cells)
    assert drafted == 6 * 31
    assert corrected + bonus == 31
    assert tested == accepted + corrected
    shown = float(hand.reading()[3])
    assert shown == pytest.approx((accepted + 31) / 31, abs=UNIT)
    assert hand.widget.locator('[data-key="text/accepted"]').count() > 10
    hand.move(gamma=2)
    assert hand.widget.locator("table").count() == 0


# ---- warps ----


@pytest.mark.parametrize("side", ["both", "draft alone", "target alone"])
def test_warps(take, side):
    hand = take("warps")
    hand.move(temperature=0.7, k=3, mass=0.9)
    hand.choose("side", f'"{side}"')
    facts = alive.Warps(temperature=0.7, k=3, mass=0.9, side=side).facts()
    assert hand.reading()[0] == f"{facts['alpha']:.2f}"
    distance = facts["distance"]
    assert hand.reading()[3] == (f"{distance:.3f}" if distance > 1e-9 else "0")
    assert ("exactly" in hand.label()) == (distance < 1e-9)
    out, refill = sum(hand.areas("out/").values()), sum(hand.areas("refill/").values())
    assert out / (out + refill) == pytest.approx(facts["accepted"], abs=UNIT)


def test_warps_pairs(take):
    hand = take("warps")
    hand.choose("pair", "1")
    hand.move(temperature=0)
    assert hand.reading()[0] == "0.00"  # the favourites differ: cold, nothing is kept
    assert hand.knob("k").get_attribute("max") == "3"


# ---- walk ----


def test_walk_goes_step_by_step(take):
    hand = take("walk")
    hand.move(step=0)
    assert "step 0 of 8" in hand.label()
    shown = []
    for _ in range(8):
        hand.press("next")
        coins = hand.widget.locator('[data-key^="coin/"]').count()
        shown.append((coins, hand.widget.locator('[data-key^="out/"]').count()))
    ends = [(0, 0)] * 4 + [(1, 1), (2, 2), (3, 2), (3, 3)]
    assert shown == ends
    assert hand.knob("next").is_disabled()
    assert hand.widget.locator("table tbody td").all_inner_texts() == ["4", "3", "2", "3"]


def test_walk_coins_decide(take):
    hand = take("walk")
    hand.move(coin=0.6)  # the first draft, a cat, is kept below 1/2
    assert hand.widget.locator("table tbody td").all_inner_texts() == ["4", "1", "0", "1"]
    assert "cat rejected, dog void" in hand.label()


def test_walk_tree_is_made_of_probabilities(take):
    hand = take("walk")
    hand.choose("pair", "1")
    hand.move(gamma=2)
    areas = hand.areas("tree/")
    row = areas["tree/accepted/0"] + areas["tree/residual/0"]
    for key, share in [
        ("accepted/0", 2 / 3), ("accepted/1", 4 / 9), ("residual/1", 2 / 9), ("bonus", 4 / 9),
    ]:  # fmt: skip
        assert areas[f"tree/{key}"] / row == pytest.approx(share, abs=0.01)
    hand.press("many")
    drafted, tested, accepted, emitted = (
        int(cell) for cell in hand.widget.locator("table tbody td").all_inner_texts()
    )
    assert drafted == 202
    assert emitted == accepted + 101
    assert accepted <= tested <= drafted


def test_walk_plays_many_rounds_and_stops(opened):
    with opened() as bench:
        hand = bench.hand("walk")
        hand.press("many")
        bench.page.wait_for_timeout(500)
        assert hand.knob("many").inner_text() == "Stop"
        hand.press("many")
        rounds = hand.get("tally")["rounds"]
        assert 0 < rounds < 100
        bench.page.wait_for_timeout(200)
        assert hand.get("tally")["rounds"] == rounds
        assert hand.knob("many").inner_text() == "100 rounds"
        assert bench.complaints == []


# ---- roofline ----


def test_roofline(take):
    hand = take("roofline")
    assert hand.reading()[0] == "1.00"
    hand.choose("machine", "3")
    hand.choose("bytes", "0.5")
    hand.move(batch=5, rows=20)
    facts = alive.Roofline(machine=3, bytes=0.5, batch=32, rows=20).facts()
    assert hand.reading()[0] == f"{facts['price']:.2f}"
    one, many = hand.areas("compute/p"), hand.areas("compute/q")
    assert many["compute/q"] / one["compute/p"] == pytest.approx(20, rel=0.02)


def test_roofline_models(take):
    hand = take("roofline")
    assert "Llama 3 8B" in hand.label()
    hand.choose("machine", "2")
    hand.choose("model", "1")
    assert "MI300X with Llama 3 70B" in hand.label()
    named = MODELS["Llama 3 70B"]
    facts = alive.Roofline(
        machine=2, billions=named.parameters / 1e9, cache=named.kv_bytes / 1e3
    ).facts()
    assert hand.reading()[1] == f"{facts['one']['intensity']:.1f}"
    assert hand.knob("model").input_value() == "1"
    hand.move(cache=400)
    assert hand.knob("model").input_value() == "-1"
    assert "70.55 billion weights" in hand.label()


@pytest.mark.parametrize("module", MODULES)
def test_the_form_for_a_kernel(new_context, module):
    """The ES module that a notebook's front end imports draws, and follows its model."""
    widget = next(w for w in WIDGETS if w.module == module)()
    page = new_context().new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_content(f"<style>{widget._css}</style><div id=place></div>")
    result = page.evaluate(
        """async ([text, state]) => {
            const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
            const { default: widget } = await import(url);
            const heard = {}, saved = [];
            const model = {
                get: (key) => state[key],
                set(key, value) {
                    state[key] = value;
                    (heard["change:" + key] || []).forEach((f) => f());
                },
                save_changes: () => saved.push(1),
                on: (name, f) => (heard[name] = heard[name] || []).push(f),
                off: (name, f) => { heard[name] = heard[name].filter((g) => g !== f); },
            };
            const el = document.querySelector("#place");
            const end = widget.render({ model, el });
            const before = el.querySelector("svg").getAttribute("aria-label");
            const slider = el.querySelector("input[type=range]:enabled");
            const start = slider.value;
            slider.value = Number(slider.min) + 0.4 * (Number(slider.max) - Number(slider.min));
            if (slider.value === start) slider.value = slider.max;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const after = el.querySelector("svg").getAttribute("aria-label");
            end();
            const left = Object.values(heard).flat().length;
            return { changed: before !== after, saved: saved.length, left };
        }""",
        [widget._esm, {**widget.state, "home": widget.state}],
    )
    page.context.close()
    assert complaints == []
    assert result == {"changed": True, "saved": 1, "left": 0}


def test_scripts_are_light(bench):
    folder = bench.parent / "_static" / "alive"
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert set(sizes) == {"host.js", "alive.css", *(f"{m}.js" for m in MODULES)}
    assert max(sizes.values()) < 25_000
    html = bench.read_text(encoding="utf-8")
    assert "https://" not in unquote("".join(re.findall(r'(?:src|href)="([^"]*)"', html)))
