"""Fixed shapes compute what plain ones do, and the script for a GPU runs through without one."""

from __future__ import annotations

import gc
import json

import pytest

torch = pytest.importorskip("torch")

from benchmarks import gpu  # noqa: E402
from draftproof.decode.clock import PARTS, Clock  # noqa: E402
from draftproof.decode.drafters import ModelDrafter  # noqa: E402
from draftproof.decode.graphs import StaticModel  # noqa: E402
from draftproof.decode.loop import generate  # noqa: E402
from tests.decode import small  # noqa: E402

SIZE = 7
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def model(seed, kv_heads=1):
    return small.model(seed, SIZE, layers=2, kv_heads=kv_heads)


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.mark.parametrize("kv_heads", [1, 2])
def test_fixed_shapes_give_the_same_logits(device, kv_heads):
    plain = model(0, kv_heads).to(device)
    assert gpu._difference(plain, StaticModel(plain, 32)) < 1e-9


@pytest.mark.parametrize("options", [{"temperature": 0}, {}, {"top_k": 3}])
def test_fixed_shapes_give_the_same_text(device, options):
    target, draft = model(1).to(device), model(2, 2).to(device)
    prompts = [[1, 2, 3], [4], [0, 0, 5, 6]]

    def write(target, draft):
        made = generate(
            target,
            prompts,
            drafter=ModelDrafter(draft),
            gamma=3,
            max_new_tokens=20,
            generator=small.seeded(5),
            **options,
        )
        return made.rows

    static = StaticModel(target, 30), StaticModel(draft)
    assert write(*static) == write(target, draft)
    assert write(*static) == write(target, draft)  # caches lent out a second time


def test_a_prompt_is_read_without_its_logits(device):
    """No row of the head for it, and the same text."""
    target = model(6).to(device)
    static, rows = StaticModel(target), []
    handle = target.head.register_forward_hook(lambda *a: rows.append(a[2].shape[1]))
    made = [
        generate(scorer, [1, 2, 3, 4], max_new_tokens=1, generator=torch.Generator())
        for scorer in (static, target)
    ]
    handle.remove()
    assert set(rows) == {1}
    assert made[0].rows == made[1].rows


def test_caches_are_lent_out_once_at_a_time():
    static = StaticModel(model(3))
    first, second = static.new_cache(2), static.new_cache(2)
    assert first.store is not second.store
    lent = first.store
    static(torch.zeros(2, 4, dtype=torch.long), first)
    assert first.lengths == [4, 4] and second.lengths == [0, 0]
    del first
    gc.collect()
    third = static.new_cache(2)
    assert third.store is lent and third.store.held.tolist() == [0, 0]
    assert static.new_cache(3).store.entries.shape[2] == 3


def test_a_target_of_fixed_shapes_may_be_its_own_draft():
    static = StaticModel(model(4))
    made = generate(
        static,
        [1, 2],
        drafter=ModelDrafter(static),
        gamma=4,
        max_new_tokens=30,
        generator=small.seeded(),
    )
    assert made.counters.accepted == made.counters.tested


def test_bounds_of_fixed_shapes_are_kept():
    static = StaticModel(model(5), 10)
    with pytest.raises(ValueError, match=r"fit the context of 10 tokens, got 4 \+ 7"):
        generate(static, [1] * 4, max_new_tokens=7, generator=torch.Generator())
    cache = static.new_cache(1)
    with pytest.raises(ValueError, match="the cache holds 74 tokens a row, got 0 and 75 more"):
        static(torch.zeros(1, 75, dtype=torch.long), cache)
    for lengths in ([1], [0, 0], [-1]):
        with pytest.raises(ValueError, match="lengths must be within"):
            cache.rollback(lengths)
    for bad in ({"capacity": 0}, {"capacity": 65}, {"longest": -1}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            StaticModel(model(5), **bad)
    with pytest.raises(ValueError, match="model must be a Transformer"):
        StaticModel(None)


def test_laps_add_up_to_the_whole():
    clock = Clock(torch.device("cpu"))
    for part in ("prefill", "draft", "draft", "verify"):
        clock.lap(part)
    seconds = clock.seconds()
    assert tuple(seconds) == PARTS and seconds["target"] == 0
    laps = [moment for _, moment in clock._laps]
    assert sum(seconds.values()) == pytest.approx(laps[-1] - laps[0], abs=1e-9)


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    out = tmp_path_factory.mktemp("gpu") / "gpu.json"
    before = gpu.BATCHES, gpu.POSITIONS
    gpu.BATCHES, gpu.POSITIONS = (1, 2), (1, 5)
    try:
        assert gpu.main(["--device", "cpu", "--tiny", "--out", str(out)]) == 0
    finally:
        gpu.BATCHES, gpu.POSITIONS = before
    assert [path.name for path in out.parent.iterdir()] == ["gpu.json"]
    return json.loads(out.read_text())


def test_the_script_runs_through_without_a_gpu(walked):
    assert walked["complete"] and walked["settings"]["tiny"]
    assert walked["machine"]["device"] == "cpu"
    shapes = {(row["shape"], row["batch"]) for row in walked["verification_cost"]}
    assert shapes == {(shape, batch) for shape in gpu.TINY for batch in (1, 2)}
    assert all(row["ratio"]["1"] == 1 for row in walked["verification_cost"])
    assert {row["gamma"] for row in walked["rounds"]} == {1, 3, 5, 8}
    assert {row["shapes"] for row in walked["decoding"]} == {"plain shapes", "graphs"}


def test_the_script_checks_exactness(walked):
    """The audit's p-value: a false alarm in one of 10,000 seeds, and the seed is fixed."""
    found = walked["exactness"]
    for way in ("plain shapes", "graphs"):
        assert set(found[way]) == {"1", "4", "7"} and all(found[way].values())
    assert found["largest logit difference of graphs"] < 1e-3
    assert found["rule"]["same_as_cpu"] == 1 and found["rule"]["p_value"] > 1e-4


def test_the_audit_finds_a_wrong_rule(monkeypatch):
    def careless(drafts, q, p, lengths, u):
        tokens, kept = rule(drafts, q, p, lengths, u)
        # The first rejected draft is replaced by a draw from p instead of the residual.
        wrong = torch.searchsorted(p[:, 0].cumsum(-1), u[:, -1:].contiguous())
        return torch.where(kept[:, None] == 0, wrong, tokens), kept

    rule = gpu.rejection_sample
    monkeypatch.setattr(gpu, "rejection_sample", careless)
    assert gpu.audit_rule(torch.device("cpu"), 20_000)["p_value"] < 1e-9


def test_it_says_plainly_that_there_is_no_gpu(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu.main(["--out", str(tmp_path / "gpu.json")]) == 1
    assert "no GPU found: nothing measured" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_a_walk_is_never_taken_for_a_measurement():
    with pytest.raises(SystemExit):
        gpu.main(["--device", "cpu", "--tiny"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--device", "nope"], "--device must be a device that torch can use here, got 'nope'"),
        (["--device", "cpu", "--minutes", "-1"], "--minutes must be at least 0, got -1"),
        (["--device", "cpu", "--minutes", "nan"], "--minutes must be at least 0, got nan"),
    ],
)
def test_a_bad_option_is_named(tmp_path, capsys, arguments, words):
    with pytest.raises(SystemExit):
        gpu.main([*arguments, "--tiny", "--out", str(tmp_path / "gpu.json")])
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_run_without_time_keeps_what_it_has(tmp_path):
    out = tmp_path / "gpu.json"
    assert gpu.main(["--device", "cpu", "--tiny", "--minutes", "0", "--out", str(out)]) == 0
    found = json.loads(out.read_text())
    assert not found["complete"] and "exactness" in found and "rounds" not in found
