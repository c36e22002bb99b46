"""The recorded rounds, stepped through in Chromium; the right values are the recording's own."""

import pytest

from draftproof import recorded
from draftproof.figures.chapter4 import ribbon_of
from draftproof.widgets import alive
from draftproof.widgets.alive.ribbon import run_state

RUNS = recorded.load("ribbon")["runs"]
NEAR = 0.05  # of a character: bars are drawn on hundredths of a pixel
TABLE = ("rounds", "drafted", "tested", "accepted", "emitted")


def counted(run, rounds):
    """The counters of the first rounds, straight from the recording."""
    done = RUNS[run]["rounds"][:rounds]
    accepted = sum(r["accepted"] for r in done)
    tested = sum(min(r["accepted"] + 1, len(r["drafted"])) for r in done)
    drafted = sum(len(r["drafted"]) for r in done)
    return {
        "rounds": len(done), "drafted": drafted, "tested": tested, "accepted": accepted,
        "emitted": accepted + len(done), "bonus": sum(r["bonus"] for r in done),
        "text": "".join(r["drafted"][: r["accepted"]] + r["next"] for r in done),
    }  # fmt: skip


def keyed(hand, start):
    """How many rectangles have a key that starts like this, by key."""
    keys = hand.widget.evaluate(
        """(e, start) => [...e.querySelectorAll('rect[data-key]')].map(r => r.dataset.key)
            .filter(key => key.startsWith(start))""",
        start,
    )
    return {key: keys.count(key) for key in keys}


def lengths(hand, key):
    """The lengths of the rectangles with a key, together."""
    return hand.widget.evaluate(
        """(e, key) => [...e.querySelectorAll(`rect[data-key="${key}"]`)]
            .reduce((sum, r) => sum + r.width.baseVal.value, 0)""",
        key,
    )


def agrees(hand, run, rounds):
    """Whether readout, table, text, block, bars and clocks are what was recorded."""
    wanted = counted(run, rounds)
    cells = hand.widget.locator("table tbody td").all_inner_texts()
    assert [int(cell) for cell in cells] == [wanted[name] for name in TABLE]
    accepted, tested, emitted = (wanted[name] for name in ("accepted", "tested", "emitted"))
    read = hand.reading()
    assert read[0] == f"{accepted} / {tested} = {accepted / tested:.2f}"
    assert read[1] == f"{emitted} / {rounds} = {emitted / rounds:.2f}"
    drawn = ribbon_of(RUNS[run])
    speed = emitted / (rounds * drawn.price)
    assert float(read[2]) == pytest.approx(speed, abs=0.0051)
    shown = wanted["text"].replace("\n", "¶")
    assert f"The text so far: {shown}. " in hand.label()
    fates = {"accepted": accepted, "corrected": rounds - wanted["bonus"], "bonus": wanted["bonus"]}
    assert keyed(hand, "text/") == {f"text/{k}": n for k, n in fates.items() if n}
    now = RUNS[run]["rounds"][rounds - 1]
    block = {
        "draft/accepted": now["accepted"],
        "draft/rejected": 0 if now["bonus"] else 1,
        "draft/unseen": len(now["drafted"]) - now["accepted"] - (0 if now["bonus"] else 1),
    }
    assert keyed(hand, "draft/") == {key: n for key, n in block.items() if n}
    last = "bonus" if now["bonus"] else "corrected"
    out = {"out/accepted": now["accepted"], f"out/{last}": 1}
    assert keyed(hand, "out/") == {key: n for key, n in out.items() if n}
    bars_agree(hand, drawn, fates, tested, rounds)


def bars_agree(hand, drawn, fates, tested, rounds):
    """Whether both bars of counters and both clocks have one scale."""
    emitted = sum(fates.values())
    unit = lengths(hand, "plain") / emitted
    near = pytest.approx
    assert lengths(hand, "tested/accepted") / unit == near(fates["accepted"], abs=NEAR)
    assert lengths(hand, "tested/rejected") / unit == near(tested - fates["accepted"], abs=NEAR)
    for fate, n in fates.items():
        assert lengths(hand, f"emitted/{fate}") / unit == near(n, abs=NEAR)
    for key, part in (("drafts", drawn.gamma * drawn.c), ("pass", drawn.v), ("rest", drawn.o)):
        assert lengths(hand, key) / unit == near(rounds * part, rel=0.02, abs=0.1)


def test_the_state_is_the_recording():
    one = alive.Ribbon()
    assert [r["prompt"] for r in one.runs] == [run["prompt"] for run in RUNS]
    for state, run in zip(one.runs, RUNS, strict=True):
        drawn = ribbon_of(run)
        assert state["drafts"] + state["check"] + state["rest"] == pytest.approx(drawn.price)
        assert len(state["rounds"]) == len(run["rounds"])
    facts = alive.Ribbon(round=len(RUNS[0]["rounds"])).facts()
    assert facts["speculative"] == pytest.approx(sum(RUNS[0]["timings"].values()))
    assert facts["emitted"] == len(facts["text"]) == facts["accepted"] + facts["rounds"]


def test_the_counters_are_those_of_the_recording():
    for run in range(len(RUNS)):
        for rounds in range(len(RUNS[run]["rounds"]) + 1):
            facts = alive.Ribbon(run=run, round=rounds).facts()
            wanted = counted(run, rounds)
            assert {name: facts[name] for name in wanted} == wanted
            assert facts["corrected"] + facts["bonus"] == rounds


INVENTED = {
    "drafter": "a friend", "gamma": 2, "temperature": 0.5, "prompt": "x\n", "seed": 0,
    "rounds": [
        {"drafted": "", "accepted": 0, "next": "q", "bonus": True},
        {"drafted": "ab", "accepted": 2, "next": "<", "bonus": True},
        {"drafted": "ab", "accepted": 0, "next": "&", "bonus": False},
        {"drafted": "$" * 60, "accepted": 59, "next": "$", "bonus": False},
    ],
    "timings": {"draft": 0.8, "target": 0.4, "verify": 0.1}, "plain_seconds_per_token": 0.1,
}  # fmt: skip


@pytest.mark.browser
@pytest.mark.parametrize("rounds", range(5))
def test_another_run_gives_the_same_numbers(scripts, rounds):
    one = alive.Ribbon(runs=[run_state(INVENTED)], round=rounds)
    theirs = scripts.evaluate("(state) => draftproofAlive.bench.ribbon.facts(state)", one.state)
    ours = one.facts()
    assert theirs.keys() == ours.keys()
    for key, value in ours.items():
        wanted = pytest.approx(value, abs=1e-9) if isinstance(value, float) else value
        assert theirs[key] == wanted, key


@pytest.mark.browser
@pytest.mark.parametrize("columns", [5, 22, 44])
def test_lines_end_where_the_text_ends_them_or_between_words(scripts, columns):
    texts = [counted(run, 99)["text"] for run in range(len(RUNS))] + ["x" * 60, "", "a b", "\n\n"]
    for text in texts:
        found = scripts.evaluate(
            "([t, n]) => draftproofAlive.bench.rounds.places(t, n)", [text, columns]
        )
        assert len(found) == len(text)
        assert all(column < columns for _, column in found)
        for k in range(1, len(text)):
            (row, column), (before, last) = found[k], found[k - 1]
            if row == before:
                assert column == last + 1
                continue
            assert (row, column) == (before + 1, 0)
            word = text[:k].rsplit("\n", 1)[-1].rsplit(" ", 1)[-1]
            assert text[k - 1] in " \n" or len(word) % columns == 0


@pytest.mark.browser
def test_it_opens_with_all_three_verdicts(take):
    hand = take("ribbon")
    start = alive.Ribbon().round
    agrees(hand, 0, start)
    assert set(keyed(hand, "draft/")) == {"draft/accepted", "draft/rejected", "draft/unseen"}
    rect = hand.widget.locator('svg [data-key="draft/unseen"]').first
    assert rect.evaluate("e => getComputedStyle(e).strokeDasharray") == "3px, 3px"


@pytest.mark.browser
@pytest.mark.parametrize("place", range(len(RUNS)))
def test_rounds_of_every_run(take, place):
    hand = take("ribbon")
    hand.choose("run", str(place))
    assert hand.state("run") == [place]
    for rounds in (1, 2, 3, 7, 20, len(RUNS[place]["rounds"])):
        hand.move(round=rounds)
        agrees(hand, place, rounds)


@pytest.mark.browser
def test_the_steps(take):
    hand = take("ribbon")
    start = alive.Ribbon().round
    hand.press("next")
    agrees(hand, 0, start + 1)
    hand.press("back")
    hand.press("back")
    agrees(hand, 0, start - 1)
    hand.press("end")
    last = len(RUNS[0]["rounds"])
    agrees(hand, 0, last)
    assert hand.knob("next").is_disabled()
    assert hand.knob("end").is_disabled()
    assert not hand.knob("back").is_disabled()
    hand.move(round=0)
    assert hand.knob("back").is_disabled()
    assert hand.reading() == ["0"]
    assert "The text so far: nothing." in hand.label()
    assert hand.widget.locator("svg .mine").count() == 0
    hand.press("play")  # without motion it is done at once
    agrees(hand, 0, last)


@pytest.mark.browser
def test_a_round_without_a_draft(take):
    hand = take("ribbon")
    places = [
        (run, k + 1) for run, made in enumerate(RUNS)
        for k, r in enumerate(made["rounds"]) if not r["drafted"]
    ]  # fmt: skip
    assert places
    run, rounds = places[0]
    hand.choose("run", str(run))
    hand.move(round=rounds)
    agrees(hand, run, rounds)
    assert "none proposed" in hand.widget.locator("svg").text_content()


@pytest.mark.browser
def test_keys_move_the_rounds(take):
    hand = take("ribbon")
    start = alive.Ribbon().round
    hand.knob("round").press("ArrowRight")
    hand.settle()
    agrees(hand, 0, start + 1)
    hand.knob("round").press("End")
    hand.settle()
    agrees(hand, 0, len(RUNS[0]["rounds"]))
    hand.knob("back").press("Enter")
    hand.settle()
    agrees(hand, 0, len(RUNS[0]["rounds"]) - 1)
    hand.knob("run").press("ArrowDown")
    hand.settle()
    agrees(hand, 1, len(RUNS[0]["rounds"]) - 1)


@pytest.mark.browser
def test_a_shorter_run_ends_at_its_own_end(take):
    hand = take("ribbon")
    longest = max(range(len(RUNS)), key=lambda run: len(RUNS[run]["rounds"]))
    hand.choose("run", str(longest))
    hand.press("end")
    hand.choose("run", "0")
    agrees(hand, 0, len(RUNS[0]["rounds"]))


@pytest.mark.browser
def test_a_touched_character_opens_its_round(take):
    hand = take("ribbon")
    hand.press("end")
    box = hand.widget.locator('[data-key="text/corrected"]').nth(2).bounding_box()
    hand.widget.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 6)
    hand.settle()
    corrected = [k for k, r in enumerate(RUNS[0]["rounds"], 1) if not r["bonus"]]
    agrees(hand, 0, corrected[2])


@pytest.mark.browser
def test_play_goes_on_and_pauses(opened):
    with opened() as bench:
        one = bench.hand("ribbon")
        start = one.state("round")[0]
        one.press("play")
        assert one.knob("play").inner_text() == "Pause"
        bench.page.wait_for_timeout(1100)
        one.press("play")
        assert one.knob("play").inner_text() == "Play"
        reached = one.state("round")[0]
        assert start < reached < len(RUNS[0]["rounds"])
        agrees(one, 0, reached)
        bench.page.wait_for_timeout(600)
        assert one.state("round") == [reached]
        one.move(round=len(RUNS[0]["rounds"]) - 1)
        one.press("play")
        bench.page.wait_for_timeout(900)
        assert one.state("round") == [len(RUNS[0]["rounds"])]
        assert one.knob("play").inner_text() == "Play"
        assert bench.complaints == []


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone(opened, theme):
    """The last rows of the text, every verdict by a mark, nothing beyond the edge."""
    with opened(theme, 360, reduced_motion="reduce") as bench:
        one = bench.hand("ribbon")
        for run, made in enumerate(RUNS):
            one.choose("run", str(run))
            for rounds in (1, 12, len(made["rounds"])):
                one.move(round=rounds)
                wanted = counted(run, rounds)
                cells = one.widget.locator("table tbody td").all_inner_texts()
                assert [int(cell) for cell in cells] == [wanted[name] for name in TABLE]
                shown = sum(keyed(one, "text/").values())
                assert 0 < shown <= len(wanted["text"])
                beyond = one.widget.evaluate(
                    """(e) => { const edge = e.getBoundingClientRect();
                        return [...e.querySelectorAll('svg text')].filter(t => {
                            const box = t.getBoundingClientRect();
                            return box.right > edge.right + 1 || box.left < edge.left - 1;
                        }).map(t => t.textContent); }"""
                )
                assert beyond == []
                assert now_is_seen(one, made["rounds"][rounds - 1])
                assert one.widget.bounding_box()["height"] < 1000
        assert bench.page.evaluate("document.documentElement.scrollWidth") <= 360
        assert bench.complaints == []


def now_is_seen(hand, last):
    """Whether the characters that the last round wrote are in view, framed."""
    cells = hand.widget.locator('[data-key^="text/"]').all()
    frames = [frame.bounding_box() for frame in hand.widget.locator("svg .mine").all()]
    inside = 0
    for cell in cells:
        box = cell.bounding_box()
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        inside += any(
            f["x"] < middle[0] < f["x"] + f["width"] and f["y"] < middle[1] < f["y"] + f["height"]
            for f in frames
        )
    return inside == last["accepted"] + 1
