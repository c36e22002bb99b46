"""Reading the recorded measurements: clear errors, no torch, and a run in plain form."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from draftproof import recorded


def test_a_missing_recording_names_the_command(monkeypatch, tmp_path):
    monkeypatch.setattr(recorded, "FOLDER", tmp_path)
    assert not recorded.exists("smollm2")
    with pytest.raises(FileNotFoundError, match=r"smollm2\.json is missing.*benchmarks\.smollm2"):
        recorded.load("smollm2")


@pytest.mark.parametrize("use", [recorded.load, recorded.exists])
def test_an_unknown_recording_is_refused(use):
    with pytest.raises(ValueError, match=r"name must be one of decode, .*, got 'speed'"):
        use("speed")


@pytest.mark.parametrize(
    "text, said",
    [('{"a": 1', "is damaged"), ('{"a": NaN}', "NaN is no measurement"), ("[1]", "got list"),
     ('{"a": -Infinity}', "no measurement"), ("", "is damaged")],
)  # fmt: skip
def test_a_damaged_recording_is_refused(tmp_path, text, said):
    place = tmp_path / "decode.json"
    place.write_text(text)
    with pytest.raises(ValueError, match=said):
        recorded.read(place)


def test_a_recording_in_another_encoding_is_damaged(tmp_path):
    place = tmp_path / "ribbon.json"
    place.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(ValueError, match="is damaged"):
        recorded.read(place)


def test_a_recording_is_read(monkeypatch, tmp_path):
    monkeypatch.setattr(recorded, "FOLDER", tmp_path)
    (tmp_path / "decode.json").write_text('{"plain": {"seconds": 2.5}}')
    assert recorded.exists("decode")
    assert recorded.need(recorded.load("decode"), "plain", "seconds") == 2.5


@pytest.mark.parametrize("keys", [("x",), ("plain", "y"), ("plain", "seconds", "z")])
def test_a_missing_entry_is_named(keys):
    said = " / ".join(keys)
    with pytest.raises(ValueError, match=f"must hold {said}; it does not"):
        recorded.need({"plain": {"seconds": 1}}, *keys)


def test_a_generation_in_plain_form():
    rounds = (
        SimpleNamespace(draft_tokens=[0, 1, 2], num_accepted=3, next_token=0, is_bonus=True),
        SimpleNamespace(draft_tokens=[2, 2, 2], num_accepted=1, next_token=1, is_bonus=False),
    )
    made = SimpleNamespace(
        trace=rounds, timings={"prefill": 9.0, "draft": 0.5, "target": 2.0, "verify": 0.25}
    )
    run = recorded.run_of(
        made, lambda tokens: "".join("abc"[t] for t in tokens), drafter="distilled", gamma=3,
        temperature=1.0, prompt="a", seed=0, plain_seconds_per_token=0.1,
    )  # fmt: skip
    assert run["rounds"] == [
        {"drafted": "abc", "accepted": 3, "next": "a", "bonus": True},
        {"drafted": "ccc", "accepted": 1, "next": "b", "bonus": False},
    ]
    assert run["timings"] == {"draft": 0.5, "target": 2.0, "verify": 0.25}
    assert run["gamma"] == 3 and run["plain_seconds_per_token"] == 0.1


def test_reading_loads_no_torch():
    code = "import sys, draftproof.recorded; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
