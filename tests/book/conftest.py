"""A book of one page, for what is tested without the real chapters."""

from pathlib import Path

import pytest

PREAMBLE = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
---
"""


def build(source: Path, out: Path, builder: str = "html", **options) -> tuple[str, int]:
    """Build ``source/index.md`` and return its HTML and the number of warnings."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            srcdir=source,
            confdir=None,
            outdir=out / builder,
            doctreedir=out / "trees",
            buildername=builder,
            confoverrides={
                "extensions": ["myst_nb", "sphinx_exercise", "draftproof.book"],
                "myst_enable_extensions": ["dollarmath"],
                "numfig": True,
                "html_theme": "basic",
                "nb_execution_mode": "cache",
                "nb_execution_raise_on_error": True,
                "nitpicky": True,
                **options,
            },
            status=None,
            warning=None,
        )
        app.build()
    return (out / builder / "index.html").read_text(encoding="utf-8"), app._warncount


@pytest.fixture(scope="session")
def preamble():
    """What makes a page a notebook."""
    return PREAMBLE


@pytest.fixture(scope="session")
def build_page():
    """Return a function: write a page (with the notebook preamble) and build it."""
    pytest.importorskip("draftproof.book")

    def write_and_build(
        folder: Path, page: str, builder: str = "html", **options
    ) -> tuple[str, int]:
        source = folder / "source"
        source.mkdir(exist_ok=True)
        text, path = PREAMBLE + page, source / "index.md"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        return build(source, folder / "out", builder, **options)

    return write_and_build
