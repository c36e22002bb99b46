"""The files at the root and the appendices say what is so."""

import contextlib
import importlib
import inspect
import io
import re
import subprocess
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


def test_the_example_of_the_readme_runs():
    (example,) = re.findall(r"```python\n(.*?)```", text("README.md"), re.DOTALL)
    assert len([line for line in example.splitlines() if line.strip()]) <= 10
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example, "README.md", "exec"), names)
    tokens = names["tokens"]
    assert tokens.size == 1_000_000
    # Five standard errors for each of three shares: 2e-6.
    p = np.array(names["p"])
    assert (abs(np.bincount(tokens) / tokens.size - p) < 5 * np.sqrt(p * (1 - p) / 1e6)).all()
    assert "0.7" in printed.getvalue()


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


def test_the_citation_is_valid():
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.citation-file-format"]
    done = subprocess.run(
        [sys.executable, *command, str(ROOT / "CITATION.cff")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


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


def test_the_reference_lists_every_public_function():
    page = text("chapters/a-api.md")
    listed = {}
    for module, members in re.findall(r"automodule:: draftproof\.(\w+)\n\s+:members: (.+)", page):
        listed[module] = {name.strip() for name in members.split(",")}
    for module in "finite speculative rules warp trace envelope bigram cost noise small".split():  # noqa: SIM905
        loaded = importlib.import_module(f"draftproof.{module}")
        for name in loaded.__all__:
            value = getattr(loaded, name)
            made_here = getattr(value, "__module__", "").startswith("draftproof")
            if made_here and (inspect.isfunction(value) or inspect.isclass(value)):
                home = "checks" if value.__module__ == "draftproof.checks" else module
                internal = name in ("check_models",)
                assert internal or name in listed[home], f"{module}.{name}"
    for module, members in listed.items():
        for name in members:
            resolve(f"{module}.{name}")


# The claims page, as it was built.
CLAIMS = {
    "emitted, counted": ["219/100", "2533/1000"],
    "exact chain": ["2.912603", "2.913216", "3.415157", "3.415519", "4.733246", "4.733254"],
    "quoted: arithmetic / speed": ["1.53 / 1.96", "1.58 / 2.53", "1.63 / 3.69", "1.60 / 6.86"],
    "speed": ["1.4583", "1.9808", "2.4696", "3.4309"],
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
    for value in CLAIMS[head]:
        assert value in shown
