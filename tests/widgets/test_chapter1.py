"""Every control of chapter 1, moved without a browser; the picture must follow the theory."""

import pytest

from draftproof import envelope_runs as runs
from draftproof.examples import bell_envelope, flat_envelope
from draftproof.figures import chapter1 as figures
from draftproof.widgets import chapter1 as live

STILLS = {entry.name: entry for entry in figures.recipes()}
ALL = [live.dart_slice, live.broken_constant, live.own_proposal, live.dimensions]


@pytest.mark.parametrize("make", ALL)
def test_a_live_figure_starts_as_the_still_of_the_book(make):
    made = make()
    assert len(made.controls) >= 2
    still = STILLS[made.picture.name].show()
    assert made.picture.svgs == still.svgs
    assert made.picture.alt == still.alt


@pytest.mark.parametrize("make", ALL)
def test_every_control_has_an_effect_or_says_why_not(make):
    for name in make().controls:
        made = make()
        control, before = made.controls[name], made.picture.alt
        if hasattr(control, "options"):
            control.value = next(o for o in control.options if o != control.value)
        else:
            control.value = (control.value + control.max) / 2 if name != "dimension" else 500
        assert made.error == "", name
        assert made.picture.alt != before, name


def test_dragging_the_slice():
    made = live.dart_slice()
    for x in (-2.0, 0.0, 0.35):
        made.controls["x"].value = x
        for envelope in (bell_envelope(), flat_envelope()):
            assert f"P(accept | x) = {float(envelope.acceptance_at(x)):.2f}" in made.picture.alt


def test_a_constant_below_the_target_is_refused_in_one_line():
    made = live.dart_slice()
    made.controls["constant"].value = 8
    assert made.error.startswith("constant must be at least 9.92523, got 8")
    made.controls["constant"].value = 12
    assert made.error == "" and "(C = 12)" in made.picture.alt


def test_another_proposal_brings_its_own_constant():
    made = live.dart_slice()
    made.controls["proposal"].value = "flat"
    assert made.value["constant"] == 25 and made.error == ""
    assert made.picture.alt.startswith("Darts under the flat envelope")
    made.controls["proposal"].value = "bell"
    assert made.value["constant"] == 11


@pytest.mark.parametrize("constant", [2.0, 10.0, 22.5, 26.0])
def test_the_roof_grows_as_the_constant_falls(constant):
    made = live.broken_constant()
    made.controls["constant"].value = constant
    bias = runs.envelope_over("flat", constant, True).bias
    words = "the distance is 0" if bias == 0 else f"at a total variation of {bias:.3f}"
    assert words in made.picture.alt


def test_a_mixture_of_ones_own():
    made = live.own_proposal()
    made.controls["weight"].value = 0
    assert f"C is {runs.own_envelope(1.2).constant:.2f}".rstrip("0") in made.picture.alt
    made.controls["width"].value = 1.0
    assert "the smallest C is 9.93, so 57.8 % of the darts are kept" in made.picture.alt
    made.controls["weight"].value = 1
    made.controls["narrow"].value = 1.0
    assert "57.8 %" in made.picture.alt


def test_dimensions():
    made = live.dimensions()
    assert "1 dart in 20\N{NARROW NO-BREAK SPACE}959" in made.picture.alt
    made.controls["dimension"].value = 10
    made.controls["scale"].value = 2
    assert "1 dart in 1\N{NARROW NO-BREAK SPACE}024" in made.picture.alt
