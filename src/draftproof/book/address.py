"""Where the repository is: what ``_config.yml`` states, or the checkout's remote ``origin``.

The address is never guessed. Notebooks install the package from it, so it must be one that somebody
wrote down: in the configuration, or into git when the checkout was cloned.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from urllib.parse import quote

import yaml

__all__ = ["HOSTS", "branch", "github", "hosted", "known", "of_remote", "origin", "stated"]

# GitHub's own alphabet. Whatever else stands there makes no link.
_PATH = (
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9_-]{0,38}"
    r"/(?!\.{1,2}(?:\.git)?/?$)[A-Za-z0-9._-]{1,100}?(?<!\.git))"
)
_END = r"(?:\.git)?/?"
_HTTPS = re.compile(rf"(?i:https://github\.com)/{_PATH}{_END}")
# git writes one address in three forms. A user's name, or a password, is never handed on.
_REMOTES = (
    re.compile(rf"(?i:https://(?:[^/@\s?#\\]*@)?github\.com)/{_PATH}{_END}"),
    re.compile(rf"(?:[\w.-]+@)?(?i:github\.com):/?{_PATH}{_END}", re.ASCII),
    re.compile(
        rf"(?i:ssh://(?:[\w.-]+@)?(?:github\.com(?::22)?|ssh\.github\.com:443))/{_PATH}{_END}",
        re.ASCII,
    ),
)
HOSTS = {
    "colab": "https://colab.research.google.com/github/{name}/blob/{branch}/{path}",
    "binder": "https://mybinder.org/v2/gh/{name}/{branch}?urlpath=lab/tree/{path}",
}


def stated(root: Path) -> tuple[str, str] | None:
    """Return the repository's address and branch as ``_config.yml`` states them, or None.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    tuple of str, or None
        Address, without a slash at its end, and branch.
    """
    url = str(_section(root).get("url") or "").rstrip("/")
    return (url, branch(root)) if url else None


def branch(root: Path) -> str:
    """Return the branch that ``_config.yml`` states, ``main`` by default.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    str
        A branch's name.
    """
    return str(_section(root).get("branch") or "main")


def known(root: Path) -> tuple[str, str] | None:
    """Return the stated address and branch; where none is stated, those of ``origin``.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    tuple of str, or None
        Address and branch; None where neither names one.
    """
    if found := stated(root):
        return found
    url = origin(root)
    return (url, branch(root)) if url else None


def origin(root: Path) -> str | None:
    """Return the address of the remote ``origin``, if it is one of GitHub.

    Parameters
    ----------
    root : Path
        The checkout. A folder inside somebody else's checkout has no remote of its own.

    Returns
    -------
    str or None
        As `of_remote`; None as well where git is missing or refuses to read the folder.
    """
    top = _git(root, "rev-parse", "--show-toplevel")
    if not top or not Path(top).is_dir() or not Path(top).samefile(root):
        return None
    return of_remote(_git(root, "config", "--get", "remote.origin.url"))


def of_remote(text: str) -> str | None:
    """Return the web address of a remote that lies on GitHub.

    Parameters
    ----------
    text : str
        As ``git config`` says it: https, ``git@github.com:owner/name.git`` or ssh.

    Returns
    -------
    str or None
        ``https://github.com/owner/name``; None for any other host or form.
    """
    for form in _REMOTES:
        if found := form.fullmatch(text):
            return f"https://github.com/{found['name']}"
    return None


def github(source: tuple[str, str] | None) -> str | None:
    """Return the repository's name on GitHub.

    Parameters
    ----------
    source : tuple of str, optional
        Address and branch.

    Returns
    -------
    str or None
        ``owner/name``; None for an address elsewhere.
    """
    found = _HTTPS.fullmatch(source[0]) if source else None
    return found["name"] if found else None


def hosted(host: str, name: str, branch: str, path: str) -> str:
    """Return the link that opens a notebook of a repository on somebody else's machine.

    Parameters
    ----------
    host : str
        Of `HOSTS`.
    name : str
        ``owner/name`` on GitHub.
    branch : str
        A branch; it becomes one part of the path, slashes and all.
    path : str
        The notebook's place in the repository.

    Returns
    -------
    str
        The address. ``static/hosted.js`` makes the same one.
    """
    return HOSTS[host].format(name=name, branch=quote(branch, safe="!'()*"), path=path)


def _section(root: Path) -> dict[str, str]:
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8")) or {}
    return config.get("repository") or {}


def _git(root: Path, *words: str) -> str:
    """Return what git answers about a folder, or nothing."""
    # Inside a hook these variables name the repository that the hook belongs to.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *words], cwd=root, env=clean, capture_output=True, text=True,
            encoding="utf-8", errors="replace", timeout=10, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.removesuffix("\n") if done.returncode == 0 else ""
