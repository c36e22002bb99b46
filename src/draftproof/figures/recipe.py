"""A recipe: one figure of the book, and how its results are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from .plate import VARIANTS, Drawing, Plate, Shown, show, svg, variants

__all__ = ["Entry", "file_name", "recipe"]


@dataclass(frozen=True)
class Entry:
    """One figure: its name, its drawing, a function giving its results, its options.

    Attributes
    ----------
    name : str
        Name of the figure.
    draw : Drawing
        The drawing function.
    results : callable
        Returns the tuple of results that the drawing takes.
    options : dict of str to object
        What the drawing takes beside its results.
    """

    name: str
    draw: Drawing
    results: Callable[[], tuple[Any, ...]]
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def plates(self) -> dict[str, Plate]:
        """Return the four plates, by variant.

        Returns
        -------
        dict of str to Plate
        """
        return variants(self.draw, *self.results(), name=self.name, **self.options)

    def files(self) -> dict[str, str]:
        """Return the four SVG files, by file name.

        Returns
        -------
        dict of str to str
        """
        return {file_name(self.name, key): svg(plate) for key, plate in self.plates().items()}

    def show(self) -> Shown:
        """Return the figure as a notebook cell displays it.

        Returns
        -------
        Shown
        """
        return show(self.draw, *self.results(), name=self.name, **self.options)


def file_name(name: str, variant: str) -> str:
    """Return ``name.svg``, ``name.dark.svg``, ``name.phone.svg`` or ``name.phone.dark.svg``.

    Parameters
    ----------
    name : str
        Name of the figure.
    variant : str
        ``light-wide``, ``dark-wide``, ``light-phone`` or ``dark-phone``.

    Returns
    -------
    str
    """
    look = VARIANTS[variant]
    phone = ".phone" if look["layout"] == "phone" else ""
    dark = ".dark" if look["theme"] == "dark" else ""
    return f"{name}{phone}{dark}.svg"


def recipe(
    draw: Drawing, results: Callable[[], Any], *, name: str | None = None, **options: Any
) -> Entry:
    """Make an entry of the catalogue; ``results`` is called only when the figure is drawn.

    ``results`` returns the tuple of results that ``draw`` takes, or its single result.

    Parameters
    ----------
    draw : Drawing
        The drawing function.
    results : callable
        Returns the results.
    name : str, optional
        The name of the figure; that of the drawing unless given.
    **options : object
        What the drawing takes beside its results.

    Returns
    -------
    Entry
    """

    def as_tuple() -> tuple[Any, ...]:
        found = results()
        return found if type(found) is tuple else (found,)

    own = name or draw.__name__.replace("_", "-")
    return Entry(own, draw, as_tuple, MappingProxyType(options))
