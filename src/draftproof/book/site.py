"""What the built folder holds besides pages, and what pages should not hold.

Everything is served from the folder itself: mathematics (MathJax's files come with a pinned PyPI
package), fonts and styles. Two builds of the same sources are equal byte for byte.
"""

from __future__ import annotations

import shutil
from html import escape
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

HERE = Path(__file__).parent
MATHJAX_PACKAGE = "sphinx-mathjax-offline"
MATHJAX_SCRIPT = "tex-chtml.js"
MATHJAX_FONTS = "output/chtml/fonts/woff-v2"
MATHJAX_OPTIONS = {
    # No context menu: its entries fetch parts that are not in the folder. The hidden MathML that
    # screen readers use stays.
    "options": {"enableMenu": False, "enableAssistiveMml": True},
    "chtml": {"scale": 1, "mtextInheritFont": True},
    "tex": {"inlineMath": [["\\(", "\\)"]], "displayMath": [["\\[", "\\]"]]},
}


def setup(app: Sphinx) -> None:
    """Connect the site's own parts.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    app.connect("config-inited", _configure, priority=700)
    app.connect("doctree-read", _drop_widget_state)
    app.connect("build-finished", _complete, priority=100)


def mathjax_folder() -> Path:
    """Folder of the installed package that holds MathJax 3's files.

    Returns
    -------
    Path

    Raises
    ------
    FileNotFoundError
        When the package is installed but holds no ``tex-chtml.js``.
    importlib.metadata.PackageNotFoundError
        When it is not installed.
    """
    files = distribution(MATHJAX_PACKAGE).files or []
    for file in files:
        if file.name == MATHJAX_SCRIPT:
            return Path(str(file.locate())).parent
    raise FileNotFoundError(f"{MATHJAX_PACKAGE}: holds no {MATHJAX_SCRIPT}")


def _configure(app: Sphinx, config: Any) -> None:
    config.html_static_path = [*config.html_static_path, str(HERE / "static")]
    config.templates_path = [*config.templates_path, str(HERE / "templates")]
    config.mathjax_path = f"mathjax/{MATHJAX_SCRIPT}"
    config.mathjax3_config = MATHJAX_OPTIONS
    app.add_css_file("draftproof.css", priority=900)
    app.add_js_file("draftproof.js", loading_method="defer", priority=900)


def _drop_widget_state(app: Sphinx, doctree: nodes.document) -> None:
    """Take the widgets' state out of the page: random ids, and no kernel to use it."""
    metadata = getattr(app.env, "nb_metadata", {}).get(app.env.docname, {})
    scripts = metadata.get("js_files", {})
    for key in [k for k in scripts if k.startswith("ipywidgets")]:
        del scripts[key]


def _complete(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    _copy_mathjax(out / "_static" / "mathjax")
    (out / ".nojekyll").touch()  # a host that runs Jekyll would drop every folder named _...
    if app.builder.name == "html":
        if app.config.root_doc != "index":
            _write_index(app, out / "index.html")
        _drop_unused_images(app, out / "_images")


def _copy_mathjax(target: Path) -> None:
    source = mathjax_folder()
    for name in (MATHJAX_SCRIPT, MATHJAX_FONTS):
        goal = target / name
        if goal.exists():
            continue
        goal.parent.mkdir(parents=True, exist_ok=True)
        if (source / name).is_dir():
            shutil.copytree(source / name, goal)
        else:
            shutil.copyfile(source / name, goal)


def _write_index(app: Sphinx, path: Path) -> None:
    """Write a front door that says where it leads, should the browser not forward."""
    title, page = escape(app.config.html_title), f"{app.config.root_doc}.html"
    path.write_text(
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n"
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="refresh" content="0; url={page}">\n</head>\n'
        f'<body><main><h1>{title}</h1><p><a href="{page}">Read the book</a></p></main></body>\n'
        f"</html>\n",
        encoding="utf-8",
        newline="\n",
    )


def _drop_unused_images(app: Sphinx, folder: Path) -> None:
    """Remove the files of pictures that an edited page no longer shows."""
    used = {names for _, names in app.env.images.values()}
    for path in folder.glob("*"):
        if path.name not in used:
            path.unlink()
