"""Every control of the chapter on faults, moved without a browser."""

import pytest

from draftproof.figures import chapter5 as figures
from draftproof.figures.chapter5 import beliefs, gallery, results
from draftproof.widgets import chapter5 as live

STILLS = {entry.name: entry for entry in figures.recipes()}
ALL = [live.noise_band, live.audit_run, live.q_grid]


@pytest.mark.parametrize("make", ALL)
def test_a_live_figure_starts_as_the_still_of_the_book(make):
    made = make()
    assert len(made.controls) >= 2
    still = STILLS[made.picture.name].show()
    assert made.picture.svgs == still.svgs
    assert made.picture.alt == still.alt


@pytest.mark.parametrize("make", ALL)
def test_every_control_has_an_effect(make):
    made = make()
    for name, control in made.controls.items():
        before, start = made.picture.alt, control.value
        if hasattr(control, "options"):
            control.value = next(o for o in control.options if o != start)
        else:
            control.value = start + control.step
        assert made.error == "", name
        assert made.picture.alt != before, name
        control.value = start
        assert made.picture.alt == before


def test_more_draws_move_the_biased_stream_out_of_the_band():
    made = live.noise_band()
    made.controls["power"].value = 2
    assert "At 100 draws the exact stream" in made.picture.alt
    assert made.picture.alt.endswith("inside the band.")
    made.controls["power"].value = 6
    assert made.picture.alt.endswith("above it.")


def test_a_larger_bias_is_seen_earlier():
    made = live.noise_band()
    made.controls["bias"].value = 0.1
    half = results.noise(0.1).draws_for(0.5)
    assert half < 200
    assert f"about {half:.0f}"[:7] in made.picture.caption


def test_a_fault_is_caught_once_there_are_enough_draws():
    made = live.audit_run()
    assert "Verdict: not rejected" in made.picture.alt
    made.controls["power"].value = 3
    assert "Verdict: rejected" in made.picture.alt
    made.controls["fault"].value = results.NO_FAULT
    assert "Verdict: not rejected" in made.picture.alt


def test_every_fault_with_a_law_is_on_offer():
    assert len(live.FAULTS) == 27
    assert set(gallery.TITLES.values()) > set(live.FAULTS) - {results.NO_FAULT}


def test_the_diagonal_is_exact_for_every_pair():
    made = live.q_grid()
    for pair in live.PAIRS:
        made.controls["pair"].value = pair
        for way in list(beliefs.WAYS)[:2]:
            made.controls["drawn"].value = made.controls["told"].value = way
            assert made.picture.alt.endswith("TV 0, exact.")
            assert made.error == ""
