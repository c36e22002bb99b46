"""The recorded measurements of real models that the package carries.

They are written by ``python -m benchmarks.decode`` and its neighbours, as plain JSON; reading them
needs neither torch nor a model. `run_of` turns a generation into the same plain form, so that a
run made now and a recorded one are drawn alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "NAMES", "exists", "load", "need", "read", "run_of"]

# The path is built from the package itself: importing its part `decode` would load torch.
FOLDER = Path(str(files("draftproof"))) / "decode" / "results"
NAMES: dict[str, str] = {
    "decode": "python -m benchmarks.decode",
    "ribbon": "python -m benchmarks.decode",
    "smollm2": "python -m benchmarks.smollm2",
    "verification": "python -m benchmarks.verification",
    "gpu": "python -m benchmarks.gpu",
}
"""The recordings, and the command that makes each."""


def _place(name: str) -> Path:
    if name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, got {name!r}")
    return FOLDER / f"{name}.json"


def exists(name: str) -> bool:
    """Return whether a recording is at hand.

    Parameters
    ----------
    name : str
        One of `NAMES`.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If `name` is no recording.
    """
    return _place(name).is_file()


def load(name: str) -> dict[str, Any]:
    """Return a recording of the package.

    Parameters
    ----------
    name : str
        One of `NAMES`.

    Returns
    -------
    dict
        As parsed; shared by all callers, so do not change it.

    Raises
    ------
    ValueError
        If `name` is no recording, or its file is damaged.
    FileNotFoundError
        If it is not there; the message names the command that makes it.
    """
    place = _place(name)
    if not place.is_file():
        raise FileNotFoundError(f"{place} is missing; to measure anew run: {NAMES[name]}")
    return read(place)


@cache
def read(path: Path) -> dict[str, Any]:
    """Return the recording in a file.

    Parameters
    ----------
    path : Path

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If the file does not hold one JSON object of finite numbers.
    FileNotFoundError
        If there is no such file.
    """

    def refuse(word: str) -> float:
        raise ValueError(f"{word} is no measurement")

    try:
        found = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    except ValueError as error:  # also what a cut file or one in another encoding raises
        raise ValueError(f"{path} is damaged: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path} must hold a JSON object, got {type(found).__name__}")
    return found


def need(recording: Mapping[str, Any], *keys: str) -> Any:
    """Return the entry of a recording under nested keys.

    Parameters
    ----------
    recording : mapping
    *keys : str

    Returns
    -------
    object

    Raises
    ------
    ValueError
        If an entry is missing; the message gives its whole path.
    """
    found: Any = recording
    for depth, key in enumerate(keys, start=1):
        if not isinstance(found, Mapping) or key not in found:
            raise ValueError(f"the recording must hold {' / '.join(keys[:depth])}; it does not")
        found = found[key]
    return found


def run_of(
    generation: Any,
    decode: Callable[[list[int]], str],
    *,
    drafter: str,
    gamma: int,
    temperature: float,
    prompt: str,
    seed: int,
    plain_seconds_per_token: float,
) -> dict[str, Any]:
    """Return a generation of one row as a recording keeps it.

    Parameters
    ----------
    generation : Generation
        What `draftproof.decode.generate` returned.
    decode : callable
        From token numbers to text, one character a token.
    drafter, prompt : str
    gamma, seed : int
    temperature : float
    plain_seconds_per_token : float
        Of plain decoding on the same machine, prefill left out.

    Returns
    -------
    dict
        ``rounds`` (``drafted``, ``accepted``, ``next``, ``bonus``), ``timings`` in seconds without
        the prefill, and the arguments.
    """
    rounds = [
        {
            "drafted": decode([int(token) for token in round_.draft_tokens]),
            "accepted": int(round_.num_accepted),
            "next": decode([int(round_.next_token)]),
            "bonus": bool(round_.is_bonus),
        }
        for round_ in generation.trace
    ]
    timings = {part: float(generation.timings[part]) for part in ("draft", "target", "verify")}
    return {
        "drafter": drafter,
        "gamma": gamma,
        "temperature": temperature,
        "prompt": prompt,
        "seed": seed,
        "rounds": rounds,
        "timings": timings,
        "plain_seconds_per_token": plain_seconds_per_token,
    }
