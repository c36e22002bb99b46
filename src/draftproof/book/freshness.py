"""Never show a stale page: key what is kept between builds on everything a page depends on.

Sphinx rebuilds a page when its text changes and jupyter-cache runs a notebook again when its code
changes; neither looks at the package that the code calls. Two fingerprints close the gap:

- of the Python sources, the benchmarks' results and the pinned requirements: it names the folder
  of the execution cache;
- of those, of everything under ``src/`` and ``static/`` and of the book's configuration: when it
  differs from the last build's, what that build wrote is removed first.

A build that ended with warnings is not taken as a starting point either: a second run of the same
command would otherwise find nothing to do and succeed.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

FINGERPRINT = ".fingerprint"
CACHE = ".jupyter_cache"
_SKIPPED_FOLDERS = {"__pycache__", ".ipynb_checkpoints"}


def setup(app: Sphinx) -> None:
    """Connect the two checks.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    app.connect("config-inited", _start_fresh, priority=100)
    app.connect("build-finished", _finish, priority=900)


def fingerprint(root: Path, paths: Iterable[Path]) -> str:
    """Hash names and contents of ``paths`` (files) and the Python version.

    Parameters
    ----------
    root : Path
        Folder that the names are relative to, so that a moved checkout keeps its fingerprint.
    paths : iterable of Path
        Files to read; one that is missing counts as absent.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    digest = hashlib.sha256(f"{sys.version_info[:3]}".encode())
    for path in sorted(set(paths)):
        if path.is_file():
            content = path.read_bytes()
            digest.update(f"\0{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()[:16]


def code_files(root: Path) -> list[Path]:
    """Files that a chapter's output may depend on: Python, measured results and pins.

    Parameters
    ----------
    root : Path
        Of the checkout.

    Returns
    -------
    list of Path
    """
    data = [p for p in _walk(root / "src") if "static" not in p.parts]
    return [*data, *_walk(root / "benchmarks" / "results"), root / "requirements.txt"]


def site_files(root: Path) -> list[Path]:
    """Files that a page may depend on besides its own text.

    Parameters
    ----------
    root : Path
        Of the checkout.

    Returns
    -------
    list of Path
        Some more than once.
    """
    looks = [*_walk(root / "src"), *_walk(root / "static")]
    return [*code_files(root), *looks, root / "_config.yml", root / "_toc.yml"]


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        parts = set(path.relative_to(folder).parts)
        if path.is_file() and not parts & _SKIPPED_FOLDERS and ".egg-info" not in str(path):
            yield path


def _start_fresh(app: Sphinx, config: Config) -> None:
    root, build = Path(app.srcdir), Path(app.outdir).parent
    cache = build / CACHE / fingerprint(root, code_files(root))
    config.nb_execution_cache_path = str(cache)
    for old in cache.parent.glob("*"):
        if old != cache:
            shutil.rmtree(old) if old.is_dir() else old.unlink()

    now = fingerprint(root, site_files(root))
    mark = Path(app.doctreedir) / FINGERPRINT
    if not mark.is_file() or mark.read_text(encoding="utf-8") != now:
        for folder in (Path(app.outdir), Path(app.doctreedir), build / "jupyter_execute"):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in (Path(app.outdir), Path(app.doctreedir)):
            folder.mkdir(parents=True, exist_ok=True)
        mark.write_text(now, encoding="utf-8")


def _finish(app: Sphinx, exception: Exception | None) -> None:
    """Forget a build that failed or warned; the execution cache stays."""
    if exception is not None or app._warncount:
        (Path(app.doctreedir) / FINGERPRINT).unlink(missing_ok=True)
