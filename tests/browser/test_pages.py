"""Every page in Chromium: light and dark, wide and narrow, with and without JavaScript, printed."""

import os

import pytest

from tests import pages
from tests.axe import COLOUR, violations

TOC = [f"{name}.html" for name in pages.TOC]
SOURCE = "_modules/draftproof/finite.html"
PAGES = [*TOC, "genindex.html", "py-modindex.html", "search.html", SOURCE]
CHAPTERS = [f"{name}.html" for name in pages.CHAPTERS]
WIDTHS = {"wide": 1280, "phone": 360}
LIMIT = int(os.environ.get("DRAFTPROOF_PAGE_LIMIT", 4_000_000))


def shown_plates(page):
    """Variant and state of every drawing that the style sheet shows."""
    return page.evaluate(
        """() => [...document.querySelectorAll('img.dp-plate')]
            .filter(i => getComputedStyle(i).display !== 'none')
            .map(i => ({
                figure: i.closest('figure').id,
                variant: [...i.classList].find(c => /^dp-(light|dark)-/.test(c)).slice(3),
                loaded: i.complete && i.naturalWidth > 0,
                width: i.getBoundingClientRect().width,
            }))"""
    )


# Pages without drawings of their own: each theme and each width once is enough.
CASES = [
    (name, theme, layout)
    for name in PAGES
    for theme in ("light", "dark")
    for layout in WIDTHS
    if name in CHAPTERS or (theme == "light") == (layout == "wide")
]


@pytest.mark.parametrize(("name", "theme", "layout"), CASES)
def test_page(visit, name, theme, layout):
    """No complaint, no sideways scrolling, the right drawings, all mathematics set."""
    with visit(theme, WIDTHS[layout]) as visited:
        page = visited.open(name)
        visited.scroll_through()
        assert visited.complaints == []
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[layout]

        figures = page.locator("figure.dp-figure:not(:has(.dpa-on))").count()  # the rest is alive
        plates = shown_plates(page)
        assert len(plates) == figures
        closed = page.evaluate(
            "() => [...document.querySelectorAll('details:not([open]) figure')].map(f => f.id)"
        )
        for plate in plates:
            assert plate["variant"] == f"{theme}-{layout}", plate
            assert plate["loaded"] or plate["figure"] in closed, plate

        assert page.locator("mjx-merror").count() == 0
        assert page.locator("mjx-container").count() >= page.locator(".bd-article .math").count()


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(visit, name):
    """In the light, then in the dark: where that changes colours alone, their rules alone."""
    pytest.importorskip("axe_playwright_python")
    with visit("light") as visited:
        page = visited.open(name)
        page.add_style_tag(content="* { transition: none !important; }")
        page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert violations(page) == []
        page.emulate_media(color_scheme="dark")
        page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
        assert violations(page, only=None if name in CHAPTERS else COLOUR) == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_axe_on_a_phone(visit, name):
    pytest.importorskip("axe_playwright_python")
    with visit("light", 360) as visited:
        assert violations(visited.open(name)) == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_is_light_to_load(visit, name):
    with visit() as visited:
        visited.open(name)
        visited.scroll_through()
        sizes = {url: len(r.body()) for url, r in visited.loaded.items() if r.status == 200}
    heaviest = sorted(sizes.items(), key=lambda item: -item[1])[:5]
    assert sum(sizes.values()) < LIMIT, heaviest


@pytest.mark.parametrize("name", CHAPTERS)
def test_without_javascript(visit, name):
    """Text, pictures and hidden solutions work; only mathematics stays as typed."""
    with visit("light", 1280, java_script_enabled=False) as visited:
        page = visited.page
        page.goto(visited.address + name)
        assert visited.complaints == []
        figure = page.locator("figure.dp-figure").first
        if figure.count():
            assert figure.locator("img.dp-light-wide").is_visible()
            assert not figure.locator("img.dp-dark-wide").is_visible()
        for solution in page.locator("details.dp-solution").all():
            assert solution.get_attribute("open") is None
        colour = page.locator(".bd-article > section > p:not(.dp-open)").first.evaluate(
            "e => getComputedStyle(e).color"
        )
        assert colour == "rgb(27, 31, 36)"


@pytest.mark.parametrize("name", CHAPTERS)
def test_paper_shows_the_wide_light_drawing(visit, name):
    with visit("dark", 360) as visited:
        page = visited.open(name)
        page.emulate_media(media="print")
        assert {plate["variant"] for plate in shown_plates(page)} <= {"light-wide"}


def test_theme_button_changes_the_drawings(visit):
    with visit("light") as visited:
        page = visited.open(CHAPTERS[1])
        page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
        assert {plate["variant"] for plate in shown_plates(page)} <= {"dark-wide"}
        background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert background == "rgb(18, 22, 28)"


def test_keyboard_reaches_text_and_solutions(visit):
    with visit() as visited:
        page = visited.open(CHAPTERS[1])
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getAttribute('href')") == "#main-content"
        summary = page.locator("details.dp-solution > summary").first
        if summary.count():
            summary.focus()
            page.keyboard.press("Enter")
            assert page.locator("details.dp-solution").first.get_attribute("open") is not None


def test_search_finds_a_word(visit):
    with visit() as visited:
        page = visited.open("search.html?q=residual")
        page.wait_for_selector("#search-results li a", timeout=10_000)
        assert visited.complaints == []


def test_front_door_leads_to_the_book(visit):
    with visit() as visited:
        visited.page.goto(visited.address + "index.html")
        visited.page.wait_for_url("**/chapters/intro.html")
