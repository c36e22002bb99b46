"""What all tests share: which ones run here, and where the built site is."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SITE = Path(os.environ.get("DRAFTPROOF_SITE", ROOT / "_build" / "html"))


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
