"""Readers with another colour vision tell the roles apart, by colour and by pattern.

The colours are those that a reader without one kind of cone sees: the matrices of severity 1 of
Machado, Oliveira and Fernandes (2009), A physiologically-based model for simulation of color
vision deficiency, IEEE TVCG 15, on linear sRGB. Distances are CIE 1976 ones in L*a*b* (white D65);
a difference of 2.3 is just noticed (Mahy, Van Eycken and Oosterlinck, 1994).
"""

import itertools

import numpy as np
import pytest

from draftproof.figures import marks, style
from draftproof.figures.style import DARK, LIGHT
from draftproof.widgets.alive import bundle

SEEN = {
    "all cones": np.eye(3),
    "no long cones (protanopia)": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no middle cones (deuteranopia)": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no short cones (tritanopia)": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
MASSES = ("accepted", "rejected", "residual", "bonus")
JUST_NOTICED = 2.3


def linear(colour):
    part = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    x, y, z = XYZ @ np.clip(rgb, 0, 1) / (XYZ @ np.ones(3))
    f = [t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(first, second, seen):
    matrix = np.array(SEEN[seen])
    return float(np.linalg.norm(lab(matrix @ linear(first)) - lab(matrix @ linear(second))))


def nearest(colours, seen):
    """The two of some named colours that look most alike."""
    pairs = itertools.combinations(colours, 2)
    return min((distance(colours[a], colours[b], seen), a, b) for a, b in pairs)


def test_the_simulation_knows_its_colours():
    assert lab(linear("#FFFFFF")) == pytest.approx([100, 0, 0], abs=1e-3)
    assert lab(linear("#FF0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.02)
    for matrix in SEEN.values():
        assert np.sum(matrix, axis=1) == pytest.approx(1, abs=2e-6)  # greys stay grey
    # Without middle cones this red and this green are one colour; with them they are far apart.
    assert distance("#C0392B", "#6E7A1F", "no middle cones (deuteranopia)") < JUST_NOTICED
    assert distance("#C0392B", "#6E7A1F", "all cones") > 60


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
def test_masses_differ_from_one_another_and_from_the_page(theme, seen):
    fills = {role: theme[role].fill for role in MASSES}
    apart, *pair = nearest({**fills, "background": theme.background}, seen)
    assert apart > 3 * JUST_NOTICED, pair
    lines = {role: theme[role].line for role in MASSES}
    apart, *pair = nearest({**lines, "background": theme.background}, seen)
    assert apart > 5 * JUST_NOTICED, pair


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
def test_laws_differ(theme, seen):
    laws = {"p": theme.p.line, "q": theme.q.line, "ink": theme.ink, "page": theme.background}
    apart, *pair = nearest(laws, seen)
    assert apart > 4 * JUST_NOTICED, pair


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
def test_patterns_show_on_their_fills(theme, seen):
    for role in MASSES[1:]:
        assert distance(theme[role].line, theme[role].fill, seen) > 10 * JUST_NOTICED, role


def test_no_role_is_told_by_colour_alone():
    """A pattern of its own for each fate, a dash for the draft: in figures and in widgets."""
    hatches = [marks._HATCH.get(role) for role in MASSES]
    assert hatches[0] is None
    assert len(set(hatches)) == len(MASSES)
    assert style.Q_DASH
    kit, sheet = bundle._source("kit.js"), bundle.style_sheet()
    patterns = [kit.partition(f'<pattern id="${{id}}-{role}"')[2] for role in MASSES]
    assert patterns[0] == ""
    drawn = {pattern.partition("</pattern>")[0].partition(">")[2] for pattern in patterns[1:]}
    assert len(drawn) == 3
    (dashed,) = [line for line in sheet.splitlines() if line.startswith(".dp-alive .law-q {")]
    (solid,) = [line for line in sheet.splitlines() if line.startswith(".dp-alive .law-p {")]
    assert "stroke-dasharray" in dashed
    assert "stroke-dasharray" not in solid
