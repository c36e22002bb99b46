"""The first cell of every notebook: it makes the package importable, wherever the notebook runs."""

from __future__ import annotations

import json
import re

from draftproof import __version__

__all__ = ["EXTRA", "MODULES", "TORCH", "extras_of", "install_cell"]

# The package's extras that notebooks need, with the modules that these bring. torch is large, and
# most chapters do without.
EXTRA, TORCH = "notebooks", "decode"
MODULES = {
    EXTRA: ("anywidget", "ipywidgets", "matplotlib", "myst_nb"),
    TORCH: ("safetensors", "torch"),
}
_TORCH = re.compile(r"^(?:from|import) (?:torch|draftproof\.decode)\b", re.MULTILINE)
# The folders above count, too: committed notebooks lie in a clone. pip's own index is never asked
# for the package, because what lies there under its name may be another's.
_CELL = """\
# Installs the book's package where it is missing: from beside this notebook, from the clone
# that the notebook lies in{otherwise}.
import re
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

needed = {needed}
numbers = [re.findall(r"\\d+", one.version) for one in distributions(name="draftproof")]
newest = max((tuple(map(int, found)) for found in numbers), default=())
if newest < {version} or not all(find_spec(name) for name in needed):
    folders = [Path.cwd(), *Path.cwd().parents]
    places = [file for folder in folders for file in folder.glob("{wheel}")]
    places += [folder for folder in folders if (folder / "src/draftproof/__init__.py").is_file()]
{chosen}
    %pip install --quiet "draftproof[{extras}] @ {{place}}"
if find_spec("google") and find_spec("google.colab"):
    from google.colab import output

    output.enable_custom_widget_manager()  # else Colab shows no widget
import draftproof  # if this fails, pip says why; if pip says nothing, restart the kernel once"""
_WITH_ADDRESS = """\
    place = places[0].as_uri() if places else "git+{url}@{branch}\""""
_WITHOUT = """\
    if not places:
        raise ModuleNotFoundError(
            "The book's package is not beside this notebook: take 'Download (.zip)' from the page "
            "'Open a chapter as a notebook', unzip it, and open the notebook that lies in it."
        )
    place = places[0].as_uri()"""


def install_cell(source: tuple[str, str] | None, extras: tuple[str, ...] = (EXTRA,)) -> str:
    """Return the code that installs the package where it is missing or older than the notebook.

    Parameters
    ----------
    source : tuple of str, optional
        Address and branch of the repository. Without one the cell knows two places only, and where
        both are empty it says what to download.
    extras : tuple of str
        Which of the package's extras the notebook needs, of `MODULES`.

    Returns
    -------
    str
        A cell of IPython.
    """
    url, branch = source or ("", "")
    return _CELL.format(
        otherwise=f", or from {url}" if source else "",
        needed=json.dumps(["draftproof", *(name for extra in extras for name in MODULES[extra])]),
        version=tuple(int(part) for part in re.findall(r"\d+", __version__)),
        wheel=f"draftproof-{__version__}-*.whl",
        chosen=_WITH_ADDRESS.format(url=url, branch=branch) if source else _WITHOUT,
        extras=",".join(extras),
    )


def extras_of(text: str) -> tuple[str, ...]:
    """Return the extras that a page's code needs.

    Parameters
    ----------
    text : str
        The page, or its code.

    Returns
    -------
    tuple of str
        Of `MODULES`.
    """
    return (TORCH, EXTRA) if _TORCH.search(text) else (EXTRA,)
