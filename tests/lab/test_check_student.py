"""The student version: no solution left, all else in place, and notebooks that open."""

import json
from pathlib import Path

import pytest

from draftproof.lab.check.__main__ import main
from draftproof.lab.check.student import export, notebook, student_version

ROOT = Path(__file__).resolve().parents[2]
PAGE = """---
kernelspec:
  name: python3
---

# Title

```{exercise} One
:label: ex-one

Write it.
```

```{code-cell} python
:tags: [hide-input]
mine = None
```

```{solution-start} ex-one
:class: dropdown
```

Secret prose.

```{code-cell} python
secret = 1
```

```{solution-end}
```

After the first.

::::{solution} ex-two
:class: dropdown
Secret with a fence:

```python
secret
```
::::

+++

```{code-cell} python
:tags: [solution, hide-input]
secret_cell = 2
```

````{admonition} Try
```{solution} ex-three
Secret inside.
```
Kept inside.
````

```{code-cell} python
text = "```{solution} not one"
```

Last words.
"""


def test_solutions_go_and_everything_else_stays():
    text = student_version(PAGE)
    assert "ecret" not in text
    assert "{solution-" not in text
    for words in (
        "# Title",
        "Write it.",
        "mine = None",
        "After the first.",
        "Kept inside.",
        "Last words.",
    ):
        assert words in text
    assert text.count("# Your answer to ex-") == 3
    assert 'text = "```{solution} not one"' in text


def test_a_page_without_solutions_is_unchanged():
    text = "# Plain\n\n```{code-cell} python\n1 + 1\n```\n"
    assert student_version(text) == text


@pytest.mark.parametrize(
    "text", ["```{solution} x\nno end", "```{solution-start} x\n```\nno end", "```{code-cell}\n1"]
)
def test_open_ends_are_named(text):
    with pytest.raises(ValueError, match="line 1"):
        student_version(text)


def test_notebooks_are_valid():
    nbformat = pytest.importorskip("nbformat")
    made = notebook(student_version(PAGE))
    nbformat.validate(nbformat.from_dict(made))
    code = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    assert "".join(code[0]["source"]) == "mine = None"
    assert not any("kernelspec" in "".join(cell["source"]) for cell in made["cells"])
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])


def test_export_of_the_chapters(tmp_path, capsys):
    assert main(["--student", str(tmp_path), "--chapters", str(ROOT / "chapters")]) == 0
    assert "01-envelopes.ipynb" in capsys.readouterr().out
    for page in tmp_path.glob("*.md"):
        source = (ROOT / "chapters" / page.name).read_text(encoding="utf-8")
        assert "{solution" not in page.read_text(encoding="utf-8")
        if "{solution" not in source:
            assert page.read_text(encoding="utf-8") == source
    for book in tmp_path.glob("*.ipynb"):
        assert json.loads(book.read_text(encoding="utf-8"))["nbformat"] == 4


def test_the_command_explains_what_is_wrong(tmp_path, capsys):
    assert main(["--student", str(tmp_path / "out"), "--chapters", str(tmp_path)]) == 2
    assert "chapters" in capsys.readouterr().err
    with pytest.raises(ValueError, match="own folder"):
        export(ROOT / "chapters", ROOT / "chapters")


def test_the_command_lists_the_exercises(capsys):
    assert main([]) == 0
    assert "speculative_sample" in capsys.readouterr().out
