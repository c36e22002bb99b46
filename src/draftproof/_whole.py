"""Files that are whole or are not there: written beside their place, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["whole"]


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a path to write to; what is there when the block ends well takes the file's place.

    No reader meets half a file. Where the block fails or is interrupted, the old file stays as it
    was and nothing is left beside it.

    Parameters
    ----------
    path : Path
        Where the file belongs; its folder is made if it is missing.

    Yields
    ------
    Path
        A name of its own for this process, in the same folder.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
