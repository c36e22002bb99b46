"""The areas drawn in chapter 6, read back from the figures and compared with the enumeration."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from draftproof import examples, lab, verifiers
from draftproof.figures import chapter6 as figures
from draftproof.figures.chapter6 import results
from draftproof.finite import overlap
from draftproof.small import all_laws

NEAR = 1e-4
THREE, SIX, BLOCK = results.THREE, results.SIX, examples.BLOCK
TWO_TOKENS = {
    "block": BLOCK,
    "mild": examples.Pair.of("a b", p="1/2 1/2", q="3/5 2/5"),
    "equal": examples.Pair.of("a b", p="1/4 3/4", q="1/4 3/4"),
    "forbidden": examples.Pair.of("a b", p="0 1", q="1/2 1/2"),
}


@pytest.fixture(params=("wide", "phone"))
def layout(request):
    return request.param


@pytest.fixture(params=TWO_TOKENS)
def pair(request):
    return TWO_TOKENS[request.param]


def total(areas, start):
    return sum(area for key, area in areas.items() if key.startswith(start))


def kept(rule, pair, gamma):
    return lab.expected_accepted(rule, results.steady(pair.p), results.steady(pair.q), gamma=gamma)


@pytest.mark.parametrize("gamma", [1, 2, 4])
def test_the_tiles_of_both_rules(pair, layout, gamma):
    panels = results.panels(pair.p, pair.q, gamma)
    plate = figures.token_against_block(*panels, names=pair.names, layout=layout)
    for title, rule in (("token rule", verifiers.token), ("block rule", verifiers.block)):
        assert total(plate.areas, f"{title}/kept") == pytest.approx(
            float(kept(rule, pair, gamma)), abs=NEAR
        )
        law = lab.accepted_law(rule, *map(results.steady, (pair.p, pair.q)), gamma=gamma)
        for t in range(1, gamma + 1):
            row = plate.areas.get(f"{title}/kept {t}", 0)
            assert row == pytest.approx(float(sum(law[t:])), abs=NEAR)
            fixed = plate.areas.get(f"{title}/corrected {t}", 0)
            assert fixed == pytest.approx(float(law[t - 1]), abs=NEAR)
    assert plate.faults() == []


def test_where_the_extra_ninth_comes_from():
    plate = figures.token_against_block(*results.panels(BLOCK.p, BLOCK.q), names=BLOCK.names)
    assert total(plate.areas, "token rule/kept") == pytest.approx(10 / 9, abs=NEAR)
    assert total(plate.areas, "block rule/kept") == pytest.approx(11 / 9, abs=NEAR)
    assert "aa −1/9 and ab +2/9" in plate.alt


def test_sorted_by_output_the_tiles_fill_the_target(pair, layout):
    fates = results.fates(verifiers.block, pair.p, pair.q)
    plate = figures.block_sorted(fates, pair.p, names=pair.names, layout=layout)
    high = 46 / 40  # the frames are a little higher than a row of tiles
    for (a, u), (b, v) in product(zip(pair.names, pair.p, strict=True), repeat=2):
        wanted = float(u * v) * high
        assert plate.areas.get(f"out {a}{b}", 0) == pytest.approx(wanted, abs=NEAR)
        assert plate.areas.get(f"wanted {a}{b}", 0) == pytest.approx(wanted, abs=NEAR)


def test_the_boards_add_up_to_what_is_kept(pair, layout):
    plate = figures.running_weights(
        *results.boards(pair.p, pair.q), names=pair.names, layout=layout
    )
    law = lab.accepted_law(verifiers.block, *map(results.steady, (pair.p, pair.q)), gamma=2)
    assert total(plate.areas, "kept 1") == pytest.approx(float(law[1] + law[2]), abs=NEAR)
    assert total(plate.areas, "kept 2") == pytest.approx(float(law[2]), abs=NEAR)
    for level in (1, 2):
        board = total(plate.areas, f"kept {level}") + total(plate.areas, f"cut {level}")
        assert board == pytest.approx(1, abs=NEAR)


def test_a_prefix_is_kept_with_its_weight():
    for p, q in product(all_laws(2, 4), all_laws(2, 4)):
        fates = results.fates(verifiers.block, p, q, 3)
        for t, level in enumerate(results.boards(p, q, 3)[0], start=1):
            for board in level:
                reached = sum(
                    fate.mass
                    for fate in fates
                    if fate.kept >= t and fate.drafted[:t] == board.prefix
                )
                assert reached == board.drafted * board.weight
                assert board.weight >= board.token


def test_the_shrunken_target_is_kept_and_filled(pair, layout):
    plate = figures.shrunken_target(
        *results.scaled(pair.p, pair.q), names=pair.names, layout=layout
    )
    for case in results.scaled(pair.p, pair.q)[2]:
        key = "".join(pair.names[x] for x in case.prefix) or "start"
        for name, p, q in zip(pair.names, pair.p, pair.q, strict=True):
            goal = case.weight * p
            for role, area in (
                ("accepted", min(q, goal)),
                ("rejected", max(q - goal, 0)),
                ("residual", max(goal - q, 0)),
            ):
                got = plate.areas.get(f"{role} {key}/{name}", 0)
                assert got == pytest.approx(float(area), abs=NEAR)


def test_the_block_rule_never_keeps_less(layout):
    token, block, gamma = results.never_less()
    assert len(token) == results.RANDOM_PAIRS and gamma == results.RANDOM_GAMMA
    assert (block >= token - 1e-12).all() and (block > token + 1e-3).any()
    plate = figures.never_less(token, block, gamma, layout=layout)
    assert "200 of 200 lie on or above the diagonal" in plate.alt


def test_the_gain_is_nothing_at_both_ends():
    _, curves = results.gains()
    for values in curves.values():
        assert values[0] == values[-1] == 0 and (values >= -1e-12).all()
    assert results.gain(BLOCK.p, BLOCK.q, 2) == Fraction(20, 9) / Fraction(19, 9) - 1
    assert (curves[2] <= curves[4] + 1e-12).all() and (curves[4] <= curves[6] + 1e-12).all()


@pytest.mark.parametrize(
    "moves, wanted",
    [(results.overlap_moves, Fraction(7, 10)), (results.transport, Fraction(43, 50))],
)
def test_bands_keep_what_they_can(moves, wanted, layout):
    sources, p, carried = moves()
    plate = figures.flows(sources, p, carried, names=THREE.names, layout=layout)
    assert total(plate.areas, "kept/") == pytest.approx(float(wanted), abs=NEAR)
    assert total(plate.areas, "corrected/") == pytest.approx(1 - float(wanted), abs=NEAR)
    for y, mass in enumerate(p):
        into = sum(float(m) for (_, to), m in carried.items() if to == y)
        assert into == pytest.approx(float(mass))
    for row, (_, mass) in enumerate(sources):
        out = sum(float(m) for (start, _), m in carried.items() if start == row)
        assert out == pytest.approx(float(mass))


def test_the_plan_is_the_bound():
    assert verifiers.best_cut(THREE.p, THREE.q, 1).bound == overlap(THREE.p, THREE.q)
    assert verifiers.best_cut(THREE.p, THREE.q, 2).bound == Fraction(43, 50)


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("drafts", [1, 2, 3, 4])
@pytest.mark.parametrize("one", [THREE, examples.CAT_DOG_FOX, examples.HOUSE])
def test_drafts_in_turn_keep_what_the_rule_keeps(one, drafts, replacement, layout):
    turns = results.turns(one.p, one.q, drafts, replacement)
    plate = figures.drafts_in_turn(*turns, names=one.names, layout=layout)
    wanted = kept(verifiers.recursive(drafts, replacement), one, 1)
    assert sum(turn.kept.sum() for turn in turns[0]) == wanted
    assert total(plate.areas, "kept ") == pytest.approx(float(wanted), abs=NEAR)
    assert total(plate.areas, "filled/") == pytest.approx(1 - float(wanted), abs=NEAR)
    for name, p in zip(one.names, one.p, strict=True):
        own = [v for k, v in plate.areas.items() if k.endswith(f"/{name}") and "cut" not in k]
        assert sum(own) == pytest.approx(float(p), abs=NEAR)


def test_a_pair_with_two_ways_to_reject_is_refused():
    four = examples.FOUR_TOKENS
    with pytest.raises(ValueError, match="more than one token"):
        results.turns(four.p, four.q, 2, replacement=False)
    assert len(results.turns(four.p, four.q, 2)[0]) == 2


def test_the_square_proves_the_bound(layout):
    p, q, drafts, tokens = results.cut()
    plate = figures.cut_square(p, q, drafts, tokens, names=THREE.names, layout=layout)
    assert plate.areas == pytest.approx({"outside": 0.36, "inside": 0.5, "lost": 0.14}, abs=NEAR)
    assert plate.areas["outside"] + plate.areas["inside"] == pytest.approx(0.86, abs=NEAR)
    with pytest.raises(ValueError, match="drafts must be 2"):
        figures.cut_square(p, q, 3, tokens)


@pytest.mark.parametrize("branching", [(2, 2), (3, 1), (1, 1, 1), (2, 1, 1)])
def test_every_node_of_the_tree_is_its_chance(branching, layout):
    (levels,) = results.tree_levels(branching)
    plate = figures.draft_tree(levels, layout=layout)
    wanted = kept(verifiers.tree(branching), THREE, len(branching))
    assert total(plate.areas, "node ") == pytest.approx(float(wanted), abs=NEAR)
    last = lab.accepted_law(
        verifiers.tree(branching), *map(results.steady, (THREE.p, THREE.q)), gamma=len(branching)
    )
    assert plate.areas["bonus"] == pytest.approx(float(last[-1]), abs=NEAR)
    assert plate.areas["bonus"] + total(plate.areas, "corrected ") == pytest.approx(1, abs=NEAR)


@pytest.mark.parametrize("branching", [(1, 1), (2, 1), (3, 2), (2, 2, 1)])
def test_shapes_are_what_the_enumeration_says(branching):
    models = (results.steady([float(x) for x in law]) for law in (SIX.p, SIX.q))
    rule = verifiers.tree(branching)
    wanted = lab.expected_accepted(rule, *models, gamma=len(branching))
    assert results.accepted_of(branching) == pytest.approx(wanted)
    (shapes,) = results.shapes()
    assert branching in {shape.branching for shape in shapes}
    assert all(shape.drafted <= 16 for shape in shapes)


def test_no_rule_lies_below_the_price():
    alpha, groups = results.price()
    assert alpha == Fraction(3, 5)
    for group, points in groups.items():
        for _, keeps, away in points:
            assert keeps <= alpha + away
            if group == "lenience":
                assert keeps == alpha + away
            if group == "exact":
                assert away == 0
    assert any(away > max(keeps - alpha, 0) for _, keeps, away in groups["typical"])


def test_a_wide_tree_sinks_first():
    batches, curves = results.worth()
    assert list(batches) == list(results.BATCHES)
    first = {
        name: next(b for b, s in zip(batches, speeds, strict=True) if s < 1)
        for name, (_, _, speeds) in curves.items()
    }
    assert first["tree 4-3-1"] < first["tree 2-2-1"] <= first["chain of 4, token rule"]
    block, token = (curves[f"chain of 4, {rule} rule"] for rule in ("block", "token"))
    assert block[0] == token[0] and (np.array(block[2]) > np.array(token[2])).all()
    assert curves["tree 4-3-1"][2][0] == max(speeds[0] for _, _, speeds in curves.values())
