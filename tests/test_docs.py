"""The reference can be trusted: docstrings are complete, `__all__` lists what is there."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import draftproof

MODULES = [
    "checks",
    "finite",
    "trace",
    "tokens",
    "speculative",
    "warp",
    "noise",
    "density",
    "envelope",
    "chain",
    "roofline",
    "cost",
    "tables",
    "bigram",
    "examples",
    "one_token",
    "rules",
    "small",
]
PACKAGES = ["verifiers", "lab", "lab.check", "lab.broken", "decode", "figures", "widgets.alive"]
PACKAGE = Path(draftproof.__file__).parent
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


def sections(docstring):
    """Split a numpydoc docstring into its summary and its sections."""
    parts = SECTION.split(inspect.cleandoc(docstring))
    return parts[0], dict(zip(parts[1::2], parts[2::2], strict=True))


def named(section):
    """The names that a Parameters or Attributes section describes."""
    heads = re.findall(r"^(\S[^:\n]*?)(?: :.*)?$", section, re.MULTILINE)
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def own_objects():
    for module in MODULES:
        loaded = importlib.import_module(f"draftproof.{module}")
        for name in loaded.__all__:
            value = getattr(loaded, name)
            if getattr(value, "__module__", None) == loaded.__name__ and hasattr(value, "__name__"):
                yield pytest.param(value, id=f"{module}.{name}")


def methods():
    for parameter in own_objects():
        (value,) = parameter.values
        if inspect.isclass(value):
            for name, member in vars(value).items():
                if not name.startswith("_"):
                    member = getattr(member, "__func__", member)
                    if inspect.isfunction(member):
                        yield pytest.param(member, id=f"{parameter.id}.{name}")


def check_function(function):
    summary, parts = sections(function.__doc__ or "")
    first = summary.strip().splitlines()[0]
    assert first.endswith("."), "the summary is one sentence"
    assert len(first) < 100
    takes = set(inspect.signature(function).parameters) - {"self", "cls"}
    source = inspect.getsource(function)
    body = source[source.index('"""', source.index('"""') + 3) :]
    if takes:
        assert takes <= named(parts.get("Parameters", "")), "every argument is described"
    returned = inspect.signature(function).return_annotation
    if returned not in ("None", None, inspect.Parameter.empty):
        assert "Returns" in parts
    if re.search(r"\braise ValueError|\bcheck_\w+\(|\bas_law\(|\bas_pair\(|\b_one_pair\(", body):
        assert "Raises" in parts
    assert re.search(r"\bTODO\b|\bFIXME\b", source) is None


@pytest.mark.parametrize("value", list(own_objects()))
def test_docstrings(value):
    if inspect.isclass(value):
        summary, parts = sections(value.__doc__ or "")
        assert summary.strip()
        takes = set(inspect.signature(value).parameters)
        described = named(parts.get("Attributes", "")) | named(parts.get("Parameters", ""))
        assert takes <= described
    elif inspect.isfunction(value):
        check_function(value)


@pytest.mark.parametrize("function", list(methods()))
def test_docstrings_of_methods(function):
    summary, parts = sections(function.__doc__ or "")
    assert summary.strip()
    if "Parameters" in parts:
        assert set(inspect.signature(function).parameters) - {"self", "cls"} <= named(
            parts["Parameters"]
        )


def public(package):
    """The functions and classes of our own that a package offers."""
    if package == "decode":
        pytest.importorskip("torch")
    loaded = importlib.import_module(f"draftproof.{package}")
    for name in loaded.__all__:
        value = getattr(loaded, name)
        ours = getattr(value, "__module__", "").startswith("draftproof")
        if ours and (inspect.isfunction(value) or inspect.isclass(value)):
            yield name, value


@pytest.mark.parametrize("package", PACKAGES)
def test_what_a_package_offers_is_described(package):
    loaded = importlib.import_module(f"draftproof.{package}")
    assert len(set(loaded.__all__)) == len(loaded.__all__)
    assert sections(loaded.__doc__)[0].strip()
    described = 0
    for name, value in public(package):
        first = sections(vars(value).get("__doc__") or value.__doc__)[0].strip().splitlines()[0]
        assert first.endswith((".", "?")), name
        assert len(first) < 100, name
        described += 1
    assert described


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(value, id=name)
        for name, value in public("verifiers")
        if inspect.isfunction(value)
    ],
)
def test_docstrings_of_the_verifiers(function):
    check_function(function)


@pytest.mark.parametrize("module", MODULES)
def test_all_is_complete_and_sorted(module):
    loaded = importlib.import_module(f"draftproof.{module}")
    tree = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    public = {name for name in defined if not name.startswith("_")}
    assert public <= set(loaded.__all__)
    assert len(set(loaded.__all__)) == len(loaded.__all__)
    for name in loaded.__all__:
        assert hasattr(loaded, name)
    assert sections(loaded.__doc__)[0].strip()


def test_the_names_that_others_rely_on():
    for name in ("overlap", "total_variation", "acceptance", "residual", "speculative_sample"):
        assert name in draftproof.__all__
    for name in ("verify_block", "greedy_verify"):
        assert name in draftproof.__all__
    names = {
        "envelope": ["Target", "Proposal", "Envelope", "bin_masses"],
        "speculative": ["keeps", "classical_constant", "generate"],
        "bigram": ["Model", "CORPUS", "Mixture"],
        "cost": ["Hardware", "stationary", "tokens_per_call"],
        "finite": ["check_rng", "Array", "as_law"],
    }
    for module, wanted in names.items():
        assert set(wanted) <= set(importlib.import_module(f"draftproof.{module}").__all__)


def test_modules_stay_short():
    # Code, not prose: lines outside docstrings, comments and blank lines.
    for module in MODULES:
        text = (PACKAGE / f"{module}.py").read_text(encoding="utf-8")
        tree = ast.parse(text)
        prose = 0
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
                node
            ):
                prose += node.body[0].end_lineno - node.body[0].lineno + 1
        blank = sum(not line.strip() or line.strip().startswith("#") for line in text.splitlines())
        assert len(text.splitlines()) - prose - blank < 300, module
