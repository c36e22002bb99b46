"""Chapter 6's controls, driven without a browser: the picture must say and show the new values."""

import pytest

pytest.importorskip("ipywidgets")

from draftproof import examples, lab, verifiers
from draftproof.figures import chapter6 as figures
from draftproof.figures.catalog import CATALOG
from draftproof.figures.chapter6 import results
from draftproof.widgets import chapter6

STILLS = {
    "blocks": "token-against-block",
    "several": "drafts-in-turn",
    "price": "price-of-bias",
}


@pytest.mark.parametrize("function, figure", STILLS.items())
def test_it_starts_with_the_book_s_own_figure(function, figure):
    live = getattr(chapter6, function)()
    assert len(live.controls) >= 2
    assert all(control.description for control in live.controls.values())
    assert live.picture.svgs == CATALOG[figure].show().svgs


def test_both_laws_and_the_block_move():
    live = chapter6.blocks()
    seen = {live.picture.alt}
    for name, value in {"draft_a": 6, "target_a": 2, "gamma": 3}.items():
        live.controls[name].value = value
        assert live.error == ""
        seen.add(live.picture.alt)
    assert len(seen) == 4
    pair = examples.Pair.of("a b", p="1/6 5/6", q="1/2 1/2")
    models = results.steady(pair.p), results.steady(pair.q)
    for rule, title in ((verifiers.token, "token rule"), (verifiers.block, "block rule")):
        wanted = float(lab.expected_accepted(rule, *models, gamma=3))
        plate = figures.token_against_block(*results.panels(pair.p, pair.q, 3), names=pair.names)
        assert live.picture.alt == plate.alt
        kept = sum(area for key, area in plate.areas.items() if key.startswith(f"{title}/kept"))
        assert kept == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("draft_a", [0, 12])
@pytest.mark.parametrize("target_a", [0, 12])
@pytest.mark.parametrize("gamma", [1, 4])
def test_the_edges_of_both_laws_can_be_drawn(draft_a, target_a, gamma):
    live = chapter6.blocks()
    live.controls["gamma"].value = gamma
    live.controls["draft_a"].value = draft_a
    live.controls["target_a"].value = target_a
    assert live.error == ""
    same = draft_a == target_a
    assert f"in all {gamma if same else 0}" in live.picture.alt


@pytest.mark.parametrize("pair", chapter6.PAIRS)
@pytest.mark.parametrize("how", chapter6.HOW)
def test_every_number_of_drafts(pair, how):
    live = chapter6.several()
    live.controls["pair"].value = pair
    live.controls["how"].value = how
    one = chapter6.PAIRS[pair]
    for drafts in (1, 2, 3, 4):
        live.controls["drafts"].value = drafts
        assert live.error == ""
        rule = verifiers.recursive(drafts, how == chapter6.HOW[0])
        accepted = rule.step(*map(_array, (one.q, one.p)), drafts)[0].sum()
        assert f"Kept in all {round(float(accepted), 3):g}" in live.picture.alt
        assert how in live.picture.alt


def _array(law):
    from draftproof.finite import as_law

    return as_law(law)


def test_the_price_moves():
    live = chapter6.price()
    first = live.picture.alt
    live.controls["delta"].value = 0.3
    second = live.picture.alt
    assert first != second
    for pair in chapter6.SIX_FIRST:
        live.controls["pair"].value = pair
        assert live.error == ""
    assert live.picture.alt not in (first, second)
