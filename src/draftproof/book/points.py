"""Punctuation that stays with the formula before it.

A browser may break a line between an inline formula and the full stop behind it. Formula and
punctuation are therefore set in one piece.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

__all__ = ["KeepPoints"]

_POINTS = re.compile(r"[.,;:!?)\]’”%]+|-\w+")
CLASS = "dp-keep"
LONGEST = 40
"""Letters of TeX up to which a formula is kept in one piece; a longer one may have to scroll."""


class KeepPoints(SphinxPostTransform):
    """Put each short inline formula and what clings to it into one unbreakable inline."""

    default_priority = 800

    def run(self, **_: Any) -> None:
        """Rewrite the page's formulas.

        Parameters
        ----------
        **_ : object
            Not used; Sphinx gives none.
        """
        for formula in list(self.document.findall(nodes.math)):
            following = formula.next_node(descend=False, siblings=True)
            if not isinstance(following, nodes.Text) or len(formula.astext()) > LONGEST:
                continue
            points = _POINTS.match(following.astext())
            if points is None:
                continue
            rest = nodes.Text(following.astext()[points.end() :])
            following.parent.replace(following, rest)
            kept = nodes.inline("", "", classes=[CLASS])
            formula.replace_self(kept)
            kept += [formula, nodes.Text(points[0])]


def setup(app: Sphinx) -> None:
    """Register the transform.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    app.add_post_transform(KeepPoints)
