"""The reference can be trusted: docstrings are complete, `__all__` lists what is there."""

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
import textwrap
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


# --- every module: numpydoc sections for all that `__all__` offers --------------------------------

# Where a bad argument is named: the body raises, or calls one of the checks that do.
REFUSES = re.compile(
    r"\braise (?:Value|Type)Error|\b_?check_\w+\(|\bas_(?:law|pair|model|numbers)\(|\b_one_pair\("
)
EVERY_MODULE = sorted(
    info.name
    for info in pkgutil.walk_packages(draftproof.__path__, "draftproof.")
    if not info.name.endswith("__main__")
)
# Modules whose docstrings still lack sections; a module leaves the list when it is complete.
INCOMPLETE: frozenset[str] = frozenset()


def body(function):
    """The source of a function without its head and its docstring."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    statements = node.body[1:] if ast.get_docstring(node) else node.body
    return "\n".join(map(ast.unparse, statements))


def gaps_of_function(function):
    """The sections that a function's docstring lacks."""
    plain = inspect.unwrap(function)
    signature = inspect.signature(plain)
    _, parts = sections(plain.__doc__ or "")
    takes = {name for name in signature.parameters if not name.startswith("_")} - {"self", "cls"}
    if plain is not function:
        takes -= {"plate"}  # a drawing is called without it
    missing = takes - named(parts.get("Parameters", ""))
    gaps = [f"Parameters: {name}" for name in sorted(missing)]
    nothing = ("None", "NoReturn", None, inspect.Parameter.empty)
    if signature.return_annotation not in nothing and not {"Returns", "Yields"} & set(parts):
        gaps.append("Returns")
    if REFUSES.search(body(plain)) and "Raises" not in parts:
        gaps.append("Raises")
    return gaps


def gaps_of_class(value):
    """The attributes and arguments that a class's docstring does not describe."""
    described = set()
    for base in value.__mro__:
        if base.__module__.startswith("draftproof"):
            _, parts = sections(vars(base).get("__doc__") or "")
            described |= named(parts.get("Attributes", "")) | named(parts.get("Parameters", ""))
    if dataclasses.is_dataclass(value):
        takes = {field.name for field in dataclasses.fields(value)}
    elif "__init__" in vars(value) and not getattr(value, "_is_protocol", False):
        takes = set(inspect.signature(value.__init__).parameters) - {"self"}
    else:
        takes = set()
    missing = {name for name in takes if not name.startswith("_")} - described
    return [f"Attributes: {name}" for name in sorted(missing)]


def gaps_of_module(module):
    """What a module's `__all__` offers and does not fully describe, with what is lacking."""
    gaps = {}
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            gaps[name] = gaps_of_class(value)
            for own, member in vars(value).items():
                member = getattr(member, "__func__", member)
                ours = inspect.isfunction(member) and member.__module__ == module.__name__
                if ours and not own.startswith("_"):
                    gaps[f"{name}.{own}"] = gaps_of_function(member)
        elif inspect.isfunction(inspect.unwrap(value)):
            gaps[name] = gaps_of_function(value)
    return {name: lacking for name, lacking in gaps.items() if lacking}


def loaded_module(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("draftproof"):
            raise
        pytest.skip(f"{error.name} is not installed")


@pytest.mark.parametrize("name", [m for m in EVERY_MODULE if m not in INCOMPLETE])
def test_docstrings_have_every_section_that_applies(name):
    assert gaps_of_module(loaded_module(name)) == {}


@pytest.mark.parametrize("name", sorted(INCOMPLETE))
def test_a_complete_module_has_left_the_list(name):
    assert gaps_of_module(loaded_module(name)), f"{name} is complete: take it off INCOMPLETE"


def test_missing_sections_are_found():
    def sloppy(p, rng):
        """Return something.

        Parameters
        ----------
        p : float
        """
        if p < 0:
            raise ValueError("p must not be negative")
        return rng

    sloppy.__annotations__["return"] = "float"
    assert gaps_of_function(sloppy) == ["Parameters: rng", "Returns", "Raises"]

    @dataclasses.dataclass
    class Sloppy:
        """A pair.

        Attributes
        ----------
        first : int
        """

        first: int
        second: int

    Sloppy.__module__ = "draftproof.sample"
    assert gaps_of_class(Sloppy) == ["Attributes: second"]
