"""One source, two forms: the widgets' modules for a live kernel and for the static page.

The files in ``js/`` are plain ES modules that import from one another by relative path. A kernel's
front end takes one module as a text, and a page opened by double click loads no modules at all.
So the files are put together here, by the rules they keep to: an import is
``import { a, b } from "./name.js";``, an export stands before ``function``, ``const`` or
``class`` and names one thing, or is ``export default``, and nothing else is exported or imported.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from draftproof.figures.style import DARK, LIGHT, Theme

__all__ = ["MODULES", "host_script", "module_script", "style_sheet", "whole_module"]

_SHARED = ("kit", "laws")  # in this order: a module follows those it imports from
_FILES = resources.files(__package__).joinpath("js")

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([a-z]+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)
_STRAY = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
_WIDGET = re.compile(r"^export default ", re.MULTILINE)


def _source(name: str) -> str:
    return _FILES.joinpath(name).read_text(encoding="utf-8")


MODULES: tuple[str, ...] = tuple(
    sorted(
        file.name.removesuffix(".js")
        for file in _FILES.iterdir()
        if file.name.endswith(".js") and _WIDGET.search(_source(file.name))
    )
)
"""The widgets, by the names of their files."""


@cache
def _own(name: str) -> tuple[str, ...]:
    """Return what a widget imports and no page has anyway, and the widget itself at the end."""
    found: dict[str, None] = {}
    for _, part in _IMPORT.findall(_source(f"{name}.js")):
        if part not in _SHARED:
            found |= dict.fromkeys(_own(part))
    return (*found, name)


@cache
def _function(name: str) -> str:
    """Return a module as a function from `need` (name to module) to its exports."""
    text = _source(f"{name}.js")
    exports = _EXPORT.findall(text)
    for names, part in _IMPORT.findall(text):
        missing = set(re.findall(r"\w+", names)) - set(_EXPORT.findall(_source(f"{part}.js")))
        if missing:
            raise ValueError(f"{name}.js: {part}.js exports no {', '.join(sorted(missing))}")
    text = _IMPORT.sub(lambda m: f'const {m[1]} = need("{m[2]}");', text)
    text = re.sub(r"^export default ", "const standard = ", text, flags=re.MULTILINE)
    text = re.sub(r"^export (?=(?:async )?(?:function|const|class) )", "", text, flags=re.MULTILINE)
    stray = _STRAY.search(text)
    if stray:
        raise ValueError(f"{name}.js: cannot bundle the line {stray[0]!r}")
    if "const standard = " in text:
        exports = [*exports, "default: standard"]
    return f"function (need) {{\n{text}\nreturn {{ {', '.join(exports)} }};\n}}"


@cache
def whole_module(name: str) -> str:
    """Return one widget and what it imports as one ES module (anywidget's form).

    Parameters
    ----------
    name : str
        One of `MODULES`.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no such widget, or its file keeps not to the rules above.
    """
    _check(name)
    needed = (*_SHARED, *_own(name)[:-1])
    return (
        "const bench = {};\nconst need = (name) => bench[name];\n"
        + "".join(f"bench.{part} = ({_function(part)})(need);\n" for part in needed)
        + f"export default ({_function(name)})(need).default;\n"
    )


@cache
def host_script() -> str:
    """Return the classic script that every page with a widget loads first.

    Returns
    -------
    str
    """
    shared = "".join(
        f'window.draftproofAlive.define("{name}", {_function(name)});\n' for name in _SHARED
    )
    return f'(function () {{\n"use strict";\n{_source("host.js")}\n{shared}}})();\n'


@cache
def module_script(name: str) -> str:
    """Return one widget as a classic script, to be loaded after `host_script`.

    Parameters
    ----------
    name : str
        Name of the figure.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        As `whole_module`.
    """
    _check(name)
    parts = (f'window.draftproofAlive.define("{n}", {_function(n)});\n' for n in _own(name))
    return '"use strict";\n' + "".join(parts)


@cache
def style_sheet() -> str:
    """Return the widgets' style sheet, with the colours of both themes.

    Returns
    -------
    str
    """
    dark = (
        'html[data-theme="dark"] .dp-alive, body[data-jp-theme-light="false"] .dp-alive, '
        "body.vscode-dark .dp-alive, html[theme=dark] .dp-alive"
    )
    return (
        f".dp-alive {{ {_tokens(LIGHT)} }}\n{dark} {{ {_tokens(DARK)} }}\n"
        f"@media print {{ {dark} {{ {_tokens(LIGHT)} }} }}\n{_source('alive.css')}"
    )


def _tokens(theme: Theme) -> str:
    short = {"accepted": "acc", "rejected": "rej", "residual": "res", "bonus": "bon"}
    found = {
        "bg": theme.background,
        "panel": theme.panel,
        "ink": theme.ink,
        "ink2": theme.ink2,
        "axis": theme.axis,
        "hair": theme.hairline,
    }
    for role in ("p", "q", *short):
        name = short.get(role, role)
        colours = theme[role]
        found |= {name: colours.line, f"{name}-text": colours.text, f"{name}-fill": colours.fill}
    return " ".join(f"--dp-{name}: {colour};" for name, colour in found.items())


def _check(name: str) -> None:
    if name not in MODULES:
        raise ValueError(f"name must be one of {', '.join(MODULES)}; got {name!r}")
