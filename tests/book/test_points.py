"""A formula and the punctuation behind it are one piece."""

import re

import pytest

PAGE = r"""
# Title

It is $x$. Not $y$ here, but $z$, and ($w$). The $n$-th, $a$ % and $b$ alone.
Long: $a + b + c + d + e + f + g + h + i + j + k + l$.
"""


@pytest.fixture(scope="module")
def kept(build_page, tmp_path_factory):
    page, warnings = build_page(tmp_path_factory.mktemp("points"), PAGE)
    assert warnings == 0
    spans = re.findall(r'<span class="dp-keep">(.*?)</span>(\S*?)</span>', page)
    return {re.sub(r"<.*?>|\\[()]", "", formula): after for formula, after in spans}


@pytest.mark.parametrize(("formula", "after"), [("x", "."), ("z", ","), ("w", ")."), ("n", "-th")])
def test_punctuation_clings(kept, formula, after):
    assert kept[formula] == after


@pytest.mark.parametrize("formula", ["y", "a", "b"])
def test_a_word_does_not(kept, formula):
    assert formula not in kept


def test_a_long_formula_may_scroll(kept):
    assert not any(formula.startswith("a + b") for formula in kept)
