"""A chapter's MyST text as the plain Markdown that every notebook program shows.

Directives become quotes, headings and `<details>`; roles become the words that the built page
shows in their place: numbers, figures, exercises, references.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

__all__ = ["Names", "Piece", "pieces"]

_OPEN = re.compile(r"^(?P<fence>`{3,}|:{3,})\{(?P<name>[\w:-]+)\}\s*(?P<title>.*)$")
_OPTION = re.compile(r"^:[\w-]+:")
_ROLE = re.compile(r"\{(?P<role>[\w:-]+)\}`(?P<text>[^`]+)`")
_EXPLICIT = re.compile(r"^(?P<words>.*?)\s*<(?P<target>[^<>]+)>$", re.DOTALL)
_LABEL = re.compile(r"^\([\w-]+\)=\s*$")
_LOCAL = re.compile(r"\[(?P<words>[^\[\]]+)\]\([A-Za-z][\w-]*\)")  # to a label of the book
_PAGE = re.compile(r"\[(?P<words>[^\[\]]+)\]\((?P<page>[\w-]+)\.md(?:#[\w-]+)?\)")


@dataclass(frozen=True)
class Names:
    """What the roles of a chapter stand for.

    Attributes
    ----------
    glue : mapping of str to str
        What cells handed to the prose, as Python literals.
    labels : mapping of str to str
        Words for figures (``fig-...``) and exercises.
    citations : mapping of str to (str, str)
        Author and year.
    notebooks : frozenset of str
        Pages that have a notebook of the same name; a link to another page keeps its words only.
    folder : Path
        Where the chapter lies, for files it includes.
    """

    glue: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    citations: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    notebooks: frozenset[str] = frozenset()
    folder: Path = Path()


@dataclass(frozen=True)
class Piece:
    """A stretch of Markdown.

    Attributes
    ----------
    text : str
    solution : str
        The exercise that it answers, or empty.
    """

    text: str
    solution: str = ""


def pieces(text: str, names: Names, solution: str = "") -> Iterator[Piece]:
    """Yield a Markdown cell in plain Markdown, cut where a solution starts or ends.

    Parameters
    ----------
    text : str
        The cell's source.
    names : Names
        What its roles stand for.
    solution : str
        The exercise that the cell before it was answering, if it was.

    Yields
    ------
    Piece
        The last one says whether a solution goes on, and may have no text.

    Raises
    ------
    ValueError
        If a role or a directive is not known, or names what is not there.
    """
    lines = text.split("\n")
    kept: list[str] = []
    i = 0
    while i < len(lines):
        found = _OPEN.match(lines[i])
        if found and found["name"] in ("solution-start", "solution-end"):
            yield Piece(_words("\n".join(kept), names), solution)
            kept = []
            starts = found["name"] == "solution-start"
            solution = _label(found["title"], names) if starts else ""
            i = _close(lines, i, found["fence"]) + 1
        elif found:
            end = _close(lines, i, found["fence"])
            kept += _directive(found, lines[i + 1 : end], names)
            i = end + 1
        elif re.match(r"^(`{3,}|~{3,})", lines[i]):  # code: nothing in it is a directive
            end = _close(lines, i, lines[i][:3])
            kept += lines[i : end + 1]
            i = end + 1
        else:
            if not _LABEL.match(lines[i]):
                kept.append(lines[i])
            i += 1
    yield Piece(_words("\n".join(kept), names), solution)


def _close(lines: list[str], start: int, fence: str) -> int:
    for i in range(start + 1, len(lines)):
        bare = lines[i].strip()
        if bare and set(bare) == {fence[0]} and len(bare) >= len(fence):
            return i
    raise ValueError(f"a fence is opened and never closed: {lines[start].strip()}")


def _directive(found: re.Match[str], body: list[str], names: Names) -> list[str]:
    options = {}
    while body and _OPTION.match(body[0]):
        key, _, value = body.pop(0)[1:].partition(":")
        options[key] = value.strip()
    name, title = found["name"], found["title"].strip()
    if name == "literalinclude":
        return _included(names.folder / title, options)
    inside = [line for piece in pieces("\n".join(body), names) for line in piece.text.split("\n")]
    if name == "exercise":
        head = f"{_label(options['label'], names)}" + (f" ({title})" if title else "")
        return [f"**{head}.**", "", *_trimmed(inside)]
    if name in ("tab-set", "tab-item"):
        return [*([f"**{title}**", ""] if title else []), *_trimmed(inside), ""]
    if name in ("admonition", "note", "warning", "tip", "important"):
        lines = [f"**{title or name.capitalize()}**", "", *_trimmed(inside)]
        return [f"> {line}".rstrip() for line in lines]
    raise ValueError(f"no plain form for the directive {name!r}")


def _trimmed(lines: list[str]) -> list[str]:
    return "\n".join(lines).strip("\n").split("\n")


def _included(path: Path, options: dict[str, str]) -> list[str]:
    """Return a Python file, or one function of it, as a block of code."""
    text = path.read_text(encoding="utf-8")
    if "pyobject" in options:
        start = re.search(rf"^def {options['pyobject']}\(", text, re.MULTILINE)
        if start is None:
            raise ValueError(f"{path.name} has no function {options['pyobject']}")
        rest = text[start.start() :]
        end = re.search(r"^(?=[^\s)])", rest[1:].partition("\n")[2], re.MULTILINE)
        head = rest.index("\n") + 1
        text = rest if end is None else rest[: head + end.start()]
    return [f"```{options.get('language', '')}", *dedent(text).rstrip().split("\n"), "```"]


def _label(label: str, names: Names) -> str:
    label = label.strip()
    if label not in names.labels:
        raise ValueError(f"the chapter names {label!r}, which is not there")
    return names.labels[label]


def _words(text: str, names: Names) -> str:
    """Replace roles and links between pages, outside of code."""
    parts = re.split(r"(^(?:```|~~~)[\s\S]*?^(?:```|~~~)\s*$)", text, flags=re.MULTILINE)
    parts[::2] = [_inline(part, names) for part in parts[::2]]
    return "".join(parts).strip("\n")


def _inline(text: str, names: Names) -> str:
    def role(found: re.Match[str]) -> str:
        if found["role"] not in _ROLES:
            raise ValueError(f"no plain form for the role {found['role']!r}")
        return _ROLES[found["role"]](found["text"], names)

    def page(found: re.Match[str]) -> str:
        return _page(f"{found['words']} <{found['page']}>", names)

    return _LOCAL.sub(r"\g<words>", _PAGE.sub(page, _ROLE.sub(role, text)))


def _glued(text: str, names: Names) -> str:
    key, _, form = text.partition(":")
    if key not in names.glue:
        raise ValueError(f"no cell glues {key!r}")
    value = literal_eval(names.glue[key])
    return format(value, form) if form else str(value)


def _reference(text: str, names: Names) -> str:
    found = _EXPLICIT.match(text)
    return found["words"] if found else _label(text, names)


def _page(text: str, names: Names) -> str:
    found = _EXPLICIT.match(text)
    words, page = (found["words"], found["target"]) if found else (text, text)
    return f"[{words}]({page}.ipynb)" if page in names.notebooks else words


def _cited(form: str) -> Callable[[str, Names], str]:
    def role(text: str, names: Names) -> str:
        found = []
        for key in (key.strip() for key in text.split(",")):
            if key not in names.citations:
                raise ValueError(f"no reference has the key {key!r}")
            found.append(form.format(*names.citations[key]))
        return ", ".join(found) if form != "{}, {}" else f"({'; '.join(found)})"

    return role


_ROLES: dict[str, Callable[[str, Names], str]] = {
    "glue:text": _glued,
    "numref": _reference,
    "ref": _reference,
    "doc": _page,
    "math": lambda text, names: f"${text}$",
    "cite": _cited("{}, {}"),
    "cite:p": _cited("{}, {}"),
    "cite:t": _cited("{} ({})"),
}
