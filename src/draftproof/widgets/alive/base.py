"""The base of the widgets that work with and without a kernel.

A widget holds its state as traits. With a kernel, its front end (one ES module) and Python share
them; in the static page a small host holds them, and the page shows a still until that host runs,
on paper, and where JavaScript is off.
"""

from __future__ import annotations

from typing import Any, ClassVar

import anywidget
import numpy as np
from traitlets import Dict, TraitError, validate

from draftproof.examples import Pair
from draftproof.figures.plate import MIME, Shown
from draftproof.finite import Array, as_law
from draftproof.speculative import residual

from .bundle import style_sheet, whole_module
from .captions import LIVE

__all__ = ["EQUAL", "Alive", "correction", "named_pair", "random_law"]


def named_pair(title: str, pair: Pair) -> dict[str, Any]:
    """Return a pair of laws as plain values, with a title for a menu.

    Parameters
    ----------
    title : str
        Of the entry.
    pair : Pair
        The laws.

    Returns
    -------
    dict
    """
    laws = {"p": [float(x) for x in pair.p], "q": [float(x) for x in pair.q]}
    return {"title": title, "names": list(pair.names), **laws}


EQUAL = 1e-12
"""So little missing mass is rounding: two laws that far apart are one (as in ``js/laws.js``)."""


def correction(p: Array, q: Array) -> Array:
    """Return the residual of two laws; `p` itself where rounding alone tells them apart.

    Parameters
    ----------
    p, q : ndarray of float64, shape (V,)

    Returns
    -------
    ndarray of float64, shape (V,)
    """
    return p if np.maximum(p - q, 0).sum() <= EQUAL else residual(p, q)


def random_law(rng: np.random.Generator, n: int) -> list[float]:
    """Return a law over `n` tokens, level or steep, some of them without mass: for tests.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int

    Returns
    -------
    list of float
    """
    weights = rng.dirichlet(np.full(n, rng.choice([0.3, 1, 5])))
    weights[rng.random(n) < 0.1] = 0
    law = weights / weights.sum() if weights.sum() else np.full(n, 1 / n)
    return [float(x) for x in law]


# Traits that are a place in another one, a list, and such lists. Which is a place in which is said
# where they are declared, by the tag `of`.
_PLACES = ("context", "machine", "pair", "position", "run", "step", "token")
_LISTS = ("coins", "machines", "names", "pairs", "runs", "sizes", "table")


class Alive(anywidget.AnyWidget):
    """A picture with its controls, its numbers and its still.

    A subclass names its module and the traits that make its state, and answers `facts` from the
    package; the module's own ``facts`` must agree with them.

    Parameters
    ----------
    **state : object
        Values of the parts that differ from the book's.

    Attributes
    ----------
    module : str
        Its file in ``js/``, without the ending.
    figure : str
        The figure of the book's catalogue that stands for it on paper. `figure` as an argument
        names another one, for a page that shows the widget in another state.
    parts : tuple of str
        The traits of its state, all of plain JSON values.
    """

    module: ClassVar[str]
    figure: str
    parts: ClassVar[tuple[str, ...]]

    home = Dict().tag(sync=True)

    @property
    def _esm(self) -> str:
        return whole_module(self.module)

    @property
    def _css(self) -> str:
        return style_sheet()

    @validate(*_PLACES, *_LISTS)
    def _place_exists(self, proposal: Any) -> Any:
        """Refuse a place beyond its list, whichever of the two is set."""
        name, value = proposal["trait"].name, proposal["value"]
        for place, trait in self.traits(of=lambda of: of is not None).items():
            of = trait.metadata["of"]
            if name not in (place, of):
                continue
            at, known = (value if name == key else getattr(self, key) for key in (place, of))
            if at >= len(known):
                raise TraitError(
                    f"{type(self).__name__}: {place} must be less than {len(known)}, the length of "
                    f"{of}; got {at}"
                )
        return value

    @validate("p", "q")
    def _is_law(self, proposal: Any) -> list[float]:
        """Refuse what is no law, where a widget has a target law `p` and a draft law `q`."""
        return [float(x) for x in as_law(proposal["value"], proposal["trait"].name)]

    def __init__(self, *, figure: str | None = None, **state: Any) -> None:
        unknown = set(state) - set(self.parts)
        if unknown:
            raise ValueError(
                f"{type(self).__name__}: takes {', '.join(self.parts)}; got {', '.join(unknown)}"
            )
        super().__init__(**state)
        self.figure = figure or type(self).figure
        self.home = self.state

    @property
    def state(self) -> dict[str, Any]:
        """The state by name, as the front end sees it."""
        return {key: getattr(self, key) for key in self.parts}

    def facts(self) -> dict[str, Any]:
        """Return the numbers that the picture shows, computed by the package.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        raise NotImplementedError

    def still(self) -> Shown:
        """Return the figure that stands for the widget on paper.

        Returns
        -------
        Shown

        Raises
        ------
        ValueError
            If the catalogue has no such figure.
        """
        from draftproof.figures.catalog import CATALOG  # all chapters' drawings: only when asked

        if self.figure not in CATALOG:
            raise ValueError(f"figure must be one of the catalogue, got {self.figure!r}")
        return CATALOG[self.figure].show()

    @classmethod
    def random(cls, rng: np.random.Generator) -> Alive:
        """Return a widget in a state that its controls can reach, for tests.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Alive
        """
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Return the view for a notebook, and still and state for a static page."""
        view: Any = super()._repr_mimebundle_(**kwargs) or {}
        if isinstance(view, tuple):
            view = view[0]
        still = self.still()._repr_mimebundle_()
        state = {**self.state, "home": self.state}
        alive = {"module": self.module, "state": state, "caption": LIVE.get(self.figure, "")}
        figure = {**still[MIME], "alive": alive}
        return {**view, **still, MIME: figure}
