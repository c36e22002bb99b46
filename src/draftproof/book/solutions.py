"""Hidden solutions as ``<details>``.

sphinx-exercise marks a hidden solution with the class ``dropdown`` and leaves the hiding to a
script. A ``<details>`` element hides it without one, opens from the keyboard and is named for
screen readers.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator
from sphinx_exercise.nodes import solution_node


class details(nodes.General, nodes.Element):  # noqa: N801  (docutils names nodes so)
    """A disclosure: its first child is the summary."""


class summary(nodes.General, nodes.TextElement):  # noqa: N801
    """The line that opens a disclosure."""


class HideSolutions(SphinxPostTransform):
    """Replace every solution that has the class ``dropdown``."""

    default_priority = 250  # after sphinx-exercise has resolved the titles
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Rewrite the solutions of one page.

        Parameters
        ----------
        **kwargs : object
            Not used; Sphinx gives none.
        """
        for node in list(self.document.findall(solution_node)):
            if "dropdown" in node["classes"]:
                node.replace_self(_disclosure(node))


def _disclosure(node: solution_node) -> details:
    box = details(ids=node["ids"], names=node["names"])
    box["classes"] = ["dp-solution", "solution"]
    title = next((c for c in node.children if isinstance(c, nodes.title)), None)
    line = summary()
    line += list(title.children) if title is not None else [nodes.Text("Solution")]
    for link in list(line.findall(nodes.reference)):
        link.replace_self(link.children)  # a link inside a summary could not be reached
    box += line
    box += [child for child in node.children if child is not title]
    return box


def _visit_details(self: HTML5Translator, node: details) -> None:
    # On paper nothing opens.
    self.body.append(self.starttag(node, "div" if _on_paper(self) else "details"))


def _depart_details(self: HTML5Translator, node: details) -> None:
    self.body.append("</div>\n" if _on_paper(self) else "</details>\n")


def _visit_summary(self: HTML5Translator, node: summary) -> None:
    self.body.append('<p class="dp-solution-title">' if _on_paper(self) else "<summary>")


def _depart_summary(self: HTML5Translator, node: summary) -> None:
    self.body.append("</p>\n" if _on_paper(self) else "</summary>\n")


def _on_paper(translator: HTML5Translator) -> bool:
    return bool(translator.builder.name == "singlehtml")


def setup(app: Sphinx) -> None:
    """Register the nodes and the transform.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    app.add_node(details, html=(_visit_details, _depart_details))
    app.add_node(summary, html=(_visit_summary, _depart_summary))
    app.add_post_transform(HideSolutions)
