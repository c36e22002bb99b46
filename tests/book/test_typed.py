"""No number in the prose is typed: the page computes it, or it is listed here with the reason.

Read is what a Markdown page says outside code, mathematics, roles, link targets and the statements
of exercises, which give their readers settings, and outside words quoted from others (“…”). There
every decimal, every percentage, every fraction, every number of three digits or more, and every
hundred, thousand, million or billion in words, or share in words (one in twenty, nine tenths, a
quarter of), must come from the run, by ``{glue:text}``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
PAGES = sorted(path.name for path in CHAPTERS.glob("*.md"))

FENCE = re.compile(r"^ {0,3}(`{3,}|:{3,}|~{3,})(.*)$")
READ_INSIDE = ("{admonition}", "{solution}", "{note}", "{tip}", "{tab-item}", "{tab-set}",
               "{grid", "{card", "{grid-item-card}", "{dropdown}", "{seealso}", "{warning}",
               "{important}", "{figure}")  # fmt: skip
SOLUTION = re.compile(r"```\{solution-start\}.*?```\{solution-end\}\n```", re.DOTALL)
NOT_PROSE = [
    (re.compile(r"\A---\n.*?\n---\n", re.DOTALL), ""),  # what the page says to the tools
    (re.compile(r"“[^”]*”"), " "),
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    (re.compile(r"\$\$.*?\$\$", re.DOTALL), " "),
    (re.compile(r"(?<![\\$])\$[^$]+?\$"), " "),
    (re.compile(r"\{[a-z:]+\}`+[^`]*`+"), " "),  # roles: glue, numref, cite, ref
    (re.compile(r"(`+)(?!`).+?\1", re.DOTALL), " "),
    (re.compile(r"\]\([^)]*\)"), "]"),
    (re.compile(r"https?://\S+"), " "),
    (re.compile(r"^\([\w-]+\)=$", re.MULTILINE), ""),
    (re.compile(r"^:[\w-]+:.*$", re.MULTILINE), ""),  # options of a directive
]
SOME = "(?:two|three|four|five|six|seven|eight|nine)"
TYPED = re.compile(
    r"""(?<![A-Za-z\d])(?:\d[\d,\u202f\u00a0]*\.\d+          # a decimal
      | \d+[ \u00a0\u202f]?(?:%|per\ cent)  # a percentage
      | \d+/\d+                            # a fraction
      | \d(?:[,\u202f\u00a0 ]?\d){2,})      # three digits or more, their thousands apart or not
      | \b(?:hundred|thousand|million|billion)(?:th)?\b
      | \b(?:one|SOME)[ ]in[ ](?:SOME|ten|twelve|twenty|thirty|forty|fifty|sixty|eighty|ninety)\b
      | \bSOME[ -](?:PART)s\b              # nine tenths
      | \b(?:a|one)[ ](?:PART)[ ]of\b      # a quarter of""".replace("SOME", SOME).replace(
        "PART", "third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|twelfth|twentieth|fiftieth"
    ),
    re.VERBOSE | re.IGNORECASE,
)

# What may stand typed, with the words around it. Each line says why the page cannot compute it.
REPORTED = "what others report, with its source"
ASKED = "a question as readers ask it"
GIVEN = "a setting: the reader is told what to take, and the page computes with it"
HAND = "worked by hand, step by step; the cell in the same solution asserts what comes out"
ALLOWED: dict[str, dict[str, str]] = {
    "01-envelopes.md": {
        "climbs towards 100\u00a0%": "a limit, not a result",
        "My acceptance is 10\u00a0%": ASKED,
        "Rate 1/2 and rate 2 are both worse": GIVEN,
    },
    "02-tokens.md": {
        "sampled at temperature 1/2, then is the law at 1/2": GIVEN,
    },
    "03-bigram.md": {
        "for a model of 11 billion parameters reached about 0.2": REPORTED,
        "An 11-billion-parameter T5": REPORTED,
        "a 34- and a 7-billion pair, and only 1.3 times": REPORTED,
        "went from 1.5 times faster at a low request rate to 1.4 to 1.8 times": REPORTED,
    },
    "04-decoding.md": {
        "trained for a quarter of an hour": "a time, not a share; the training's own record has it",
    },
    "05-faults.md": {
        "repeats its last token with probability 3/4": GIVEN,
        "rejected, with probability 1/2 · 4/5 = 2/5": HAND,
        "1/5 + 4/15, 3/10 + 2/15, 1/10": HAND,
        "The law is that of the draft, (2/3, 1/3, 0)": HAND,
        "passes if u < 5/9": HAND,
        "with probability 5/9 instead of (5/9)²": HAND,
        "where 1/4 is right": HAND,
        "repeats with probability 3/4 and starts evenly, and a draft that says *a* with 2/3": GIVEN,
        "judged by (3/4, 1/4)": HAND,
        "by (1/4, 3/4)": HAND,
    },
    "06-beyond.md": {
        "The ratio of a is 1/3": HAND,
        "aa has weight 1/9, ab has min(1, 1/3 · 3) = 1, ba has 1/3": HAND,
        "boards are 3/4 · 1/3 + 1/4 = 1/2": HAND,
        "9/16 · 1/9 + 3/16 + 3/16 · 1/3 + 1/16 = 3/8, together 7/8": HAND,
        "α + α², with α = 1/2": HAND,
        "one third of the 3/16, though ab is wanted with the very same 3/16": HAND,
        "One draft keeps 3/4": HAND,
        "All that is missing is c, 1/4": HAND,
        "hits c with 1/4, so 3/4 + 1/16": HAND,
        "the draw is (0, 1/2, 1/2) and hits c with 1/2, so 3/4 + 1/8": HAND,
        "= 1/2 + 1 − 9/16": HAND,
        "its authors report 5 to 8\u00a0% of time saved": REPORTED,
    },
    "a-claims.md": {
        "with 300\u202f000 darts each": REPORTED,
        "200\u202f000 runs each, taken there": REPORTED,
        "appeared at ICML 2023": "a year",
    },
    "a-open.md": {
        "with Python 3.11, 3.12 or 3.13": "versions, of which the package's metadata speaks",
    },
}


def prose(text: str) -> str:
    """What a page says, without code, mathematics and the statements of exercises."""
    kept: list[str] = []
    fences: list[tuple[str, bool]] = []  # the open ones: their mark, and whether we read inside
    for line in text.split("\n"):
        found = FENCE.match(line)
        if found is None:
            if all(read for _, read in fences):
                kept.append(line)
            continue
        mark, rest = found[1], found[2].strip()
        if fences and not rest and mark[0] == fences[-1][0][0] and len(mark) >= len(fences[-1][0]):
            fences.pop()
        else:
            fences.append((mark, rest.startswith(READ_INSIDE)))
            if fences[-1][1]:
                kept.append(rest.partition("}")[2])  # a title is read as well
        kept.append("")
    assert not fences, f"a fence stays open: {fences}"
    said = "\n".join(kept)
    for pattern, instead in NOT_PROSE:
        said = pattern.sub(instead, said)
    return re.sub(r"[ \n\t]+", " ", said)


def typed(text: str, allowed: dict[str, str]) -> list[str]:
    """The numbers of a page that nobody computed, with some words around each."""
    said = prose(text)
    spans = [m.span() for words in allowed for m in re.finditer(re.escape(words), said)]
    return [
        f"{found[0]!r} in {said[max(found.start() - 40, 0) : found.end() + 25]!r}"
        for found in TYPED.finditer(said)
        if not any(a <= found.start() and found.end() <= b for a, b in spans)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_no_number_in_the_prose_is_typed(page):
    text = (CHAPTERS / page).read_text(encoding="utf-8")
    assert typed(text, ALLOWED.get(page, {})) == []


@pytest.mark.parametrize("page", sorted(ALLOWED))
def test_the_allowed_words_still_stand_there(page):
    said = prose((CHAPTERS / page).read_text(encoding="utf-8"))
    gone = [words for words in ALLOWED[page] if words not in said]
    assert gone == []


@pytest.mark.parametrize("page", sorted(ALLOWED))
def test_what_is_worked_by_hand_is_asserted_in_the_same_solution(page):
    text = (CHAPTERS / page).read_text(encoding="utf-8")
    asserted = [prose(one) for one in SOLUTION.findall(text) if "\nassert " in one]
    by_hand = [words for words, why in ALLOWED[page].items() if why == HAND]
    assert [words for words in by_hand if not any(words in one for one in asserted)] == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The gap is 0.009.",
        "The mean is 4/5.",
        "Together that is (5/16).",
        "About one in twenty misses.",
        "Two in three are kept.",
        "At nine tenths of the largest.",
        "It has a quarter of its mass there.",
        "One third of them.",
        "Here are 500 rounds.",
        "It took 200,000 draws.",
        "It took 200\u202f000 draws.",
        "About 5 % of runs.",
        "About 5\u00a0% of runs.",
        "Once in 17 million throws.",
        "One cat in a thousand is rejected.",
        "Less than one hundredth.",
        ":::{admonition} Ninety and 0.9\nwords\n:::",
        "```{solution} ex-one\nThe share is 0.5.\n```",
    ],
)
def test_a_typed_number_is_found(sentence):
    assert len(typed(f"# A page\n\n{sentence}\n", {})) == 1


def test_allowed_words_are_allowed_and_no_others():
    page = "Once 300 darts, twice 300 coins."
    assert len(typed(page, {})) == 2
    assert len(typed(page, {"300 coins": "why"})) == 1
    assert len(typed(page, {"300": "why"})) == 0


@pytest.mark.parametrize(
    "sentence",
    [
        "The gap is {glue:text}`x:.4f` of $0.009 = 9/1000$.",
        "$$ 0.5 + 0.5 = 1 $$",
        "See `f(0.5, 200)` and [the page](page-2024.md), {cite}`sun2024`.",
        "Two laws on an H100, 18 characters, chapter 2, thousands of tokens.",
        "The source says “1.98 for 200,000 runs”.",
        "```{code-cell} python\nx = 0.25\n```",
        "Half of it, a third law, and/or the third; two thirdly; one in each; 2 of 3.",
        "```{exercise} A coin\nTake c = 0.9 and 500 rounds.\n```",
        ":::{math}\n0.5\n:::",
    ],
)
def test_what_the_page_computes_or_defines_is_not(sentence):
    assert typed(f"---\nversion: 1.25\n---\n# A page\n\n{sentence}\n", {}) == []
