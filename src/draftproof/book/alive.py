"""The widgets of the static page: their place in a figure, and the scripts a page needs.

A figure whose mime bundle holds ``alive`` gets a place beside its drawings; the host in
``_static/alive/host.js`` mounts the widget there. The scripts are classic ones, written from the
widgets' sources when a build starts, so that a page opened by double click runs them too.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

FOLDER = "alive"


def place(content: dict[str, Any] | None) -> str:
    """Return the HTML that a widget is mounted in, or nothing for a figure that has none.

    Parameters
    ----------
    content : dict or None
        ``{"module": name, "state": {...}}``; perhaps ``caption``, words that stay true when the
        picture has been moved.

    Returns
    -------
    str
        A hidden ``<div>``, which the host shows once the widget runs; empty for no content.
    """
    if not content:
        return ""
    # In one order: the execution cache gives a state back with its keys sorted.
    state = json.dumps(content["state"], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return (
        f'<div class="dpa-place" data-module="{escape(content["module"])}" '
        f'data-caption="{escape(content.get("caption", ""))}" '
        f'data-state="{escape(state)}" hidden></div>\n'
    )


def setup(app: Sphinx) -> None:
    """Write the scripts, and ask for them on the pages that need them.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    app.connect("builder-inited", _write)
    app.connect("html-page-context", _load)


def _write(app: Sphinx) -> None:
    if app.builder.format != "html":
        return
    from draftproof.widgets.alive.bundle import MODULES, host_script, module_script, style_sheet

    folder = Path(app.outdir) / "_static" / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    files = {"host.js": host_script(), "alive.css": style_sheet()}
    files |= {f"{name}.js": module_script(name) for name in MODULES}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _load(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    if doctree is None or app.builder.name not in {"html", "dirhtml"}:
        return
    found = {
        node["alive"]["module"] for node in doctree.findall(nodes.Element) if node.get("alive")
    }
    if not found:
        return
    app.add_css_file(f"{FOLDER}/alive.css", priority=910)
    for name in ("host", *sorted(found)):
        app.add_js_file(f"{FOLDER}/{name}.js", loading_method="defer", priority=910)
