"""A figure of the book under controls, for a reader with a running kernel.

The static page has no kernel: there a live figure is its still, with a line that says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import ipywidgets as widgets

from draftproof.figures.plate import MIME, Shown

__all__ = ["HINT", "Live", "choice", "slider", "whole"]

HINT = "A still: run this page in JupyterLab to move its controls."
_WIDE = widgets.Layout(width="100%", max_width="30rem")
_NAMED = {"description_width": "9rem"}

# JupyterLab says its theme on <body>; elsewhere the light drawing shows.
_STYLE = (
    "<style>.dp-live-dark{display:none}"
    'body[data-jp-theme-light="false"] .dp-live-light{display:none}'
    'body[data-jp-theme-light="false"] .dp-live-dark{display:block}</style>'
)


def slider(
    description: str, value: float, low: float, high: float, step: float = 0.05
) -> widgets.FloatSlider:
    """Return a slider over [`low`, `high`] that starts at `value`.

    Parameters
    ----------
    description : str
        What the control is called.
    value : float
        Where it starts.
    low : float
        Least value.
    high : float
        Largest value.
    step : float
        Distance between neighbouring values.

    Returns
    -------
    widgets.FloatSlider
    """
    return widgets.FloatSlider(
        value=value,
        min=low,
        max=high,
        step=step,
        description=description,
        readout_format=f".{max(0, -math.floor(math.log10(step)))}f",
        layout=_WIDE,
        style=_NAMED,
    )


def whole(description: str, value: int, low: int, high: int, step: int = 1) -> widgets.IntSlider:
    """Return a slider over the whole numbers `low`..`high` that starts at `value`.

    Parameters
    ----------
    description : str
        What the control is called.
    value : int
        Where it starts.
    low : int
        Least value.
    high : int
        Largest value.
    step : int
        Distance between neighbouring values.

    Returns
    -------
    widgets.IntSlider
    """
    return widgets.IntSlider(
        value=value,
        min=low,
        max=high,
        step=step,
        description=description,
        layout=_WIDE,
        style=_NAMED,
    )


def choice(description: str, options: Sequence[str], value: str | None = None) -> widgets.Dropdown:
    """Return a menu over `options` that starts at `value`, or at the first.

    Parameters
    ----------
    description : str
        What the control is called.
    options : sequence of str
        What can be chosen.
    value : str, optional
        Where it starts.

    Returns
    -------
    widgets.Dropdown
    """
    return widgets.Dropdown(
        options=list(options),
        value=options[0] if value is None else value,
        description=description,
        layout=_WIDE,
        style=_NAMED,
    )


class Live:
    """A figure that is drawn again whenever one of its controls moves.

    Parameters
    ----------
    draw : callable
        From the controls' values, by name, to what `draftproof.figures.show` returns. A
        ``ValueError`` it raises is shown as one line in place of the picture.
    hint : str, optional
        What a page without a kernel says below the still.
    **controls : ipywidgets value widget
        At least one; each needs a plain `description`, which is also its accessible name.

    Attributes
    ----------
    controls : dict
        Name to widget.
    picture : Shown
        What was drawn last.
    error : str
        The message that stands in place of the picture, or "".
    box : ipywidgets.VBox
        The controls, then the picture.

    Raises
    ------
    ValueError
        If there is no control, a control has no value or no description, or the first picture
        cannot be drawn.
    """

    def __init__(
        self, draw: Callable[..., Shown], *, hint: str = HINT, **controls: widgets.Widget
    ) -> None:
        _check(controls)
        self._draw = draw
        self.controls: dict[str, Any] = dict(controls)
        self.hint = hint
        self.error = ""
        self.picture: Shown = draw(**self.value)
        self._still = self.picture
        self._view = widgets.HTML(_inline(self.picture))
        for control in controls.values():
            control.observe(self._redraw, names="value")
        self.box = widgets.VBox([*self.controls.values(), self._view])

    @property
    def value(self) -> dict[str, Any]:
        """The controls' values by name."""
        return {name: control.value for name, control in self.controls.items()}

    def _redraw(self, _change: object) -> None:
        try:
            self.picture = self._draw(**self.value)
        except ValueError as error:
            self.error = " ".join(str(error).split())
            self._view.value = f'<p role="alert">{escape(self.error)}</p>'
            return
        self.error = ""
        self._view.value = _inline(self.picture)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return the widget for a notebook and the still for a page without a kernel."""
        still = self._still._repr_mimebundle_()
        figure: Mapping[str, Any] = still[MIME]
        view = self.box._repr_mimebundle_() or {}
        if isinstance(view, tuple):
            view = view[0]
        return {**view, **still, MIME: {**figure, "live": True, "hint": self.hint}}


def _check(controls: Mapping[str, Any]) -> None:
    if not controls:
        raise ValueError("controls must name at least one widget, got none")
    for name, control in controls.items():
        if not getattr(control, "has_trait", lambda _: False)("value"):
            raise ValueError(f"{name} must be a widget with a value, got {control!r:.60}")
        if not str(getattr(control, "description", "")).strip():
            raise ValueError(f"{name} must have a description, got an empty one")


_fresh = itertools.count(1)


def _inline(picture: Shown) -> str:
    """Return the picture in both themes, its ids made unique, and its caption."""
    drawn = []
    for theme in ("light", "dark"):
        drawing = picture.svg(f"{theme}-wide", f"live{next(_fresh)}-")
        drawn.append(f'<div class="dp-live-{theme}">{drawing}</div>')
    caption = f'<p class="dp-live-caption">{escape(picture.caption)}</p>'
    return _STYLE + "".join(drawn) + caption
