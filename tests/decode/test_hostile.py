"""What is no model, drafter, draft or prompt is refused by name, before the first pass."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from draftproof.decode.drafters import (  # noqa: E402
    Draft,
    ModelDrafter,
    NgramTable,
    PromptLookup,
    TableDrafter,
)
from draftproof.decode.graphs import StaticModel  # noqa: E402
from draftproof.decode.loop import generate  # noqa: E402
from draftproof.decode.models import Config, Transformer  # noqa: E402
from draftproof.decode.scorer import CachedRows  # noqa: E402
from draftproof.decode.streams import Streams  # noqa: E402
from draftproof.decode.warp import Warp  # noqa: E402
from draftproof.lab import audit  # noqa: E402
from tests.decode.small import SIZE, Answers, model, seeded  # noqa: E402

TARGET = model(0)
TABLE = NgramTable.from_tokens([0, 1, 2, 3, 4, 3, 2, 1, 0, 0], SIZE, 3)


def write(prompt=(1, 2), target=TARGET, new=6, **options):
    return generate(
        target, prompt, max_new_tokens=new, **{"generator": seeded(), "gamma": 3, **options}
    )


def refused(call, *words):
    """The call must fail with a short message that holds all the words."""
    with pytest.raises(ValueError) as caught:
        call()
    said = str(caught.value)
    assert all(word in said for word in words), said
    assert len(said) < 400, said


class Part:
    """A model with parts of our choice."""

    def __init__(self, **parts):
        vars(self).update(vocabulary_size=5, context_size=9, device="cpu", new_cache=lambda _: 0)
        vars(self).update(parts)

    def __call__(self, tokens, cache):
        raise AssertionError("a wrong model was asked")


NO_MODELS = {
    "a number": (3, "got 3"),
    "nothing": (None, "got None"),
    "its class": (Transformer, "got <class"),
    "a table": (TABLE, "with vocabulary_size, context_size"),
    "a drafter": (PromptLookup(), "with vocabulary_size"),
    "a bare module": (torch.nn.Linear(2, 2), "with vocabulary_size"),
    "a function": (lambda tokens, cache: None, "with vocabulary_size"),
    "a size that is no number": (Part(vocabulary_size="5"), "vocabulary_size must be"),
    "no vocabulary": (Part(vocabulary_size=0), "vocabulary_size must be"),
    "an endless context": (Part(context_size=float("inf")), "context_size must be"),
    "a device that is none": (Part(device="gpu"), "device must be a device"),
    "a cache that is none": (Part(new_cache=None), "must be a Scorer"),
}


@pytest.mark.parametrize("name", NO_MODELS)
def test_what_is_no_model_is_refused(name):
    bad, words = NO_MODELS[name]
    refused(lambda: write(target=bad), "target", words)
    refused(lambda: ModelDrafter(bad), "model", words)
    refused(lambda: CachedRows(bad, [[1]]), "model", words)


class Half:
    """A drafter without its last method."""

    def start(self, *_):
        pass

    def propose(self, *_):
        pass


NO_DRAFTERS = {
    "a number": 3,
    "a word": "lookup",
    "a model": TARGET,
    "a table": TABLE,
    "a list": [PromptLookup()],
    "half a drafter": Half(),
    "the class of the models": ModelDrafter,
    "the class of the tables": TableDrafter,
    "the class of the lookups": PromptLookup,
}


@pytest.mark.parametrize("name", NO_DRAFTERS)
def test_what_is_no_drafter_is_refused(name):
    bad = NO_DRAFTERS[name]
    refused(lambda: write(drafter=bad), "drafter must be None or a Drafter with start, propose")


@pytest.mark.parametrize("bad", [3, None, TARGET, NgramTable, "table", {}], ids=repr)
def test_a_table_drafter_takes_a_table(bad):
    refused(lambda: TableDrafter(bad), "table must be an NgramTable, got ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0,), "min_n must be a whole number of at least 1, got 0"),
        (("a",), "min_n must be a whole number of at least 1, got 'a'"),
        ((None,), "min_n must be"),
        (([1],), "min_n must be"),
        ((True,), "min_n must be"),
        ((1.0,), "min_n must be"),
        ((3, 2), "max_n must be a whole number of at least 3, got 2"),
        ((1, None), "max_n must be"),
        ((1, np.array([2, 3])), "max_n must be"),
    ],
)
def test_a_lookup_takes_two_numbers(arguments, words):
    refused(lambda: PromptLookup(*arguments), words)


DRAFTERS = {
    "model": lambda: ModelDrafter(model(1)),
    "table": lambda: TableDrafter(TABLE),
    "lookup": lambda: PromptLookup(),
}


@pytest.mark.parametrize("name", DRAFTERS)
@pytest.mark.parametrize(
    ("context", "gamma", "words"),
    [
        ([[1]], 0, "gamma must be"),
        ([[1]], 2.5, "gamma must be"),
        ([[1]], None, "gamma must be"),
        (3, 1, "context must hold rows"),
        (None, 1, "context must hold rows"),
        ([1, 2], 1, "context must hold rows"),
        ([], 1, "context must hold rows"),
        ("ab", 1, "context must hold rows"),
        ([[0.5, 0.5]], 1, "must"),
        ([[None, None]], 1, "must"),
        ([["a", "a"]], 1, "must"),
    ],
)
def test_a_drafter_is_asked_with_rows_and_a_number(name, context, gamma, words):
    drafter = DRAFTERS[name]()
    drafter.start([[1]], Warp(), Streams(1, seeded()))
    refused(lambda: drafter.propose(context, gamma), words)


@pytest.mark.parametrize("name", DRAFTERS)
def test_a_drafter_is_started_with_a_warp_and_streams(name):
    drafter = DRAFTERS[name]()
    refused(lambda: drafter.start([[1]], None, Streams(1, seeded())), "warp must be a Warp")
    refused(lambda: drafter.start([[1]], Warp(), seeded()), "streams must be Streams")


@pytest.mark.parametrize("name", ["model", "table"])
def test_a_drafter_is_started_before_it_proposes(name):
    refused(lambda: DRAFTERS[name]().propose([[1]], 1), "start must be called before propose")


ONE, LAW = torch.tensor([[0]]), torch.full((1, 1, SIZE), 1 / SIZE)
NO_DRAFTS = {
    "nothing": None,
    "its class": Draft,
    "listed tokens": Draft([[0]], LAW),
    "no tokens": Draft(None, LAW),
    "tokens of numpy": Draft(np.array([[0]]), LAW),
    "true or false": Draft(torch.tensor([[True]]), None),
    "tokens with a point": Draft(torch.tensor([[0.0]]), None),
    "complex tokens": Draft(torch.tensor([[0j]]), None),
    "laws of numpy": Draft(ONE, LAW.numpy()),
    "listed laws": Draft(ONE, LAW.tolist()),
    "whole laws": Draft(ONE, torch.tensor([[[1, 0, 0, 0, 0]]])),
    "laws of no tokens": Draft(ONE, torch.empty(1, 1, 0)),
    "listed lengths": Draft(ONE, LAW, [1]),
    "lengths with a point": Draft(ONE, LAW, torch.tensor([1.0])),
    "true lengths": Draft(ONE, LAW, torch.tensor([True])),
    "laws on another device": Draft(ONE, LAW.to("meta")),
    "tokens on another device": Draft(ONE.to("meta"), LAW),
}


@pytest.mark.parametrize("name", NO_DRAFTS)
def test_what_is_no_draft_is_refused(name):
    refused(lambda: write(drafter=Answers(NO_DRAFTS[name])), "drafter.propose must return")


@pytest.mark.parametrize(
    ("dtype", "off", "fine"),
    [
        (torch.float64, 5e-5, True),
        (torch.float64, 3e-4, False),
        (torch.float32, 5e-5, True),
        (torch.float32, 3e-4, False),
        (torch.float32, 1.5e-2, False),
        (torch.bfloat16, 5e-3, True),
        (torch.bfloat16, 2.5e-2, False),
        (torch.float16, 5e-3, True),
        (torch.float16, 1.5e-2, False),
    ],
)
def test_a_law_s_sum_is_as_near_to_one_as_its_precision_allows(dtype, off, fine):
    for sign in (1, -1):
        # All of it in the first token, whose share is exact enough in every type.
        law = (LAW.double() * (1 + sign * off)).to(dtype)
        law[..., 0] += (1 + sign * off) - law.double().sum()
        assert float(law.double().sum() - 1) * sign == pytest.approx(off, rel=0.5)
        drafter = Answers(Draft(ONE, law))
        if fine:
            assert len(write(drafter=drafter).tokens) == 6
        else:
            refused(lambda d=drafter: write(drafter=d), "each row of probs a law")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("spread", [0.0, 1.0, 5.0])
def test_a_large_law_rounded_to_its_precision_is_still_one(dtype, spread):
    from draftproof.decode.drafters.base import inspect

    logits = spread * torch.randn(4, 2, 128_000, generator=seeded())
    laws = logits.softmax(-1).to(dtype)
    assert not inspect(Draft(laws.argmax(-1), laws), 128_000)[1].any()


# prompts


@pytest.mark.parametrize(
    "prompt",
    [[0, 1, 2], (0, 1, 2), range(3), np.arange(3), torch.arange(3), np.arange(3, dtype=np.uint64)],
    ids=lambda prompt: type(prompt).__name__,
)
def test_any_sequence_of_numbers_is_a_prompt(prompt):
    wanted = write([0, 1, 2]).tokens
    for drafter in (None, *(make() for make in DRAFTERS.values())):
        assert write(prompt, drafter=drafter, temperature=0).tokens == (
            write([0, 1, 2], temperature=0).tokens
        )
    assert write(prompt).tokens == wanted
    assert write([prompt]).tokens == (wanted,)
    assert write([prompt, [4]]).rows[0] == wanted


@pytest.mark.parametrize(
    "prompt",
    [
        3,
        None,
        {},
        {1, 2},
        "12",
        b"12",
        iter([1]),
        [[1] * 5000, 2],
        [[1], "2"],
        ["a" * 5000],
        [[[1] * 5000]],
        {i: i for i in range(5000)},
        np.array(1),
        torch.tensor([0.5]),
        torch.tensor([True]),
    ],
    ids=lambda prompt: type(prompt).__name__,
)
def test_what_is_no_prompt_is_refused_in_short(prompt):
    refused(lambda: write(prompt), "prompt_ids must")


def test_options_are_refused_in_short():
    long = [1] * 5000
    for name in ("gamma", "temperature", "top_k", "top_p", "eos_token_id", "new", "generator"):
        shown = {"new": "max_new_tokens"}.get(name, name)
        refused(lambda name=name: write(**{name: long}), shown)
    for bad in ("no", 1, None, long):
        refused(lambda bad=bad: write(keep_laws=bad), "keep_laws must be True or False")
    refused(lambda: write(generator=[7, 7]), "generator must be a torch.Generator, or 1 of them")


# contexts


class Silent(Transformer):
    """A model that must not be asked."""

    def forward(self, *_):
        raise AssertionError("there was a pass before the check")

    read = forward


def silent(context):
    torch.manual_seed(0)
    return Silent(Config(SIZE, 16, 1, 2, 24, context)).eval()


@pytest.mark.parametrize("wrap", [lambda model: model, StaticModel])
@pytest.mark.parametrize(("limit", "need"), [(8, 120), (8, 9), (63, 64)])
def test_a_draft_with_too_short_a_context_is_named_before_the_first_pass(wrap, limit, need):
    target, drafter = silent(200), ModelDrafter(wrap(silent(limit)))
    refused(
        lambda: write([1, 2], target, need - 2, drafter=drafter),
        "drafter must hold prompt and max_new_tokens",
        f"2 + {need - 2} tokens",
        f"got one of {limit} tokens",
    )


def test_a_target_with_too_short_a_context_is_named_before_the_first_pass():
    refused(lambda: write([1, 2], silent(8), 7), "must fit the context of 8 tokens, got 2 + 7")


@pytest.mark.parametrize("gamma", [1, 8, 63])
def test_a_draft_whose_context_just_suffices_works_to_the_end(gamma):
    drafter = ModelDrafter(model(1, context=12))
    prompts = [[1, 2, 3, 4], [1]]
    drafted = write(prompts, new=8, drafter=drafter, gamma=gamma, temperature=0)
    assert drafted.rows == write(prompts, new=8, temperature=0).rows


def test_a_drafter_of_one_s_own_may_have_a_context():
    lookup = PromptLookup()
    lookup.context_size = 7
    refused(lambda: write([1, 2], drafter=lookup, new=6), "got one of 7 tokens")
    assert len(write([1, 2], drafter=lookup, new=5).tokens) == 5
    lookup.context_size = "long"
    refused(lambda: write([1, 2], drafter=lookup), "drafter.context_size must be")


def test_rows_past_the_context_are_refused_by_whoever_reads_them():
    short = model(0, context=4)
    refused(lambda: CachedRows(short, [[1] * 5]), "prompts must fit", "4 tokens, got 5")
    with torch.no_grad():
        rows = CachedRows(short, [[1] * 4])
    empty = torch.empty(1, 0, dtype=torch.long)
    refused(lambda: rows.score([[1] * 5], empty), "context must fit", "4 tokens, got 5")
    refused(lambda: rows.catch_up([[1] * 5]), "context must fit", "4 tokens, got 5")


@pytest.mark.parametrize(
    "rows", [[], [[]], 3, None, [1], [[-1, 0]], [["a", 0]], [[0.5, 0]], [[True, True]]], ids=repr
)
def test_cached_rows_are_rows_of_token_numbers(rows):
    refused(lambda: CachedRows(TARGET, rows), "prompts must hold")


# vocabularies


@pytest.mark.parametrize("size", [1, 3, SIZE, SIZE + 6])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_a_table_over_another_vocabulary_leaves_the_law_alone(size, order):
    """Two tokens, audited at a false-alarm rate of 1e-5; the table is smaller, equal or larger."""
    text = np.random.default_rng(1).integers(0, size, 200)
    drafter = TableDrafter(NgramTable.from_tokens(text, size, order))
    prompt, n = [4, 1, 4], 4000
    rows = np.array(write([prompt] * n, new=2, drafter=drafter, gamma=2).rows)
    with torch.no_grad():
        both = torch.tensor([[*prompt, token] for token in range(SIZE)])
        laws = TARGET(both).softmax(-1)
    law = (laws[0, -2][:, None] * laws[:, -1]).numpy()
    report = audit(lambda *_: rows, law, n, np.random.default_rng(0), alpha=1e-5)
    assert report.exact, report


@pytest.mark.parametrize("size", [1, 3, SIZE, SIZE + 6])
@pytest.mark.parametrize("name", DRAFTERS)
@pytest.mark.parametrize("seed", range(3))
def test_every_drafter_drafts_to_the_end_whatever_its_vocabulary(name, size, seed):
    text = np.random.default_rng(2).integers(0, size, 100)
    make = {
        "model": lambda: ModelDrafter(model(1, size)),
        "table": lambda: TableDrafter(NgramTable.from_tokens(text, size, 3)),
        "lookup": lambda: PromptLookup(),
    }
    options = {"new": 30, "generator": seeded(seed)}
    made = write([[1, 2, 3], [4]], drafter=make[name](), **options)
    assert [len(row) for row in made.rows] == [30, 30]
