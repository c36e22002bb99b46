"""Every figure of the book, by name.

Each module ``chapter*`` of this package ends with ``recipes()``, which lists its figures with
the results the book shows them with; a new chapter needs no change here.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from .recipe import Entry

__all__ = ["CATALOG", "files_of"]


def _modules() -> Iterator[str]:
    package = importlib.import_module(__package__ or "draftproof.figures")
    for module in pkgutil.iter_modules(package.__path__):
        if module.name.startswith("chapter"):
            yield f"{package.__name__}.{module.name}"


def _collect() -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for name in sorted(_modules()):
        module = importlib.import_module(name)
        for entry in getattr(module, "recipes", list)():
            if entry.name in found:
                raise ValueError(f"two figures are called {entry.name!r}; the second is in {name}")
            found[entry.name] = entry
    return found


CATALOG: dict[str, Entry] = _collect()
"""Figure name -> entry; results are computed when a figure is drawn, not on import."""


def files_of(name: str) -> tuple[str, dict[str, str]]:
    """Return a figure's name and its files; another process can be sent here.

    Parameters
    ----------
    name : str
        Name of the figure.

    Returns
    -------
    tuple
        The name, and the text of each file by file name.
    """
    return name, CATALOG[name].files()
