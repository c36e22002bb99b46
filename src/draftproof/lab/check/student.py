"""The chapters without their solutions, as MyST text and as notebooks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

__all__ = ["export", "notebook", "student_version"]

_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|:{3,}|~{3,})\s*(?P<rest>.*)$")
_SOLUTION = re.compile(r"^\{solution(?P<part>-start|-end)?\}\s*(?P<label>.*)$")
_TAGS = re.compile(r"^:tags:\s*\[(?P<list>[^\]]*)\]")


def student_version(text: str) -> str:
    """Return a chapter without its solutions; an empty cell stands where each of them was.

    Left out are ``{solution}`` directives, everything from ``{solution-start}`` to
    ``{solution-end}``, and code cells with the tag ``solution``.

    Parameters
    ----------
    text : str
        A MyST notebook.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If a solution or a fence is opened and never closed.
    """
    lines, out, i = text.split("\n"), [], 0
    while i < len(lines):
        found = _opening(lines[i])
        if found is None:
            out.append(lines[i])
            i += 1
            continue
        end = _close(lines, i)
        words = _SOLUTION.match(found)
        if words is None or words["part"] == "-end":
            block = lines[i : end + 1]
            drop = found.startswith("{code-cell}") and "solution" in _tags(block)
            out += _answer("") if drop else _inside(block)
        else:
            if words["part"] == "-start":
                end = _close(lines, _end_of(lines, end + 1, i))
            out += _answer(words["label"].strip())
        i = end + 1
    return "\n".join(out)


def _opening(line: str) -> str | None:
    """Return what a fence opens (its directive or language), or None."""
    found = _FENCE.match(line)
    return None if found is None else found["rest"]


def _close(lines: list[str], start: int) -> int:
    """Return the line that closes the fence opened at `start`."""
    opened = _FENCE.match(lines[start])
    assert opened is not None
    mark, count = opened["fence"][0], len(opened["fence"])
    for i in range(start + 1, len(lines)):
        bare = lines[i].strip()
        if len(bare) >= count and set(bare) == {mark}:
            return i
    raise ValueError(f"line {start + 1} opens a fence that is never closed: {lines[start].strip()}")


def _end_of(lines: list[str], start: int, opened: int) -> int:
    for i in range(start, len(lines)):
        words = _SOLUTION.match(_opening(lines[i]) or "")
        if words and words["part"] == "-end":
            return i
    raise ValueError(
        f"line {opened + 1} starts a solution that never ends: {lines[opened].strip()}"
    )


def _inside(block: list[str]) -> list[str]:
    """Look for solutions inside a longer directive, an admonition say; leave code alone."""
    words = (_opening(block[0]) or "").strip()
    if len(block) < 3 or not words.startswith("{") or words.startswith("{code"):
        return block
    return [block[0], *student_version("\n".join(block[1:-1])).split("\n"), block[-1]]


def _tags(block: list[str]) -> list[str]:
    for line in block[1:]:
        found = _TAGS.match(line.strip())
        if found:
            return [tag.strip().strip("\"'") for tag in found["list"].split(",")]
        if not line.startswith((":", "-", "  ")) and line.strip() != "---":
            break
    return []


def _answer(label: str) -> list[str]:
    return ["```{code-cell} python", f"# Your answer{f' to {label}' if label else ''}", "```"]


def notebook(text: str) -> dict[str, Any]:
    """Return a MyST notebook as a Jupyter notebook (format 4.5).

    Code cells become code cells; what lies between them, cut at ``+++``, becomes Markdown.

    Parameters
    ----------
    text : str
        A MyST notebook.

    Returns
    -------
    dict
        Ready for ``json.dump``.
    """
    lines = text.split("\n")
    if lines and lines[0] == "---" and "---" in lines[1:]:
        lines = lines[lines.index("---", 1) + 1 :]
    cells: list[dict[str, Any]] = []
    prose: list[str] = []
    i = 0
    while i < len(lines):
        found = _opening(lines[i])
        if found is not None:
            end = _close(lines, i)
            if found.startswith("{code-cell}"):
                _add(cells, "markdown", prose)
                _add(cells, "code", _code(lines[i + 1 : end]))
                prose = []
            else:
                prose += lines[i : end + 1]
            i = end + 1
        elif lines[i].startswith("+++"):
            _add(cells, "markdown", prose)
            prose, i = [], i + 1
        else:
            prose.append(lines[i])
            i += 1
    _add(cells, "markdown", prose)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def _code(lines: list[str]) -> list[str]:
    """Return a code cell's lines without its options."""
    if lines and lines[0].strip() == "---" and "---" in [line.strip() for line in lines[1:]]:
        return lines[[line.strip() for line in lines].index("---", 1) + 1 :]
    k = 0
    while k < len(lines) and re.match(r"^:[\w-]+:", lines[k]):
        k += 1
    return lines[k:]


def _add(cells: list[dict[str, Any]], kind: str, lines: list[str]) -> None:
    source = "\n".join(lines).strip("\n")
    if not source.strip():
        return
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": f"cell-{len(cells)}",
        "metadata": {},
        "source": source.splitlines(keepends=True),
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    cells.append(cell)


def export(out: Path, chapters: Path = Path("chapters")) -> list[Path]:
    """Write the student version of every chapter, ``.md`` and ``.ipynb``, and return the paths.

    Parameters
    ----------
    out : Path
        A folder; it is made if need be, and must not be the chapters' own.
    chapters : Path
        Where the chapters are.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    ValueError
        If there are no chapters, `out` is their folder, or a chapter's fences do not close.
    """
    sources = sorted(Path(chapters).glob("*.md"))
    if not sources:
        raise ValueError(f"chapters must be a folder with .md files, got {str(chapters)!r}")
    if Path(out).resolve() == Path(chapters).resolve():
        raise ValueError(f"out must not be the chapters' own folder, got {str(out)!r}")
    Path(out).mkdir(parents=True, exist_ok=True)
    written = []
    for source in sources:
        try:
            text = student_version(source.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{source.name}: {error}") from None
        page = Path(out) / source.name
        page.write_text(text, encoding="utf-8")
        written.append(page)
        if "{code-cell}" in text:
            book = page.with_suffix(".ipynb")
            made = json.dumps(notebook(text), indent=1, ensure_ascii=False)
            book.write_text(made + "\n", encoding="utf-8")
            written.append(book)
    return written
