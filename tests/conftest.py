"""What all tests share: which ones run here, and where the built site is."""

import os
import shutil
from pathlib import Path

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
]


def chromium():
    """Path of Chromium: $CHROMIUM, or the first of the usual names on the PATH."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def pytest_collection_modifyitems(items):
    """Leave out what is slow unless it was asked for."""
    if os.environ.get("DRAFTPROOF_SLOW") or os.environ.get("CI"):
        return
    skip = pytest.mark.skip(reason="slow: set DRAFTPROOF_SLOW=1 to run it")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site; `make test` builds it first."""
    if not (SITE / "index.html").is_file():
        pytest.skip("the site is not built: run `make site`")
    return SITE


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
