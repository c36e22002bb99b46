"""Chapter 2's controls, driven without a browser: the picture must say and show the new laws."""

from fractions import Fraction

import pytest

pytest.importorskip("ipywidgets")

from draftproof import examples, rules
from draftproof.figures.catalog import CATALOG
from draftproof.figures.chapter2 import classical_against_speculative, mosaic
from draftproof.figures.chapter2_live import SIDES, block_walk, walk, warped
from draftproof.finite import total_variation
from draftproof.warp import warp
from draftproof.widgets import chapter2

PET = examples.CAT_DOG_FOX
STILLS = {
    "tokens": "mosaic",
    "ceiling": "classical-against-speculative",
    "warps": "warp-by-hand",
    "block": "block-walk",
}


@pytest.mark.parametrize("function, figure", STILLS.items())
def test_it_starts_with_the_book_s_own_figure(function, figure):
    live = getattr(chapter2, function)()
    assert len(live.controls) >= 2
    assert all(control.description for control in live.controls.values())
    assert live.picture.svgs == CATALOG[figure].show().svgs


def test_every_law_of_the_board_moves():
    live = chapter2.tokens()
    moves = {"draft_cat": 0.5, "draft_dog": 0.2, "target_cat": 0.35, "target_dog": 0.15}
    seen = {live.picture.alt}
    for name, value in moves.items():
        live.controls[name].value = value
        assert live.error == ""
        seen.add(live.picture.alt)
    assert len(seen) == 5
    p = (Fraction(35, 100), Fraction(15, 100), Fraction(1, 2))
    q = (Fraction(1, 2), Fraction(1, 5), Fraction(3, 10))
    assert live.picture.alt == mosaic(p, q, names=PET.names).alt
    live.controls["picture"].value = "bars"
    assert live.picture.name == "cut-and-slide"
    live.controls["draft_dog"].value = 0.75
    assert live.error == "draft: cat and dog must not exceed 1 together, got 1.25"
    live.controls["draft_dog"].value = 0.5
    assert live.error == ""


@pytest.mark.parametrize("edge", [{"draft_cat": 1.0, "draft_dog": 0.0}, {"target_cat": 0.0}])
@pytest.mark.parametrize("picture", chapter2.PICTURES)
def test_the_edges_of_the_board_can_be_drawn(edge, picture):
    live = chapter2.tokens()
    live.controls["draft_dog"].value = 0
    live.controls["picture"].value = picture
    for name, value in edge.items():
        live.controls[name].value = value
    assert live.error == ""


def test_the_ceiling_and_the_pair_move():
    live = chapter2.ceiling()
    live.controls["constant"].value = 2.0
    assert live.error == ""
    assert live.picture.alt == classical_against_speculative(PET.p, PET.q, 2, names=PET.names).alt
    for pair, constant in zip(chapter2.PAIRS, (1.0, 1.5, 4.0), strict=True):
        live.controls["pair"].value = pair
        live.controls["constant"].value = constant
        assert live.error == "", (pair, constant)


def test_the_areas_of_a_low_ceiling_are_the_missed_mass():
    plate = classical_against_speculative(PET.p, PET.q, 2, names=PET.names)
    assert sum(v for k, v in plate.areas.items() if "kept" in k) > 0


def test_a_warp_on_one_side():
    live = chapter2.warps()
    first = live.picture.alt
    live.controls["temperature"].value = 1.0
    second = live.picture.alt
    live.controls["k"].value = 3
    third = live.picture.alt
    live.controls["side"].value = "both"
    assert len({first, second, third, live.picture.alt}) == 4
    assert live.error == ""


@pytest.mark.parametrize("side", SIDES)
def test_what_each_side_emits(side):
    half, p, q = Fraction(1, 2), examples.FOUR_TOKENS.p, examples.FOUR_TOKENS.q
    (_, wanted, both), (title, again, got) = warped(half, 3, side)
    assert list(wanted) == list(again) == list(both) == list(warp(p, half, top_k=3))
    assert side in title
    if side in ("both", "target alone"):
        assert list(got) == list(wanted)
    elif side == "draft alone":
        assert list(got) == list(p)
    else:
        told = rules.ratio_and_residual(wanted, q, warp(q, half, top_k=3))
        assert list(got) == list(told)
        assert total_variation(got, wanted) > 0


@pytest.mark.parametrize(
    "side, words",
    [
        ("both", "the same warp on both sides is exact."),
        ("draft alone", "; on the draft alone, c and d come through."),
        ("target alone", ", and on the target alone it is exact as well."),
    ],
)
def test_the_caption_says_what_the_warp_does(side, words):
    live = chapter2.warps()
    live.controls["side"].value = side
    assert live.picture.caption.endswith(words)


def test_the_side_is_checked():
    with pytest.raises(ValueError, match="side"):
        warped(1, 4, "neither")


def test_every_coin_decides_its_own_draft():
    live = chapter2.block()
    assert "The round emits cat, dog and fox" in live.picture.alt
    live.controls["coin_0"].value = 0.6
    assert "draft 1, dog, is void" in live.picture.alt
    live.controls["coin_0"].value = 0.2
    live.controls["coin_2"].value = 0.45
    assert "the last one as bonus" in live.picture.alt
    live.controls["coin_1"].value = 0.95  # p >= q: no coin rejects the dog
    assert "the last one as bonus" in live.picture.alt
    live.controls["coin_3"].value = 0.55
    assert "draft 3, cat, kept below 0.5, has coin 0.55: rejected" in live.picture.alt


def test_the_slices_are_as_high_as_the_chance_to_keep():
    plate = block_walk(walk((0.2, 0.9, 0.4, 0.1)), names=PET.names)
    assert plate.areas == pytest.approx(
        {"keep/0": 0.5, "cut/0": 0.5, "keep/1": 1, "keep/2": 0.5, "cut/2": 0.5}
        | {"keep/3": 0.5, "cut/3": 0.5}
    )


def test_a_block_too_long_to_draw_is_refused():
    with pytest.raises(ValueError, match="uniforms"):
        walk((0.1, 0.2))
