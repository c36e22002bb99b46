"""What a reader takes away: the notebooks and the package, in one zip file.

The package lies in it as a wheel, beside the notebooks, where their first cell looks for it. Two
builds of the same sources are equal byte for byte.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

__all__ = ["FOLDER", "bundle", "wheel"]

FOLDER = "draftproof-notebooks"  # not `draftproof`: Python would import that from the folder above
_BESIDE = ("pyproject.toml", "README.md", "LICENSE", "LICENSE-text")
_BUILD = "from setuptools import build_meta; build_meta.build_wheel('out')"
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # zip files know none before
_MODE = 0o100644 << 16  # a plain file that all may read; the umask does not show


def wheel(root: Path) -> tuple[str, bytes]:
    """Build the package.

    Parameters
    ----------
    root : Path
        The book's folder. Its ``src`` may be a link into the checkout.

    Returns
    -------
    name : str
        The file's name, as pip wants it.
    content : bytes
        The wheel.

    Raises
    ------
    RuntimeError
        If setuptools cannot build it; says why.
    """
    with TemporaryDirectory() as folder:
        copy = Path(folder)
        _copy((root / "src").resolve().parent, copy)
        done = subprocess.run(
            [sys.executable, "-c", _BUILD], cwd=copy, capture_output=True, text=True, check=False
        )
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no word why"])[-1]
            raise RuntimeError(f"the package's wheel was not built: {reason}")
        (made,) = copy.glob("out/*.whl")
        with ZipFile(made) as parts:
            return made.name, _packed({name: parts.read(name) for name in parts.namelist()})


def bundle(root: Path, texts: Mapping[str, str]) -> bytes:
    """Return the zip file of all notebooks and the package.

    Parameters
    ----------
    root : Path
        As for `wheel`.
    texts : mapping of str to str
        Page to the text of its notebook.

    Returns
    -------
    bytes
        One folder, so that unzipping leaves one thing.

    Raises
    ------
    RuntimeError
        As `wheel`.
    """
    name, content = wheel(root)
    files = {f"{page}.ipynb": text.encode() for page, text in texts.items()} | {name: content}
    return _packed({f"{FOLDER}/{file}": content for file, content in files.items()})


def _copy(checkout: Path, to: Path) -> None:
    """Copy what the wheel is made of.

    In the checkout setuptools would leave a folder ``build``, and put its old files into the next
    wheel.
    """
    for name in _BESIDE:
        shutil.copy(checkout / name, to)
    skipped = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    shutil.copytree(checkout / "src" / "draftproof", to / "src" / "draftproof", ignore=skipped)


def _packed(files: Mapping[str, bytes]) -> bytes:
    """Zip files so that nothing but their names and contents shows."""
    out = io.BytesIO()
    with ZipFile(out, "w") as packed:
        for name, content in files.items():
            entry = ZipInfo(name, _FIRST_DAY)
            entry.external_attr, entry.create_system = _MODE, 3
            # A wheel is a zip file already.
            packed.writestr(entry, content, ZIP_STORED if name.endswith(".whl") else ZIP_DEFLATED)
    return out.getvalue()
