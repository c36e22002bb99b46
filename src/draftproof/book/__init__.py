"""The Sphinx side of the book: freshness, figures and the site's own parts.

Listed in ``_config.yml`` as ``draftproof.book``. It needs the ``[book]`` extra; nothing else in
the package imports it.

access     HTML that assistive software accepts
ahead      chapters are run side by side
alive      the widgets that work in the static page
freshness  a change in ``src/`` or ``static/`` never leaves a stale page
opening    each chapter as a notebook: to download, on Colab, on Binder (`notebooks` makes them,
           `install` their first cell, `bundle` the download with the package, `address` knows
           the repository)
paper      the book as one page for a printer (`pdf` prints it)
plates     the figures that chapter cells show become numbered figures with four drawings each
points     punctuation stays with the formula before it
solutions  hidden solutions are ``<details>``: they open by keyboard and without JavaScript
site       what the built folder holds besides pages: mathematics, fonts, ``.nojekyll``, an index
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from draftproof.book import (
    access,
    ahead,
    alive,
    freshness,
    opening,
    paper,
    plates,
    points,
    site,
    solutions,
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the parts (called by Sphinx).

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.

    Returns
    -------
    dict
        What Sphinx must know of the extension: its version, and that it works in parallel.
    """
    for part in (access, ahead, alive, freshness, opening, paper, plates, points, solutions, site):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
