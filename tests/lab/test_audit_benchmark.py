"""The audits of public packages: their pins, their result, and that nothing depends on them."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULT = ROOT / "src" / "draftproof" / "lab" / "results" / "audit.json"
PINS = ROOT / "benchmarks" / "audit" / "requirements.txt"
AUDITED = {
    "transformers",
    "dflash",
    "flashspec",
    "sequential-speculative-decoding",
    "speculative-decoding",
}


@pytest.fixture(scope="module")
def result():
    return json.loads(RESULT.read_text(encoding="utf-8"))


def test_everything_is_pinned_and_the_result_is_of_these_versions(result):
    lines = [line for line in PINS.read_text().splitlines() if line and line[0] != "#"]
    pins = dict(line.split("==") for line in lines)
    assert {name: pins[name] for name in AUDITED} == result["versions"]
    assert pins["numpy"] == result["machine"]["numpy"]


def test_the_audited_packages_are_no_dependencies_of_the_core():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[<>=\[]", text)[0].strip() for text in project["dependencies"]}
    assert names == {"numpy", "scipy"}
    # The tests of the extra [hf] have a transformers of their own, which no audit uses.
    book = (ROOT / "requirements.txt").read_text()
    alone = AUDITED - {"transformers"}
    assert not any(re.search(rf"^{name}==", book, re.M) for name in alone)


def test_every_audit_is_complete(result):
    assert {case["implementation"] for case in result["cases"]} == AUDITED
    for case in result["cases"]:
        assert case["verdict"] in {"holds", "does not hold", "error"}
        if case["verdict"] == "error":
            assert case["reason"]
            continue
        assert case["exact"] == (case["verdict"] == "holds") == (case["p_value"] > result["alpha"])
        assert 0 < case["detectable"] <= 1
        assert case["n"] >= 1000
    assert sum(result["counts"].values()) == len(result["cases"]) >= 80


def test_the_findings_add_up(result):
    assert sum(entry["audits"] for entry in result["findings"]) == len(result["cases"])
    assert sum(entry["holds"] for entry in result["findings"]) == result["counts"]["holds"]
    for entry in result["findings"]:
        assert entry["holds"] + len(entry["fails"]) == entry["audits"]


def test_the_lossy_rules_are_told_from_the_exact_ones(result):
    """A power check: what its authors call lossy must be found out."""
    lossy = [case for case in result["cases"] if case["claimed"] == "lossy"]
    assert any(case["verdict"] == "does not hold" for case in lossy)


def test_the_calibration_stands_in_the_result(result):
    found = result["calibration"]
    assert found["exact_samplers"] == 2000
    assert found["chance_of_as_many"] > 1e-6


def test_the_command_explains_itself(run):
    command = [sys.executable, "-m", "benchmarks.audit", "--help"]
    done = run(command, cwd=ROOT)
    assert done.returncode == 0, done.said
    assert "--only" in done.said
