"""The areas drawn in chapter 2, read back from the figures and compared with the theory."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof import examples
from draftproof.figures.chapter2 import (
    accepted_alone,
    classical_against_speculative,
    cut_and_slide,
    greedy_limit,
    logits_to_draw,
    mosaic,
    one_sided_warp,
    prefix_tree,
    results,
    rules_zoo,
    three_draws,
    two_counters,
)
from draftproof.finite import overlap
from draftproof.rules import zoo
from draftproof.speculative import acceptance, accepted_law, classical_constant, residual

LAYOUTS = ("wide", "phone")
NEAR = 1e-4
PAIRS = {
    "cat": examples.CAT_DOG_FOX,
    "four": examples.FOUR_TOKENS,
    "house": examples.HOUSE,
    "block": examples.BLOCK,
    "taker first": examples.Pair.of("a b c", p="0.5 0.3 0.2", q="0.2 0.3 0.5"),
    "high middle": examples.Pair.of("a b c", p="0.2 0.6 0.2", q="0.5 0.5 0"),
    "eight": examples.Pair.of(
        "s t u v w x y z",
        p="0.05 0.1 0.3 0.05 0.2 0.1 0.15 0.05",
        q="0.2 0.05 0.1 0.15 0.1 0.2 0.05 0.15",
    ),
    "equal": examples.Pair.of("a b", p="0.5 0.5", q="0.5 0.5"),
    "disjoint": examples.Pair.of("a b c", p="0 0.5 0.5", q="1 0 0"),
}


def total(areas, start):
    return sum(area for key, area in areas.items() if key.startswith(start))


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


@pytest.fixture(params=PAIRS)
def pair(request):
    return PAIRS[request.param]


def masses(pair):
    """Kept, rejected and corrected mass of each token, from the core in Fractions."""
    p, q = np.array(pair.p, dtype=object), np.array(pair.q, dtype=object)
    kept = q * acceptance(pair.p, pair.q)
    refused = q - kept
    return kept, refused, refused.sum() * residual(pair.p, pair.q) if refused.sum() else p * 0


def test_cut_and_slide_areas(pair, layout):
    plate = cut_and_slide(pair.p, pair.q, names=pair.names, layout=layout)
    kept, refused, corrected = masses(pair)
    for k, name in enumerate(pair.names):
        assert total(plate.areas, f"kept/{name}") == pytest.approx(float(kept[k]), abs=NEAR)
        assert total(plate.areas, f"cut/{name}") == pytest.approx(float(refused[k]), abs=NEAR)
        assert total(plate.areas, f"filled/{name}") == pytest.approx(float(corrected[k]), abs=NEAR)
        both = total(plate.areas, f"kept/{name}") + total(plate.areas, f"filled/{name}")
        assert both == pytest.approx(float(pair.p[k]), abs=NEAR)
    assert total(plate.areas, "cut/") == pytest.approx(total(plate.areas, "filled/"), abs=NEAR)
    assert plate.faults() == []


def test_the_shelf_holds_what_was_cut(layout):
    pair = examples.FOUR_TOKENS
    areas = cut_and_slide(pair.p, pair.q, names=pair.names, layout=layout).areas
    assert total(areas, "shelf rejected/") == pytest.approx(0.15, abs=NEAR)
    assert total(areas, "shelf residual/b") == pytest.approx(0.1, abs=NEAR)


def test_several_donors_are_said_to_form_one_heap():
    pair = examples.FOUR_TOKENS
    said = {
        cut_and_slide: "the pieces cut off a and d form one heap, 0.15, that fills b and c",
        mosaic: "pieces of a and d are together as large as the dotted gaps of b and c: 0.15",
    }
    for draw, words in said.items():
        assert words in draw(pair.p, pair.q, names=pair.names).caption
        cat = draw(*(getattr(examples.CAT_DOG_FOX, law) for law in "pq"))
        assert "heap" not in cat.caption


def test_mosaic_areas(pair, layout):
    plate = mosaic(pair.p, pair.q, names=pair.names, layout=layout)
    kept, refused, corrected = masses(pair)
    for k, name in enumerate(pair.names):
        assert total(plate.areas, f"kept/{name}") == pytest.approx(float(kept[k]), abs=NEAR)
        assert total(plate.areas, f"cut/{name}") == pytest.approx(float(refused[k]), abs=NEAR)
        filled = total(plate.areas, f"filled/{name}")
        assert filled == pytest.approx(float(corrected[k]), abs=NEAR)
    board = total(plate.areas, "kept/") + total(plate.areas, "cut/")
    assert board == pytest.approx(1, abs=NEAR)
    assert total(plate.areas, "kept/") == pytest.approx(float(overlap(pair.p, pair.q)), abs=NEAR)
    assert plate.faults() == []


def test_mosaic_columns_are_as_wide_as_q(layout):
    pair = examples.CAT_DOG_FOX
    plate = mosaic(pair.p, pair.q, names=pair.names, layout=layout)
    side = plate.unit**0.5
    for name, q, a in zip(pair.names, pair.q, acceptance(pair.p, pair.q), strict=True):
        ((_, patch),) = plate._measured[f"kept/{name}"]
        box = patch.get_path().get_extents()
        assert box.width == pytest.approx(float(q) * side)
        assert box.height == pytest.approx(float(a) * side)


@pytest.mark.parametrize("name", ["cat", "four", "house", "eight"])
def test_classical_areas(name, layout):
    pair = PAIRS[name]
    constant = classical_constant(pair.p, pair.q)
    plate = classical_against_speculative(pair.p, pair.q, constant, names=pair.names, layout=layout)
    kept = total(plate.areas, "classical kept/")
    lost = total(plate.areas, "classical lost/")
    assert kept == pytest.approx(1, abs=NEAR)
    assert kept + lost == pytest.approx(float(constant), abs=NEAR)
    assert total(plate.areas, "kept/") == pytest.approx(float(overlap(pair.p, pair.q)), abs=NEAR)
    assert total(plate.areas, "kept/") + total(plate.areas, "filled/") == pytest.approx(1, abs=NEAR)
    assert plate.faults() == []


def test_classical_counts_are_expectations():
    pair = examples.CAT_DOG_FOX
    plate = classical_against_speculative(pair.p, pair.q, Fraction(3), names=pair.names)
    assert "30 drafts give 10" in plate.alt and "1/3 of the drafts" in plate.alt
    assert "0.7 kept and 0.3 corrected" in plate.alt


def test_a_constant_too_small_shows_what_it_misses(layout):
    pair = examples.CAT_DOG_FOX
    plate = classical_against_speculative(pair.p, pair.q, 2, names=pair.names, layout=layout)
    assert total(plate.areas, "classical kept/") == pytest.approx(0.9, abs=NEAR)
    assert "misses 0.1 of p" in plate.alt


def test_accepted_alone_is_another_law(layout):
    pair = examples.FOUR_TOKENS
    law = accepted_law(pair.p, pair.q)
    areas = accepted_alone(pair.p, pair.q, law, names=pair.names, layout=layout).areas
    for name, expected in zip(
        pair.names,
        (Fraction(10, 17), Fraction(4, 17), Fraction(2, 17), Fraction(1, 17)),
        strict=True,
    ):
        assert total(areas, f"law/{name}") == pytest.approx(float(expected), abs=NEAR)
    assert total(areas, "mass/") == pytest.approx(0.85, abs=NEAR)


TREES = {
    "block": examples.BLOCK,
    "other way": examples.Pair.of("a b", p="0.7 0.3", q="0.4 0.6"),
    "equal": PAIRS["equal"],
    "three": examples.CAT_DOG_FOX,
}


@pytest.mark.parametrize("name", TREES)
def test_prefix_tree_areas(name, layout):
    pair = TREES[name]
    short = tuple(n[0] for n in pair.names)
    plate = prefix_tree(pair.p, pair.q, names=short, layout=layout)
    alpha = float(overlap(pair.p, pair.q))
    areas = plate.areas
    assert total(areas, "token 1") == pytest.approx(1, abs=NEAR)
    assert total(areas, "token 2") == pytest.approx(alpha, abs=NEAR)
    assert total(areas, "bonus") == pytest.approx(alpha**2, abs=NEAR)
    emitted = sum(total(areas, row) for row in ("token 1", "token 2", "bonus"))
    assert emitted == pytest.approx(1 + alpha + alpha**2, abs=NEAR)
    # The frames of the target, and the pieces that the ribbons brought into them.
    out = {key[4:]: area for key, area in areas.items() if key.startswith("out ")}
    whole = sum(out.values())
    assert whole == pytest.approx(total(areas, "sorted "), abs=NEAR)
    for a, p in zip(short, pair.p, strict=True):
        for b, r in zip(short, pair.p, strict=True):
            assert out[a + b] / whole == pytest.approx(float(p * r), abs=NEAR)
            assert areas[f"sorted {a}{b}"] == pytest.approx(out[a + b], abs=NEAR)


def test_prefix_tree_of_the_book(layout):
    pair = examples.BLOCK
    areas = prefix_tree(pair.p, pair.q, names=pair.names, layout=layout).areas
    assert total(areas, "token 1 accepted") == pytest.approx(2 / 3, abs=NEAR)
    assert total(areas, "token 1 residual") == pytest.approx(1 / 3, abs=NEAR)
    assert sum(total(areas, r) for r in ("token", "bonus")) == pytest.approx(19 / 9, abs=NEAR)


def test_rules_zoo_shows_acceptance(layout):
    pair = examples.HOUSE
    outcomes = zoo(pair.p, pair.q)
    plate = rules_zoo(pair.p, outcomes, names=pair.names, layout=layout)
    for outcome in outcomes:
        assert plate.areas[outcome.name] == pytest.approx(float(outcome.kept), abs=NEAR)
    for said in ("redraw from p: (5/16, 5/16, 3/8), distance 1/8", "distance 0.152"):
        assert said in plate.alt


def test_greedy_limit_shares_what_the_laws_share(layout):
    temperatures, curves, shots = results.cooling()
    plate = greedy_limit(temperatures, curves, shots, names="abc", layout=layout)
    for name, value in (("1", 3 / 4), ("1/2", 1 / 2), ("1/4", 1 / 6)):
        key = f"shared at {name}"
        assert plate.areas[key] == pytest.approx(value, abs=NEAR)
    assert "shared at 0" not in plate.areas
    assert curves["the most probable tokens agree"][0] > 0.98 and curves["they differ"][0] < 0.01


def test_two_counters_count(layout):
    (rounds,) = results.rounds()
    plate = two_counters(rounds, names=examples.CAT_DOG_FOX.names, layout=layout)
    accepted = sum(r.num_accepted for r in rounds)
    emitted = sum(len(r.tokens) for r in rounds)
    assert total(plate.areas, "accepted drafts") == pytest.approx(accepted)
    assert total(plate.areas, "emitted tokens") == pytest.approx(emitted)
    assert emitted == accepted + len(rounds)
    endings = {0 if not r.num_accepted else 2 if r.is_bonus else 1 for r in rounds}
    assert endings == {0, 1, 2}


def test_draws_say_what_was_drawn():
    plate = logits_to_draw(*results.first_draw(), names=results.WORDS)
    assert "the piece of dog, so dog is drawn" in plate.alt
    pair = examples.CAT_DOG_FOX
    plate = three_draws(*results.three_draws(), names=pair.names)
    assert plate.alt.endswith("So cat is rejected and fox comes instead.")
    kept = three_draws(pair.p, pair.q, (0.35, 0.2, 0.6), (0, 2), names=pair.names)
    assert kept.alt.endswith("So cat is kept.")


def test_one_sided_warps_are_told_apart():
    plate = one_sided_warp(*results.one_sided(), names=examples.FOUR_TOKENS.names)
    assert "top-k 2 in both: wanted (5/8, 3/8, 0, 0), got (5/8, 3/8, 0, 0), distance 0" in plate.alt
    assert "with c and d outside the wanted support" in plate.alt


def test_a_wrong_law_would_be_seen():
    pair = examples.CAT_DOG_FOX
    plate = mosaic(pair.p, pair.q, names=pair.names)
    ((_, patch),) = plate._measured["kept/dog"]
    path = patch.get_path()
    path.vertices[:, 1] *= 0.99
    assert plate.areas["kept/dog"] != pytest.approx(0.3, abs=NEAR)


@pytest.mark.parametrize("draw", [cut_and_slide, mosaic])
def test_hostile_laws(draw):
    with pytest.raises(ValueError, match="q must sum to"):
        draw([0.5, 0.5], [0.5, 0.4])
    with pytest.raises(ValueError, match="at most 8 tokens"):
        draw([0.1] * 10, [0.1] * 10)
    with pytest.raises(ValueError, match="names must have 2 entries"):
        draw([0.5, 0.5], [0.5, 0.5], names="abc")
    with pytest.raises(ValueError, match="constant must be"):
        classical_against_speculative([0.5, 0.5], [0.5, 0.5], 0.5)
