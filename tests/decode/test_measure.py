"""What is measured is what the loop does: alpha, tokens for a call, prices, spreads."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from draftproof.decode.drafters import (  # noqa: E402
    ModelDrafter,
    NgramTable,
    PromptLookup,
    TableDrafter,
)
from draftproof.decode.loop import generate  # noqa: E402
from draftproof.decode.measure import (  # noqa: E402
    Overlaps,
    Share,
    Spread,
    draft_seconds,
    overlaps,
    pass_seconds,
    predicted_speedup,
    take_turns,
)
from draftproof.decode.warp import Warp  # noqa: E402
from tests.decode.small import SIZE, model, seeded, text  # noqa: E402

TARGET = model(0, layers=2, context=128)
TEXT = text()
DRAFTERS = {
    "model": lambda: ModelDrafter(model(1, context=128)),
    "table": lambda: TableDrafter(NgramTable.from_tokens(TEXT, SIZE, 3)),
    "target": lambda: ModelDrafter(TARGET),
    "lookup": lambda: PromptLookup(),
}


def write(rows, new, seed=0, **options):
    """Prompts and what the target wrote after them, and the run itself."""
    prompts = [[int(x) for x in TEXT[k : k + 4]] for k in range(rows)]
    made = generate(
        TARGET,
        prompts,
        max_new_tokens=new,
        generator=seeded(seed),
        **options,
    )
    return prompts, made


def beside(name, warp=None, rows=40, new=30):
    prompts, made = write(rows, new, temperature=(warp or Warp()).temperature)
    return overlaps(TARGET, DRAFTERS[name](), prompts, made.rows, warp)


def test_overlaps_are_those_of_the_laws():
    """Recomputed without a cache, one context after the other."""
    warp, draft = Warp(0.7), model(1, context=128)
    prompts, made = write(2, 6, temperature=0.7)
    found = overlaps(TARGET, ModelDrafter(draft), prompts, made.rows, warp)
    for i, n in itertools.product(range(2), range(6)):
        context = torch.tensor([prompts[i] + list(made.rows[i][:n])])
        with torch.no_grad():
            p, q = (warp(m(context)[0, -1]).numpy() for m in (TARGET, draft))
        x = made.rows[i][n]
        assert found.overlap[i, n] == pytest.approx(np.minimum(p, q).sum(), abs=1e-9)
        assert found.kept[i, n] == pytest.approx(min(1, q[x] / p[x]), abs=1e-9)
        assert found.same_best[i, n] == (p.argmax() == q.argmax())


def test_the_target_beside_itself_accepts_everything():
    found = beside("target", rows=3, new=9)
    assert found.alpha.value == pytest.approx(1, abs=1e-12) and found.agreement.value == 1
    assert found.tokens_per_call(3) == pytest.approx(9 / 3)  # 9 = 4 + 4 + 1: three rounds


def test_lookup_accepts_nothing_where_it_finds_nothing():
    found = overlaps(TARGET, PromptLookup(), [[0, 1, 2, 3]], [[4, 4, 4]])
    assert found.overlap[0, 0] == 0 and found.kept[0, 0] == 0 and not found.same_best[0, 0]
    assert found.overlap[0, 1] == 0  # the 4 stands at the end alone
    assert 0 < found.overlap[0, 2] < 1


@pytest.mark.parametrize("name", ["model", "table"])
@pytest.mark.parametrize("gamma", [1, 3])
def test_computed_counts_are_those_of_the_loop(name, gamma):
    """Rates of the loop within five standard errors of the computed ones: 1e-6 each."""
    rows, new = 100, 30
    found = beside(name, rows=rows, new=new)
    prompts, _ = write(rows, 1)
    made = generate(
        TARGET,
        prompts,
        drafter=DRAFTERS[name](),
        gamma=gamma,
        max_new_tokens=new,
        generator=seeded(7),
    )
    tokens = new / np.array([len(rounds) for rounds in made.rounds])
    error = tokens.std() / len(tokens) ** 0.5
    calls = sum(len(rounds) for rounds in made.rounds)
    assert abs(rows * new / calls - found.tokens_per_call(gamma)) < 6 * error
    for step, share in enumerate(found.by_position(gamma)):
        tested = sum(r.tested > step for rounds in made.rounds for r in rounds)
        kept = sum(r.num_accepted > step for rounds in made.rounds for r in rounds)
        spread = (share.value * (1 - share.value) / tested + share.error**2) ** 0.5
        assert abs(kept / tested - share.value) < 5 * spread
        assert abs(tested - share.weight) < 8 * share.weight**0.5  # two such counts: 5 errors


def test_a_chain_of_rounds_by_hand():
    kept = np.array([[0.5, 0.25, 1.0]])
    found = Overlaps(kept, kept, kept > 0)
    # Round 1 drafts two: it makes 1, 2 or 3 tokens with 1/2, 3/8, 1/8.
    starts = found.starts(2)
    np.testing.assert_allclose(starts, [[1, 0.5, 0.5 * 0.75 + 0.5 * 0.75]])
    assert found.tokens_per_call(2) == pytest.approx(3 / starts.sum())
    first, second = found.by_position(2)
    assert first.value == pytest.approx((0.5 + 0.5 * 0.25) / 1.5) and first.weight == 1.5
    assert second.value == pytest.approx(0.25) and second.weight == 0.5


def test_shares_over_texts():
    share = Share.ratio(np.array([1.0, 3.0]), np.array([4.0, 4.0]))
    assert (share.value, share.weight) == (0.5, 8)
    # Two halves at 1/4 and 3/4: the error of their mean is 1/4.
    assert share.error == pytest.approx(0.25)
    low, high = share.interval
    assert (low, high) == pytest.approx((0.5 - 1.96 / 4, 0.5 + 1.96 / 4))
    assert Share.ratio(np.array([1.0]), np.array([2.0])).error == 0
    with pytest.raises(ValueError, match="trials must hold some"):
        Share.ratio(np.zeros(2), np.zeros(2))


def test_where_chooses_tokens():
    found = beside("table", rows=4, new=8)
    chosen = np.zeros_like(found.same_best)
    chosen[:, 2] = True
    assert found.where(chosen).value == pytest.approx(found.overlap[:, 2].mean())


@pytest.mark.parametrize(
    "pair", [([[1]], []), ([[1], [1, 2]], [[1], [1]]), ([[1], [2]], [[1], [1, 2]]), ([], [])]
)
def test_texts_must_fit_their_prompts(pair):
    with pytest.raises(ValueError, match="prompts and texts must come in pairs"):
        overlaps(TARGET, PromptLookup(), *pair)


def test_contestants_take_turns():
    order = []
    both = {name: lambda repeat, name=name: order.append((name, repeat)) for name in "ab"}
    ticks = []
    seconds = take_turns(both, 2, ticks.append)
    assert order == [("a", 0), ("b", 0), ("a", 1), ("b", 1)] and ticks == list("abab")
    assert {name: len(found) for name, found in seconds.items()} == {"a": 2, "b": 2}
    slow = take_turns({"slow": lambda _: time.sleep(0.02), "fast": lambda _: None}, 3)
    assert min(slow["slow"]) >= 0.02 > min(slow["fast"])
    with pytest.raises(ValueError, match="repeats"):
        take_turns(both, 0)


def test_spread_is_median_and_quartiles():
    assert Spread.of([5.0, 1.0, 2.0, 3.0, 4.0]) == Spread(3.0, 2.0, 4.0)
    with pytest.raises(ValueError, match="values must hold"):
        Spread.of([])


def test_passes_are_timed_and_leave_the_cache_in_order():
    """A generous ratio: a pass over 64 positions costs more than a third of one over one."""
    found = pass_seconds(TARGET, [1, 64], batch=2, held=8, repeats=5)
    assert list(found) == [1, 64] and found[64].median > found[1].median / 3
    for bad in ({"batch": 0}, {"held": 0}, {"repeats": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            pass_seconds(TARGET, [1], **bad)
    with pytest.raises(ValueError, match="positions"):
        pass_seconds(TARGET, [0])


@pytest.mark.parametrize("name", DRAFTERS)
def test_drafts_are_timed(name):
    found = draft_seconds(DRAFTERS[name](), [1, 2, 3, 1, 2], gamma=3, repeats=3)
    assert 0 < found.low <= found.median <= found.high < 10
    asked = []
    draft_seconds(DRAFTERS[name](), [1, 2], repeats=2, before=lambda: asked.append(0))
    assert len(asked) == 3  # one more to warm up


def test_predicted_speedup():
    assert predicted_speedup(3.0, 4, 0.125, 1.0) == 2.0
    assert predicted_speedup(3.0, 4, 0.125, 1.0, 0.5) == 2.25
    assert predicted_speedup(1.0, 0, 0.0, 1.0, 0.7) == 1  # plain decoding is as fast as itself
    bad_ones = ((0.5, 1, 0, 1), (2, -1, 0, 1), (2, 1, -1, 1), (2, 1, 0, 0), (2, 1, 0, 1, -0.1))
    for bad in bad_ones:
        with pytest.raises(ValueError, match="must be"):
            predicted_speedup(*bad)
