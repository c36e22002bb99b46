"""``python -m draftproof.lab.check``: list the exercises, or export the student version."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from draftproof.lab.check import EXERCISES
from draftproof.lab.check.student import export


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m draftproof.lab.check", description=__doc__)
    parser.add_argument(
        "--student", type=Path, metavar="DIR", help="write chapters without solutions"
    )
    parser.add_argument("--chapters", type=Path, default=Path("chapters"), help="where they are")
    given = parser.parse_args(arguments)
    if given.student is None:
        for name, check in EXERCISES.items():
            first = (check.__doc__ or "").strip().splitlines()[0]
            sys.stdout.write(f"{name:<20} {first}\n")
        return 0
    try:
        written = export(given.student, given.chapters)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write("".join(f"{path}\n" for path in written))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
