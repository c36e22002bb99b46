"""The chapters as notebooks: ``python -m draftproof.book notebooks [FOLDER]``.

Colab and Binder open ``.ipynb`` files of the repository, so these are committed, in
``notebooks/``. They are made from the chapters and from what the last build of the site computed:
the numbers in the prose and the figures' numbers. One cell installs the package where it is
missing: from the wheel beside the notebook (`bundle` puts it there), from the checkout around it,
or from the repository that it names. The committed notebooks name the one that ``_config.yml``
states, if any, and never the remote of the clone they were made in. Outputs are left to whoever
runs them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from draftproof.book.address import stated as repository
from draftproof.book.install import extras_of, install_cell
from draftproof.book.plain import Names, pieces
from draftproof.book.plates import FIGURE

__all__ = ["FOLDER", "install_cell", "notebooks", "pages", "repository", "text_of", "write"]

FOLDER = "notebooks"
EXECUTED = "_build/jupyter_execute"
_FOLDED = {"remove-cell", "remove-input", "hide-input", "hide-cell"}


def pages(root: Path) -> dict[str, str]:
    """Return the pages that become notebooks, in the book's order, with their numbers.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    dict of str to str
        Page (``01-envelopes``) to chapter number, empty for an appendix.
    """
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    found, number = {}, 0
    for part in toc["parts"]:
        for chapter in part["chapters"]:
            number += bool(part.get("numbered"))
            page = Path(chapter["file"])
            text = (root / f"{page}.md").read_text(encoding="utf-8")
            if "{code-cell}" in text:
                found[page.name] = str(number) if part.get("numbered") else ""
    return found


def notebooks(
    root: Path, executed: Path | None = None, source: tuple[str, str] | None = None
) -> dict[str, dict[str, Any]]:
    """Return every notebook by name.

    Parameters
    ----------
    root : Path
        The checkout.
    executed : Path, optional
        Where the last build left the executed chapters; ``_build/jupyter_execute`` by default.
    source : tuple of str, optional
        Address and branch that they install from; what ``_config.yml`` states by default.

    Returns
    -------
    dict of str to dict
        Page to the content of its file (format 4.5).

    Raises
    ------
    ValueError
        If the chapters were not built since a number was added, or use MyST that has no plain form.
    """
    executed = (root / EXECUTED if executed is None else executed) / "chapters"
    numbers, source = pages(root), source or repository(root)
    labels = _labels(root, numbers, executed)
    citations = _citations(root / "chapters" / "references.bib")
    made = {}
    for page in numbers:
        glued = json.loads(_read(executed / f"{page}.glue.json", "{}"))
        names = Names(
            glue={key: output["data"]["text/plain"] for key, output in glued.items()},
            labels=labels,
            citations=citations,
            notebooks=frozenset(numbers),
            folder=root / "chapters",
        )
        text = (root / "chapters" / f"{page}.md").read_text(encoding="utf-8")
        install = install_cell(source, extras_of(text))
        try:
            cells = list(_cells(page, text, names, install, _shown(executed, page)))
        except ValueError as error:
            raise ValueError(f"{page}.md: {error} (is the site built?)") from None
        made[page] = _notebook(cells)
    return made


def _read(path: Path, otherwise: str = "") -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else otherwise


def _shown(executed: Path, page: str) -> list[list[str]]:
    """Return the names of the figures that each code cell of a page showed."""
    ran = _code_cells(json.loads(_read(executed / f"{page}.ipynb", '{"cells": []}')))
    if not any(cell["outputs"] for cell in ran):
        ran = _cached(executed.parent.parent, ran)
    return [
        [out["data"][FIGURE]["name"] for out in cell["outputs"] if FIGURE in out.get("data", {})]
        for cell in ran
    ]


def _code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _cached(build: Path, cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the same cells with their outputs from the execution cache, if it holds them.

    A page whose words changed and whose code did not is taken from there, and MyST-NB then
    writes the executed notebook without its outputs.
    """
    wanted = ["".join(cell["source"]) for cell in cells]
    for path in sorted(build.glob(".jupyter_cache/*/executed/*/base.ipynb")):
        kept = _code_cells(json.loads(path.read_text(encoding="utf-8")))
        if ["".join(cell["source"]) for cell in kept] == wanted:
            return kept
    return cells


def _labels(root: Path, numbers: dict[str, str], executed: Path) -> dict[str, str]:
    """Return the numbers of figures and exercises, as the site gives them: by chapter, in order."""
    labels = {}
    for page, number in numbers.items():
        text = (root / "chapters" / f"{page}.md").read_text(encoding="utf-8")
        exercises = re.findall(r"^[`:]{3,}\{exercise\}[^\n]*\n(?::[^\n]*\n)*?:label: *(\S+)", text,
                               re.MULTILINE)  # fmt: skip
        figures = [f"fig-{name}" for names in _shown(executed, page) for name in names]
        for word, found in (("Exercise", exercises), ("Figure", figures)):
            for k, label in enumerate(found, 1):
                labels[label] = f"{word} {number}.{k}" if number else f"{word} {k}"
    return labels


def _citations(path: Path) -> dict[str, tuple[str, str]]:
    from pybtex.database import parse_file

    found = {}
    for key, entry in parse_file(str(path)).entries.items():
        people = [
            " ".join([*person.prelast_names, *person.last_names]).strip("{}")
            for person in entry.persons.get("author", [])
        ]
        who = f"{people[0]} et al." if len(people) > 2 else " and ".join(people)
        found[key] = (who, entry.fields.get("year", "undated"))
    return found


def _cells(
    page: str, text: str, names: Names, install: str, shown: list[list[str]]
) -> Iterator[dict[str, Any]]:
    from myst_nb.core.read import read_myst_markdown_notebook

    yield _markdown(
        f"*Made from `chapters/{page}.md` by `make notebooks`: edit that file, not this one. "
        "The first cell installs the book's package where it is missing.*"
    )
    yield _code(install, [])
    answering, figures = "", iter(shown)
    for cell in read_myst_markdown_notebook(text).cells:
        if cell.cell_type == "code":
            yield _code(cell.source, cell.metadata.get("tags", []), hidden=bool(answering))
            for figure in next(figures, []):
                yield _markdown(f"*{names.labels[f'fig-{figure}']}*")
            continue
        for piece in pieces(cell.source, names, answering):
            answering = piece.solution
            if piece.text and answering:
                yield _markdown(
                    f"<details><summary>Solution to {answering}</summary>\n\n{piece.text}\n\n"
                    "</details>"
                )
            elif piece.text:
                yield _markdown(piece.text)


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str, tags: list[str], hidden: bool = False) -> dict[str, Any]:
    metadata: dict[str, Any] = {"tags": tags} if tags else {}
    if hidden or set(tags) & _FOLDED:
        metadata["jupyter"] = {"source_hidden": True}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }


def _notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    for k, cell in enumerate(cells):
        cell["id"] = f"cell-{k}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def write(root: Path, out: Path) -> list[Path]:
    """Write every notebook and remove those of pages that are gone.

    Parameters
    ----------
    root : Path
        The checkout.
    out : Path
        The folder; made if need be.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    ValueError
        As `notebooks`.
    """
    made = notebooks(root)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.ipynb"):
        if old.stem not in made:
            old.unlink()
    written = []
    for page, content in made.items():
        path = out / f"{page}.ipynb"
        path.write_text(text_of(content), encoding="utf-8", newline="\n")
        written.append(path)
    return written


def text_of(content: dict[str, Any]) -> str:
    """Return a notebook as the text of its file.

    Parameters
    ----------
    content : dict
        One of `notebooks`.

    Returns
    -------
    str
        JSON, its keys in order, so that the same notebook is the same file.
    """
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
