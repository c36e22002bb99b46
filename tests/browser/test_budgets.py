"""What a reader waits for and downloads: budgets of every chapter, and the folder opened from disk.

Times are tried several times and the best, or the median of a series, counts. A machine that other
work keeps busy can make no statement about them; there the test is skipped and says so.
"""

import re

import numpy as np
import pytest
from bs4 import BeautifulSoup

from tests import pages
from tests.pages import STEPS, busy

TOC = [f"{name}.html" for name in pages.TOC]
CHAPTERS = [f"{name}.html" for name in pages.CHAPTERS]
FIRST_PICTURE = 1500  # ms
RESPONSE = 50  # ms
HTML_AND_SCRIPTS = 400_000  # bytes
TRIES = 5

# When the first drawing that shows, still or alive, is there to be painted.
WATCH = """
    const look = () => {
        const there = (e) => e.tagName === "IMG" ? e.naturalWidth : e.childElementCount;
        const shown = [...document.querySelectorAll("img.dp-plate, .dp-alive svg")]
            .some((e) => e.checkVisibility() && there(e));
        if (shown) window.firstPicture = performance.now();
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
"""


def within(limit, measure):
    """Assert that one of several measurements keeps to the limit."""
    seen = []
    for _ in range(TRIES):
        seen.append(measure())
        if seen[-1] <= limit:
            return
    if busy():
        pytest.skip(f"the machine is busy: {min(seen):.0f} ms, budget {limit} ms")
    raise AssertionError(f"{[round(s) for s in seen]} ms, budget {limit} ms")


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_first_picture_is_quick(visit, name):
    def measure():
        with visit() as visited:
            visited.page.add_init_script(WATCH)
            visited.page.goto(visited.address + name)
            visited.page.wait_for_function("() => window.firstPicture", timeout=60_000, polling=100)
            return visited.page.evaluate("() => window.firstPicture")

    within(FIRST_PICTURE, measure)


def alive_on(site, name):
    page = BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")
    return [place["data-module"] for place in page.select(".dpa-place")]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_control_answers_within_a_frame(site, visit, name):
    """Script and layout that one step of a slider costs, in the chapter itself."""
    if not alive_on(site, name):
        pytest.skip("no widget of the static page in this chapter")
    with visit(reduced_motion="reduce") as visited:
        page = visited.open(name)
        for place in page.locator(".dp-plates:has(.dpa-place)").all():
            place.scroll_into_view_if_needed()
            widget = place.locator(".dp-alive")
            widget.wait_for()
            within(RESPONSE, lambda widget=widget: np.median(widget.evaluate(STEPS, 9)))
        assert visited.complaints == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_html_and_own_scripts_are_light(site, name):
    page = BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")
    own = [
        script["src"]
        for script in page.find_all("script", src=True)
        if re.search(r"_static/(alive/|draftproof\.js)", script["src"])
    ]
    assert own
    folder = (site / name).parent
    sizes = [(folder / src.partition("?")[0]).resolve().stat().st_size for src in own]
    assert (site / name).stat().st_size + sum(sizes) < HTML_AND_SCRIPTS


@pytest.mark.parametrize("name", [*TOC, "genindex.html", "search.html"])
def test_the_folder_opens_from_disk(site, visit, name):
    """Formulas set, pictures loaded, widgets alive, nothing asked of any server, no complaint."""
    with visit(disk=True, reduced_motion="reduce") as visited:
        page = visited.open(name)
        visited.scroll_through()
        assert visited.complaints == []
        assert page.locator("mjx-merror").count() == 0
        assert page.locator("mjx-container").count() >= page.locator(".bd-article .math").count()
        assert page.locator(".dp-alive svg").count() == len(alive_on(site, name))
        lost = page.evaluate(
            "() => [...document.images].filter(i => i.checkVisibility() && !i.naturalWidth).length"
        )
        assert lost == 0


def test_the_front_door_opens_from_disk(visit):
    with visit(disk=True) as visited:
        visited.page.goto(visited.address + "index.html")
        visited.page.wait_for_url("**/chapters/intro.html")


def test_search_works_from_disk(visit):
    with visit(disk=True) as visited:
        page = visited.open("search.html?q=residual")
        page.wait_for_selector("#search-results li a", timeout=10_000)
