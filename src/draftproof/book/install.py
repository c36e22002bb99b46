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
# A kernel of Colab is not told where its notebook came from (the notebook is in the browser only),
# but the reader's tab shows it, so that address is understood as well.
_CELL = """\
# Installs the book's package where it is missing: from beside this notebook, from the clone
# that the notebook lies in, or from the repository that the next line names.
repository = {repository}
import re
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

needed = {needed}
numbers = [re.findall(r"\\d+", one.version) for one in distributions(name="draftproof")]
newest = max((tuple(map(int, found)) for found in numbers), default=())
if newest < {version} or not all(find_spec(name) for name in needed):
    folders = [Path.cwd(), *Path.cwd().parents]
    places = [file for folder in folders for file in folder.glob("{wheel}")]
    places += [folder for folder in folders if (folder / "src/draftproof/__init__.py").is_file()]
    tab = re.search(
        r"github(?:\\.com)?/(.+?/.+?)/(?:blob|tree)/(.+?)(?:/notebooks/|/?$)", repository
    )
    if tab:
        repository = f"https://github.com/{{tab[1]}}@{{unquote(tab[2])}}"
    if not places and not re.match(r"https://(?!colab\\.)", repository):
        raise ModuleNotFoundError(
            "The book's package is not beside this notebook. Write the address of the repository "
            "that holds the notebook between the quotes of this cell's third line; on Colab it is "
            "that of this tab, if GitHub is in it. Or take 'Download (.zip)' from the page 'Open a "
            "chapter as a notebook', unzip it, and open the notebook that lies in it; on Colab, "
            "put the .whl file that lies in it into the Files panel. Then run this cell again."
        )
    place = places[0].as_uri() if places else f"git+{{repository}}"
    %pip install --quiet "draftproof[{extras}] @ {{place}}"
if find_spec("google") and find_spec("google.colab"):
    from google.colab import output

    output.enable_custom_widget_manager()  # else Colab shows no widget
import draftproof  # if this fails, pip says why; if pip says nothing, restart the kernel once"""
_NOT_NAMED = '""  # on Colab: the address of this tab; or https://github.com/OWNER/NAME'


def install_cell(source: tuple[str, str] | None, extras: tuple[str, ...] = (EXTRA,)) -> str:
    """Return the code that installs the package where it is missing or older than the notebook.

    Parameters
    ----------
    source : tuple of str, optional
        Address and branch of the repository. Without one the reader may write it into the cell,
        which says so where it finds nothing beside the notebook.
    extras : tuple of str
        Which of the package's extras the notebook needs, of `MODULES`.

    Returns
    -------
    str
        A cell of IPython.
    """
    return _CELL.format(
        repository=json.dumps("@".join(source)) if source else _NOT_NAMED,
        needed=json.dumps(["draftproof", *(name for extra in extras for name in MODULES[extra])]),
        version=tuple(int(part) for part in re.findall(r"\d+", __version__)),
        wheel=f"draftproof-{__version__}-*.whl",
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
