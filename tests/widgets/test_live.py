"""The controls' mechanism, driven without a browser, on a figure made for the purpose."""

import re

import ipywidgets
import pytest

from draftproof.figures import marks
from draftproof.figures.plate import MIME, drawing, show
from draftproof.widgets import Live, choice, slider, whole

VIEW = "application/vnd.jupyter.widget-view+json"


@drawing
def bar(plate, height, *, role="accepted"):
    """One bar."""
    ax = plate.pixels(140)
    plate.unit = 100 * 100
    marks.mass(ax, role, (40, 20, 100, 100 * height), key="bar")
    marks.label(ax, 160, 80, f"{height:.2f}")
    plate.say(caption="a bar of one colour.", alt=f"A bar of height {height:.2f}, {role}.")


def draw(height, role):
    if height > 0.9:
        raise ValueError("height must be at most 0.9,\n got <more>")
    return show(bar, height, role=role)


@pytest.fixture
def live():
    return Live(
        draw,
        height=slider("height h", 0.5, 0, 1),
        role=choice("role", ["accepted", "rejected"]),
    )


def test_it_starts_with_the_still(live):
    assert live.value == {"height": 0.5, "role": "accepted"}
    assert live.picture.alt == "A bar of height 0.50, accepted."
    assert live.error == ""
    assert isinstance(live.box, ipywidgets.VBox)
    assert [type(child).__name__ for child in live.box.children] == [
        "FloatSlider", "Dropdown", "HTML",
    ]  # fmt: skip


def test_each_control_draws_again(live):
    live.controls["height"].value = 0.25
    assert live.picture.alt == "A bar of height 0.25, accepted."
    live.controls["role"].value = "rejected"
    assert live.picture.alt == "A bar of height 0.25, rejected."
    assert "A bar of height 0.25, rejected." in live.box.children[-1].value


def test_an_error_is_one_line_and_passes(live):
    live.controls["height"].value = 0.95
    assert live.error == "height must be at most 0.9, got <more>"
    html = live.box.children[-1].value
    assert "<svg" not in html and "Traceback" not in html
    assert html == '<p role="alert">height must be at most 0.9, got &lt;more&gt;</p>'
    live.controls["height"].value = 0.85
    assert live.error == "" and "<svg" in live.box.children[-1].value


def test_the_bundle_holds_the_widget_and_the_still(live):
    live.controls["height"].value = 0.25
    bundle = live._repr_mimebundle_()
    assert set(bundle) >= {VIEW, MIME, "text/html", "text/plain"}
    assert bundle[VIEW]["model_id"] == live.box.model_id
    figure = bundle[MIME]
    assert figure["live"] is True and figure["hint"]
    assert figure["alt"] == "A bar of height 0.50, accepted."  # the still, not the last state
    assert figure["svgs"] == show(bar, 0.5).svgs


def test_both_themes_share_a_page_without_sharing_an_id(live):
    html = live.box.children[-1].value
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids)) > 0
    used = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', html)
    assert {a or b for a, b in used} <= set(ids)
    colours = set(re.findall(r'"#([0-9A-Fa-f]{6})"', html))
    assert set(re.findall(r'"#([^"]*)"', html)) - set(ids) <= colours
    assert "#72CFB0" in html.upper() and "#1E7A63" in html.upper()  # both themes' green


def test_controls_are_named_and_bounded():
    one = whole("dimension d", 10, 1, 1000)
    assert (one.min, one.max, one.value, one.description) == (1, 1000, 10, "dimension d")
    other = slider("x", 1.1, -3, 3)
    assert (other.min, other.max, other.step) == (-3, 3, 0.05)
    assert choice("proposal", ["bell", "flat"], "flat").value == "flat"


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ({}, "controls must name at least one widget"),
        ({"height": slider("", 0.5, 0, 1)}, "height must have a description"),
        ({"height": ipywidgets.VBox([])}, "height must be a widget with a value"),
        ({"height": 0.5}, "height must be a widget with a value"),
    ],
)
def test_what_is_no_control_is_refused(controls, message):
    with pytest.raises(ValueError, match=message):
        Live(draw, **controls)


def test_a_first_picture_that_cannot_be_drawn_is_an_error():
    with pytest.raises(ValueError, match=r"at most 0\.9"):
        Live(draw, height=slider("height", 0.95, 0, 1), role=choice("role", ["accepted"]))


def test_a_figure_draws_only_what_is_asked_for():
    drawn = []

    def counted(*results, **options):
        drawn.append((options["theme"], options["layout"]))
        return bar(*results, **options)

    shown = show(counted, 0.5)
    assert drawn == [("light", "wide")]
    assert shown.svg("dark-wide") == show(bar, 0.5).svgs["dark-wide"]
    assert drawn == [("light", "wide"), ("dark", "wide")]
    assert shown.svgs == show(bar, 0.5).svgs and len(drawn) == 4
