"""The widgets' own site: one small page with all of them, built once and opened from disk."""

import sys
from contextlib import contextmanager

import pytest

anywidget = pytest.importorskip("anywidget")

HEAD = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
---

# A bench

"""
CONFIG = """
from pathlib import Path
extensions = ["myst_nb", "draftproof.book"]
html_theme = "sphinx_book_theme"
html_static_path = [STATIC]
html_context = {"default_mode": "auto"}
html_theme_options = {"navbar_persistent": []}
html_title = "Bench"
myst_enable_extensions = ["dollarmath"]
numfig = True
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_ipywidgets_js = {}
"""


def cells(names):
    """A page that shows each widget once."""
    made = [
        f"## {name}\n\n```{{code-cell}} python\n"
        f"from draftproof.widgets import alive\nalive.{name}()\n```\n"
        for name in names
    ]
    return HEAD + "\n".join(made)


def build_bench(folder, root, names, run):
    """Build the bench in a folder; returns the page's path."""
    source = folder / "source"
    source.mkdir(parents=True, exist_ok=True)
    (source / "index.md").write_text(cells(names), encoding="utf-8")
    config = CONFIG.replace("STATIC", repr(str(root / "static")))
    (source / "conf.py").write_text(config, encoding="utf-8")
    out = folder / "html"
    options = ["-W", "-q", "-b", "html", "-d", folder / "trees"]
    done = run([sys.executable, "-m", "sphinx", *options, source, out])
    assert done.returncode == 0, done.said
    return out / "index.html"


def widget_names():
    from draftproof.widgets import alive

    return [name for name in alive.__all__ if name != "Alive"]


@pytest.fixture(scope="session")
def bench(tmp_path_factory, root, run):
    """Path of a built page with every widget."""
    pytest.importorskip("sphinx_book_theme")
    return build_bench(tmp_path_factory.mktemp("bench"), root, widget_names(), run)


def scripted_page(browser):
    """A blank page that has run the widgets' scripts."""
    from draftproof.widgets.alive.bundle import MODULES, host_script, module_script

    page = browser.new_page()
    page.set_content("<p>scripts</p>")
    for text in (host_script(), *map(module_script, MODULES)):
        page.evaluate(text)
    return page


@pytest.fixture(scope="session")
def keep():
    """Return a function that makes a page once and gives it again while its browser lives."""
    kept = {}

    def fetch(name, make):
        try:
            kept[name].evaluate("1")
        except Exception:  # the first time, or the browser was lost
            kept[name] = make()
        return kept[name]

    return fetch


@pytest.fixture
def scripts(browser, keep):
    """A page that has run the widgets' scripts: their pure functions can be called."""
    return keep("scripts", lambda: scripted_page(browser))


class Bench:
    """The bench in a browser, with a record of what went wrong."""

    def __init__(self, page, path):
        self.page, self.complaints = page, []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("requestfailed", lambda r: self.complaints.append(f"failed: {r.url}"))
        page.on("request", self._request)
        page.goto(path.as_uri())

    def _console(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(f"console {message.type}: {message.text}")

    def _request(self, request):
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(f"outside: {request.url}")

    def evaluate(self, text):
        return self.page.evaluate(text)

    def widget(self, module):
        """The mounted widget of a module."""
        place = self.page.locator(f'.dp-plates:has(.dpa-place[data-module="{module}"])')
        place.scroll_into_view_if_needed()
        found = place.locator(".dp-alive")
        found.wait_for(timeout=5000)
        return found


def open_bench(new_context, bench, theme="light", width=1280, **options):
    """Open the bench in a browser context of its own."""
    viewport = {"width": width, "height": 900}
    return Bench(new_context(viewport=viewport, color_scheme=theme, **options).new_page(), bench)


@pytest.fixture(scope="session")
def opened(new_context, bench):
    """Return a context manager: opened(theme=..., width=..., **options) as Bench."""

    @contextmanager
    def visit(*args, **options):
        one = open_bench(new_context, bench, *args, **options)
        try:
            yield one
        finally:
            one.page.context.close()

    return visit


@pytest.fixture
def desk(new_context, bench, keep):
    """The bench without animations, one for all tests that leave it as they found it."""
    return keep("desk", lambda: open_bench(new_context, bench, reduced_motion="reduce"))
