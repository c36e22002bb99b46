"""Numbers as the pages and the figures print them."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.figures import words


@pytest.mark.parametrize(
    ("value", "digits", "wanted"),
    [
        (0, 3, "0"),
        (0.0, 3, "0"),
        (Fraction(0), 3, "0"),
        (Fraction(1, 8), 3, "0.125"),
        (0.5, 3, "0.500"),
        (0.0004, 3, "<0.001"),
        (-0.0004, 3, ">\N{MINUS SIGN}0.001"),
        (-1.25, 2, "\N{MINUS SIGN}1.25"),
        (1234.5, 1, "1\u202f234.5"),
        (np.float64(2), 2, "2.00"),
        (7, 0, "7"),
    ],
)
def test_fixed_decimals(value, digits, wanted):
    assert words.fixed(value, digits) == wanted


def test_decimals_without_zeros_at_the_end():
    assert [words.num(v) for v in (0.5, 2.0, 0.125, -0.5)] == [
        "0.5", "2", "0.12", "\N{MINUS SIGN}0.5",
    ]  # fmt: skip
    assert words.num(0) == "0"
    assert words.num(0.001) == "<0.01"
    assert words.num(-0.001) == ">\N{MINUS SIGN}0.01"


def test_percentages_keep_their_sign_on_the_line():
    assert words.percent(0.22952) == "22.95\u00a0%"
    assert words.percent(Fraction(1, 3), 0) == "33\u00a0%"
    assert words.percent(0) == "0\u00a0%"
    assert words.percent(1, 1) == "100\u00a0%"
    assert words.percent(0.00001, 2) == "<0.01\u00a0%"


def test_a_measured_value_stands_with_its_error():
    assert words.plus_minus(0.70123, 0.0042) == "0.701 ±\u00a00.004"
    assert words.plus_minus(-2, 0.25, 1) == "\N{MINUS SIGN}2.0 ±\u00a00.2"
    assert words.plus_minus(1, 0, 2) == "1.00 ±\u00a00"


def test_thousands_are_set_apart():
    assert words.count(300_000) == "300\u202f000"
    assert words.count(-1234567) == "\N{MINUS SIGN}1\u202f234\u202f567"
    assert words.count(999) == "999"
    assert words.count(np.int64(16_777_216)) == "16\u202f777\u202f216"
    assert words.count(Fraction(7000, 2)) == "3\u202f500"
    assert words.count(1999.7) == "2\u202f000"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (16_777.2, "17\u202f000"),
        (999.6, "1\u202f000"),
        (0.00427, "0.0043"),
        (0.0998, "0.10"),
        (99.9, "100"),
        (1.26, "1.3"),
        (12.6, "13"),
    ],
)
def test_about_keeps_two_digits(value, wanted):
    assert words.about(value) == wanted


def test_powers_of_ten():
    assert words.power(1.3e-8) == "1.3\u00a0·\u00a010⁻⁸"
    assert words.power(1e-10) == "10⁻¹⁰"
    assert words.power(-2.5e12) == "\N{MINUS SIGN}2.5\u00a0·\u00a010¹²"
    assert words.power(0) == "0"


def test_fractions_of_a_law():
    assert words.fractions([Fraction(0), Fraction(1, 3), Fraction(2, 3)]) == "0, 1/3, 2/3"


def test_lists_and_small_denominators():
    assert words.listed(["a"]) == "a"
    assert words.listed(["a", "b", "c"]) == "a, b and c"
    assert words.ratio(0.375) == "3/8"
    assert words.ratio(0.123456789) == "0.12"
    with pytest.raises(ValueError, match="one per token; got 1"):
        words.names_for(["a"], 2)
