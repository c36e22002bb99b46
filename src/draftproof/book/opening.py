"""Ways to open a chapter as a notebook: under its title, and on a page that lists them all.

The built folder holds what is downloaded: one zip file of all notebooks with the package beside
them, and the notebooks alone. Colab and Binder open the committed ones, if ``_config.yml`` says
where the repository is; without an address the list says how to give one. They are links: a page
asks no other host for anything.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from draftproof.book import bundle, notebooks

__all__ = ["ChapterList", "links"]

_GITHUB = re.compile(r"https://github\.com/(?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?")
COLAB = "https://colab.research.google.com/github/{name}/blob/{branch}/{path}"
ZIP = f"{notebooks.FOLDER}/{bundle.FOLDER}.zip"
NO_ADDRESS = (
    "<p>Colab and Binder open notebooks from a repository on GitHub, and this copy of the book "
    "names none: write the address of yours in the line <code>url:</code> of "
    "<code>_config.yml</code>, run <code>make notebooks</code> and commit the folder "
    "<code>notebooks</code>.</p>\n"
)
BINDER = "https://mybinder.org/v2/gh/{name}/{branch}?urlpath=lab/tree/{path}"


class opening(nodes.General, nodes.Element):  # noqa: N801  (docutils names nodes so)
    """Stands where the list of all chapters will be."""


class ChapterList(Directive):
    """``{open-chapters}``: every chapter with its links."""

    def run(self) -> list[nodes.Node]:
        """Leave a place; the titles are known when all pages are read.

        Returns
        -------
        list of Node
            The place, alone.
        """
        return [opening()]


def links(page: str, source: tuple[str, str] | None, up: str = "../") -> list[tuple[str, str]]:
    """Return the ways to open a page's notebook: words and addresses.

    Parameters
    ----------
    page : str
        The page's name, ``01-envelopes`` say.
    source : tuple of str, optional
        Address and branch of the repository.
    up : str
        From the page that shows the links to the top of the site.

    Returns
    -------
    list of (str, str)
        The downloads first; Colab and Binder follow where the address is one of GitHub.
    """
    path = f"{notebooks.FOLDER}/{page}.ipynb"
    found = [("Download (.zip)", up + ZIP), ("Notebook (.ipynb)", up + path)]
    repository = _GITHUB.fullmatch(source[0]) if source else None
    if source and repository:
        for words, form in (("Colab", COLAB), ("Binder", BINDER)):
            address = form.format(name=repository["name"], branch=source[1], path=path)
            found.append((words, address))
    return found


def setup(app: Sphinx) -> None:
    """Register the directive and connect the links and the files.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    app.add_node(opening)
    app.add_directive("open-chapters", ChapterList)
    app.connect("doctree-resolved", _link)
    app.connect("build-finished", _write, priority=150)


def _is_book(app: Sphinx) -> bool:
    """Tell the book from a page that a test builds: a book has a table of contents."""
    return (Path(app.srcdir) / "_toc.yml").is_file()


def _link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    places = list(doctree.findall(opening))
    listed = notebooks.pages(Path(app.srcdir)) if _is_book(app) else {}
    for place in places:
        place.replace_self(_listing(app, listed) if app.builder.name == "html" else [])
    page = Path(docname).name
    title = next(doctree.findall(nodes.title), None)
    if page in listed and title is not None and app.builder.name == "html":
        source = notebooks.repository(Path(app.srcdir))
        title.parent.insert(title.parent.index(title) + 1, _line(page, source, app, docname))


def _line(page: str, source: tuple[str, str] | None, app: Sphinx, docname: str) -> nodes.raw:
    shown = "".join(_anchor(*link, page) for link in links(page, source))
    everything = app.builder.get_relative_uri(docname, "chapters/a-open")
    return _raw(
        f'<p class="dp-open">Run this chapter: {shown}'
        f'<a href="{escape(everything)}">How to</a></p>\n'
    )


def _listing(app: Sphinx, listed: dict[str, str]) -> nodes.raw:
    source = notebooks.repository(Path(app.srcdir))
    rows = []
    for page, number in listed.items():
        title = app.env.titles[f"chapters/{page}"].astext()
        head = f"{number}. {title}" if number else title
        shown = "".join(_anchor(*link, page) for link in links(page, source))
        name = f'<a href="{page}.html">{escape(head)}</a>'
        rows.append(f'<li>{name} <span class="dp-open">{shown}</span></li>')
    hosted = any(words == "Colab" for page in listed for words, _ in links(page, source))
    note = "" if hosted else NO_ADDRESS
    return _raw(f'<ul class="dp-open-list">\n{chr(10).join(rows)}\n</ul>\n{note}')


def _anchor(words: str, address: str, page: str) -> str:
    local = not address.startswith("https:")
    what = "all notebooks and the package" if address.endswith(ZIP) else f"{page}.ipynb"
    return (
        f'<a href="{escape(address)}"{" download" if local else ""} '
        f'aria-label="{words}: {what}">{words}</a> '
    )


def _raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _write(app: Sphinx, exception: Exception | None) -> None:
    """Put the notebooks of this very build into the built folder, and the zip file of all."""
    if exception is not None or app.builder.name != "html" or not _is_book(app):
        return
    folder = Path(app.outdir) / notebooks.FOLDER
    folder.mkdir(exist_ok=True)
    made: dict[str, Any] = notebooks.notebooks(
        Path(app.srcdir), Path(app.outdir).parent / "jupyter_execute"
    )
    texts = {page: notebooks.text_of(content) for page, content in made.items()}
    for page, text in texts.items():
        (folder / f"{page}.ipynb").write_text(text, encoding="utf-8", newline="\n")
    (Path(app.outdir) / ZIP).write_bytes(bundle.bundle(Path(app.srcdir), texts))
