"""What the chapters' hidden cells share: numbers for the prose, figures by name, refusals.

A chapter makes one page, named after its own glued numbers::

    page = Page("tokens", figures.recipes())
    tell, picture = page.tell, page.picture
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from textwrap import fill
from typing import Any

import numpy as np

from .plate import Shown
from .recipe import Entry

__all__ = ["Page", "glued", "refused"]

WIDTH = 76  # characters: a line of output that fits the page's column


class Page:
    """The numbers and the figures of one chapter.

    Parameters
    ----------
    prefix : str
        What the names of the chapter's glued numbers begin with.
    recipes : iterable of Entry
        The chapter's figures.

    Attributes
    ----------
    prefix : str
        As given.
    entries : dict of str to Entry
        The figures, by name.
    """

    def __init__(self, prefix: str, recipes: Iterable[Entry] = ()) -> None:
        self.prefix = prefix
        self.entries = {entry.name: entry for entry in recipes}

    def tell(self, **values: Any) -> None:
        """Hand numbers to the prose, where ``{glue:text}`PREFIX-NAME``` shows them.

        Parameters
        ----------
        **values : str, int, float or Fraction
            The numbers by name, numpy's included; text stands as it is.

        Raises
        ------
        TypeError
            If a value is none of these.
        """
        from myst_nb import glue  # the book's own extra: the drawings do not need it

        for name, value in values.items():
            glue(f"{self.prefix}-{name}", glued(name, value), display=False)

    def picture(self, name: str) -> Shown:
        """Return a figure of this chapter, drawn with the book's own results.

        Parameters
        ----------
        name : str
            The name of the figure in the catalogue.

        Returns
        -------
        Shown
            The figure, as a cell displays it.

        Raises
        ------
        ValueError
            If the chapter has no such figure.
        """
        if name not in self.entries:
            raise ValueError(f"name must be one of {sorted(self.entries)}, got {name!r}")
        return self.entries[name].show()


def glued(name: str, value: Any) -> str | int | float:
    """Return a number as the page stores it: a fraction as ``a/b``, numpy's as Python's.

    Parameters
    ----------
    name : str
        What the number is called, for the message of an error.
    value : str, int, float or Fraction
        The number, numpy's included.

    Returns
    -------
    str, int or float
        The value that a format such as ``:.3f`` can be applied to; text for a fraction.

    Raises
    ------
    TypeError
        If the value is none of these.
    """
    if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0:
        value = value.item()
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError(f"{name} must be text or a number, got {type(value).__name__}")
    return value


def refused(function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """Call a function that must refuse its arguments, and print why it does.

    Parameters
    ----------
    function : callable
        The function.
    *arguments, **options : object
        What it is called with.

    Raises
    ------
    AssertionError
        If it does not refuse them: the page would claim what is no longer true.
    """
    try:
        function(*arguments, **options)
    except (TypeError, ValueError) as error:
        sys.stdout.write(fill(str(error), WIDTH) + "\n")
    else:
        name = getattr(function, "__qualname__", repr(function))
        raise AssertionError(f"{name} takes these arguments, so there is nothing to show")
