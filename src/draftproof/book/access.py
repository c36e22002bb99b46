"""HTML that assistive software accepts where the writers below emit something else."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def setup(app: Sphinx) -> None:
    """Register the replacements.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    app.add_node(nodes.citation, override=True, html=(_visit_citation, _depart_citation))
    app.add_node(nodes.entry, override=True, html=(_visit_entry, _depart_entry))


def _visit_citation(self: HTML5Translator, node: nodes.citation) -> None:
    """Write a list of items: docutils' role ``doc-biblioentry`` is no longer allowed."""
    if not isinstance(node.previous_sibling(), nodes.citation):
        self.body.append('<div role="list" class="citation-list">\n')
    self.body.append(self.starttag(node, "div", classes=["citation"], role="listitem"))


def _depart_citation(self: HTML5Translator, node: nodes.citation) -> None:
    self.body.append("</div>\n")
    if not isinstance(node.next_node(descend=False, siblings=True), nodes.citation):
        self.body.append("</div>\n")


def _visit_entry(self: HTML5Translator, node: nodes.entry) -> None:
    """Write an empty corner of a table's head as a plain cell: it heads nothing."""
    if isinstance(node.parent.parent, nodes.thead) and not node.astext().strip():
        node.parent.column += 1
        self.body.append("<td></td>\n")
        raise nodes.SkipNode
    HTML5Translator.visit_entry(self, node)


def _depart_entry(self: HTML5Translator, node: nodes.entry) -> None:
    HTML5Translator.depart_entry(self, node)
