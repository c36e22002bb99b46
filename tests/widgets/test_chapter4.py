"""Every control of the chapter on real decoding, moved without a browser and without a model."""

from pathlib import Path

import pytest

from draftproof import recorded
from draftproof.figures import chapter4 as figures
from draftproof.widgets import chapter4 as live

INVENTED = Path(__file__).parents[1] / "figures" / "invented"
PROMPTS = {"king": "MACBETH.\n", "ghost": "Enter the Ghost.\n"}


@pytest.fixture(autouse=True)
def invented(monkeypatch):
    monkeypatch.setattr(recorded, "FOLDER", INVENTED)


class Model:
    """Stands for the chapter's generation: every setting leaves a mark in the text."""

    def __init__(self):
        self.calls = []

    def __call__(self, gamma, temperature, drafter, prompt, seed):
        self.calls.append((gamma, temperature, drafter, prompt, seed))
        if temperature == 2:
            raise ValueError("temperature must be below 2 in this test")
        mark = "abcdefghij"[(seed + round(10 * temperature) + len(prompt) + len(drafter)) % 10]
        kept = [k % (gamma + 1) for k in range(20)]
        rounds = [{"drafted": mark * gamma, "accepted": a, "next": "z", "bonus": a == gamma}
                  for a in kept]  # fmt: skip
        return {
            "drafter": drafter, "gamma": gamma, "temperature": temperature, "prompt": prompt,
            "seed": seed, "rounds": rounds, "plain_seconds_per_token": 1e-3,
            "timings": {"draft": 2e-3 * gamma, "target": 22e-3, "verify": 2e-3},
        }  # fmt: skip


def ribbon():
    return live.ribbon(Model(), PROMPTS)


ALL = [ribbon, live.rounding]


@pytest.mark.parametrize("make", ALL)
def test_a_live_figure_starts_as_the_still_of_the_book(make):
    made = make()
    still = next(e for e in figures.recipes() if e.name == made.picture.name).show()
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
            control.value = start + control.step * (2 if name == "lit" else 1)
        assert made.error == "", name
        assert made.picture.alt != before, name
        control.value = start
        assert made.picture.alt == before


def test_the_ribbon_runs_once_for_each_setting():
    model = Model()
    made = live.ribbon(model, PROMPTS)
    assert model.calls == []  # the recorded run stands there first
    made.controls["lit"].value = 3
    assert model.calls == [] and "Round 3 is lit" in made.picture.alt
    made.controls["gamma"].value = 2
    made.controls["lit"].value = 4
    made.controls["lit"].value = 5
    assert model.calls == [(2, 1.0, "4-gram", "MACBETH.\n", 0)]
    assert "Round 5 is lit" in made.picture.alt


def test_what_a_run_refuses_is_one_line():
    made = ribbon()
    made.controls["temperature"].value = 2
    assert made.error == "temperature must be below 2 in this test"
    made.controls["temperature"].value = 1
    assert made.error == ""


def test_a_first_run_from_elsewhere():
    first = Model()(3, 0.5, "lookup", "x", 7)
    made = live.ribbon(Model(), PROMPTS, first=first)
    assert made.value == {"gamma": 3, "temperature": 0.5, "drafter": "lookup",
                          "prompt": live.RECORDED, "seed": 7, "lit": 0}  # fmt: skip
    assert made.controls["prompt"].options == (live.RECORDED, "king", "ghost")
    with pytest.raises(ValueError, match="drafters must offer 'lookup', got target"):
        live.ribbon(Model(), first=first, drafters=["target"])


def test_without_prompts_the_recorded_one_is_on_offer():
    made = live.ribbon(Model())
    assert made.controls["prompt"].options == (live.RECORDED,)


def test_a_wider_gap_ends_the_tie():
    made = live.rounding()
    assert "a tie" in made.picture.caption
    made.controls["gap"].value = 0.5
    assert "they stay apart" in made.picture.caption
