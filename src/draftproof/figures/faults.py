"""What a reader would stumble over in a picture: text too small, cut off, over text, over lines."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from . import style
from .labels import Label

if TYPE_CHECKING:
    from .plate import Plate

__all__ = ["crossings", "faults"]

_QUIET = 1.1  # px: a grid, a guide or a leader is at most that thick; data and axes are thicker
_TEXTURE = 40  # marks in one go that are a texture, such as darts, and no measured points


def faults(plate: Plate) -> list[str]:
    """List small, cut-off and overlapping text, and masses that leave a plate.

    Parameters
    ----------
    plate : Plate
        The picture.

    Returns
    -------
    list of str
        Empty if there is nothing.
    """
    pairs = _texts(plate)
    return [*_outside(plate, pairs), *_overlapping(pairs)]


def crossings(plate: Plate) -> list[str]:
    """List the texts of a plate that lie on what is drawn.

    A text may lie on a grid line, a guide or a leader behind its halo. On the line of a law or of
    measured points, or on an axis, no text may lie.

    Parameters
    ----------
    plate : Plate
        The picture.

    Returns
    -------
    list of str
        Empty if there is nothing.
    """
    return list(_struck(plate, _texts(plate)))


def _texts(plate: Plate) -> list[tuple[Text, Bbox]]:
    """Return every text that is seen, and its box in pixels."""
    with style.context(plate.theme):
        renderer = FigureCanvasAgg(plate).get_renderer()
        texts: list[Text] = [t for t in plate.findobj(Label) if _written(t)]
        texts += [t for axis in _axes(plate) for t in axis.get_ticklabels() if _written(t)]
        return [(text, text.get_window_extent(renderer)) for text in texts]


def _written(text: Any) -> bool:
    return bool(text.get_visible() and text.get_text().strip())


def _axes(plate: Plate) -> list[Any]:
    drawn = [ax for ax in plate.axes if ax.axison]
    return [axis for ax in drawn for axis in (ax.xaxis, ax.yaxis) if axis.get_visible()]


def _outside(plate: Plate, pairs: list[tuple[Text, Bbox]]) -> Iterator[str]:
    for key, measured in plate._measured.items():
        for _, patch in measured:
            box = patch.get_path().get_extents(patch.get_transform())
            if box.x0 < -1 or box.y0 < -1 or box.x1 > plate.width + 1 or box.y1 > plate.height + 1:
                yield f"mass {key!r} leaves the figure"
    for text, box in pairs:
        if float(text.get_fontsize()) < style.MIN_TEXT:
            yield f"text {text.get_text()!r} is smaller than {style.MIN_TEXT:g} px"
        if box.x0 < 0 or box.y0 < -1 or box.x1 > plate.width or box.y1 > plate.height + 1:
            yield f"text {text.get_text()!r} leaves the figure"


def _overlapping(pairs: list[tuple[Text, Bbox]]) -> Iterator[str]:
    for (one, a), (two, b) in itertools.combinations(pairs, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        if wide > 1 and high > 4:
            yield f"texts {one.get_text()!r} and {two.get_text()!r} overlap"


# Text on lines


@dataclass(frozen=True)
class _Stroke:
    """Something thin that is drawn: a line, an axis, the outline of a shape, or marks."""

    artist: Artist
    path: Path
    width: float
    kind: str

    @property
    def points(self) -> np.ndarray:
        """The corners of the path, in pixels."""
        return np.asarray(self.path.vertices)

    @property
    def zorder(self) -> float:
        """What lies above what."""
        return float(self.artist.get_zorder())

    def meets(self, box: Bbox) -> bool:
        """Whether it runs through the box."""
        if self.kind != "marks":
            return len(self.points) > 1 and self.path.intersects_bbox(box, filled=False)
        return any(box.padded(self.width / 2).contains(x, y) for x, y in self.points)


def _struck(plate: Plate, pairs: list[tuple[Text, Bbox]]) -> Iterator[str]:
    strokes = [stroke for ax in plate.axes for stroke in _strokes(ax)]
    grounds = [
        (patch, Path(patch.get_transform().transform_path(patch.get_path()).vertices))
        for ax in plate.axes
        for patch in ax.patches
        if to_rgba(patch.get_facecolor())[3] == 1
    ]
    for text, box in pairs:
        letters = _letters(text, box)
        for stroke in strokes:
            if not stroke.meets(letters) or _meant(text, stroke, letters):
                continue
            between = [
                ground
                for patch, ground in grounds
                if stroke.zorder < patch.get_zorder() < text.get_zorder()
            ]
            if not any(g.contains_points(letters.corners()).all() for g in between):
                yield f"text {text.get_text()!r} lies on {stroke.kind}"


def _strokes(ax: Any) -> Iterator[_Stroke]:
    for line in ax.lines:
        if line.get_visible():
            path = line.get_transform().transform_path(line.get_path())
            if line.get_linestyle() not in ("None", "none", "", " "):
                yield _Stroke(line, path, line.get_linewidth(), "a line")
            if line.get_marker() not in ("None", "none", "", " ", None):
                yield _Stroke(line, path, line.get_markersize(), "marks")
    (x0, y0), (x1, y1) = ax.bbox.get_points()
    sides = {"left": (x0, y0, x0, y1), "right": (x1, y0, x1, y1),
             "bottom": (x0, y0, x1, y0), "top": (x0, y1, x1, y1)}  # fmt: skip
    for side, ends in sides.items():
        spine = ax.spines[side]
        if ax.axison and spine.get_visible():
            yield _Stroke(spine, Path(np.reshape(ends, (2, 2))), spine.get_linewidth(), "an axis")
    for patch in ax.patches:
        if patch.get_linewidth() > 0 and patch.get_edgecolor()[3] > 0:
            path = patch.get_transform().transform_path(patch.get_path())
            yield _Stroke(patch, path, patch.get_linewidth(), "an outline")


def _letters(text: Text, box: Bbox) -> Bbox:
    """Return the box of the letters alone: without the room left for descenders and accents."""
    size = float(text.get_fontsize())
    if text.get_rotation() % 180:
        return box.padded(-0.2 * size)
    return Bbox.from_extents(box.x0 + 1, box.y0 + 0.25 * size, box.x1 - 1, box.y1 - 0.15 * size)


def _meant(text: Text, stroke: _Stroke, letters: Bbox) -> bool:
    """Whether the stroke may be there: quiet and behind a halo, or to strike a word out."""
    line = stroke.artist
    if stroke.zorder > text.get_zorder():
        level = np.ptp(stroke.points[:, 1]) == 0
        return level and abs(stroke.points[0, 1] - (letters.y0 + letters.y1) / 2) < 2
    if not getattr(text, "halo", None):
        return False
    if stroke.kind == "marks":
        return isinstance(line, Line2D) and len(stroke.points) > _TEXTURE
    return stroke.width <= _QUIET
