"""The benchmark of decoding runs through with tiny models, and its file is what the book reads."""

from __future__ import annotations

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from benchmarks.decode import __main__ as command  # noqa: E402
from benchmarks.decode import accept, hugging, short, speed  # noqa: E402
from benchmarks.decode.pair import Effort, Pair, openings  # noqa: E402
from draftproof.decode.compact import can_compact  # noqa: E402
from draftproof.decode.drafters import NgramTable  # noqa: E402
from draftproof.decode.models import Config, Transformer  # noqa: E402

TINY = Effort(
    repeats=1,
    new_tokens=8,
    passes=1,
    held=16,
    texts=4,
    text_tokens=10,
    seeds=20,
    batch_repeats=1,
    batch_tokens=4,
    gammas=(1, 3, 5),
    batches=(1, 4),
)


def model(seed, layers):
    torch.manual_seed(seed)
    made = Transformer(Config(64, 16, layers, 2, 24, 256)).eval().requires_grad_(False)
    torch.nn.init.normal_(made.head.weight, std=0.6)
    for weight in made.parameters():  # the shipped ones are 16-bit numbers as well
        weight.copy_(weight.half())
    return made


@pytest.fixture(scope="module")
def pair():
    text = np.random.default_rng(0).integers(0, 64, 2000)
    tables = {f"{n}-gram": NgramTable.from_tokens(text, 64, n) for n in (3, 4, 5)}
    return Pair(model(0, 2), {"distilled": model(1, 1)}, tables, openings())


@pytest.fixture(scope="module")
def found(pair):
    return command.measure(pair, TINY, quick=True)


def test_prompts_have_one_length():
    assert len({len(prompt) for prompt in openings()}) == 1 and len(openings()) >= 6


def test_both_files_hold_plain_finite_numbers(found, tmp_path):
    for name, content in found.items():
        command.write(tmp_path / f"{name}.json", content)
        assert json.loads((tmp_path / f"{name}.json").read_text()).keys() == content.keys()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["decode.json", "ribbon.json"]


def test_every_way_was_timed(found, pair):
    runs = found["decode"]["runs"]
    ways = {(row["drafter"], row["gamma"], row["temperature"]) for row in runs}
    assert {name for name, _, _ in ways} == set(pair.drafters)
    assert {gamma for name, gamma, _ in ways if name == "distilled"} == set(TINY.gammas)
    assert {heat for _, _, heat in ways} == {0.0, 0.5, 1.0}
    for row in runs:
        assert row["tokens"] == TINY.new_tokens * TINY.repeats and row["alpha"] is not None
        assert row["spread"][0] <= row["spread"][1] and row["speedup"] > 0
        b = row["b"]
        promised = row["tokens_per_call"] * (1 + b) / (row["gamma"] * row["c"] + row["v"] + b)
        assert row["predicted"] == pytest.approx(promised)
        assert set(row["timings"]) == {"draft", "target", "verify", "overhead"}
    target = next(row for row in runs if row["drafter"] == "target" and row["gamma"] == 3)
    assert target["alpha"] == pytest.approx(1, abs=1e-6) and target["tokens_per_call"] == 4


def test_the_other_parts_are_whole(found):
    decode = found["decode"]
    assert decode["verification_cost"][0] == {
        "positions": 1,
        "ratio": 1.0,
        "spread": decode["verification_cost"][0]["spread"],
    }
    assert {row["batch"] for row in decode["batches"]} == {1, 4}
    acceptance = decode["acceptance"]
    assert [row[0] for row in acceptance["by_position"]] == list(range(1, 9))
    shares = sum(row[4] for row in acceptance["by_context"])
    assert shares == acceptance["overall"][3] == TINY.texts * TINY.text_tokens
    heats = [row["temperature"] for row in acceptance["by_temperature"]]
    assert heats == [*accept.TEMPERATURES] * 2
    assert {point["positions"] for point in decode["roofline"]["points"]} == {
        1,
        decode["settings"]["gamma"] + 1,
    }


@pytest.mark.skipif(not can_compact(), reason="this torch has no 16-bit kernel")
def test_both_ways_to_keep_the_weights_were_timed(found):
    part = found["decode"]["compact"]
    ways = [(row["drafter"], row["weights"]) for row in part["rows"]]
    assert ways == [(name, side) for name in short.DRAFTERS for side in ("usual", "compact")]
    for row in part["rows"]:
        gain = part["plain"] if row["weights"] == "compact" else 1
        assert row["over_usual_plain"] == pytest.approx(gain * row["speedup"])
        assert row["gamma"] in short.GAMMAS and row["speedup"] > 0


def test_the_recorded_run_spells_its_text(found):
    first = found["ribbon"]["runs"][0]
    text = "".join(r["drafted"][: r["accepted"]] + r["next"] for r in first["rounds"])
    assert len(text) >= 110 and first["drafter"] == "distilled" and first["seed"] == 0
    lossless = found["ribbon"]["lossless"]
    assert sum(lossless["plain_counts"]) == sum(lossless["speculative_counts"]) == TINY.seeds
    assert len(lossless["characters"]) == len(lossless["plain_counts"])
    assert min(len(lossless["plain"]), len(lossless["speculative"])) >= 60


KINDS = [
    ("M", "line start"),
    ("A", "speaker's name"),
    ("C", "speaker's name"),
    (".", "punctuation"),
    ("\n", "line end"),
    ("O", "line start"),
    (",", "punctuation"),
    (" ", "space after a word"),
    ("t", "first letter of a word"),
    ("o", "inside a word"),
]


def test_characters_are_named_by_their_place():
    text = "".join(character for character, _ in KINDS)
    kinds = accept.kinds_of("end.\n", text)
    wanted = [kind for _, kind in KINDS]
    wanted[1] = "inside a word"  # a second capital: it takes a third to see a name
    assert kinds == wanted


def test_plain_decoding_is_strewn_among_the_others(pair):
    ways = speed.settings(pair, TINY)
    plain = [i for i, way in enumerate(ways) if way.drafter is None and way.temperature == 1]
    assert len(plain) >= 3 and max(np.diff(plain)) <= 7
    assert len({way.name for way in ways}) == len(ways)


def test_copied_weights_give_the_library_s_logits(pair):
    pytest.importorskip("transformers")
    theirs = hugging.llama(pair.target)
    assert hugging.difference(pair.target, theirs, pair.prompts[0]) < 1e-4


def test_a_quick_run_is_never_taken_for_a_measurement():
    with pytest.raises(SystemExit):
        command.main(["--quick"])
