"""The visual language: colour tokens of both themes, fonts, line widths, matplotlib settings.

A line is a law, a fill is mass, a pattern is its fate. Nothing here changes matplotlib's global
state on import: :func:`context` gives the settings for the length of a ``with`` block, and the
bundled fonts are registered the first time it is entered.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

import matplotlib.style as mpl_style
from matplotlib import font_manager

__all__ = [
    "DARK",
    "LAYOUTS",
    "LIGHT",
    "MIN_TEXT",
    "ROLES",
    "WIDTH",
    "Layout",
    "Role",
    "RoleName",
    "Theme",
    "ThemeName",
    "context",
    "contrast",
    "mix",
    "theme",
]

ThemeName = Literal["light", "dark"]
Layout = Literal["wide", "phone"]
RoleName = Literal["p", "q", "accepted", "rejected", "residual", "bonus"]

ROLES: tuple[RoleName, ...] = ("p", "q", "accepted", "rejected", "residual", "bonus")
LAYOUTS: tuple[Layout, ...] = ("wide", "phone")
WIDTH: dict[Layout, int] = {"wide": 736, "phone": 336}
"""Width of each layout in pixels; a figure is drawn anew for each, never scaled."""
MIN_TEXT = 12.0
"""Smallest text in pixels, in either layout."""

SANS, MONO, MATHS = "Draftproof Sans", "Draftproof Mono", "Draftproof Maths"
OUTLINE = 1.25
"""Width in pixels of the outline that every mass carries."""
P_WIDTH, Q_WIDTH, SECOND_WIDTH = 2.5, 2.0, 1.5
Q_DASH, SECOND_DASH, GHOST_DASH, NEXT_DASH = (7.0, 4.0), (2.0, 4.0), (4.0, 3.0), (3.0, 3.0)


@dataclass(frozen=True)
class Role:
    """The three colours of one role: its line, its text on the page, its fill (or wash).

    Attributes
    ----------
    line : str
        Hex colour of lines.
    text : str
        Hex colour of text on the page.
    fill : str
        Hex colour of areas.
    """

    line: str
    text: str
    fill: str


@dataclass(frozen=True)
class Theme:
    """Every colour of one theme; ``theme[role]`` gives the three colours of a role.

    Attributes
    ----------
    name : ThemeName
        ``light`` or ``dark``.
    background : str
        The page.
    panel : str
        The ground of a panel.
    ink : str
        Text and firm lines.
    ink2 : str
        Quiet text.
    axis : str
        Axes.
    hairline : str
        Fine lines.
    p : Role
        The target.
    q : Role
        The draft.
    accepted : Role
        Kept mass.
    rejected : Role
        Cut mass.
    residual : Role
        Filled mass.
    bonus : Role
        The bonus token.
    """

    name: ThemeName
    background: str
    panel: str
    ink: str
    ink2: str
    axis: str
    hairline: str
    p: Role
    q: Role
    accepted: Role
    rejected: Role
    residual: Role
    bonus: Role

    def __getitem__(self, role: str) -> Role:
        if role not in ROLES:
            raise ValueError(f"role must be one of {', '.join(ROLES)}; got {role!r}")
        found: Role = getattr(self, role)
        return found

    def text(self, role: str) -> str:
        """Return the colour of text: ``ink``, ``ink2``, ``background``, or that of a role.

        Parameters
        ----------
        role : str
            What the text belongs to.

        Returns
        -------
        str
        """
        if role in ("ink", "ink2", "axis", "background"):
            return str(getattr(self, role))
        return self[role].text


LIGHT = Theme(
    name="light",
    background="#FFFFFF",
    panel="#F5F4F0",
    ink="#1B1F24",
    ink2="#565D66",
    axis="#7A818A",
    hairline="#C9CCD1",
    p=Role("#1A66D6", "#175CC2", "#DCE8FA"),
    q=Role("#0B8088", "#086A71", "#D8EFF0"),
    accepted=Role("#0A7557", "#0A6A4F", "#72CFB0"),
    rejected=Role("#A81A14", "#A81A14", "#FBE2DF"),
    residual=Role("#A06500", "#7F4C00", "#F7C255"),
    bonus=Role("#5A2496", "#5A2496", "#DCCDF7"),
)
DARK = Theme(
    name="dark",
    background="#12161C",
    panel="#1A2028",
    ink="#EEF1F4",
    ink2="#A9B2BD",
    axis="#808995",
    hairline="#3A424D",
    p=Role("#7DB2FF", "#8DBBFF", "#1C2E4A"),
    q=Role("#3FC1C9", "#5CCDD4", "#12383C"),
    accepted=Role("#5FD6B2", "#6FDDBB", "#1E7A63"),
    rejected=Role("#FF7A70", "#FF958C", "#3B1B1D"),
    residual=Role("#FFC65A", "#FFCF73", "#8A5B0A"),
    bonus=Role("#D3BBFF", "#D6C2FF", "#3B2A5E"),
)
_THEMES: dict[str, Theme] = {"light": LIGHT, "dark": DARK}


def theme(name: str | Theme) -> Theme:
    """Return the theme called ``name`` (``"light"`` or ``"dark"``); a Theme passes through.

    Parameters
    ----------
    name : str or Theme
        The theme or its name.

    Returns
    -------
    Theme

    Raises
    ------
    ValueError
        If there is no such theme.
    """
    if isinstance(name, Theme):
        return name
    if name not in _THEMES:
        raise ValueError(f"theme must be 'light' or 'dark'; got {name!r}")
    return _THEMES[name]


def _channels(colour: str) -> tuple[int, int, int]:
    value = colour.lstrip("#")
    return int(value[0:2], 16), int(value[2:4], 16), int(value[4:6], 16)


def mix(over: str, under: str, share: float) -> str:
    """Return the opaque sRGB blend of ``over`` laid on ``under`` with opacity ``share``.

    Parameters
    ----------
    over : str
        Hex colour.
    under : str
        Hex colour.
    share : float
        Opacity in [0, 1].

    Returns
    -------
    str
        Hex colour.
    """
    pairs = zip(_channels(over), _channels(under), strict=True)
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02X}" for a, b in pairs)


def contrast(first: str, second: str) -> float:
    """Return the WCAG 2 contrast ratio of two colours, from 1 (equal) to 21 (black on white).

    Parameters
    ----------
    first : str
        Hex colour.
    second : str
        Hex colour.

    Returns
    -------
    float
    """

    def luminance(colour: str) -> float:
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (v / 255 for v in _channels(colour))
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@cache
def _register_fonts() -> None:
    """Give matplotlib the bundled fonts, so that no output depends on the system's."""
    for entry in resources.files(__package__).joinpath("fonts").iterdir():
        if entry.name.endswith(".ttf"):
            with resources.as_file(entry) as path:
                font_manager.fontManager.addfont(path)


def context(colours: str | Theme = "light") -> AbstractContextManager[None]:
    """Matplotlib settings of the book for the length of a ``with`` block.

    The figure dpi is 72, so that one point (matplotlib's unit of text and line width) is one
    pixel. Text within ``$…$`` is set in the maths italic, all else in the sans.

    Parameters
    ----------
    colours : str or Theme
        The theme or its name.

    Returns
    -------
    context manager
    """
    _register_fonts()
    t = theme(colours)
    settings: dict[Any, Any] = {
        "figure.dpi": 72,
        "savefig.dpi": 72,
        "figure.facecolor": t.background,
        "savefig.facecolor": t.background,
        "font.family": SANS,
        "font.size": 13,
        "text.color": t.ink,
        "text.parse_math": True,
        "text.hinting": "none",
        "text.usetex": False,
        "mathtext.fontset": "custom",
        "mathtext.default": "it",
        "mathtext.it": f"{MATHS}:italic",
        "mathtext.rm": SANS,
        "mathtext.bf": f"{SANS}:semibold",
        "mathtext.tt": MONO,
        "mathtext.cal": f"{MATHS}:italic",
        "mathtext.sf": SANS,
        "mathtext.fallback": "stix",
        "axes.facecolor": "none",
        "axes.edgecolor": t.ink,
        "axes.labelcolor": t.ink,
        "axes.linewidth": OUTLINE,
        "axes.labelsize": 13,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.unicode_minus": True,
        "axes.axisbelow": True,
        "axes.formatter.use_locale": False,
        "xtick.color": t.ink,
        "ytick.color": t.ink,
        "xtick.labelcolor": t.ink2,
        "ytick.labelcolor": t.ink2,
        "xtick.labelsize": 12,
        "ytick.labelsize": 12,
        "xtick.major.width": OUTLINE,
        "ytick.major.width": OUTLINE,
        "xtick.major.size": 5,
        "ytick.major.size": 5,
        "grid.color": t.hairline,
        "grid.linewidth": 1,
        "lines.linewidth": 2,
        "lines.scale_dashes": False,
        "patch.linewidth": OUTLINE,
        "hatch.linewidth": 1,
        "path.simplify": False,
        "path.snap": False,
        "svg.fonttype": "path",
        "svg.hashsalt": "draftproof",
        "svg.image_inline": True,
    }
    return mpl_style.context(settings, after_reset=True)
