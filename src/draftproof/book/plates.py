"""Turn the figures shown by chapter cells into numbered figures of the page.

A cell that calls ``draftproof.figures.show`` leaves the mime type
``application/vnd.draftproof.figure+json``: a name, a caption, an alt text and four drawings. Here
the drawings become files ``_images/<name>[.phone][.dark].svg`` and a docutils figure with the
label ``fig-<name>``; the style sheet shows the drawing that fits the theme and the width.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any, ClassVar
from urllib.parse import quote

from docutils import nodes
from myst_nb.core.render import MimeData, NbElementRenderer
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

from draftproof.book.alive import place

FIGURE = "application/vnd.draftproof.figure+json"
WIDGET = "application/vnd.jupyter.widget-view+json"
SUFFIXES = {
    "light-wide": ".svg",
    "dark-wide": ".dark.svg",
    "light-phone": ".phone.svg",
    "dark-phone": ".phone.dark.svg",
}
LIVE_HINT = "Run this page in JupyterLab to move its sliders."
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_OPENING = "What to see:"


class plates(nodes.General, nodes.Element):  # noqa: N801  (docutils names nodes so)
    """Holds the drawings of one figure: image nodes with a ``variant``."""


class FigureRenderer:
    """The plugin that MyST-NB finds through the entry point ``myst_nb.mime_renderers``."""

    mime_priority_overrides: ClassVar = [("*", FIGURE, 1)]

    @staticmethod
    def handle_mime(
        renderer: NbElementRenderer, data: MimeData, inline: bool
    ) -> list[nodes.Element] | None:
        """Render a figure, or put a hint where a widget would need a kernel.

        Parameters
        ----------
        renderer : NbElementRenderer
            MyST-NB's own.
        data : MimeData
            One output of a cell in one of its forms.
        inline : bool
            Whether it stands inside a line of text.

        Returns
        -------
        list of docutils.nodes.Element, or None
            None leaves the output to MyST-NB.

        Raises
        ------
        ValueError
            If it is a figure that lacks a part, see `figure_node`.
        """
        if data.mime_type == WIDGET:
            return [_hint(LIVE_HINT)]  # a picture of a slider that does nothing helps nobody
        if data.mime_type != FIGURE or inline:
            return None
        content: Any = data.content
        return [figure_node(renderer, content, data)]


def figure_node(
    renderer: NbElementRenderer, content: dict[str, Any], data: MimeData
) -> nodes.figure:
    """Build the numbered figure for one mime bundle and write its drawings.

    Parameters
    ----------
    renderer : NbElementRenderer
        MyST-NB's own, which writes the files.
    content : dict
        ``name``, ``caption``, ``alt`` and ``svgs`` (one for each of `SUFFIXES`); perhaps ``live``,
        ``hint`` and ``alive``.
    data : MimeData
        The output that `content` comes from.

    Returns
    -------
    docutils.nodes.figure
        With the label ``fig-<name>``.

    Raises
    ------
    ValueError
        If a part is missing, the name is no name of a label, or a drawing states no size.
    """
    name = _checked(content)
    figure = nodes.figure(classes=["dp-figure"], names=[f"fig-{name}"])
    drawings = plates(alive=content.get("alive"))
    for variant, suffix in SUFFIXES.items():
        svg = content["svgs"][variant]
        width, height = svg_size(svg)
        uri = renderer.write_file(
            ["figures", name + suffix], svg.encode("utf-8"), overwrite=True, exists_ok=True
        )
        image = nodes.image(uri=uri, alt=content["alt"], variant=variant)
        image["plate_size"] = (width, height)
        drawings += image
    figure += drawings
    caption = nodes.caption()
    caption += _inline_markdown(renderer, content["caption"], data)
    figure += caption
    if content.get("live"):
        legend = nodes.legend()
        legend += _hint(content.get("hint") or LIVE_HINT)
        figure += legend
    renderer.renderer.document.note_explicit_target(figure, figure)
    return figure


def svg_size(svg: str) -> tuple[float, float]:
    """Width and height of an SVG in CSS pixels (1 pt is taken as 1 px, as the figures are drawn).

    Parameters
    ----------
    svg : str
        The drawing's whole source.

    Returns
    -------
    width, height : float

    Raises
    ------
    ValueError
        When the root element states no size.
    """
    root = re.search(r"<svg\b[^>]*>", svg)
    size = [
        float(match[1])
        for key in ("width", "height")
        if root and (match := re.search(rf'\s{key}="([0-9.]+)(?:pt|px)?"', root[0]))
    ]
    if len(size) != 2:
        raise ValueError("svg: got a root element without width and height in pt or px")
    return size[0], size[1]


def _checked(content: dict[str, Any]) -> str:
    """Say at once what a malformed bundle lacks; return the figure's name."""
    missing = [key for key in ("name", "caption", "alt", "svgs") if not content.get(key)]
    missing += [v for v in SUFFIXES if v not in content.get("svgs", {})]
    if missing:
        raise ValueError(f"figure bundle: lacks {', '.join(missing)}")
    name = content["name"]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"figure bundle: name is {name!r}, takes lower-case letters, digits and single hyphens"
        )
    return name


def _inline_markdown(renderer: NbElementRenderer, text: str, data: MimeData) -> list[nodes.Element]:
    if text.startswith(_OPENING):
        text = f"**{_OPENING}**{text[len(_OPENING) :]}"
    holder = nodes.Element()
    with renderer.renderer.current_node_context(holder):
        renderer.renderer.nested_render_text(text, data.line or 0, inline=True)
    return list(holder.children)


def _hint(text: str) -> nodes.paragraph:
    return nodes.paragraph(text, text, classes=["dp-live-hint"])


class KeepOneDrawing(SphinxPostTransform):
    """Leave the wide light drawing alone where no style sheet could choose."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        """Drop the other three for every builder but the page-by-page HTML ones.

        Parameters
        ----------
        **kwargs : object
            Not used; Sphinx gives none.
        """
        if self.app.builder.name in {"html", "dirhtml"}:
            return
        for image in list(self.document.findall(nodes.image)):
            if image.get("variant", "light-wide") != "light-wide":
                image.parent.remove(image)


def _visit_html(self: HTML5Translator, node: plates) -> None:
    self.body.append('<div class="dp-plates">\n')
    for image in node.findall(nodes.image):
        uri = self.builder.images[image["uri"]]
        width, height = image["plate_size"]
        attributes = {
            "class": f"dp-plate dp-{image['variant']}",
            "src": posixpath.join(self.builder.imgpath, quote(uri)),
            "alt": image["alt"],
            "width": f"{width:g}",
            "height": f"{height:g}",
            "loading": "lazy",
            "decoding": "async",
        }
        text = " ".join(f'{key}="{self.attval(value)}"' for key, value in attributes.items())
        self.body.append(f"<img {text}>\n")
    if self.builder.name in {"html", "dirhtml"}:
        self.body.append(place(node.get("alive")))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def _pass(self: Any, node: plates) -> None:
    """Other writers take the image inside as it is."""


def _share_handlers(app: Sphinx) -> None:
    """Let the one-page builder write every node that the page builder can.

    Sphinx looks for a node's HTML form under the builder's own name first and, when any extension
    has registered one there, no longer under ``html``.
    """
    handlers = app.registry.translation_handlers
    handlers["singlehtml"] = handlers.get("html", {}) | handlers.get("singlehtml", {})


def setup(app: Sphinx) -> None:
    """Register the node and the transform; the renderer itself comes by entry point.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    other = (_pass, _pass)
    app.connect("builder-inited", _share_handlers)
    app.add_node(plates, html=(_visit_html, None), latex=other, text=other, man=other)
    app.add_post_transform(KeepOneDrawing)
