"""Controls for a live kernel: named sliders that redraw the book's own figures.

`live` holds the one mechanism; each chapter's module has one function a figure.
"""

from .live import Live, choice, slider, whole

__all__ = ["Live", "choice", "slider", "whole"]
