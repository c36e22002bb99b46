"""A figure of the book: how it is sized, measured, written and shown.

A drawing function is written once, as ``draw(plate, *results, **options)`` under
:func:`drawing`, and called as ``draw(*results, theme=..., layout=..., **options)``.
"""

from __future__ import annotations

import functools
import inspect
import io
import itertools
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from . import style
from .style import Layout, Theme
from .svg import tidy

__all__ = ["MIME", "VARIANTS", "Drawing", "Plate", "Shown", "drawing", "show", "svg", "variants"]

MIME = "application/vnd.draftproof.figure+json"
"""Mime type of a shown figure: its name, caption, alternative text and four SVGs."""
VARIANTS: dict[str, dict[str, str]] = {
    f"{theme}-{layout}": {"theme": theme, "layout": layout}
    for layout in ("wide", "phone")
    for theme in ("light", "dark")
}
CAPTION_START = "What to see: "

Drawing = Callable[..., "Plate"]


class Plate(Figure):
    """A matplotlib figure in pixels that knows its caption, its alternative text, its areas.

    Parameters
    ----------
    name : str
        Of the figure.
    theme : Theme
        Its colours.
    layout : str
        ``wide`` or ``phone``.
    """

    def __init__(self, name: str, theme: Theme, layout: Layout) -> None:
        if layout not in style.WIDTH:
            raise ValueError(f"layout must be 'wide' or 'phone'; got {layout!r}")
        self.name = name
        self.theme = theme
        self.layout_name = layout
        self.caption = ""
        self.alt = ""
        self.writing_svg = False
        self._measured: dict[str, list[tuple[Axes, Patch]]] = {}
        self.unit = 1.0
        """Area, in the axes' units squared, that stands for probability 1 (on pixel axes: px²)."""
        super().__init__(figsize=(style.WIDTH[layout] / 72, 1), dpi=72)

    @property
    def phone(self) -> bool:
        """Whether this is the narrow layout."""
        return self.layout_name == "phone"

    @property
    def width(self) -> int:
        """Width in pixels."""
        return style.WIDTH[self.layout_name]

    @property
    def height(self) -> float:
        """Height in pixels."""
        return float(self.get_figheight() * 72)

    def pick(self, wide: Any, phone: Any) -> Any:  # type: ignore[override]
        """Return the first for the wide layout, the second for the phone.

        Parameters
        ----------
        wide : object
            For the wide layout.
        phone : object
            For the phone.

        Returns
        -------
        object
            One of the two.
        """
        return phone if self.phone else wide

    def pixels(self, height: float) -> Axes:
        """Set the height and return axes over the whole plate: pixels, y down from the top.

        Parameters
        ----------
        height : float
            Of the plate, in pixels.

        Returns
        -------
        Axes
        """
        self.set_size_inches(self.width / 72, height / 72)
        ax = self.add_axes((0, 0, 1, 1))
        ax.set(xlim=(0, self.width), ylim=(height, 0))
        ax.axis("off")
        ax.set_autoscale_on(False)
        return ax

    def axes_at(
        self,
        left: float,
        top: float,
        width: float,
        height: float,
        *,
        xlim: tuple[float, float],
        ylim: tuple[float, float],
        **settings: Any,
    ) -> Axes:
        """Return data axes whose box is given in pixels from the top left, after :meth:`pixels`.

        Parameters
        ----------
        left : float
            Pixels.
        top : float
            Pixels.
        width : float
            Pixels.
        height : float
            Pixels.
        xlim : tuple of float
            Range of the data along the axis.
        ylim : tuple of float
            Range of the data across it.
        **settings : object
            Further settings of the axes.

        Returns
        -------
        Axes
        """
        full_width, full_height = self.width, self.height
        box = (
            left / full_width,
            1 - (top + height) / full_height,
            width / full_width,
            height / full_height,
        )
        ax = self.add_axes(box)
        ax.set(xlim=xlim, ylim=ylim, **settings)
        ax.set_autoscale_on(False)
        return ax

    def say(self, *, caption: str, alt: str) -> None:
        """Set the caption (without its opening "What to see:") and the alternative text.

        Parameters
        ----------
        caption : str
            What to see, in one sentence or two.
        alt : str
            What the picture holds, for those who do not see it.
        """
        self.caption = CAPTION_START + caption.removeprefix(CAPTION_START)
        self.alt = alt

    def measure(self, key: str, ax: Axes, patch: Patch) -> None:
        """Report the area of ``patch`` under ``key`` in :attr:`areas`.

        Parameters
        ----------
        key : str
            Name of the area.
        ax : Axes
            The axes it lies on.
        patch : Patch
            What is measured.
        """
        self._measured.setdefault(key, []).append((ax, patch))

    @property
    def areas(self) -> dict[str, float]:
        """Areas by key, measured on the outlines as drawn, in units of :attr:`unit`."""
        return {
            key: sum(_area(ax, patch) for ax, patch in pairs) / self.unit
            for key, pairs in self._measured.items()
        }

    def faults(self) -> list[str]:
        """List small, cut-off and overlapping text.

        Returns
        -------
        list of str
            Empty if there is nothing.
        """
        from .faults import faults

        return faults(self)

    def crossings(self) -> list[str]:
        """List the texts that lie on a line, an axis, an outline or marks.

        Returns
        -------
        list of str
            Empty if there is nothing.
        """
        from .faults import crossings

        return crossings(self)

    def draw(self, renderer: Any) -> None:
        """Draw within the book's settings, wherever the plate is drawn.

        Parameters
        ----------
        renderer : object
            Matplotlib's renderer.
        """
        with style.context(self.theme):
            super().draw(renderer)

    def savefig(self, *args: Any, **kwargs: Any) -> None:
        """Save within the book's settings; for the book's own SVG use :func:`svg`.

        Parameters
        ----------
        *args : object
            As matplotlib takes them.
        **kwargs : object
            As matplotlib takes them.
        """
        with style.context(self.theme):
            super().savefig(*args, **kwargs)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": _html(self, svg(self, _fresh_prefix())), "text/plain": self.alt}


def _area(ax: Axes, patch: Patch) -> float:
    """Area of the drawn outline, taken back from the screen into the coordinates of ``ax``."""
    outline = patch.get_path().interpolated(1)
    screen = patch.get_transform().transform_path(outline)
    total = 0.0
    for points in ax.transData.inverted().transform_path(screen).to_polygons():
        x, y = np.asarray(points).T
        total += 0.5 * float(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1]))
    return abs(total)


def drawing(function: Callable[..., None]) -> Drawing:
    """Turn ``function(plate, *results, **options)`` into a drawing of the book.

    The result is called as ``function(*results, theme="light", layout="wide", name=None,
    **options)``: it makes the plate, draws within the book's matplotlib settings, and returns
    the plate once it has its caption and alternative text.

    Parameters
    ----------
    function : callable
        Takes a plate, results and options, and draws.

    Returns
    -------
    Drawing
    """

    @functools.wraps(function)
    def draw(
        *results: Any,
        theme: str = "light",
        layout: Layout = "wide",
        name: str | None = None,
        **options: Any,
    ) -> Plate:
        colours = style.theme(theme)
        with style.context(colours):
            plate = Plate(name or function.__name__.replace("_", "-"), colours, layout)
            function(plate, *results, **options)
        if not plate.alt or not plate.caption:
            raise RuntimeError(f"drawing {function.__name__} has set no caption or no alt text")
        return plate

    signature = inspect.signature(function)
    shown = list(signature.parameters.values())[1:]
    extra = [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default)
        for key, default in (("theme", "light"), ("layout", "wide"), ("name", None))
    ]
    last = [p for p in shown if p.kind is inspect.Parameter.VAR_KEYWORD]
    front = [p for p in shown if p.kind is not inspect.Parameter.VAR_KEYWORD]
    draw.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*front, *extra, *last], return_annotation=Plate
    )
    return draw


def svg(plate: Plate, prefix: str = "") -> str:
    """Return the plate as SVG: text as paths, no date, equal bytes for equal plates.

    ``prefix`` goes before every id, so that several pictures can share one page.

    Parameters
    ----------
    plate : Plate
        What is written.
    prefix : str
        Put before every id.

    Returns
    -------
    str
    """
    return tidy(_written(plate), plate.theme, plate.alt, prefix)


def _written(plate: Plate) -> str:
    raw = io.StringIO()
    silent = {"Date": None, "Creator": None, "Format": None, "Type": None}
    plate.writing_svg = True
    try:
        plate.savefig(raw, format="svg", metadata=silent)
    finally:
        plate.writing_svg = False
    return raw.getvalue()


def variants(draw: Drawing, *results: Any, **options: Any) -> dict[str, Plate]:
    """Return the four plates of a drawing; they must agree in their name and words.

    Parameters
    ----------
    draw : Drawing
        The drawing function.
    *results : object
        What the drawing shows, in its order.
    **options : object
        What the drawing takes beside its results.

    Returns
    -------
    dict of str to Plate
        By variant.
    """
    plates = {key: draw(*results, **options, **look) for key, look in VARIANTS.items()}
    _agree(list(plates.values()))
    return plates


def _agree(plates: list[Plate]) -> None:
    for field in ("name", "caption", "alt"):
        if len({getattr(plate, field) for plate in plates}) != 1:
            raise ValueError(f"the four variants of {plates[0].name} differ in their {field}")


class Shown:
    """What a cell displays: the figure in both themes and layouts, with its words.

    Plates are drawn when they are asked for: a live control that moves needs two of the four.

    Parameters
    ----------
    draw : callable
        Makes one plate from ``theme`` and ``layout``.

    Attributes
    ----------
    name, caption, alt : str
        As the drawing set them.
    areas : dict
        Measured on the light, wide plate.
    """

    def __init__(self, draw: Callable[..., Plate]) -> None:
        self._draw = draw
        self._plates: dict[str, Plate] = {}
        self._written: dict[str, str] = {}
        first = self.plate("light-wide")
        self.name, self.caption, self.alt = first.name, first.caption, first.alt

    def plate(self, variant: str) -> Plate:
        """Return one of the four plates, such as ``"dark-phone"``.

        Parameters
        ----------
        variant : str
            ``light-wide``, ``dark-wide``, ``light-phone`` or ``dark-phone``.

        Returns
        -------
        Plate
        """
        if variant not in self._plates:
            self._plates[variant] = self._draw(**VARIANTS[variant])
        return self._plates[variant]

    def svg(self, variant: str, prefix: str = "") -> str:
        """Return one of the four plates as SVG, its ids after `prefix`.

        Parameters
        ----------
        variant : str
            ``light-wide``, ``dark-wide``, ``light-phone`` or ``dark-phone``.
        prefix : str
            Put before every id.

        Returns
        -------
        str
        """
        plate = self.plate(variant)
        if variant not in self._written:  # most are asked for twice, once without a prefix
            self._written[variant] = _written(plate)
        return tidy(self._written[variant], plate.theme, plate.alt, prefix)

    @property
    def areas(self) -> dict[str, float]:
        """The measured areas of the picture."""
        return self.plate("light-wide").areas

    @property
    def svgs(self) -> dict[str, str]:
        """All four pictures; they must agree in their words."""
        _agree([self.plate(variant) for variant in VARIANTS])
        return {variant: self.svg(variant) for variant in VARIANTS}

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        bundle = {"name": self.name, "caption": self.caption, "alt": self.alt}
        first = self.plate("light-wide")
        return {
            MIME: {**bundle, "svgs": self.svgs},
            "text/html": _html(first, self.svg("light-wide", _fresh_prefix())),
            "text/plain": self.alt,
        }


def show(draw: Drawing, *results: Any, name: str | None = None, **options: Any) -> Shown:
    """Return what a notebook cell displays of a figure: four pictures, a caption, an alt text.

    Parameters
    ----------
    draw : Drawing
        The drawing function.
    *results : object
        What the drawing shows, in its order.
    name : str, optional
        The name of the figure; that of the drawing unless given.
    **options : object
        What the drawing takes beside its results.

    Returns
    -------
    Shown
    """
    return Shown(functools.partial(draw, *results, name=name, **options))


_counter = itertools.count(1)


def _fresh_prefix() -> str:
    return f"dp{next(_counter)}-"


def _html(plate: Plate, picture: str) -> str:
    words = escape(plate.caption.removeprefix(CAPTION_START))
    head = f"<strong>{CAPTION_START.strip()}</strong>"
    return (
        f'<figure style="margin:0;max-width:{plate.width}px">{picture}'
        f"<figcaption>{head} {words}</figcaption></figure>"
    )
