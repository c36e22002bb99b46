"""Write every figure of the book: ``python -m draftproof.figures [OUT] [--only NAME ...]``.

Runs are byte-identical. Files in OUT that belong to no figure are removed (not with --only).
``--check`` writes nothing; it lists what differs, is missing or is left over, and exits with 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from draftproof._progress import Bar
from draftproof._whole import whole

from .catalog import CATALOG, files_of


def _drawn(names: Sequence[str], jobs: int) -> Iterator[tuple[str, dict[str, str]]]:
    if jobs == 1 or len(names) < 2:
        yield from ((name, CATALOG[name].files()) for name in names)
        return
    # New processes, not forks: a fork takes the threads' locks along but not the threads.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(files_of, names)


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode("utf-8")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m draftproof.figures", description=__doc__)
    parser.add_argument("out", nargs="?", type=Path, default=Path("figures"), metavar="OUT")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="draw these figures alone")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), metavar="N")
    args = parser.parse_args(argv)
    if unknown := sorted(set(args.only or []) - set(CATALOG)):
        parser.error(f"no figure called {', '.join(unknown)}; there are {', '.join(CATALOG)}")
    if args.jobs < 1:
        parser.error(f"--jobs must be at least 1; got {args.jobs}")
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    args = _arguments(argv)
    names = args.only or list(CATALOG)
    out: Path = args.out
    if not args.check:
        out.mkdir(parents=True, exist_ok=True)
    owned: set[str] = set()
    changed: list[str] = []
    bar = Bar(len(names))
    for name, files in _drawn(names, args.jobs):
        if sys.stderr.isatty():
            bar(name)
        for file, text in files.items():
            owned.add(file)
            if not _same(out / file, text):
                changed.append(file)
                if not args.check:
                    with whole(out / file) as part:
                        part.write_text(text, encoding="utf-8", newline="\n")
    spare = [] if args.only else sorted(p.name for p in out.glob("*.svg") if p.name not in owned)
    if args.check:
        for file in changed:
            print(f"{'differs' if (out / file).is_file() else 'missing'}: {out / file}")
        for file in spare:
            print(f"belongs to no figure: {out / file}")
        return 1 if changed or spare else 0
    for file in spare:
        (out / file).unlink()
    print(f"{len(owned)} files in {out}: {len(changed)} written, {len(spare)} removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
