"""What else is made of the chapters: ``python -m draftproof.book notebooks`` or ``... pdf``.

Both run at the root of the checkout, after the site was built. A second argument says where to
write: a folder for the notebooks (``notebooks``), a file for the PDF (``_build/draftproof.pdf``).
"""

from __future__ import annotations

import sys
from pathlib import Path

from draftproof.book import notebooks, pdf

USAGE = "usage: python -m draftproof.book notebooks [FOLDER] | pdf [FILE]"


def main(arguments: list[str]) -> int:
    """Make the one or the other.

    Parameters
    ----------
    arguments : list of str
        ``notebooks`` or ``pdf``, then where to write, if not to the usual place.

    Returns
    -------
    int
        The exit status: 0, 1 if nothing could be made, 2 if the arguments are others.
    """
    root = Path.cwd()
    wanted, *where = arguments or [""]
    if wanted not in ("notebooks", "pdf") or len(where) > 1:
        sys.stderr.write(f"{USAGE}\n")
        return 2
    try:
        if wanted == "notebooks":
            made = notebooks.write(root, Path(where[0]) if where else root / notebooks.FOLDER)
        else:
            file = Path(where[0]) if where else root / "_build" / "draftproof.pdf"
            made = [pdf.print_page(pdf.build_page(root), file)]
    except (RuntimeError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.writelines(f"{path}\n" for path in made)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
