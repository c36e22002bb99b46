"""What the chapters' hidden cells share."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.figures import chapter2
from draftproof.figures.page import Page, glued, refused


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("a/b", "a/b"),
        (Fraction(5, 29), "5/29"),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7),
        (np.array(1.5), 1.5),
        (3, 3),
        (0.25, 0.25),
    ],
)
def test_numbers_reach_the_prose_as_python_has_them(value, wanted):
    shown = glued("x", value)
    assert shown == wanted
    assert type(shown) is type(wanted)


@pytest.mark.parametrize("value", [None, [1], True, np.bool_(True), np.zeros(1)])
def test_what_is_no_number_is_not_told(value):
    with pytest.raises(TypeError, match="x must be text or a number"):
        glued("x", value)


def test_told_numbers_are_glued_under_the_page_s_own_names(monkeypatch):
    nb = pytest.importorskip("myst_nb")
    told = {}
    monkeypatch.setattr(nb, "glue", lambda name, value, display: told.update({name: value}))
    Page("tokens").tell(alpha=Fraction(7, 10), n=3)
    assert told == {"tokens-alpha": "7/10", "tokens-n": 3}


def test_pictures_come_by_name():
    page = Page("tokens", chapter2.recipes())
    assert set(page.entries) == {entry.name for entry in chapter2.recipes()}
    assert "dog" in page.picture("three-draws").alt
    with pytest.raises(ValueError, match=r"name must be one of .*'no-such-figure'"):
        page.picture("no-such-figure")


def test_a_refusal_is_printed_and_its_absence_is_an_error(capsys):
    refused(int, "no number")
    assert "no number" in capsys.readouterr().out
    with pytest.raises(AssertionError, match="nothing to show"):
        refused(int, "7")
