"""The numbers that a reader sees are the right ones.

Each row names a page, the words around a number as they are rendered, and what the number must be.
Expected values were computed apart from the package. A page that loses a number fails here as much
as a page that shows a wrong one.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

pytestmark = pytest.mark.site
SITE = Path(__file__).resolve().parents[2] / "_build" / "html" / "chapters"
ONE, TWO, THREE = "01-envelopes", "02-tokens", "03-bigram"
NUMBER = r"([\u2212-]?[\d,\u202f]*\.?\d+(?:/\d+)?)"  # thousands may be set apart


@cache
def text(page: str) -> str:
    path = SITE / f"{page}.html"
    if not path.is_file():
        pytest.skip("the site is not built: run make site")
    article = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").find("article")
    for part in article.select("script, style, .cell_input"):
        part.decompose()
    return re.sub(r"[ \n\t\u00a0]+", " ", article.get_text(" "))


def number(found: str) -> float:
    plain = re.sub(r"[,\u202f]", "", found).replace("\u2212", "-")
    return float(Fraction(plain))


def at(half_unit: str) -> float:
    """Half a unit of the last digit shown, so that "0.72583" must be right to its end."""
    digits = half_unit.split("/")[0].partition(".")[2]
    return 0.51 * 10.0 ** -len(digits) if "/" not in half_unit else 1e-12


WEIGHTS = ("0.0", "0.1", "0.2", "0.3", "0.5", "0.7", "0.9", "1.0")
ALPHAS = (0.72583, 0.75325, 0.78066, 0.80808, 0.86292, 0.91775, 0.97258, 1)
CALLS = (
    (2.9126, 2.913216), (3.06993, 3.070467), (3.23728, 3.237732), (3.4152, 3.415519),
    (3.80455, 3.804752), (4.24241, 4.242486), (4.7332, 4.733254), (5, 5),
)  # fmt: skip
COLUMNS = " ".join(f"{w} # # # ± #" for w in WEIGHTS)
RATES = f"accepted ÷ tested, run {COLUMNS}"
TOKENS = f"tokens a call, run {COLUMNS}"
# at α = 4/5: accepted over tested, accepted over drafted, tokens a pass, for γ = 2, 4, 8, 16
METERS = " ".join(f"{gamma} # ± # (#) # ± # (#) # ± # (#)" for gamma in (2, 4, 8, 16))
RATES_AT_4_5 = [
    v
    for exact in (
        (0.8, 0.72, 2.44), (0.8, 0.5904, 3.3616), (0.8, 0.416114, 4.328911),
        (0.8, 0.242963, 4.887410),
    )
    for e in exact
    for v in (None, None, e)
]  # fmt: skip

# (page, words with # for each number, expected numbers); None: any number, a run's own
FACTS = [
    (ONE, r"has area \(Z =\) # under both", [5.7380727]),
    (ONE, r"tells the acceptance: # % of the box is target, and # % of the bell", [22.952, 52.164]),
    (ONE, r"the peak of \(f\) is # , at \(x =\) #", [3.6958152, -0.363354]),
    (ONE, r"is a box of height #", [25 / 6]),
    (ONE, r"\(C = 11\) its top is at #", [4.38837]),
    (ONE, r"The true maximum of \(b\) is #", [3.9595942]),
    (ONE, r"theory, Z/C # % # %", [22.952, 52.164]),
    (ONE, r"reported elsewhere # % # %", [22.93, 52.12]),
    (ONE, r"Now # darts under each envelope", [300_000]),
    (ONE, r"C (flat) kept TV from f/Z 25.00 # % # 22.17 # % #", [22.952, 0, 25.876, 0]),
    (ONE, r"20.00 # % # 15.00 # % # 10.00 # % #",
     [28.461294, 0.006942, 35.247138, 0.055138, 45.801060, 0.133093]),
    (ONE, r"5.00 # % # 2.00 # % # TV is the", [62.635688, 0.227904, 78.339560, 0.303969]),
    (ONE, r"the flat proposal’s bias is #", [0.007163]),
    (ONE, r"The standard normal has # % of its mass outside", [0.26998]),
    (ONE, r"by integration #", [5.7380727]),
    (ONE, r"proposal smallest C touches at x = kept flat # # # %", [22.17489, -0.363354, 25.876]),
    (ONE, r"bell # −0.380, # # %", [9.92523, 2.762, 57.813]),
    (ONE, r"half normal from exponential # √(2e/π) # %", [1.3155, 76.017]),
    (ONE, r"normal from Cauchy # √(2π/e) # %", [1.5203, 65.774]),
    (ONE, r"same 1 % keeps one dart in #", [20959.16]),
    (ONE, r"[#, 0.5, #, #]", [1.5, 2 / 3, 1 / 27]),
    (ONE, r"(#, #, #) Exercise 1.3", [5 / 8, 13 / 20, 2 / 5]),
    (TWO, r"the kept area is # , and corrections follow the law ( #, #, #, # )",
     [17 / 20, 0, 2 / 3, 1 / 3, 0]),
    (TWO, r"For cat, dog and fox it is # and ( #, #, # )", [7 / 10, 0, 1 / 3, 2 / 3]),
    (TWO, r"Of # drafts one expects # cats, # dogs and # foxes to be kept, and # cats",
     [10_000, 3000, 3000, 1000, 3000]),
    (TWO, r"Those become # dogs and # foxes", [1000, 2000]),
    (TWO, r"tokens alone follow (#, #, #, #)", [10 / 17, 4 / 17, 2 / 17, 1 / 17]),
    (TWO, r"cat, dog, fox # # # four tokens # # #", [3, 1 / 3, 7 / 10, 3 / 2, 2 / 3, 17 / 20]),
    (TWO, r"redraw from p # #, #, # #", [3 / 4, 5 / 16, 5 / 16, 3 / 8, 1 / 8]),
    (TWO, r"softmax of the residual # #, #, # #", [3 / 4, 0.326, 0.326, 0.348, 0.152]),
    (TWO, r"sample and match # #, #, # #", [5 / 16, 1 / 4, 1 / 4, 1 / 2, 0]),
    (TWO, r"no coin # #, #, # #", [1 / 2, 0, 1 / 4, 3 / 4, 1 / 4]),
    (TWO, r"typical acceptance # #, #, # #", [1, 1 / 2, 1 / 4, 1 / 4, 1 / 4]),
    (TWO, r"with probability # / # = #", [0.2, 0.5, 0.4]),
    (TWO, r"coin kept missing x # # # # # y # # # # #",
     [0.2, 0.5, 1, 0.2, 0.3, 0.5, 0.2, 0.4, 0.2, 0]),
    (TWO, r"comes through with probability # × # = # , just what is wanted", [0.5, 0.4, 0.2]),
    (TWO, r"# matches out of # drafts yield # tokens", [4, 8, 5]),
    (TWO, r"third coin, # , is above # , so the second cat", [0.7, 1 / 2]),
    (TWO, r"\(\varepsilon =\) # and \(\delta =\) # , it keeps everything", [0.09, 0.3]),
    (TWO, r"so the output is the draft’s law: distance #", [1 / 4]),
    (TWO, r"0 comes up once in about # throws", [17_000_000]),
    (TWO, r"rounds for each γ, of a pair with α = #", [4 / 5]),
    (TWO, METERS, RATES_AT_4_5),
    (TWO, r"favourites agree # # # house: differ # # #", [7 / 8, 32 / 39, 1, 3 / 4, 1 / 2, 0]),
    (TWO, r"(0.9, 0.1) and (0.6, 0.4) # # house # #", [7 / 10, 9 / 10, 3 / 4, 1 / 4]),
    (THREE, r"\(p(\text{h} \mid \text{t}) = \) #", [5 / 29]),
    (THREE, r"\(p(\text{t} \mid \text{^}) = \) #", [2 / 19]),
    (THREE, r"gives the space # and the t #", [9 / 49, 6 / 49]),
    (THREE, r"to suffer (#, #)", [80, 18]),
    (THREE, r"Draw # characters after t", [200_000]),
    (THREE, r"from the start make # · # = # pairs", [18, 18, 324]),
    (THREE, r"Its law is off by a distance of only #", [0.008240]),
    (THREE, r"experts on average. The pass reads # times", [35.303 / 8]),
    (THREE, r"and only # times with 7 and 1", [1.3]),
    (THREE, r"went from # times faster at a low request rate to # to # times", [1.5, 1.4, 1.8]),
    (THREE, RATES, [v for a in ALPHAS for v in (a, None, None, None)]),
    (THREE, TOKENS, [v for f, e in CALLS for v in (f, e, None, None)]),
    (THREE, r"the formula says # and the chain #", [2.912603, 2.913216]),
    (THREE, r"c = 0.5 0.0 # # # #", [0.72583, 2.427169, 2.080431, 1.456302]),
    (THREE, r" 0.9 # # 3.381 #", [0.97258, 3.944371, 2.366623]),
    (THREE, r"α = 0.5 # (#) # (#)", [1, 1.25, 2, 1.4583]),
    (THREE, r"α = 0.6 # (#) # (#)", [2, 1.4, 3, 1.673846]),
    (THREE, r"α = 0.7 # (#) # (#)", [3, 1.583125, 4, 1.9808]),
    (THREE, r"α = 0.8 # (#) # (#) # (#)", [4, 1.86756, 6, 2.4696, 8, 3.092080]),
    (THREE, r"α = 0.9 # (#) # (#)", [7, 2.373055, 10, 3.4309]),
    (THREE, r"0.6 2 # # 0.7 3 # # 0.8 5 # # 0.9 10 # #",
     [1.5306, 1.96, 1.5792, 2.533, 1.6263, 3.68928, 1.6031, 6.861894]),
    (THREE, r"four drafts make \(v = \) # , and a speedup of #", [1.96, 2.80133]),
    (THREE, r"shrinks to #", [1.55630]),
    (THREE, r"one row loads # and five rows load # experts", [8, 35.303]),
    (THREE, r"1/2, 3/8, 1/8 # #", [7 / 8, 32 / 39]),
    (THREE, r"house 1/4, 1/4, 1/2 1/2, 1/4, 1/4 # #", [3 / 4, 1 / 2]),
    (THREE, r"['#', '#', '#'] The best block", [175 / 64, 875 / 416, 3367 / 1536]),
    (THREE, r"stair is # tokens long and the round below it # passes; the ratio", [2.7731, 1.4]),
    (THREE, r"the ratio of the two lengths, #", [1.98079]),
]  # fmt: skip


def pattern(words: str) -> re.Pattern[str]:
    return re.compile(re.escape(words).replace(r"\#", NUMBER).replace("\\ %", " ?%"))


@pytest.mark.parametrize(("page", "words", "expected"), FACTS, ids=lambda value: str(value)[:50])
def test_the_page_shows_the_right_numbers(page, words, expected):
    found = pattern(words).search(text(page))
    assert found, f"{page} no longer says: {words}"
    for shown, wanted in zip(found.groups(), expected, strict=True):
        if wanted is not None:
            assert number(shown) == pytest.approx(wanted, abs=at(shown)), (shown, wanted)


BANDS = [
    (r"largest gap # # # TV distance", [0.00069, 0.00109, 0.00188], 0.05),
    (r"chance alone makes # to # in nine runs", [0.01455, 0.01680], 0.01),
]


@pytest.mark.parametrize(("words", "expected", "relative"), BANDS)
def test_noise_bands_agree_with_other_simulations(words, expected, relative):
    """Quantiles of a few thousand simulated runs: right to their own Monte Carlo error."""
    found = pattern(words).search(text(THREE))
    assert found, words
    shown = [number(value) for value in found.groups()]
    assert shown == pytest.approx(expected, rel=relative)
