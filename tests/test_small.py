"""All laws with a small denominator, and the identity of the book on all pairs of them."""

from fractions import Fraction
from math import comb

import pytest

from draftproof.small import all_laws
from draftproof.speculative import output_law


@pytest.mark.parametrize("size, denominator", [(1, 1), (2, 7), (3, 6), (4, 3)])
def test_all_of_them_once(size, denominator):
    laws = all_laws(size, denominator)
    assert laws.shape == (comb(denominator + size - 1, size - 1), size)
    assert (laws.sum(axis=1) == 1).all()
    assert all(type(mass) is Fraction and mass >= 0 for mass in laws.flat)
    assert len({tuple(row) for row in laws}) == len(laws)


@pytest.mark.parametrize("size, denominator", [(2, 16), (3, 7), (4, 4)])
def test_the_rule_emits_p_for_every_pair(size, denominator):
    laws = all_laws(size, denominator)
    assert (output_law(laws[:, None], laws[None]) == laws[:, None]).all()


@pytest.mark.parametrize("bad", [0, -1, 1.5, None])
def test_bad_arguments(bad):
    with pytest.raises(ValueError, match="size"):
        all_laws(bad, 2)
    with pytest.raises(ValueError, match="denominator"):
        all_laws(2, bad)
