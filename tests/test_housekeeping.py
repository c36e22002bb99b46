"""The files at the root and the appendices say what is so."""

import contextlib
import importlib
import inspect
import io
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import yaml

import draftproof

ROOT = Path(__file__).resolve().parents[1]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def project():
    return tomllib.loads(text("pyproject.toml"))["project"]


def examples_of_the_readme():
    found = re.findall(r"```python\n(.*?)```", text("README.md"), re.DOTALL)
    for example in found:
        assert len([line for line in example.splitlines() if line.strip()]) <= 10
    return found


def run(example, names):
    """Run an example as a reader would; returns what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example, "README.md", "exec"), names)
    return printed.getvalue()


def test_the_examples_of_the_readme_run():
    rule, audit, decoding = examples_of_the_readme()
    names = {}
    assert "0.7" in run(rule, names)
    tokens = names["tokens"]
    assert tokens.size == 1_000_000
    # Five standard errors for each of three shares: 2e-6.
    p = np.array(names["p"])
    assert (abs(np.bincount(tokens) / tokens.size - p) < 5 * np.sqrt(p * (1 - p) / 1e6)).all()
    # The seed is fixed; of all seeds one in a hundred would reject the exact sampler.
    exact, wrong = re.findall(r"^verdict +(.+)$", run(audit, names), re.MULTILINE)
    assert exact == "not rejected"
    assert wrong.startswith("rejected: token 0")
    # 200 characters, then the tokens a pass; the seed is fixed, one in any case.
    *written, rate = run(decoding, names).splitlines()
    assert len("\n".join(written)) == 200
    assert 2 < float(rate) < 6


def chapters():
    """The pages of the table of contents that have a number."""
    parts = yaml.safe_load(text("_toc.yml"))["parts"]
    numbered = [part for part in parts if part.get("numbered")]
    return [page["file"] for part in numbered for page in part["chapters"]]


def test_the_readme_shows_every_chapter():
    shown = text("README.md").partition("## What each chapter shows")[2].partition("\n## ")[0]
    parts = shown.split("\n### ")[1:]
    pages = chapters()
    assert len(parts) == len(pages) >= 5
    for part, page in zip(parts, pages, strict=True):
        title = re.search(r"^# (.+)$", text(f"{page}.md"), re.MULTILINE)[1]
        assert title in part.splitlines()[0]
        (picture,) = re.findall(r'<img src="figures/([\w-]+)\.svg"', part)
        assert f'srcset="figures/{picture}.dark.svg"' in part


def test_the_readme_names_what_is_there():
    readme = text("README.md")
    for target in re.findall(r"\]\(([^)#:]+)\)", readme):
        assert (ROOT / target).exists(), target
    for picture in re.findall(r'(?:src|srcset)="([^"]+)"', readme):
        assert (ROOT / picture).exists(), picture
    assert all(re.findall(r'alt="([^"]+)"', readme))
    for module in re.findall(r"`(draftproof\.[a-z.]+)`", readme):
        if module.partition(".")[2] != "figures":
            importlib.import_module(module)
    makefile = text("Makefile")
    for target in re.findall(r"^make (\w+)", readme, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_plain_lines_are_those_of_the_makefile():
    makefile = text("Makefile")
    for line in re.findall(r"^\.venv/bin/(.+)$", text("README.md"), re.MULTILINE):
        words = [word for word in line.split() if not word.startswith((".", "_"))]
        known = [word for word in words if word in makefile or word in ("auto", "8000")]
        assert words == known, line


def test_versions_agree():
    version = project()["version"]
    assert draftproof.__version__ == version
    assert yaml.safe_load(text("CITATION.cff"))["version"] == version
    assert f"## [{version}] - " in text("CHANGELOG.md")
    assert f"version {version}" in text("README.md")


def test_the_citation_is_valid(run):
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.citation-file-format"]
    done = run([sys.executable, *command, ROOT / "CITATION.cff"])
    assert done.returncode == 0, done.said


def test_the_workflows_are_valid(run):
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    files = [str(path) for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))]
    assert files
    done = run([sys.executable, *command, *files])
    assert done.returncode == 0, done.said


def test_help_lists_every_target():
    makefile = text("Makefile")
    targets = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)[1].split()
    described = re.findall(r"^([a-z]+):.*## \S", makefile, re.MULTILINE)
    assert sorted(targets) == sorted(described)


def test_the_book_extra_builds_the_book():
    def names(lines):
        found = {re.match(r"[\w.-]+", line.strip())[0] for line in lines if line.strip()}
        return {name.lower().replace("_", "-") for name in found}

    extra = names(project()["optional-dependencies"]["book"])
    site = text("requirements.txt").partition("# the site\n")[2].partition("\n\n")[0]
    # Jupyter Book brings these itself, and the book names none of them.
    brought = {"docutils", "jupyter-cache", "myst-parser", "pydata-sphinx-theme"}
    brought |= {"sphinx-togglebutton"}
    assert names(site.splitlines()) - brought <= extra


def test_the_changelog_keeps_its_form():
    heads = re.findall(r"^## (.+)$", text("CHANGELOG.md"), re.MULTILINE)
    assert heads[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", head) for head in heads[1:])
    kinds = set(re.findall(r"^### (.+)$", text("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_licences():
    assert text("LICENSE").startswith("MIT License")
    assert "CC-BY-4.0" in text("LICENSE-text")
    assert "https://creativecommons.org/licenses/by/4.0/legalcode" in text("LICENSE-text")
    assert project()["license-files"] == ["LICENSE", "LICENSE-text"]


def test_stored_results_name_their_commands():
    table = text("CONTRIBUTING.md").partition("## Results that are stored")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", table, re.MULTILINE))
    stored = [*ROOT.glob("benchmarks/**/*.json"), *(ROOT / "src").glob("**/results/*.json")]
    assert {str(path.relative_to(ROOT).as_posix()) for path in stored} <= set(rows)
    for command in rows.values():
        if command.startswith("python -m "):
            place = ROOT / command.removeprefix("python -m ").replace(".", "/")
            assert place.with_suffix(".py").is_file() or (place / "__main__.py").is_file()


def test_every_dependency_has_its_reason():
    chosen = text("requirements.txt").partition("# what those need")[0]
    pinned = {
        line.partition("==")[0].lower()
        for line in chosen.splitlines()
        if line and not line.startswith("#")
    }
    table = text("CONTRIBUTING.md").partition("## Dependencies")[2]
    explained = {
        name.strip().lower()
        for line in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)
        for name in line.split(",")
    }
    assert pinned <= explained
    assert explained - pinned - {"package", ":---"} <= {"safetensors"}


# appendices


def test_the_bibliography_is_whole():
    parser = pytest.importorskip("pybtex.database")
    entries = parser.parse_file(str(ROOT / "chapters" / "references.bib")).entries
    cited = set()
    for page in sorted((ROOT / "chapters").glob("*.md")):
        for keys in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", page.read_text(encoding="utf-8")):
            cited |= {key.strip() for key in keys.split(",")}
    assert cited <= set(entries)
    for key, entry in entries.items():
        assert entry.persons.get("author"), key
        assert entry.fields.get("title"), key
        assert "year" in entry.fields or "url" in entry.fields, key


def resolve(path):
    module, _, rest = path.partition(".")
    found = importlib.import_module(f"draftproof.{module}")
    for name in rest.split("."):
        found = getattr(found, name)
    return found


def test_the_notation_names_what_is_there():
    modules = "finite|speculative|bigram|cost|warp|envelope|trace"
    names = re.findall(rf"`((?:{modules})\.[\w.]+)`", text("chapters/a-notation.md"))
    assert len(names) > 20
    for name in names:
        resolve(name)


CORE = "finite speculative rules warp trace envelope bigram cost roofline noise small".split()  # noqa: SIM905
UPPER = "verifiers lab lab.broken lab.check decode figures widgets.alive".split()  # noqa: SIM905


def listed_members(page):
    found = re.findall(
        r"automodule:: draftproof\.([\w.]+)\n(?:\s+:no-value:\n)?\s+:members: (.+)", text(page)
    )
    return {module: {name.strip() for name in members.split(",")} for module, members in found}


def offered(module):
    """The functions and classes of our own that a module offers, with the module they are from."""
    loaded = importlib.import_module(f"draftproof.{module}")
    for name in loaded.__all__:
        value = getattr(loaded, name)
        home = getattr(value, "__module__", "")
        if home.startswith("draftproof") and (inspect.isfunction(value) or inspect.isclass(value)):
            yield name, home.removeprefix("draftproof.")


def test_the_reference_lists_every_public_function():
    listed = listed_members("chapters/a-api.md")
    for module in CORE:
        for name, home in offered(module):
            place = home if home in ("checks", "roofline") else module
            internal = name in ("check_models",)
            assert internal or name in listed[place], f"{module}.{name}"
    for module, members in listed.items():
        for name in members:
            resolve(f"{module}.{name}")


@pytest.mark.parametrize("module", UPPER)
def test_the_second_reference_lists_every_public_name(module):
    if module == "decode":
        pytest.importorskip("torch")
    listed = listed_members("chapters/a-api-lab.md")
    loaded = importlib.import_module(f"draftproof.{module}")
    twice = {"typical_acceptance"}  # another name of `typical`
    for name, _ in offered(module):
        assert name in listed[module] | twice, name
    for name in listed[module]:
        assert hasattr(loaded, name), name


def test_the_second_reference_lists_every_ready_made_rule():
    listed = listed_members("chapters/a-api-lab.md")["verifiers.single"]
    listed |= set(
        re.findall(r"autodata:: draftproof\.[\w.]+\.(\w+)", text("chapters/a-api-lab.md"))
    )
    rules = importlib.import_module("draftproof.verifiers")
    ready = {name for name in rules.__all__ if isinstance(getattr(rules, name), rules.Verifier)}
    assert listed == ready


# The claims page, as it was built.
CLAIMS = {
    "emitted, counted": ["219/100", "2533/1000"],
    "exact chain": ["2.912603", "2.913216", "3.415157", "3.415519", "4.733246", "4.733254"],
    "quoted: arithmetic / speed": ["1.53 / 1.96", "1.58 / 2.53", "1.63 / 3.69", "1.60 / 6.86"],
    "quoted speed": ["72.58 %", "97.26 %", "3.381", "2.367", "2.080", "1.456", "3.3809", "2.0804"],
    "speed": ["1.4583", "1.9808", "2.4696", "3.4309"],
    "number": ["4.3884", "3.9596", "12.53", "9.9252"],
    "the house pair": ["0.8750", "0.7500", "0.8205", "0.5000"],
    "95 % interval of the observation": ["22.95 %", "52.16 %"],
    "law of the output": ["17/20", "10/17 4/17 2/17 1/17"],
    "expected accepted drafts": ["10/9", "11/9"],
    "acceptance": ["0.70", "0.76", "0.82", "0.86"],
}


@pytest.mark.site
@pytest.mark.parametrize("head", CLAIMS)
def test_the_built_claims(site, head):
    soup = pytest.importorskip("bs4").BeautifulSoup(
        (site / "chapters" / "a-claims.html").read_text(encoding="utf-8"), "html.parser"
    )
    tables = [
        table
        for table in soup.find_all("table")
        if head in [cell.get_text().strip() for cell in table.find_all("th")]
    ]
    assert tables
    shown = " | ".join(cell.get_text().strip() for cell in tables[0].find_all("td"))
    shown = shown.replace("\N{NO-BREAK SPACE}", " ")
    for value in CLAIMS[head]:
        assert value in shown


def test_the_site_waits_for_the_tests():
    """A push to main starts the tests; only their success starts the pages."""
    folder = ROOT / ".github" / "workflows"
    tests, pages = ((folder / f"{name}.yml").read_text("utf-8") for name in ("tests", "pages"))
    named = tests.splitlines()[0].removeprefix("name: ")
    assert f"workflow_run:\n    workflows: [{named}]" in pages
    assert "workflow_run.conclusion == 'success'" in pages
    assert "push:" not in pages
