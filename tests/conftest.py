"""What all tests share: which ones run here, and where the built site is."""

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]
SITE = Path(os.environ.get("DRAFTPROOF_SITE", ROOT / "_build" / "html"))

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",  # containers give little shared memory
    # Nothing but this machine has an address. (A route that aborts requests would do as well, but
    # its handlers can wait for ever on a page that is being closed.)
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    # A page out of sight must still draw its frames: tests wait for them.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
]


def chromium():
    """Path of Chromium: $CHROMIUM, or the first of the usual names on the PATH."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def pytest_collection_modifyitems(items):
    """Leave out what takes long unless it was asked for."""
    asked = bool(os.environ.get("DRAFTPROOF_SLOW"))
    wanted = {"slow": asked or bool(os.environ.get("CI")), "long": asked}
    for item in items:
        for kind, runs in wanted.items():
            if kind in item.keywords and not runs:
                reason = f"{kind}: set DRAFTPROOF_SLOW=1 to run it"
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """Return a function that runs a command to its end, or ends it and whatever it started.

    What it says goes to a file: a pipe would stay open, and the test would wait, for as long as a
    forgotten kernel or browser of the command lives.
    """
    folder = tmp_path_factory.mktemp("said")

    def finish(command, timeout=300, **options):
        said = folder / f"{len(list(folder.iterdir()))}.log"
        with said.open("w") as log:
            process = subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True, **options,
            )  # fmt: skip
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                code = f"no end after {timeout} s"
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return SimpleNamespace(returncode=code, said=said.read_text(errors="replace"))

    return finish


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site; `make test` builds it first."""
    if not (SITE / "index.html").is_file():
        pytest.skip("the site is not built: run `make site`")
    return SITE


# A frame may never come on a busy machine without a screen: after half a second it counts as there.
FRAMES = """(() => {
    const ask = window.requestAnimationFrame.bind(window);
    const cancel = window.cancelAnimationFrame.bind(window);
    const timers = new Map();
    window.requestAnimationFrame = (draw) => {
        const id = ask((now) => { if (end(id)) draw(now); });
        const late = () => { if (end(id)) { cancel(id); draw(performance.now()); } };
        timers.set(id, setTimeout(late, 500));
        return id;
    };
    window.cancelAnimationFrame = (id) => { end(id); cancel(id); };
    const end = (id) => { clearTimeout(timers.get(id)); return timers.delete(id); };
})()"""


@pytest.fixture(scope="session")
def new_context(browser):
    """Return a function that opens a browser context in which waiting for a frame ends."""

    def opened(**options):
        context = browser.new_context(**options)
        context.add_init_script(FRAMES)
        context.set_default_timeout(60_000)
        return context

    return opened


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests of a process: its driver cannot be started twice in one."""
    path = chromium()
    if path is None:
        pytest.skip("no Chromium: install it or set CHROMIUM to its path to run these tests")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()
