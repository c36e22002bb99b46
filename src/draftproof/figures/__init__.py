"""The figures of the book: functions that take results or traces and return a plate.

``show(draw, *results)`` displays one in a chapter; ``python -m draftproof.figures`` writes all.
"""

from .plate import Plate, Shown, drawing, show, svg

__all__ = ["Plate", "Shown", "drawing", "show", "svg"]
