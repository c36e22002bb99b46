"""The exercises of the chapters and the checks of `lab.check` belong together."""

import re
from pathlib import Path

import pytest

from draftproof.lab import check

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted(CHAPTERS.glob("0*.md"))}
SOLUTION = re.compile(r"```\{solution-start\}(.*?)```\{solution-end\}", re.DOTALL)


@pytest.mark.parametrize("name", check.EXERCISES)
def test_every_check_is_used_in_a_chapter(name):
    used = [page for page, text in PAGES.items() if f"check.{name}(" in text]
    assert used, f"no chapter runs check.{name}"


def _solutions(text: str) -> str:
    return "\n".join(SOLUTION.findall(text))


@pytest.mark.parametrize("page", ["01-envelopes.md", "02-tokens.md", "03-bigram.md"])
def test_a_chapter_asks_for_functions_and_says_how_to_check_them(page):
    text = PAGES[page]
    before, _, exercises = text.partition("\n## Exercises\n")
    introduction = exercises.partition("```")[0]
    assert "`lab.check`" in introduction
    # The reader's own function is checked outside the solutions, and the solution inside asserts.
    tried = SOLUTION.sub("", exercises)
    assert re.search(r"\bcheck\.\w+\(", tried)
    for cell in re.findall(r"```\{code-cell\} python\n(.*?)```", _solutions(exercises), re.DOTALL):
        if re.search(r"\bcheck\.\w+\(", cell):
            assert re.search(r"^assert (?:all\(verdicts\)|verdict)$", cell, re.MULTILINE)
    assert before


@pytest.mark.parametrize("page", PAGES)
def test_every_exercise_has_a_solution(page):
    asked = re.findall(r"^:label: (ex-[\w-]+)$", PAGES[page], re.MULTILINE)
    solved = re.findall(r"\{solution(?:-start)?\} (ex-[\w-]+)$", PAGES[page], re.MULTILINE)
    assert sorted(asked) == sorted(solved)
    assert len(set(asked)) >= 3
