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


EXERCISE = re.compile(
    r"^```\{exercise\}[^\n]*\n:label: (ex-[\w-]+)\n(.*?)^```\n(.*?)^```\{solution(?:-start)?\} ",
    re.DOTALL | re.MULTILINE,
)
CELL = re.compile(r"```\{code-cell\} python\n(.*?)```", re.DOTALL)
JUDGED = re.compile(r'"done" if \w.* else "not yet"')


@pytest.mark.parametrize("page", PAGES)
def test_code_of_the_reader_is_checked_or_marked_as_an_exploration(page):
    """A cell to change is judged: by `lab.check`, or, in an exploration, by itself."""
    for label, asked, between in EXERCISE.findall(PAGES[page]):
        cells = CELL.findall(between)
        judges_itself = any(JUDGED.search(cell) for cell in cells)
        assert asked.lstrip().startswith("*Exploration.*") == judges_itself, label
        changed = [cell for cell in cells if not re.search(r"\b(?:lab\.)?check\.\w+\(", cell)]
        assert judges_itself or len(changed) < len(cells) or not cells or _spots(label), label


def _spots(label: str) -> bool:
    """Tell whether an exercise shows code to read, with a wrong line in it, not code to write."""
    return label in {
        "ex-faults-strike", "ex-faults-cut", "ex-faults-uniform", "ex-faults-rows",
    }  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_explorations_are_explained_where_they_stand(page):
    introduction = PAGES[page].partition("\n## Exercises\n")[2].partition("```")[0]
    explained = "*exploration*" in introduction and "*not yet*" in re.sub(r"\s", " ", introduction)
    assert explained == ("*Exploration.*" in PAGES[page])


def test_there_are_three_explorations():
    found = [
        label
        for text in PAGES.values()
        for label, asked, _ in EXERCISE.findall(text)
        if "*Exploration.*" in asked
    ]
    assert found == ["ex-env-seventy", "ex-faults-hide", "ex-beyond-guess"]


@pytest.mark.parametrize("page", PAGES)
def test_every_exercise_has_a_solution(page):
    asked = re.findall(r"^:label: (ex-[\w-]+)$", PAGES[page], re.MULTILINE)
    solved = re.findall(r"\{solution(?:-start)?\} (ex-[\w-]+)$", PAGES[page], re.MULTILINE)
    assert sorted(asked) == sorted(solved)
    assert len(set(asked)) >= 3
