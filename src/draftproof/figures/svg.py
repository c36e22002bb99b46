"""Make matplotlib's SVG small, reproducible and safe to put inline.

matplotlib writes exact but long SVG. :func:`tidy` parses it and writes it anew: no doctype,
metadata, comments or style sheet, every glyph once, coordinates of two decimals, short ids behind
a prefix. It also carries out the *directives* that :mod:`.marks` leaves in group ids, for what
matplotlib cannot say itself: the patterns of the masses, colour ramps, halos behind labels.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from xml.sax.saxutils import quoteattr

from .style import Theme, mix

__all__ = ["directive", "tidy"]

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
_GLYPH = 64.0  # matplotlib scales glyph outlines by 1/64; the factor moves into the text's scale


def directive(kind: str, *values: object) -> str:
    """Make a group id that :func:`tidy` understands: ``kind`` is mass, ramp or halo.

    Parameters
    ----------
    kind : str
        ``mass``, ``ramp`` or ``halo``.
    *values : object
        What the kind needs.

    Returns
    -------
    str
    """
    return "~".join(["dp", kind, *map(str, values)])


def _short(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _round_path(data: str) -> str:
    """Round to two decimals; write level and upright lines with H and V."""
    out: list[str] = []
    x = y = ""
    for step in re.findall(r"([A-Za-z])([^A-Za-z]*)", data):
        points = [_short(float(v)) for v in _NUMBER.findall(step[1])]
        letter, last = step[0], points[-2:] or [x, y]
        if letter == "L" and last[1] == y:
            out.append(f"H{last[0]}")
        elif letter == "L" and last[0] == x:
            out.append(f"V{last[1]}")
        else:
            out.append(letter + " ".join(points))
        x, y = last
    return "".join(out)


def _steps(transform: str) -> list[tuple[str, list[float]]]:
    found = re.findall(r"(\w+)\(([^)]*)\)", transform)
    return [(name, [float(v) for v in re.split(r"[ ,]+", args.strip())]) for name, args in found]


def _transform(steps: list[tuple[str, list[float]]]) -> str:
    """Join the steps again; only distances are rounded, never a scale."""
    parts = []
    for name, values in steps:
        write = _short if name == "translate" else (lambda v: f"{v:.7g}")
        parts.append(f"{name}({' '.join(write(v) for v in values)})")
    return "".join(parts)


class _Tidy:
    """One pass over one document."""

    def __init__(self, theme: Theme, prefix: str) -> None:
        self.theme = theme
        self.prefix = prefix
        self.names: dict[str, str] = {}
        self.defs: list[str] = []
        self.made: dict[str, str] = {}
        self.useless: set[str] = set()
        self.box: list[float] = []

    # ids ---------------------------------------------------------------------------------
    def name(self, old: str) -> str:
        if old not in self.names:
            self.names[old] = f"{self.prefix}{len(self.names)}"
        return self.names[old]

    def define(self, key: str, template: str) -> str:
        """Put ``template`` (with ``{id}``) into the defs once; return its id."""
        if key not in self.made:
            self.made[key] = self.name(f"made {key}")
            self.defs.append(template.format(id=self.made[key]))
        return self.made[key]

    # directives --------------------------------------------------------------------------
    def pattern(self, role: str) -> str | None:
        colours = self.theme[role]
        if role == "rejected":
            size, turn = 7, ' patternTransform="rotate(45)"'
            line = mix(colours.line, colours.fill, 0.62)
            ink = f'<path d="M0 0V7" stroke="{line}" stroke-width="3.2"/>'
        elif role == "residual":
            size, turn = 8, ""
            dot = f'r="1.25" fill="{colours.line}"'
            ink = f'<circle cx="2" cy="2" {dot}/><circle cx="6" cy="6" {dot}/>'
        elif role == "bonus":
            size, turn = 7, ""
            line = mix(colours.line, colours.fill, 0.75)
            ink = f'<path d="M3.5 0V7M0 3.5H7" stroke="{line}" stroke-width="0.9"/>'
        else:
            return None
        ground = f'<path d="M0 0H{size}V{size}H0z" fill="{colours.fill}"/>'
        box = f'width="{size}" height="{size}" patternUnits="userSpaceOnUse"{turn}'
        return self.define(role, f'<pattern id="{{id}}" {box}>{ground}{ink}</pattern>')

    def ramp(self, x0: str, x1: str, stops: list[str]) -> str:
        marks = "".join(
            f'<stop offset="{at}" stop-color="{colour}"/>'
            for colour, at in (stop.split("@") for stop in stops)
        )
        box = f'gradientUnits="userSpaceOnUse" x1="{x0}" x2="{x1}"'
        key = f"ramp {x0} {x1} {stops}"
        return self.define(key, f'<linearGradient id="{{id}}" {box}>{marks}</linearGradient>')

    # elements ----------------------------------------------------------------------------
    def attributes(self, element: ET.Element) -> dict[str, str]:
        out: dict[str, str] = {}
        for key, value in element.attrib.items():
            if key == "style":
                for item in filter(None, (part.strip() for part in value.split(";"))):
                    name, _, setting = item.partition(":")
                    out[name.strip()] = setting.strip()
            elif key == _HREF:
                out["xlink:href"] = "#" + self.name(value.lstrip("#"))
            elif key in ("clip-path", "fill"):
                out[key] = re.sub(r"url\(#(.*?)\)", lambda m: f"url(#{self.name(m[1])})", value)
            elif key != "id":
                out[key] = value
        for key in ("x", "y", "width", "height", "stroke-width", "stroke-dashoffset"):
            if key in out:
                out[key] = _short(float(out[key]))
        if "stroke-dasharray" in out:
            dashes = out["stroke-dasharray"].split(",")
            out["stroke-dasharray"] = " ".join(_short(float(v)) for v in dashes)
        if "d" in out:
            out["d"] = _round_path(out["d"])
        if "transform" in out:
            out["transform"] = _transform(_steps(out["transform"]))
        if out.get("stroke-dashoffset") == "0":
            del out["stroke-dashoffset"]
        if out.get("clip-path") in ("", *(f"url(#{self.name(old)})" for old in self.useless)):
            del out["clip-path"]
        return out

    def define_children(self, element: ET.Element) -> None:
        for child in element:
            if child.tag == _SVG + "style":
                continue
            if child.get("id") in self.useless:
                continue
            attributes = self.attributes(child)
            if attributes.get("transform") == f"scale({1 / _GLYPH:g})":
                del attributes["transform"]
            attributes = {"id": self.name(child.get("id", "")), **attributes}
            inner = "".join(self.element(grandchild) for grandchild in child)
            self.defs.append(_tag(child.tag, attributes, inner))

    def spans(self, clip: ET.Element) -> bool:
        """Whether a clip path is the whole picture, so that it clips nothing."""
        shapes = list(clip)
        sides = [float(shapes[0].get(side, 0)) for side in ("x", "y", "width", "height")]
        return len(shapes) == 1 and all(
            abs(a - b) < 0.01 for a, b in zip(sides, self.box, strict=True)
        )

    def text(self, element: ET.Element) -> str:
        """Write a line of text: a group whose scale takes in the factor of the glyph outlines."""
        attributes = self.attributes(element)
        steps = _steps(element.get("transform", ""))
        scaled = [
            (name, [v / _GLYPH for v in values] if name == "scale" else values)
            for name, values in steps
        ]
        attributes["transform"] = _transform(scaled)
        inner = []
        for child in element:
            if child.tag == _SVG + "defs":
                self.define_children(child)
                continue
            own = self.attributes(child)
            if child.tag == _SVG + "use":
                own.pop("transform", None)
                moves = dict(_steps(child.get("transform", "")))
                x, y = (*moves.get("translate", [0.0]), 0.0)[:2]
                if "scale" in moves:
                    steps = [("translate", [x * _GLYPH, y * _GLYPH]), ("scale", moves["scale"])]
                    own["transform"] = _transform(steps)
                else:
                    if x:
                        own["x"] = _short(x * _GLYPH)
                    if y:
                        own["y"] = _short(y * _GLYPH)
            else:
                own["transform"] = f"scale({_GLYPH:g})"
            inner.append(_tag(child.tag, own))
        return _tag(element.tag, attributes, "".join(inner))

    def halo(self, text: str, colour: str, width: float) -> str:
        """Put the same text, stroked in the colour of its ground, under the text."""
        scale = re.search(r"scale\(([\d.e-]+)", text)
        if scale is None:
            return text
        stroke = f'stroke="{colour}" stroke-width="{_short(width / float(scale[1]))}"'
        under = re.sub(r' fill="[^"]*"', "", text, count=1)
        return under.replace("<g", f'<g fill="{colour}" {stroke}', 1) + text

    def element(self, element: ET.Element) -> str:
        if element.tag == _SVG + "defs":
            self.define_children(element)
            return ""
        kind, *values = (element.get("id") or "").split("~")[1:] or [""]
        if element.tag == _SVG + "g" and "scale" in (element.get("transform") or ""):
            return self.text(element)
        inner = "".join(self.element(child) for child in element)
        if kind == "mass":
            made = self.pattern(values[0])
            inner = _fill(inner, made) if made else inner
        elif kind == "ramp":
            inner = _fill(inner, self.ramp(values[0], values[1], values[2:]))
        elif kind == "halo":
            inner = self.halo(inner, values[0], float(values[1]))
        attributes = self.attributes(element)
        if element.tag == _SVG + "g" and (not attributes or not inner):
            return inner
        return _tag(element.tag, attributes, inner)


def _fill(inner: str, made: str) -> str:
    return re.sub(r'fill="#[0-9a-fA-F]{6}"', f'fill="url(#{made})"', inner, count=1)


def _tag(tag: str, attributes: dict[str, str], inner: str = "") -> str:
    name = tag.removeprefix(_SVG)
    words = [name, *(f"{key}={quoteattr(value)}" for key, value in attributes.items())]
    head = " ".join(words)
    return f"<{head}>{inner}</{name}>" if inner else f"<{head}/>"


def tidy(raw: str, theme: Theme, label: str, prefix: str = "") -> str:
    """Rewrite matplotlib's ``raw`` SVG; ``label`` is the alternative text of the picture.

    Parameters
    ----------
    raw : str
        What matplotlib wrote.
    theme : Theme
        The colours that it was drawn in.
    label : str
        The alternative text.
    prefix : str
        Put before every id.

    Returns
    -------
    str
    """
    root = ET.fromstring(raw)
    work = _Tidy(theme, prefix or "i")
    # The clip paths stand at the end, but the shapes before them must know which are useless.
    work.box = [float(v) for v in (root.get("viewBox") or "0 0 1 1").split()]
    for clip in root.iter(_SVG + "clipPath"):
        if work.spans(clip):
            work.useless.add(clip.get("id", ""))
    body = "\n".join(filter(None, (work.element(child) for child in root)))
    width, height = (_short(float(v)) for v in (root.get("viewBox") or "").split()[2:])
    # Inline it may shrink with its page. In a file some viewers would read "auto" as no height.
    fluid = 'style="max-width:100%;height:auto" ' if prefix else ""
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        f"aria-label={quoteattr(label)} "
        f"{fluid}"
        'stroke-linejoin="round" stroke-linecap="butt">'
    )
    defs = "<defs>\n" + "\n".join(work.defs) + "\n</defs>\n" if work.defs else ""
    return f"{head}\n{defs}{body}\n</svg>\n"
