"""What axe sees of a page whose parts look alike: each fault, wherever it stands."""

import pytest

from tests.axe import violations

pytest.importorskip("axe_playwright_python")
ROW = "<p>Words with <a href='#top'>a link</a> and <code>code</code>.</p>"
PAGE = f"""<!doctype html><html lang=en><title>Rows</title>
<style>body {{ color: #222; background: #fff }} a {{ color: #00e }}</style>
<main id=top><h1>Rows</h1>{ROW * 300}</main>"""
FAULTS = {
    "one of many, by its style": "at(150).style.color = '#bbb'",
    "one of many, by a rule": "rule('p:nth-of-type(77) { color: #bbb }')",
    "one of many, by a class": "rule('.pale { color: #bbb }'); at(9).className = 'pale'",
    "all of them": "rule('code { color: #bbb }')",
    "what is behind one": "at(201).style.background = '#555'",
    "what is behind all": "rule('main { background: #555 }')",
    "one that is small enough to need more": "at(42).style.cssText = 'font-size: 9px; color: #888'",
    "one that shines through": "at(250).style.opacity = 0.3",
    "a picture without words": "at(7).append(new Image())",
    "a link that only colour tells": "rule('a { text-decoration: none; color: #333 }')",
}


@pytest.fixture
def page(new_context):
    context = new_context()
    page = context.new_page()
    page.set_content(PAGE)
    yield page
    context.close()


def test_it_finds_nothing_wrong_with_the_rows(page):
    assert violations(page) == []
    assert page.locator("[data-look]").count() < 20


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(page, fault):
    page.evaluate(
        f"""() => {{
            const at = (k) => document.querySelectorAll("p")[k];
            const rule = (text) => {{
                document.head.append(Object.assign(
                    document.createElement("style"), {{ textContent: text }}));
            }};
            {FAULTS[fault]};
        }}"""
    )
    assert violations(page)
