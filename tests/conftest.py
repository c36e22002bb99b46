"""What all tests share: which ones run here, and where the built site is."""

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from types import SimpleNamespace

import psutil
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
    """Leave out what takes long unless it was asked for; let a lost browser be lost once."""
    asked = bool(os.environ.get("DRAFTPROOF_SLOW"))
    wanted = {"slow": asked or bool(os.environ.get("CI")), "long": asked}
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=LOST))
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
def once(tmp_path_factory):
    """Return a function: the folder of a name, filled by the first process of this run to ask.

    The others wait for that one, and take what it made. If it fails the next one tries.
    """
    top = tmp_path_factory.getbasetemp()
    top = top.parent if "PYTEST_XDIST_WORKER" in os.environ else top

    def fetch(name, fill):
        folder = top / name
        folder.mkdir(exist_ok=True)
        with locked(folder / ".lock"):
            if not (folder / ".filled").exists():
                fill(folder)
                (folder / ".filled").touch()
        return folder

    return fetch


@contextlib.contextmanager
def locked(path):
    """Let one process at a time into the block; a process that ends lets go of it."""
    fcntl = pytest.importorskip("fcntl", reason="no locks between processes on this system")
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


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


# What the driver says of a browser that died or was ended. Only such a test is tried again, once;
# a test that fails for any other reason has failed.
LOST = [r"^TargetClosedError", r"^Error: .*(Target crashed|Connection closed)"]
PATIENCE = 150.0  # seconds; the longest test of the browser takes a tenth of that


def lose_the_browser():
    """End the driver and the browser of this process, whatever they are doing."""
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if child.name().startswith("node"):
                for process in [*child.children(recursive=True), child]:
                    process.kill()


@contextlib.contextmanager
def patience(seconds):
    """Lose the browser if the block takes longer: whoever waits for it then gets an error.

    Once in some thousand pages a call to the browser is never answered, and most calls have no
    time limit of their own.
    """

    timer = threading.Timer(seconds, lose_the_browser)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def patient(item):
    needs = "browser" in getattr(item, "fixturenames", ()) and not item.get_closest_marker("long")
    return patience(PATIENCE) if needs else contextlib.nullcontext()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    with patient(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    with patient(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    with patient(item):
        return (yield)


class Chromium:
    """One browser for all tests of a process, started again when it was lost."""

    def __init__(self, path, playwright):
        self._path, self._playwright = path, playwright
        self._driver = self._browser = None

    def _open(self, kind, options):
        if self._browser is not None:
            with contextlib.suppress(Exception):  # lost: a wrong option is refused again below
                return getattr(self._browser, kind)(**options)
            self.close()
        self._driver = self._playwright().start()
        self._browser = self._driver.chromium.launch(executable_path=self._path, args=FLAGS)
        return getattr(self._browser, kind)(**options)

    def new_context(self, **options):
        return self._open("new_context", options)

    def new_page(self, **options):
        return self._open("new_page", options)

    def close(self):
        for end in (self._browser and self._browser.close, self._driver and self._driver.stop):
            with contextlib.suppress(Exception):  # it may be gone already
                if end:
                    end()
        self._driver = self._browser = None


@pytest.fixture(scope="session")
def browser():
    """The one Chromium of this process."""
    path = chromium()
    if path is None:
        pytest.skip("no Chromium: install it or set CHROMIUM to its path to run these tests")
    sync_api = pytest.importorskip("playwright.sync_api")
    one = Chromium(path, sync_api.sync_playwright)
    yield one
    one.close()


@pytest.fixture(scope="session")
def new_context(browser):
    """Return a function that opens a browser context in which waiting for a frame ends."""

    def opened(**options):
        context = browser.new_context(**options)
        context.add_init_script(FRAMES)
        context.set_default_timeout(60_000)
        return context

    return opened
