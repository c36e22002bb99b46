"""The tokens of the visual language, and that they can be read."""

import matplotlib as mpl
import pytest

from draftproof.figures import style
from draftproof.figures.style import DARK, LIGHT, contrast

# role: (light line, contrast, light text, contrast, light fill, then the same for dark)
TOKENS = {
    "p": ("#1A66D6", 5.4, "#175CC2", 6.3, "#DCE8FA", "#7DB2FF", 8.4, "#8DBBFF", 9.2, "#1C2E4A"),
    "q": ("#0B8088", 4.7, "#086A71", 6.3, "#D8EFF0", "#3FC1C9", 8.4, "#5CCDD4", 9.6, "#12383C"),
    "accepted": (
        "#0A7557", 5.7, "#0A6A4F", 6.6, "#72CFB0", "#5FD6B2", 10.2, "#6FDDBB", 11.0, "#1E7A63",
    ),
    "rejected": (
        "#A81A14", 7.4, "#A81A14", 7.4, "#FBE2DF", "#FF7A70", 7.1, "#FF958C", 8.6, "#3B1B1D",
    ),
    "residual": (
        "#A06500", 4.8, "#7F4C00", 7.2, "#F7C255", "#FFC65A", 11.6, "#FFCF73", 12.5, "#8A5B0A",
    ),
    "bonus": (
        "#5A2496", 9.9, "#5A2496", 9.9, "#DCCDF7", "#D3BBFF", 10.6, "#D6C2FF", 11.3, "#3B2A5E",
    ),
}  # fmt: skip
NEUTRAL = {
    "background": ("#FFFFFF", "#12161C"),
    "panel": ("#F5F4F0", "#1A2028"),
    "ink": ("#1B1F24", "#EEF1F4"),
    "ink2": ("#565D66", "#A9B2BD"),
    "axis": ("#7A818A", "#808995"),
    "hairline": ("#C9CCD1", "#3A424D"),
}


@pytest.mark.parametrize("role", style.ROLES)
def test_role_colours_and_contrast(role):
    expected = TOKENS[role]
    for theme, (line, on_page, text, text_on_page, fill) in (
        (LIGHT, expected[:5]),
        (DARK, expected[5:]),
    ):
        colours = theme[role]
        assert (colours.line, colours.text, colours.fill) == (line, text, fill)
        assert contrast(line, theme.background) == pytest.approx(on_page, abs=0.1)
        assert contrast(text, theme.background) == pytest.approx(text_on_page, abs=0.1)
        assert contrast(line, theme.background) >= 4.5
        assert contrast(theme.ink, fill) >= (8.85 if theme is LIGHT else 4.55)


@pytest.mark.parametrize("token", NEUTRAL)
def test_neutral_colours(token):
    assert (getattr(LIGHT, token), getattr(DARK, token)) == NEUTRAL[token]


def test_neutral_text_can_be_read():
    for theme in (LIGHT, DARK):
        assert contrast(theme.ink, theme.background) >= 16
        assert contrast(theme.ink2, theme.background) >= 6.6
        assert contrast(theme.axis, theme.background) >= 3
        assert contrast(theme.ink2, theme.panel) >= 4.5


def test_contrast_of_known_pairs():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


def test_mix_is_the_opaque_blend():
    assert style.mix("#FF0000", "#0000FF", 0) == "#0000FF"
    assert style.mix("#FF0000", "#0000FF", 1) == "#FF0000"
    assert style.mix("#FFFFFF", "#000000", 0.5) == "#808080"


def test_context_leaves_no_trace():
    before = dict(mpl.rcParams)
    with style.context("dark"):
        assert mpl.rcParams["svg.fonttype"] == "path"
        assert mpl.rcParams["figure.dpi"] == 72
        assert mpl.rcParams["figure.facecolor"] == DARK.background
    assert dict(mpl.rcParams) == before


def test_context_overrides_a_readers_settings():
    with mpl.rc_context({"lines.linewidth": 9, "font.family": "serif"}), style.context():
        assert mpl.rcParams["lines.linewidth"] == 2
        assert mpl.rcParams["font.family"] == [style.SANS]


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="theme must be 'light' or 'dark'; got 'sepia'"):
        style.theme("sepia")
    with pytest.raises(ValueError, match="role must be one of p, q, accepted"):
        LIGHT["green"]


def test_the_bundled_fonts_hold_the_signs_in_use():
    from importlib import resources

    from fontTools.ttLib import TTFont

    signs = "abcXYZ0123456789→←↑↓✗✓×·−≤≥≈Σα½⅓¼"
    fonts = resources.files("draftproof.figures").joinpath("fonts")
    for name in ("DraftproofSans-Regular.ttf", "DraftproofSans-SemiBold.ttf"):
        with resources.as_file(fonts.joinpath(name)) as path:
            held = TTFont(path).getBestCmap()
        assert [s for s in signs if ord(s) not in held] == []
    assert "SIL OPEN FONT LICENSE" in fonts.joinpath("OFL.txt").read_text("utf-8").upper()
