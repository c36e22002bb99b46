"""How a figure is measured, written and shown, on a drawing made for the purpose."""

import re
import xml.etree.ElementTree as ET
from fractions import Fraction

import numpy as np
import pytest

from draftproof.figures import marks, style
from draftproof.figures.plate import MIME, VARIANTS, Plate, drawing, show, svg, variants

WIDE, TALL, BASE = 100, 200, 220


@drawing
def sample(plate, kept, cut, *, stretch=1.0):
    """One bar: kept mass with cut mass on it."""
    ax = plate.pixels(260)
    plate.unit = WIDE * TALL
    marks.mass(ax, "accepted", (40, BASE - kept * TALL, WIDE, kept * TALL * stretch), key="kept")
    top = BASE - (kept + cut) * TALL
    marks.mass(ax, "rejected", (40, top, WIDE, cut * TALL), key="cut", left=True)
    marks.mass(ax, "residual", [(180, 40), (220, 40), (220, 80), (180, 80)], key="square")
    marks.mass(ax, "bonus", (240, 40, 40, 20), key="square")
    marks.label(ax, 90, top + 20, "cut $q-p$", ha="center", va="middle", halo="rejected")
    marks.law(ax, "p", [40, 140], [BASE - kept * TALL] * 2)
    marks.law(ax, "q", [30, 150], [top] * 2)
    marks.arrow(ax, [(150, 100), (170, 100)])
    marks.ribbon(ax, (150, 150, 170), (300, 180, 200))
    plate.say(
        caption="the hatched piece is cut off.",
        alt=f"Kept {float(kept):.2f}, cut {float(cut):.2f}.",
    )


def test_sizes_and_words():
    plate = sample(0.5, 0.25)
    assert isinstance(plate, Plate)
    assert (plate.width, plate.height, plate.phone) == (736, 260, False)
    assert sample(0.5, 0.25, layout="phone").width == 336
    assert plate.name == "sample"
    assert sample(0.5, 0.25, name="other").name == "other"
    assert plate.caption == "What to see: the hatched piece is cut off."
    assert plate.alt == "Kept 0.50, cut 0.25."


@pytest.mark.parametrize("layout", style.LAYOUTS)
def test_areas_are_those_of_the_drawn_patches(layout):
    areas = sample(0.5, 0.25, layout=layout).areas
    assert areas["kept"] == pytest.approx(0.5, abs=1e-12)
    assert areas["cut"] == pytest.approx(0.25, abs=1e-12)
    assert areas["square"] == pytest.approx((40 * 40 + 40 * 20) / (WIDE * TALL), abs=1e-12)


def test_a_wrongly_drawn_area_is_seen():
    assert sample(0.5, 0.25, stretch=1.1).areas["kept"] == pytest.approx(0.55)
    plate = sample(0.5, 0.25)
    for patch in plate.axes[0].patches:
        patch.set_path(marks.rect(0, 0, 10, 10))
    assert plate.areas["kept"] == pytest.approx(100 / (WIDE * TALL))


def test_areas_on_data_axes_are_in_data_units():
    @drawing
    def wedge(plate):
        plate.pixels(200)
        ax = plate.axes_at(40, 20, 300, 150, xlim=(-3, 3), ylim=(0, 5))
        marks.mass(ax, "accepted", np.array([(-3, 0), (3, 0), (3, 4)]), key="wedge")
        plate.say(caption="a wedge.", alt="A wedge.")

    assert wedge().areas["wedge"] == pytest.approx(12)


def test_fractions_can_be_drawn():
    assert sample(Fraction(1, 2), Fraction(1, 4)).areas["cut"] == pytest.approx(0.25)


def test_svg_is_byte_identical_and_bare():
    one, two = svg(sample(0.5, 0.25)), svg(sample(0.5, 0.25))
    assert one == two
    assert "<text" not in one
    assert "<style" not in one and "DOCTYPE" not in one and "metadata" not in one
    assert not re.search(r"20\d\d-\d\d-\d\d", one)
    assert 'width="736" height="260" viewBox="0 0 736 260"' in one
    assert "dp~" not in one
    assert " style=" not in one


def test_svg_ids_are_unique_and_all_found():
    text = svg(sample(0.5, 0.25), prefix="a-")
    ids = re.findall(r'\sid="(.*?)"', text)
    assert len(ids) == len(set(ids)) > 5
    assert all(name.startswith("a-") for name in ids)
    used = re.findall(r'(?:href="#|url\(#)(.*?)["\)]', text)
    assert set(used) <= set(ids)
    ET.fromstring(text)


def test_svg_holds_the_patterns_of_the_palette():
    text = svg(sample(0.5, 0.25))
    assert (
        'width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"' in text
    )
    hatch = style.mix(style.LIGHT.rejected.line, style.LIGHT.rejected.fill, 0.62)
    assert f'stroke="{hatch}" stroke-width="3.2"' in text
    assert text.count('r="1.25"') == 2 and 'width="8" height="8"' in text
    assert 'stroke-width="0.9"' in text
    assert 'stroke-dasharray="7 4"' in text and 'stroke-dasharray="4 3"' in text
    assert "linearGradient" in text


def test_svg_coordinates_are_rounded_but_not_scales():
    text = svg(sample(1 / 3, 1 / 7))
    assert not re.search(r' (?:d|x|y)="[^"]*\d\.\d{3}', text)
    scales = re.findall(r"scale\(([\d.e-]+) ", text)
    assert scales and all(float(s) == pytest.approx(13 / 100 / 64) for s in scales)


def test_the_halo_lies_under_its_text():
    text = svg(sample(0.5, 0.25))
    halo = re.search(
        rf'<g fill="{style.LIGHT.rejected.fill}" stroke=.*? stroke-width="(.*?)"', text
    )
    assert halo is not None
    assert float(halo[1]) * 13 / 100 / 64 == pytest.approx(5, abs=0.01)


def test_four_variants_must_agree():
    @drawing
    def moody(plate):
        plate.pixels(50)
        plate.say(caption="x.", alt=plate.pick("wide", "narrow"))

    with pytest.raises(ValueError, match="differ in their alt"):
        variants(moody)
    assert list(variants(sample, 0.5, 0.25)) == list(VARIANTS)


def test_a_drawing_must_have_words():
    @drawing
    def mute(plate):
        plate.pixels(50)

    with pytest.raises(RuntimeError, match="no caption or no alt"):
        mute()


def test_show_gives_the_bundle():
    shown = show(sample, 0.5, 0.25, name="my-bar", stretch=1.0)
    bundle = shown._repr_mimebundle_()
    figure = bundle[MIME]
    assert set(figure) == {"name", "caption", "alt", "svgs"}
    assert set(figure["svgs"]) == {"light-wide", "dark-wide", "light-phone", "dark-phone"}
    assert figure["name"] == "my-bar"
    assert bundle["text/plain"] == "Kept 0.50, cut 0.25."
    assert "<strong>What to see:</strong>" in bundle["text/html"]
    assert 'aria-label="Kept 0.50, cut 0.25."' in bundle["text/html"]


def test_two_inline_figures_share_no_id():
    bundles = (show(sample, 0.5, 0.25)._repr_mimebundle_() for _ in range(2))
    first, second = (bundle["text/html"] for bundle in bundles)
    ids = [set(re.findall(r'\sid="(.*?)"', html)) for html in (first, second)]
    assert ids[0] and not ids[0] & ids[1]


def test_faults_are_found():
    @drawing
    def bad(plate):
        ax = plate.pixels(60)
        marks.label(ax, 10, 30, "over")
        marks.label(ax, 14, 30, "each other")
        marks.label(ax, plate.width - 5, 30, "cut off")
        marks.mass(ax, "accepted", (0, 50, 10, 30), key="low")
        plate.say(caption="x.", alt="x")

    faults = " ".join(bad().faults())
    assert "'over' and 'each other' overlap" in faults
    assert "'cut off' leaves" in faults
    assert "mass 'low' leaves" in faults
    assert sample(0.5, 0.25).faults() == []


def test_hostile_arguments():
    with pytest.raises(ValueError, match="layout must be 'wide' or 'phone'"):
        sample(0.5, 0.25, layout="tablet")
    with pytest.raises(ValueError, match="theme must be"):
        sample(0.5, 0.25, theme="sepia")

    @drawing
    def small(plate):
        marks.label(plate.pixels(50), 5, 20, "tiny", size=9)

    with pytest.raises(ValueError, match="size must be at least 12 px; got 9"):
        small()

    @drawing
    def bent(plate):
        marks.mass(plate.pixels(50), "accepted", [1, 2, 3])

    with pytest.raises(ValueError, match="shape must be"):
        bent()


def test_png_works_too(tmp_path):
    target = tmp_path / "x.png"
    sample(0.5, 0.25).savefig(target)
    assert target.read_bytes().startswith(b"\x89PNG")
