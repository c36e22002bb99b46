"""The book on paper: one page of HTML, made for a printer.

The one-page builder hangs every chapter below the front page. On paper a chapter is a chapter: it
starts a page and a level of its own, and its solutions stand together behind it, where no eye
falls on them by chance. The widgets' stills and the wide light drawings are what is printed
(`draftproof.book.plates`); controls and folded plumbing are not.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from draftproof.book.solutions import details

BUILDER = "singlehtml"
PAGE = "book.html"
"""The finished page, at the top of the built folder: there its links to styles lead somewhere."""


def setup(app: Sphinx) -> None:
    """Register the transform and the parts that only paper has.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    app.add_post_transform(ChaptersOnPaper)
    app.connect("builder-inited", _style)
    app.connect("build-finished", _place, priority=200)


class ChaptersOnPaper(SphinxPostTransform):
    """Lift the chapters to the first level, list them, and gather their solutions."""

    default_priority = 260  # after draftproof.book.solutions has made disclosures of solutions
    builders = (BUILDER,)

    def run(self, **kwargs: Any) -> None:
        """Rearrange the one document that holds the whole book.

        Parameters
        ----------
        **kwargs : object
            Not used; Sphinx gives none.
        """
        chapters = list(self.document.findall(addnodes.start_of_file))
        for chapter in chapters:
            chapter.parent.remove(chapter)
            self.document += chapter
        for section in map(_opening, chapters):
            if section is not None:
                _gather_solutions(section)
        front = next(self.document.findall(nodes.section), None)
        if front is not None and chapters:
            front += self._contents(chapters)

    def _contents(self, chapters: list[addnodes.start_of_file]) -> nodes.section:
        """List the chapters, each with a link; Chromium cannot print the pages they start on."""
        items = nodes.bullet_list(classes=["dp-contents"])
        for chapter in chapters:
            section, page = _opening(chapter), chapter["docname"]
            if section is None:
                continue
            number = self.env.toc_secnumbers.get(page, {}).get("") or ()
            words = "".join(f"{n}. " for n in number) + section[0].astext()
            link = nodes.reference("", words, internal=True, refuri=f"#document-{page}")
            items += nodes.list_item("", nodes.paragraph("", "", link))
        return nodes.section("", nodes.title("", "Contents"), items, ids=["contents"])


def _opening(chapter: nodes.Element) -> nodes.section | None:
    return next(chapter.findall(nodes.section), None)


def _gather_solutions(section: nodes.section) -> None:
    found = list(section.findall(details))
    if not found:
        return
    # A section of docutils' own would borrow the chapter's number for its title.
    place = nodes.container("", nodes.raw("", "<h2>Solutions</h2>\n", format="html"))
    place["classes"] = ["dp-answers"]
    for solution in found:
        solution.parent.remove(solution)
        place += solution
    section += place


def _style(app: Sphinx) -> None:
    if app.builder.name == BUILDER:
        app.add_css_file("paper.css", priority=920)


def _place(app: Sphinx, exception: Exception | None) -> None:
    """Put the page where the links that the builder wrote into it are right."""
    if exception is None and app.builder.name == BUILDER:
        written = Path(app.outdir) / f"{app.config.root_doc}.html"
        shutil.copyfile(written, Path(app.outdir) / PAGE)
