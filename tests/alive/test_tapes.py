"""Both caches, cut right and wrong in Chromium; the right values are those of the real caches."""

import pytest

from draftproof.widgets import alive

ROUNDS = [(gamma, kept) for gamma in range(1, 9) for kept in range(gamma + 1)]
WHO = ("target", "draft")


def tapes(gamma, kept, target=None, draft=None):
    """A widget whose cuts leave so many drafts; by default the right number."""
    cuts = [0 if left is None else left - kept for left in (target, draft)]
    return alive.Tapes(gamma=gamma, kept=kept, target=cuts[0], draft=cuts[1])


# ---- against the caches of the package ----


@pytest.mark.parametrize("gamma, kept", ROUNDS)
def test_the_lengths_are_those_of_real_caches(gamma, kept):
    torch = pytest.importorskip("torch")
    from draftproof.decode import Cache, Config
    from draftproof.decode.scorer import CachedRows

    class Reader:
        """A model that only counts what it has read."""

        vocabulary_size, context_size, device = 9, 64, "cpu"

        def new_cache(self, batch):
            return Cache(Config(9, 4, 1, 1, 4, 64), batch)

        def __call__(self, tokens, cache):
            self.read = tokens.shape[1]
            cache.advance(self.read)
            return torch.zeros(*tokens.shape, 9)

    one = tapes(gamma, kept)
    words, drafts = [0] * one.text, torch.zeros(1, gamma, dtype=torch.long)
    rows = {who: CachedRows(Reader(), [words]) for who in WHO}
    rows["draft"].catch_up([words])
    for _ in range(gamma - 1):
        rows["draft"].feed(drafts[:, :1])
    rows["target"].score([words], drafts)
    facts = one.facts()
    assert facts["before"] == {who: rows[who].cache.lengths[0] for who in WHO}
    for each in rows.values():
        each.keep_drafts([kept])
    assert facts["after"] == {who: rows[who].cache.lengths[0] for who in WHO}
    text = [0] * (one.text + kept + 1)
    rows["draft"].catch_up([text])
    rows["target"].score([text], drafts)
    read = {"target": rows["target"].model.read - gamma, "draft": rows["draft"].model.read}
    assert facts["fed"] == read
    assert facts["outcome"] == "right"


@pytest.mark.parametrize("gamma, kept", [(1, 0), (1, 1), (4, 0), (4, 3), (4, 4), (8, 5)])
def test_what_a_cut_leaves_is_the_text_or_is_not(gamma, kept):
    """Caches written token by token: a cut is right if the memory is the text and nothing else."""
    drafts = [f"d{k}" for k in range(gamma)]
    text = ["c", *drafts[:kept], "new"]
    for left in range(gamma + 1):
        for who in WHO:
            facts = tapes(gamma, kept, **{who: left}).facts()
            read = ["c", *(drafts if who == "target" else drafts[:-1])]
            memory = read[: len(read) - max(facts["drops"][who], 0)]
            if facts["fed"][who] == 2:
                memory.append(drafts[-1])
            memory.append("new")
            assert (facts["wrong"][who] == 0) == (memory == text)
            assert len(memory) == len(text) + facts["wrong"][who]
            bad = "text" if who == "target" else "speed"
            assert facts["outcome"] == ("right" if memory == text else bad)


def test_cuts_stay_within_the_round():
    facts = alive.Tapes(gamma=3, kept=7, target=5, draft=-8).facts()
    assert facts["kept"] == 3
    assert facts["drops"] == {"target": 0, "draft": 2}
    assert facts["wrong"] == {"target": 0, "draft": -3}


# ---- in the page ----


def agrees(hand, gamma, kept, target=None, draft=None):
    """Whether readout, picture and sentence are what the package says."""
    facts = tapes(gamma, kept, target, draft).facts()
    read = hand.reading()
    for k, who in enumerate(WHO):
        drops, right = ((str(facts[x][who]).replace("-", "−")) for x in ("drops", "right"))
        sums = {"target": f"{gamma} − {kept}", "draft": f"{gamma} − 1 − {kept}"}[who]
        assert read[k] == (f"{drops}, not {right}" if facts["wrong"][who] else f"{sums} = {right}")
        assert read[2 + k] == f"{facts['before'][who]} → {facts['after'][who]}"
        tape_agrees(hand, who, facts, gamma, {"target": target, "draft": draft}[who])
    assert read[4] == ("wrong" if facts["outcome"] == "text" else "exact")
    said = hand.widget.locator(".dpa-more").inner_text()
    for outcome, words in (
        ("right", "the text and nothing else"), ("speed", "only time is lost"),
        ("text", "wrong, and reads well"),
    ):  # fmt: skip
        assert (words in said) == (facts["outcome"] == outcome)
        assert (words in hand.label()) == (facts["outcome"] == outcome)


def tape_agrees(hand, who, facts, gamma, left):
    """Whether a tape shows every draft by its fate, and the cut where it is."""
    kept = facts["kept"]
    left = kept if left is None else left
    held = gamma if who == "target" else gamma - 1
    fates = [
        "unread" if k >= held else
        ("kept" if k < kept else "stale") if k < left else "lost" if k < kept else "dropped"
        for k in range(gamma)
    ]  # fmt: skip
    keys = hand.widget.evaluate(
        """(e, who) => [...e.querySelectorAll('rect[data-key]')].map(r => r.dataset.key.split('/'))
            .filter(([name]) => name === who).map(([, fate]) => fate)""",
        who,
    )
    fed = ["fed"] if facts["fed"][who] == 2 else []
    spoilt = ["spoilt"] if facts["wrong"][who] else []
    assert sorted(key for key in keys if key != "spoilt") == sorted([*fates, "new", *fed])
    assert [key for key in keys if key == "spoilt"] in (spoilt, [])  # no room on the right
    cut, new = (
        hand.widget.locator(f'svg [data-key="{who}/{what}"]').bounding_box()
        for what in ("cut", "new")
    )
    entry = new["width"] * 1.03
    start = cut["x"] + cut["width"] / 2 + len(fed) * entry
    assert new["x"] == pytest.approx(start, abs=4)


@pytest.mark.browser
def test_it_opens_with_both_cuts_right(take):
    hand = take("tapes")
    assert hand.reading() == ["5 − 2 = 3", "5 − 1 − 2 = 2", "43 → 40", "42 → 40", "exact"]
    assert hand.knob("right").is_disabled()
    agrees(hand, 5, 2)


@pytest.mark.browser
@pytest.mark.parametrize("gamma", [1, 2, 5, 8])
def test_the_right_cuts_follow_every_round(take, gamma):
    hand = take("tapes")
    hand.move(gamma=gamma)
    for kept in range(gamma + 1):
        hand.move(kept=kept)
        agrees(hand, gamma, kept)


@pytest.mark.browser
@pytest.mark.parametrize("gamma, kept", [(1, 0), (3, 3), (5, 2), (8, 7)])
@pytest.mark.parametrize("who", WHO)
def test_every_cut_of_a_round(take, who, gamma, kept):
    hand = take("tapes")
    hand.move(gamma=gamma, kept=kept)
    for left in range(gamma + 1):
        hand.move(**{who: left})
        agrees(hand, gamma, kept, **{who: left})
        assert hand.knob("right").is_disabled() == (left == kept)
    hand.move(**{who: 0 if kept else 1})
    hand.press("right")
    agrees(hand, gamma, kept)


@pytest.mark.browser
def test_a_wrong_cut_stays_wrong_by_as_much(take):
    hand = take("tapes")
    hand.move(kept=5, draft=4)  # the guess that the draft never read is forgotten
    agrees(hand, 5, 5, draft=4)
    assert "lacks draft 4" in hand.label()
    hand.move(kept=3)
    agrees(hand, 5, 3, draft=2)
    hand.move(gamma=2)
    agrees(hand, 2, 2, draft=1)


@pytest.mark.browser
def test_the_cuts_can_be_dragged(take):
    hand = take("tapes")
    for who, other, to in (("target", {}, 4), ("draft", {"target": 4}, 0)):
        cut = hand.widget.locator(f'svg [data-key="{who}/cut"]').bounding_box()
        wide = hand.widget.locator('svg [data-key="target/kept"]').first.bounding_box()["width"]
        x, y = cut["x"] + cut["width"] / 2, cut["y"] + cut["height"] / 2
        hand.drag((x, y), (x + (to - 2) * wide * 1.03, y))
        agrees(hand, 5, 2, **{**other, who: to})


@pytest.mark.browser
def test_keys_move_the_cuts(take):
    hand = take("tapes")
    hand.knob("draft").press("End")
    hand.settle()
    agrees(hand, 5, 2, draft=5)
    assert hand.knob("draft").get_attribute("aria-valuetext") == "4 fed"
    hand.knob("target").press("ArrowLeft")
    hand.settle()
    agrees(hand, 5, 2, target=1, draft=5)
    hand.knob("right").press("Enter")
    hand.settle()
    agrees(hand, 5, 2)


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone(opened, theme):
    """Everything is there at 360 px, nothing beyond the edge, whatever the round."""
    with opened(theme, 360, reduced_motion="reduce") as bench:
        one = bench.hand("tapes")
        for gamma, kept, target, draft in [(1, 1, 0, 1), (5, 2, 3, 1), (8, 8, 8, 7), (8, 0, 8, 8)]:
            one.move(gamma=gamma, kept=kept, target=target, draft=draft)
            agrees(one, gamma, kept, target, draft)
            beyond = one.widget.evaluate(
                """(e) => { const edge = e.getBoundingClientRect();
                    return [...e.querySelectorAll('svg text, svg rect[data-key]')].filter(t => {
                        const box = t.getBoundingClientRect();
                        return box.right > edge.right + 1 || box.left < edge.left - 1;
                    }).map(t => t.textContent || t.dataset.key); }"""
            )
            assert beyond == []
        assert bench.page.evaluate("document.documentElement.scrollWidth") <= 360
        assert bench.complaints == []
