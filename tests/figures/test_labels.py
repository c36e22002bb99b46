"""Where names stand: beside their lines, one clear of another, and never on a line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from draftproof.figures import chapter4 as figures
from draftproof.figures import marks
from draftproof.figures.labels import Label, Room, spread
from draftproof.figures.plate import drawing
from draftproof.figures.style import LAYOUTS

LEVELS = st.lists(st.floats(-5, 5), min_size=1, max_size=7)


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


# Spreading


@given(levels=LEVELS, gap=st.floats(0.01, 2))
def test_labels_stand_apart_in_their_order(levels, gap):
    placed = np.array(spread(levels, gap))
    order = np.argsort(levels, kind="stable")
    assert (np.diff(placed[order]) >= gap - 1e-9).all()


@given(levels=LEVELS, gap=st.floats(0.01, 2))
def test_labels_that_fit_do_not_move(levels, gap):
    if all(b - a >= gap for a, b in zip(sorted(levels), sorted(levels)[1:], strict=False)):
        assert spread(levels, gap) == pytest.approx(levels, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_no_other_places_are_nearer(seed):
    """A general solver of least squares under inequalities finds nothing better."""
    rng = np.random.default_rng(seed)
    levels = np.sort(rng.normal(0, 1, rng.integers(2, 7)))
    n, gap, low, high = len(levels), 0.6, -2.5, 2.5
    own = np.array(spread(levels, gap, low=low, high=high))
    steps = np.diff(np.eye(n), axis=0)
    best = optimize.minimize(
        lambda y: ((y - levels) ** 2).sum(),
        np.linspace(low, high, n),
        method="SLSQP",
        bounds=[(low, high)] * n,
        constraints={"type": "ineq", "fun": lambda y: steps @ y - gap},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert ((own - levels) ** 2).sum() <= best.fun + 1e-6
    assert own.min() >= low - 1e-12 and own.max() <= high + 1e-12


@given(levels=LEVELS, avoid=st.floats(-5, 5))
def test_no_label_lies_on_the_line_to_avoid(levels, avoid):
    placed = np.array(spread(levels, 0.5, avoid=avoid))
    assert (np.abs(placed - avoid) >= 0.25 - 1e-9).all()


def test_labels_of_one_level_and_labels_of_none():
    assert spread([1, 1], 2) == [0, 2]
    assert spread([1, 1, 1], 2, low=0.5) == [0.5, 2.5, 4.5]
    assert spread([1, 1], 2, avoid=1) == [0, 2]
    assert spread([], 1) == spread([], 1, avoid=0) == []
    with pytest.raises(ValueError, match="levels must go into the range"):
        spread([0, 0, 0], 1, low=0, high=1.9)


# Room among lines


def test_room_is_found_over_lines_and_beside_texts():
    @drawing
    def sample(plate):
        plate.pixels(200)
        ax = plate.axes_at(0, 0, 200, 200, xlim=(0, 200), ylim=(0, 200))
        room = Room(ax, [((0, 200), (50, 150)), ((0, 200), (200, 200))])
        assert room.above(100, [(90, 5)], 20) == pytest.approx(105.5 + 4)  # the line at 111
        assert room.above(105, [(90, 5)], 20) is None
        assert room.first(10, [100, 60, 20], 40) == pytest.approx(100)
        assert room.first(10, [100, 60, 20], 40) == pytest.approx(20)  # 100 taken, 60 on the line
        assert room.first(10, [100, 60, 20], 40) is None
        plate.say(caption="x.", alt="x")

    sample()


# Faults


def lined(kind="ink", *, halo=None, above=False, ground=False, y=30.0):
    @drawing
    def sample(plate):
        ax = plate.pixels(60)
        words = marks.label(ax, 20, 34, "word", halo=halo)[0]
        if kind == "marks":
            marks.dots(ax, [30], [30])
        elif kind == "darts":
            marks.dots(ax, [30] * 50, [30] * 50)
        elif kind == "outline":
            marks.ghost(ax, "p", (30, 10, 60, 40))
        elif kind == "axis":
            plate.axes_at(30, 5, 60, 50, xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
        else:
            marks.line(ax, [0, 80], [y, y], kind, zorder=words.get_zorder() + 1 if above else 1)
        if ground:
            marks.wash(ax, "panel", (15, 20, 50, 20), zorder=5)
        plate.say(caption="x.", alt="x")

    return sample().crossings()


@pytest.mark.parametrize(
    "kind, on",
    [("ink", "a line"), ("axis", "an axis"), ("outline", "an outline"), ("marks", "marks")],
)
def test_a_text_on_what_is_drawn_is_a_fault(kind, on):
    assert lined(kind) == [f"text 'word' lies on {on}"]
    assert lined(kind, halo="background")  # a halo is no excuse for hiding what was measured
    assert lined(kind, ground=True) == []  # a ground of its own is


def test_a_quiet_line_may_run_behind_a_halo():
    for kind in ("hair", "leader", "dashed"):
        assert lined(kind) and not lined(kind, halo="background")
    assert lined("darts") and not lined("darts", halo="background")


def test_a_word_may_be_struck_out_and_not_crossed():
    assert lined("leader", above=True) == []
    assert lined("leader", above=True, y=26.0) and lined("leader", above=True, y=33.0)
    assert lined("ink", y=38.0) == [] and lined("ink", y=20.0) == []  # under and over the letters


# The figures that name their lines


def measured(*lines):
    """Return rows of the batches: one line a block length, each a speedup by batch."""
    return [
        {"batch": b, "gamma": g, "speedup": s, "spread": [0.93 * s, 1.06 * s], "verify_ratio": 1.3}
        for g, line in lines
        for b, s in line.items()
    ]


SIZES = [1, 2, 4, 8, 16, 32, 64]
FLAT = dict.fromkeys(SIZES, 1.0)
FALL = {b: 2.4 / b**0.2 for b in SIZES}
STEEP = {b: 2.6 / b**0.7 for b in SIZES}
HOSTILE = {
    "one end": ((1, FALL), (3, FALL), (5, FALL)),
    "ends at 1": ((1, FLAT), (2, FLAT), (3, FLAT), (5, FLAT)),
    "always slower": tuple((g, dict.fromkeys(SIZES, 0.4 + 0.02 * g)) for g in (1, 2, 3, 5)),
    "deep falls": ((1, FALL), (3, STEEP), (5, {b: 2.9 / b**0.9 for b in SIZES})),
    "much faster": tuple((g, {b: 2 + g - 0.02 * b for b in SIZES}) for g in (1, 2, 3, 5, 8)),
    "rising": ((1, {b: 1 + b / 100 for b in SIZES}), (16, {b: 0.5 + b / 60 for b in SIZES})),
    "one line": ((4, FALL),),
    "two batches": ((1, {1: 1.3, 64: 0.99}), (3, {1: 1.31, 64: 1.01})),
    "many lines": tuple((g, dict.fromkeys(SIZES, 1.02 + 0.001 * g)) for g in range(1, 8)),
    "crossing": ((1, FALL), (5, dict(zip(SIZES, reversed(FALL.values()), strict=True)))),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_every_block_length_has_its_name_beside_its_line(name, layout):
    made = figures.batch_crossover(measured(*HOSTILE[name]), layout=layout)
    assert made.faults() + made.crossings() == []
    words = {text.get_text() for text in made.findobj(Label)}
    assert {f"$\\gamma$ = {gamma}" for gamma, _ in HOSTILE[name]} <= words


@pytest.mark.parametrize("shift", [0, 0.001, 0.05, 0.4])
@pytest.mark.parametrize("top", [1.2, 2, 9])
def test_the_prices_have_names_clear_of_their_lines(shift, top, layout):
    lines = {
        name: [
            {"positions": n, "ratio": 1 + (top + k * shift - 1) * (n - 1) / 16}
            for n in (1, 3, 9, 17)
        ]
        for k, name in enumerate(("our target, fp32", "SmolLM2, bf16", "SmolLM2, fp32"))
    }
    made = figures.verification_price(lines, layout=layout)
    assert made.faults() + made.crossings() == []
    words = " ".join(text.get_text() for text in made.findobj(Label))
    assert all(f"{name}: " in words for name in lines)


@pytest.mark.parametrize("ends", [(0.7, 0.7, 0.7), (0.7, 0.701, 0.9), (0.61, 0.99, 0.99)])
def test_the_drafters_have_names_apart(ends, layout):
    curves = {
        name: [(0, 0.6, 0.59, 0.61), (1, end, end - 0.01, end + 0.01)]
        for name, end in zip(("distilled", "plain draft", "4-gram"), ends, strict=True)
    }
    made = figures.alpha_temperature(curves, layout=layout)
    assert made.faults() + made.crossings() == []
