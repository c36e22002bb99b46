"""Ways to open a chapter as a notebook: under its title, and on a page that lists them all.

The built folder holds what is downloaded: one zip file of all notebooks with the package beside
them, and the notebooks alone. Colab and Binder open the committed ones, from the repository that
`address` knows. Where it knows none, their buttons lead to a section of the list's page, and
``static/hosted.js`` makes links of them once a reader says where a copy of the book is. They are
links: a page asks no other host for anything.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.config import Config

from draftproof.book import address, bundle, notebooks

__all__ = ["ChapterList", "CopyForm", "links"]

ZIP = f"{notebooks.FOLDER}/{bundle.FOLDER}.zip"
YOURS = "chapters/a-open.html#your-copy"
"""The section that a button leads to while nobody knows a repository."""
SCRIPT = "hosted.js"
_HOSTED = {"Colab": "colab", "Binder": "binder"}
_FORM = """\
<form class="dp-copy" novalidate hidden>
<p class="dp-field"><label for="dp-copy-address">Where is your copy?</label>
<input id="dp-copy-address" name="address" type="url" placeholder="https://github.com/OWNER/NAME"
 autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="dp-copy-error"></p>
<p class="dp-field dp-short"><label for="dp-copy-branch">Branch</label>
<input id="dp-copy-branch" name="branch" type="text" autocomplete="off" autocapitalize="none"
 spellcheck="false" aria-describedby="dp-copy-error"></p>
<p class="dp-acts"><button type="submit">Point the buttons there</button>
<button type="button" name="forget" hidden>Forget it</button></p>
<div><p id="dp-copy-error" role="alert"></p>
<p class="dp-copy-state" role="status"></p></div>
</form>
"""
_KNOWN = """\
<p>In this copy of the book they lead to <a href="{url}">{name}</a>, branch {branch}. The first cell
of a notebook on Colab installs from there once it says
<code>repository = &quot;{url}@{branch}&quot;</code>.</p>
"""


class opening(nodes.General, nodes.Element):  # noqa: N801  (docutils names nodes so)
    """Stands where the list of all chapters will be, or the form that asks for a copy."""


class ChapterList(Directive):
    """``{open-chapters}``: every chapter with its links."""

    part = "list"

    def run(self) -> list[nodes.Node]:
        """Leave a place; the titles are known when all pages are read.

        Returns
        -------
        list of Node
            The place, alone.
        """
        return [opening(part=self.part)]


class CopyForm(ChapterList):
    """``{open-copy}``: where the buttons lead, or a form that asks for it."""

    part = "copy"


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
        The downloads, then Colab and Binder. These two lead to the section `YOURS` where the
        address is none of GitHub.
    """
    path, name = _path(page), address.github(source)
    found = [("Download (.zip)", up + ZIP), ("Notebook (.ipynb)", up + path)]
    for words, host in _HOSTED.items():
        there = address.hosted(host, name, source[1], path) if source and name else up + YOURS
        found.append((words, there))
    return found


def setup(app: Sphinx) -> None:
    """Register the directives and connect the links, the script and the files.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    app.add_node(opening)
    app.add_directive("open-chapters", ChapterList)
    app.add_directive("open-copy", CopyForm)
    # A value of the configuration: Sphinx writes all pages again when it is another than before.
    app.add_config_value("draftproof_source", (), "html")
    app.connect("config-inited", _find)
    app.connect("doctree-resolved", _link)
    app.connect("html-page-context", _load)
    app.connect("build-finished", _write, priority=150)


def _is_book(app: Sphinx) -> bool:
    """Tell the book from a page that a test builds: a book has a table of contents."""
    return (Path(app.srcdir) / "_toc.yml").is_file()


def _find(app: Sphinx, config: Config) -> None:
    config.draftproof_source = (address.known(Path(app.srcdir)) or ()) if _is_book(app) else ()


def _source(app: Sphinx) -> tuple[str, str] | None:
    return tuple(app.config.draftproof_source) or None


def _path(page: str) -> str:
    return f"{notebooks.FOLDER}/{page}.ipynb"


def _link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    html = app.builder.name == "html"
    listed = notebooks.pages(Path(app.srcdir)) if _is_book(app) else {}
    for place in list(doctree.findall(opening)):
        made = _listing(app, listed) if place["part"] == "list" else _copy(_source(app))
        place.replace_self([made] if html else [])
    page = Path(docname).name
    title = next(doctree.findall(nodes.title), None)
    if page in listed and title is not None and html:
        title.parent.insert(title.parent.index(title) + 1, _line(page, app, docname))


def _line(page: str, app: Sphinx, docname: str) -> nodes.raw:
    everything = app.builder.get_relative_uri(docname, "chapters/a-open")
    return _raw(
        f'<p class="dp-open"><span>Run this chapter</span> {_buttons(page, _source(app))} '
        f'<a class="dp-how" href="{escape(everything)}">How to</a></p>\n'
    )


def _listing(app: Sphinx, listed: dict[str, str]) -> nodes.raw:
    rows = []
    for page, number in listed.items():
        title = app.env.titles[f"chapters/{page}"].astext()
        head = f"{number}. {title}" if number else title
        name = f'<a href="{page}.html">{escape(head)}</a>'
        buttons = _buttons(page, _source(app))
        rows.append(f'<li>{name} <span class="dp-open">{buttons}</span></li>')
    return _raw(f'<ul class="dp-open-list">\n{chr(10).join(rows)}\n</ul>\n')


def _copy(source: tuple[str, str] | None) -> nodes.raw:
    name = address.github(source)
    if not source or not name:
        return _raw(_FORM)
    url, branch = f"https://github.com/{name}", escape(source[1])
    return _raw(_KNOWN.format(url=url, name=name, branch=branch))


def _buttons(page: str, source: tuple[str, str] | None) -> str:
    return " ".join(_anchor(*link, page) for link in links(page, source))


def _anchor(words: str, there: str, page: str) -> str:
    what = "all notebooks and the package" if there.endswith(ZIP) else f"{page}.ipynb"
    extra = ""
    if words not in _HOSTED:
        extra = " download"
    elif there.endswith(YOURS):
        extra = f' class="dp-unset" data-host="{_HOSTED[words]}" data-path="{_path(page)}"'
    return f'<a href="{escape(there)}"{extra} aria-label="{words}: {what}">{words}</a>'


def _raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _load(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Ask for the script on the pages whose buttons need it."""
    if "data-host=" in context.get("body", ""):
        branch: dict[str, Any] = {"data-branch": address.branch(Path(app.srcdir))}
        app.add_js_file(SCRIPT, loading_method="defer", priority=905, **branch)


def _write(app: Sphinx, exception: Exception | None) -> None:
    """Put the notebooks of this very build into the built folder, and the zip file of all.

    They know the repository that the pages know; the committed ones know the stated one only, so
    that they are the same in every clone.
    """
    if exception is not None or app.builder.name != "html" or not _is_book(app):
        return
    folder = Path(app.outdir) / notebooks.FOLDER
    folder.mkdir(exist_ok=True)
    executed = Path(app.outdir).parent / "jupyter_execute"
    made = notebooks.notebooks(Path(app.srcdir), executed, _source(app))
    texts = {page: notebooks.text_of(content) for page, content in made.items()}
    for page, text in texts.items():
        (folder / f"{page}.ipynb").write_text(text, encoding="utf-8", newline="\n")
    (Path(app.outdir) / ZIP).write_bytes(bundle.bundle(Path(app.srcdir), texts))
