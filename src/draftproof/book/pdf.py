"""The book as one PDF: ``python -m draftproof.book pdf [FILE]``.

The same sources and the same Sphinx configuration as the site's make one page of HTML
(`draftproof.book.paper`), and Chromium prints it. Chromium is looked for on the PATH, or is what
the variable CHROMIUM names.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from draftproof.book.paper import BUILDER, PAGE

__all__ = ["build_page", "chromium", "print_page"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")
SCALE = 0.84
"""A figure is 736 px wide; at this scale it fits between the margins of A4."""
MARGINS = {"top": "16mm", "bottom": "18mm", "left": "17mm", "right": "17mm"}
FOOT = (
    '<div style="width: 100%; text-align: center; font: 8pt sans-serif; color: #565d66">'
    '<span class="pageNumber"></span></div>'
)


def chromium() -> str:
    """Return the path of Chromium.

    Returns
    -------
    str

    Raises
    ------
    RuntimeError
        If there is none.
    """
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise RuntimeError(f"no browser to print with: install one of {', '.join(NAMES)}")
    return found


def build_page(root: Path, out: Path | None = None) -> Path:
    """Write the whole book as one page of HTML.

    Parameters
    ----------
    root : Path
        The checkout.
    out : Path, optional
        Folder to write; ``_build/singlehtml`` by default. What is in it is removed.

    Returns
    -------
    Path
        The page; what it links to lies beside it.

    Raises
    ------
    RuntimeError
        If the book does not build, or a warning was given.
    """
    from jupyter_book.sphinx import build_sphinx

    out = root / "_build" / BUILDER if out is None else out
    shutil.rmtree(out, ignore_errors=True)
    status = build_sphinx(
        str(root),
        str(out),
        path_config=str(root / "_config.yml"),
        noconfig=True,
        confoverrides={"latex_individualpages": False, "nitpicky": True},
        builder=BUILDER,
        warningiserror=True,
        keep_going=True,
        quiet=True,
    )
    if status != 0:
        raise RuntimeError(f"the one-page book was not built: {status}")
    return out / PAGE


def print_page(page: Path, pdf: Path, browser: Any = None) -> Path:
    """Print a built page to a tagged PDF with an outline, A4.

    Parameters
    ----------
    page : Path
        What `build_page` returned.
    pdf : Path
        The file to write.
    browser : playwright.sync_api.Browser, optional
        One that runs already; otherwise one is started.

    Returns
    -------
    Path
        `pdf` again.

    Raises
    ------
    RuntimeError
        If there is no browser, a formula cannot be set, or a picture does not load.
    """
    if browser is not None:
        return _print(page, pdf, browser)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        try:
            return _print(page, pdf, started)
        finally:
            started.close()


def _print(page: Path, pdf: Path, browser: Any) -> Path:
    tab = browser.new_page(viewport={"width": 790, "height": 1100}, color_scheme="light")
    try:
        tab.goto(page.resolve().as_uri(), wait_until="load")
        tab.emulate_media(media="print")
        tab.evaluate("() => MathJax.startup.promise")
        broken = tab.evaluate(_COMPLAINTS)
        if broken:
            raise RuntimeError(f"cannot be printed: {', '.join(broken[:5])}")
        pdf.parent.mkdir(parents=True, exist_ok=True)
        tab.pdf(
            path=str(pdf),
            format="A4",
            scale=SCALE,
            margin=MARGINS,
            print_background=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOT,
            outline=True,
            tagged=True,
        )
    finally:
        tab.close()
    return pdf


_COMPLAINTS = """async () => {
    // A solution's folded code is the solution.
    for (const fold of document.querySelectorAll(".dp-solution details.hide")) fold.open = true;
    for (const image of document.images) image.loading = "eager";
    await Promise.all([...document.images].map((i) => i.decode().catch(() => 0)));
    const bare = [...document.querySelectorAll(".math")]
        .filter((m) => !m.querySelector("mjx-container") || m.querySelector("mjx-merror"));
    const lost = [...document.images].filter((i) => !(i.complete && i.naturalWidth > 0));
    return [...bare.map((m) => `formula ${m.textContent.trim().slice(0, 60)}`),
            ...lost.map((i) => `picture ${i.src}`)];
}"""
