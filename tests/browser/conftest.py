"""A browser that reaches the built site on localhost and nothing else."""

import functools
import http.server
import threading
from contextlib import contextmanager, suppress

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def handle(self):
        with suppress(ConnectionError):  # a page is closed before all of it came
            super().handle()


@pytest.fixture(scope="session")
def address(site):
    """Serve the built site on a free port of localhost."""
    handler = functools.partial(Quiet, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Visit:
    """A page with a record of everything it asked for and complained about."""

    def __init__(self, page, address):
        self.page, self.address = page, address
        self.complaints, self.loaded = [], {}
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("requestfailed", lambda r: self.complaints.append(f"failed: {r.url}"))
        page.on("response", self._response)
        page.on("request", self._request)

    def _console(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(f"console {message.type}: {message.text}")

    def _response(self, response):
        if response.status >= 400:
            self.complaints.append(f"status {response.status}: {response.url}")
        self.loaded[response.url] = response

    def _request(self, request):
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.complaints.append(f"outside: {request.url}")

    def open(self, name):
        """Open a page, its letters and formulas set; `scroll_through` waits for the rest."""
        self.page.goto(self.address + name, wait_until="load")
        self.page.evaluate("() => document.fonts.ready.then(() => null)")
        if self.page.evaluate("() => typeof MathJax !== 'undefined'"):
            self.page.evaluate("() => MathJax.startup.promise")
        return self.page

    def scroll_through(self):
        """Go down the page once, then have every picture that shows loaded."""
        self.page.evaluate(
            """async () => {
                const step = window.innerHeight;
                for (let y = 0; y < document.documentElement.scrollHeight; y += step) {
                    window.scrollTo(0, y);
                    await new Promise(requestAnimationFrame);
                }
                window.scrollTo(0, 0);
                // A slow machine may not have noticed a lazy picture in passing.
                for (const image of document.images)
                    if (image.checkVisibility()) image.loading = "eager";
            }"""
        )
        self.page.wait_for_function(
            "() => [...document.images].every(i => !i.checkVisibility() || i.complete)",
            polling=100,
        )
        self.page.wait_for_load_state("networkidle")


@pytest.fixture(scope="session")
def visit(new_context, address, site):
    """Return a context manager: visit(theme=..., width=..., **options) as Visit.

    With disk=True the folder is opened as a double click opens it, not served.
    """

    @contextmanager
    def opened(theme="light", width=1280, disk=False, **options):
        context = new_context(
            viewport={"width": width, "height": 800}, color_scheme=theme, **options
        )
        try:
            yield Visit(context.new_page(), f"{site.resolve().as_uri()}/" if disk else address)
        finally:
            context.close()

    return opened
