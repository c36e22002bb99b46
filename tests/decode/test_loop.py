"""The loop emits the target's law, whatever guesses, and counts what it did."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from draftproof.decode import loop  # noqa: E402
from draftproof.decode.drafters import (  # noqa: E402
    Draft,
    ModelDrafter,
    NgramTable,
    PromptLookup,
    TableDrafter,
)
from draftproof.decode.loop import generate  # noqa: E402
from draftproof.decode.streams import Streams  # noqa: E402
from draftproof.decode.study import CarelessTarget, noisy_copy  # noqa: E402
from draftproof.decode.verify import inverse_cdf, rejection_sample  # noqa: E402
from draftproof.lab import audit  # noqa: E402
from tests.decode.small import SIZE, Answers, model, seeded, text  # noqa: E402

TARGET = model(0, layers=2, head=0.2)
NEAR = noisy_copy(TARGET, 0.3, seeded(1))  # right two times in three
TEXT = text()
DRAFTERS = {
    "none": lambda: None,
    "small model": lambda: ModelDrafter(model(1, head=0.2)),
    "near model": lambda: ModelDrafter(NEAR),
    "the target": lambda: ModelDrafter(TARGET),
    "table": lambda: TableDrafter(NgramTable.from_tokens(TEXT, SIZE, 3)),
    "lookup": lambda: PromptLookup(),
    "larger vocabulary": lambda: ModelDrafter(model(2, SIZE + 3, head=0.2)),
    "smaller vocabulary": lambda: ModelDrafter(model(3, SIZE - 2, head=0.2)),
}
PROMPTS = [[1, 2, 1, 2], [3], [4, 0, 0, 1, 2, 3]]


def run(prompts=PROMPTS, name="none", seed=0, new=12, **options):
    return generate(
        TARGET,
        prompts,
        drafter=DRAFTERS[name](),
        max_new_tokens=new,
        generator=seeded(seed),
        **options,
    )


@pytest.mark.parametrize("name", DRAFTERS)
@pytest.mark.parametrize("gamma", range(1, 9))
def test_greedy_equals_plain_decoding(name, gamma):
    assert run(name=name, gamma=gamma, temperature=0).rows == run(temperature=0).rows


WARPS = [{}, {"temperature": 0.6, "top_k": 4}, {"top_p": 0.8}]
ALPHA = 1e-5  # false alarms of each audit below


def judged(name, n, gamma, warp):
    """Audit the first three tokens after a prompt, n rows at once, against the law enumerated."""
    prompt, length = [1, 2, 1], 3
    made = run([prompt] * n, name, seed=gamma, new=length, gamma=gamma, **warp)
    law = exact_law(prompt, length, warp)
    rows = np.array(made.rows)
    return audit(lambda *_: rows, law, n, np.random.default_rng(0), alpha=ALPHA), made.counters


@pytest.mark.parametrize("gamma", [1, 3])
@pytest.mark.parametrize("warp", WARPS)
@pytest.mark.parametrize("name", [name for name in DRAFTERS if name != "none"])
def test_the_joint_law_of_three_tokens_is_the_targets(name, gamma, warp):
    report, counters = judged(name, 4000, gamma, warp)
    assert report.exact, report
    assert report.detectable < 0.18
    if name == "near model":  # both ways out of a test are taken, and often
        assert 0.5 < counters.accepted / counters.tested < 0.9


def exact_law(prompt, length, options):
    from draftproof.decode.warp import Warp

    warp, law = Warp(**options), {}
    for tokens in itertools.product(range(SIZE), repeat=length):
        with torch.no_grad():
            rows = warp(TARGET(torch.tensor([[*prompt, *tokens]]))[0])
        steps = rows[len(prompt) - 1 : -1][range(length), tokens]
        law[tokens] = float(steps.prod())
    return law


# ---- planted faults: the audit above must see each of them ----


def lenient(drafts, q, p, lengths, u):
    return rejection_sample(drafts, q * 0.75, p, lengths, u)


def redrawn_from_p(drafts, q, p, lengths, u):
    tokens, accepted = rejection_sample(drafts, q, p, lengths, u)
    at = accepted[:, None]
    law = p.gather(1, at[..., None].expand(-1, 1, p.shape[2])).squeeze(1)
    return tokens.scatter(1, at, inverse_cdf(law, u[:, -1])[:, None]), accepted


def judged_by_the_next_row(drafts, q, p, lengths, u):
    return rejection_sample(drafts, q, torch.cat([p[:, 1:], p[:, -1:]], 1), lengths, u)


def bonus_from_the_row_before(drafts, q, p, lengths, u):
    return rejection_sample(drafts, q, torch.cat([p[:, :-1], p[:, -2:-1]], 1), lengths, u)


def q_without_its_temperature(drafts, q, p, lengths, u):
    return rejection_sample(drafts, (q.log() / 2).softmax(-1), p, lengths, u)


def one_coin_for_all(drafts, q, p, lengths, u):
    return rejection_sample(drafts, q, p, lengths, u[:, :1].expand_as(u))


RULES = {
    lenient: (2, {}),
    redrawn_from_p: (2, {}),
    judged_by_the_next_row: (2, {}),
    bonus_from_the_row_before: (1, {}),
    q_without_its_temperature: (2, {"temperature": 0.5}),
    one_coin_for_all: (2, {}),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_wrong_rule_is_caught(rule, monkeypatch):
    def wrong(drafts, q, *rest):  # a round without drafts has no q
        return (rejection_sample if q is None else rule)(drafts, q, *rest)

    monkeypatch.setattr(loop, "rejection_sample", wrong)
    report, _ = judged("near model", 12_000, *RULES[rule])
    assert not report.exact, report


def test_coins_that_also_drew_the_drafts_are_caught(monkeypatch):
    last = {}

    def drafts(self, count, here=False, original=Streams.drafts):
        last["u"] = original(self, count, here)
        return last["u"]

    def verdicts(self, count, used=None, original=Streams.verdicts):
        u = original(self, count, used)
        if u.shape[1] > 1:
            u[:, :-1] = last["u"][:, : u.shape[1] - 1]
        return u

    monkeypatch.setattr(Streams, "drafts", drafts)
    monkeypatch.setattr(Streams, "verdicts", verdicts)
    report, _ = judged("near model", 12_000, 2, {})
    assert not report.exact, report


def test_a_wrong_cache_is_caught(monkeypatch):
    """One entry too many: a small bias of the law, which greedy text shows at once."""
    options = {"new": 40, "temperature": 0}
    right = [run(name=name, **options).rows for name in ("none", "near model")]
    assert right[0] == right[1]
    monkeypatch.setitem(globals(), "TARGET", CarelessTarget(TARGET))
    assert run(name="near model", **options).rows != right[0]


def test_the_target_as_its_own_drafter_is_accepted_for_ever():
    made = run(name="the target", new=50, gamma=4)
    total = made.counters
    assert total.accepted == total.tested and total.corrections == 0


@pytest.mark.parametrize("name", DRAFTERS)
@pytest.mark.parametrize("new", [0, 1, 2, 7])
def test_exactly_as_many_tokens_as_asked_for(name, new):
    made = run(name=name, new=new, gamma=5)
    assert [len(row) for row in made.rows] == [new] * 3
    assert all(made.row_counters(i).emitted == new for i in range(3))


@pytest.mark.parametrize("name", DRAFTERS)
def test_a_row_does_not_depend_on_its_neighbours(name):
    together = run(name=name, gamma=3)
    swapped = run([PROMPTS[0], [2, 2], [0]], name, gamma=3)
    assert swapped.rows[0] == together.rows[0]
    alone = run(PROMPTS[:1], name, gamma=3)
    assert alone.rows[0] == together.rows[0]


@pytest.mark.parametrize("name", DRAFTERS)
@pytest.mark.parametrize("seed", range(6))
def test_the_end_of_the_sequence_ends_the_row_and_its_counters(name, seed):
    free, ended = (run(name=name, seed=seed, gamma=4, eos_token_id=e) for e in (None, 2))
    for row, (long, short) in enumerate(zip(free.rows, ended.rows, strict=True)):
        stop = long.index(2) + 1 if 2 in long else len(long)
        assert short == long[:stop]
        counted = ended.row_counters(row)
        assert counted.emitted == len(short) and counted.tested <= counted.drafted


def test_a_bare_prompt_gives_bare_tokens_and_a_replayable_trace():
    made = run([1, 2], "small model", keep_laws=True)
    assert made.tokens == made.rows[0]
    assert sum((trace.tokens for trace in made.trace), ()) == made.tokens
    for trace in made.trace:
        at = np.arange(trace.drafted), trace.draft_tokens
        kept = trace.uniforms * trace.q[at] < trace.p[:-1][at]
        assert np.logical_and.accumulate(kept).sum() == trace.num_accepted


def test_the_context_can_be_filled_to_its_last_token():
    made = run([[1] * 50, [1]], "small model", new=14, gamma=8)
    assert [len(row) for row in made.rows] == [14, 14]


BAD = {
    "gamma": {"gamma": 0},
    "gamma must be in 1..63": {"gamma": 64},
    "temperature": {"temperature": -0.1},
    "top_k": {"top_k": 0},
    "top_p": {"top_p": 0},
    "max_new_tokens": {"new": -1},
    "at least one prompt": {"prompts": []},
    "at least one token a prompt": {"prompts": [[]]},
    "prompt_ids must be in 0..4, got 5": {"prompts": [1, 5]},
    "prompt_ids must be in 0..4, got 'a'": {"prompts": ["a"]},
    "prompt_ids must be in 0..4, got 0.5": {"prompts": [[0.5]]},
    "prompt_ids must be in 0..4, got inf": {"prompts": [float("inf")]},
    "prompt_ids must be in 0..4, got True": {"prompts": [True]},
    "prompt_ids must be one prompt or a list": {"prompts": [[1], 2]},
    "prompt_ids must be token numbers": {"prompts": {0: 1}},
    "eos_token_id": {"eos_token_id": 9},
    "eos_token_id must be in": {"eos_token_id": [0, 1]},
    r"fit the context of 64 tokens, got 60 \+ 12": {"prompts": [1] * 60},
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_named(words):
    with pytest.raises(ValueError, match=words):
        run(**BAD[words])


class Fixed:
    """A model with one law, whatever the context."""

    context_size, device = 64, "cpu"

    class Memory:
        def __init__(self, batch):
            self.lengths = [0] * batch

        def rollback(self, lengths):
            self.lengths = list(lengths)

    def __init__(self, law):
        self.logits = torch.tensor(law, dtype=torch.float64).log()
        self.vocabulary_size = len(law)

    def new_cache(self, batch):
        return self.Memory(batch)

    def __call__(self, tokens, cache):
        cache.lengths = [length + tokens.shape[1] for length in cache.lengths]
        return self.logits.expand(*tokens.shape, -1)


@pytest.mark.parametrize("gamma", [1, 3])
@pytest.mark.parametrize("q", [[0.3, 0.3, 0.4], [0.2, 0.2, 0.3, 0.3], [1.0]])
def test_a_draft_that_knows_other_tokens_leaves_the_law_alone(q, gamma):
    """Tokens that only the draft has are rejected like any other of target probability 0."""
    p, n = [0.7, 0.3], 20_000
    drafter = ModelDrafter(Fixed(q))
    made = generate(
        Fixed(p), [[0]] * n, drafter=drafter, gamma=gamma, max_new_tokens=2, generator=seeded(3)
    )
    law = {(a, b): p[a] * p[b] for a in range(2) for b in range(2)}
    report = audit(lambda *_: np.array(made.rows), law, n, np.random.default_rng(0), alpha=1e-5)
    assert report.exact, report


def draft(tokens, probs=None, lengths=None):
    laws = None if probs is None else torch.tensor([probs])
    return Draft(torch.tensor([tokens]), laws, None if lengths is None else torch.tensor(lengths))


EVEN = [0.2] * 5
ANSWERS = {
    "nothing": None,
    "a tuple": (torch.tensor([[0]]), None),
    "too many lengths": draft([0], None, [1, 1]),
    "a length past the end": draft([0], None, [9]),
    "a negative length": draft([0], None, [-3]),
    "a token below 0": draft([-1]),
    "a token no one has": draft([7]),
    "more than asked for": draft([0] * 9),
    "q not drawn from": draft([0], [[0.0, 1.0, 0.0, 0.0, 0.0]]),
    "q not a number": draft([0], [[float("nan")] * 5]),
    "q negative": draft([0], [[0.5, 0.6, -0.1, 0.0, 0.0]]),
    "q no law": draft([0], [[0.5] * 5]),
    "q of another length": draft([0, 1], [EVEN]),
    "real tokens": draft([0.0], [EVEN]),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_drafter_s_answer_is_checked(name):
    with pytest.raises(ValueError, match=r"drafter\.propose must return"):
        generate(TARGET, [0], drafter=Answers(ANSWERS[name]), max_new_tokens=4, generator=seeded(0))


def test_logits_that_are_no_numbers_are_refused():
    for law in ([float("nan"), 0.5], [0.0, 0.0]):
        for temperature in (0, 1):
            with pytest.raises(ValueError, match="target must return logits"):
                generate(
                    Fixed(law), [0], max_new_tokens=1, generator=seeded(0), temperature=temperature
                )


def test_numpy_numbers_are_numbers():
    made = run([np.int64(1)], gamma=np.int64(2), new=np.int32(3), top_k=np.int64(2))
    assert len(made.tokens) == 3


def test_a_target_must_be_a_model():
    with pytest.raises(ValueError, match="target must be a Scorer"):
        generate(None, [1], max_new_tokens=1, generator=seeded(0))


def test_a_generator_is_required():
    with pytest.raises(ValueError, match=r"generator must be a torch\.Generator"):
        generate(TARGET, [1], max_new_tokens=1, generator=7)
