"""Any causal model of transformers runs under the loop: same law, same text as its own decoding."""

from __future__ import annotations

import ast
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import draftproof.decode  # noqa: E402
from draftproof.decode import hf  # noqa: E402
from draftproof.decode.drafters import ModelDrafter, PromptLookup  # noqa: E402
from draftproof.decode.loop import generate  # noqa: E402
from draftproof.decode.models import Config, Transformer  # noqa: E402
from draftproof.lab import audit  # noqa: E402

SIZE, CONTEXT = 7, 48
WIDTHS = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4}
LLAMA = {**WIDTHS, "num_key_value_heads": 2, "intermediate_size": 24}
TOKENS = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}


def made(kind, config, seed):
    torch.manual_seed(seed)
    return getattr(transformers, kind)(config).double().eval()


def llama(seed=0, size=SIZE, context=CONTEXT, **more):
    config = transformers.LlamaConfig(
        vocab_size=size,
        max_position_embeddings=context,
        initializer_range=0.5,
        **{**LLAMA, **TOKENS, **more},
    )
    return made("LlamaForCausalLM", config, seed)


def gpt2(seed=0, size=SIZE, context=CONTEXT, **more):
    config = transformers.GPT2Config(
        vocab_size=size,
        n_positions=context,
        n_embd=16,
        n_layer=2,
        n_head=2,
        initializer_range=0.5,
        **{**TOKENS, **more},
    )
    return made("GPT2LMHeadModel", config, seed)


def mistral(seed=0):
    config = transformers.MistralConfig(
        vocab_size=SIZE,
        max_position_embeddings=CONTEXT,
        initializer_range=0.5,
        sliding_window=4,
        **LLAMA,
        **TOKENS,
    )
    return made("MistralForCausalLM", config, seed)


def bloom(seed=0):
    config = transformers.BloomConfig(
        vocab_size=SIZE, hidden_size=16, n_layer=2, n_head=2, initializer_range=0.5, **TOKENS
    )
    return made("BloomForCausalLM", config, seed)


MAKERS = {"llama": llama, "gpt2": gpt2, "sliding window": mistral, "no positions": bloom}
PROMPTS = [[1, 2, 1, 2], [3], [4, 0, 0, 1, 2, 3]]


def wrapped(model):
    return hf.HuggingFaceModel(model, CONTEXT)


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def run(model, prompts=PROMPTS, drafter=None, seed=0, new=12, **options):
    return generate(
        wrapped(model),
        prompts,
        drafter=drafter,
        max_new_tokens=new,
        generator=seeded(seed),
        **options,
    )


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("batch", [1, 3])
@torch.inference_mode()
def test_cached_logits_equal_recomputed_ones_over_random_rounds(name, batch):
    model, chooser = MAKERS[name](), seeded(batch)

    def whole(high, low=0):
        return int(torch.randint(low, high, (1,), generator=chooser))

    scorer = wrapped(model)
    cache = scorer.new_cache(batch)
    rows = [[] for _ in range(batch)]
    for _ in range(10):
        new = whole(6, 1)
        block = torch.randint(SIZE, (batch, new), generator=chooser)
        cached = scorer(block, cache)
        for row, tokens, logits in zip(rows, block.tolist(), cached, strict=True):
            row += tokens
            fresh = model(input_ids=torch.tensor([row]), use_cache=False).logits[0, -new:]
            # The norms of some of these models compute in float32, whatever the weights are.
            torch.testing.assert_close(logits, fresh, rtol=1e-4, atol=1e-5)
        kept = [len(row) - whole(new + 1) for row in rows]
        cache.rollback(kept)
        rows = [row[:length] for row, length in zip(rows, kept, strict=True)]
        assert cache.lengths == kept


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("gamma", [1, 4, 8])
def test_greedy_is_the_librarys_own_greedy_text(name, gamma):
    model = MAKERS[name]()
    own = []
    for prompt in PROMPTS:
        ids = torch.tensor([prompt])
        # Without the mask the library takes every token 0 for padding.
        everything = {"attention_mask": torch.ones_like(ids), "pad_token_id": 0}
        text = model.generate(ids, do_sample=False, max_new_tokens=12, **everything)
        own.append(tuple(text[0, len(prompt) :].tolist()))
    assert run(model, temperature=0).rows == tuple(own)
    for draft in (llama(1), gpt2(2, SIZE + 3), model):
        drafter = ModelDrafter(hf.HuggingFaceModel(draft, CONTEXT))
        assert run(model, drafter=drafter, temperature=0, gamma=gamma).rows == tuple(own)
    assert run(model, drafter=PromptLookup(), temperature=0, gamma=gamma).rows == tuple(own)


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_the_target_as_its_own_draft_is_always_accepted(name):
    model = MAKERS[name]()
    counters = run(model, drafter=ModelDrafter(wrapped(model)), new=20, gamma=3).counters
    assert counters.accepted == counters.tested
    assert counters.corrections == 0


@torch.inference_mode()
def exact_law(model, prompt, length):
    law = np.ones((SIZE,) * length)
    for tokens in itertools.product(range(SIZE), repeat=length):
        logits = model(input_ids=torch.tensor([[*prompt, *tokens]])).logits[0, len(prompt) - 1 :]
        probs = logits.softmax(-1)
        law[tokens] = np.prod([float(probs[i, token]) for i, token in enumerate(tokens)])
    return law


@pytest.mark.parametrize("name", ["llama", "gpt2"])
@pytest.mark.parametrize("size", [SIZE - 2, SIZE, SIZE + 3])
def test_the_joint_law_of_two_tokens_is_the_targets(name, size):
    """Audited at a false-alarm rate of 1e-5; vocabularies of smaller, equal and larger size."""
    model, prompt, n = MAKERS[name](), [1, 2, 1], 2000
    drafter = ModelDrafter(hf.HuggingFaceModel(llama(5, size)))
    rows = run(model, [prompt] * n, drafter, seed=size, new=2, gamma=2).rows
    law = exact_law(model, prompt, 2)
    report = audit(lambda *_: np.array(rows), law, n, np.random.default_rng(0), alpha=1e-5)
    assert report.exact, report


def test_a_row_does_not_depend_on_its_neighbours():
    model, drafter = llama(), lambda: ModelDrafter(wrapped(llama(1)))
    both = generate(
        wrapped(model),
        PROMPTS,
        drafter=drafter(),
        max_new_tokens=9,
        generator=[seeded(i) for i in range(3)],
    )
    for i, prompt in enumerate(PROMPTS):
        alone = generate(
            wrapped(model), prompt, drafter=drafter(), max_new_tokens=9, generator=[seeded(i)]
        )
        assert alone.tokens == both.rows[i]


def test_a_row_ends_with_the_end_token():
    plain = run(llama(), temperature=0).rows
    eos = plain[0][3]
    cut = run(llama(), drafter=ModelDrafter(wrapped(llama(1))), temperature=0, eos_token_id=eos)
    for row, whole in zip(cut.rows, plain, strict=True):
        assert row == (whole[: whole.index(eos) + 1] if eos in whole else whole)


def test_our_models_and_theirs_pair_up():
    torch.manual_seed(3)
    ours = Transformer(Config(SIZE, 16, 1, 2, 24, CONTEXT)).double().eval()
    rows = run(llama(), drafter=ModelDrafter(ours), temperature=0).rows
    assert rows == run(llama(), temperature=0).rows


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_the_context_can_be_filled_but_not_passed(name):
    """Learned positions end at the context: a draft past it must not ask for one."""
    model = MAKERS[name]()
    prompts = [[1] * 40, [2, 3]]
    drafter = ModelDrafter(wrapped(MAKERS[name](4)))
    full = run(model, prompts, drafter, new=CONTEXT - 40, gamma=8, temperature=0)
    assert full.rows == run(model, prompts, new=CONTEXT - 40, temperature=0).rows
    with pytest.raises(ValueError, match="must fit the context of 48 tokens, got 40 \\+ 9"):
        run(model, prompts, drafter, new=CONTEXT - 39)


def test_a_cache_past_its_capacity_is_an_error_and_changes_nothing():
    scorer = wrapped(llama())
    cache = hf.HuggingFaceCache(1, 4)
    scorer(torch.zeros(1, 3, dtype=torch.long), cache)
    with pytest.raises(ValueError, match="cache holds 4 tokens a row, got 3 and 2 more"):
        scorer(torch.zeros(1, 2, dtype=torch.long), cache)
    assert cache.lengths == [3]


@pytest.mark.parametrize("lengths", [[], [1, 1], [4], [-1]])
def test_rollback_refuses_what_the_rows_do_not_hold(lengths):
    cache = wrapped(llama()).new_cache(1)
    cache.lengths = [3]
    with pytest.raises(ValueError, match=r"lengths must be within \[3\]"):
        cache.rollback(lengths)


def test_padded_heads_count_as_vocabulary():
    model = llama(size=SIZE)
    model.resize_token_embeddings(SIZE + 5)
    assert wrapped(model).vocabulary_size == SIZE + 5
    assert hf.HuggingFaceModel(model).context_size == CONTEXT


def mamba():
    config = transformers.MambaConfig(vocab_size=SIZE, hidden_size=16, num_hidden_layers=1)
    return made("MambaForCausalLM", config, 0)


def encoder_decoder():
    config = transformers.T5Config(
        vocab_size=SIZE, d_model=16, num_layers=1, num_heads=2, d_ff=24, d_kv=8
    )
    return made("T5ForConditionalGeneration", config, 0)


def looks_ahead(kind, **more):
    """A decoder of the library that was not told to be one: every token sees every other."""
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=SIZE, intermediate_size=24, max_position_embeddings=CONTEXT, **WIDTHS, **more
    )
    suffix = "LMHeadModel" if kind == "Bert" else "ForCausalLM"
    return made(f"{kind}{suffix}", config, 0)


def encoder():
    config = transformers.BertConfig(vocab_size=SIZE, intermediate_size=24, **WIDTHS)
    return made("BertForMaskedLM", config, 0)


@pytest.mark.parametrize(
    ("maker", "words"),
    [
        (lambda: llama().train(), "evaluation mode"),
        (mamba, "rolled back, got MambaForCausalLM"),
        (encoder_decoder, "causal language model, got T5ForConditionalGeneration"),
        (encoder, "causal language model, got BertForMaskedLM"),
        (lambda: looks_ahead("Bert", is_decoder=False), "BertLMHeadModel whose first law changes"),
        (lambda: looks_ahead("Bert").bfloat16(), "BertLMHeadModel whose first law changes"),
        (lambda: looks_ahead("Roberta"), "RobertaForCausalLM whose first law changes"),
        (lambda: looks_ahead("Electra"), "ElectraForCausalLM whose first law changes"),
        (bloom, "context_size must be given"),
        (lambda: None, "model of transformers, got None"),
        (lambda: torch.nn.Linear(2, 2), "model of transformers, got Linear"),
    ],
)
def test_what_cannot_be_wrapped_is_refused(maker, words):
    with pytest.raises(ValueError, match=words):
        hf.HuggingFaceModel(maker())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("size", [1, 2, 3, SIZE])
@pytest.mark.parametrize(
    "maker",
    [
        lambda size: llama(size=size),
        lambda size: gpt2(size=size, context=1),
        lambda size: made("BertLMHeadModel", bert_decoder(size), 0),
        lambda size: made("MixtralForCausalLM", mixtral(size), 0),
    ],
)
def test_causal_models_pass_the_probe(maker, size, dtype):
    """Whatever their precision, their vocabulary, their context and their experts."""
    model = maker(size).to(dtype)
    before = [weight.clone() for weight in model.state_dict().values()]
    assert hf.HuggingFaceModel(model).vocabulary_size == size
    assert all(map(torch.equal, before, model.state_dict().values()))


def bert_decoder(size):
    return transformers.BertConfig(
        vocab_size=size, intermediate_size=24, is_decoder=True, **WIDTHS, **TOKENS
    )


def mixtral(size):
    return transformers.MixtralConfig(
        vocab_size=size, num_local_experts=4, max_position_embeddings=CONTEXT, **LLAMA, **TOKENS
    )


def test_masked_logits_do_not_hide_a_look_ahead():
    """Padded tokens that a model sets to -inf say nothing about the others."""
    ahead = looks_ahead("Bert", is_decoder=False)
    for model in (ahead, llama()):
        bias = torch.zeros(SIZE).double()
        bias[-2:] = -torch.inf
        model.get_output_embeddings().register_forward_hook(lambda *a, bias=bias: a[2] + bias)
    with pytest.raises(ValueError, match="whose first law changes"):
        hf.HuggingFaceModel(ahead)
    assert wrapped(model).vocabulary_size == SIZE


def test_a_cache_that_changes_the_laws_is_refused(monkeypatch):
    def stale(self, lengths):
        self.lengths = list(lengths)
        for layer in self.entries.layers:
            layer.keys, layer.values = layer.keys[:, :, 1:2], layer.values[:, :, 1:2]

    wrapped(llama())
    monkeypatch.setattr(hf.HuggingFaceCache, "rollback", stale)
    with pytest.raises(ValueError, match="same laws with its cache as without, got LlamaForCausal"):
        wrapped(llama())


@pytest.mark.parametrize("name", MAKERS)
def test_a_prompt_is_read_without_its_logits(name):
    """The head is the largest matrix of a small model, its output the largest tensor of any."""
    model = MAKERS[name]()
    scorer, rows = wrapped(model), []
    head = model.get_output_embeddings()
    head.register_forward_hook(lambda *a: rows.append(a[2].shape[1]))
    made = generate(scorer, [1] * 30, max_new_tokens=3, generator=seeded(0))
    assert rows == [1, 1, 1, 1]  # the prompt's last token but one, and three passes
    assert len(made.tokens) == 3


@pytest.mark.parametrize("context", [0, -1, 2.5, "long"])
def test_a_wrong_context_size_is_refused(context):
    with pytest.raises(ValueError, match="context_size"):
        hf.HuggingFaceModel(llama(), context)


def test_without_the_library_the_extra_is_named(monkeypatch):
    model = llama()
    monkeypatch.setitem(sys.modules, "transformers", None)
    for call in (lambda: hf.HuggingFaceModel(model), lambda: hf.load_pair("a", "b")):
        with pytest.raises(ImportError, match=r"pip install 'draftproof\[hf\]'"):
            call()


def test_only_this_module_knows_the_library():
    folder = Path(draftproof.decode.__file__).parent
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in getattr(node, "names", [])]
            names.append(getattr(node, "module", None) or "")
            imports = isinstance(node, (ast.Import, ast.ImportFrom))
            foreign = imports and any(name.startswith("transformers") for name in names)
            assert not foreign or path.name == "hf.py", path


# pairs


def test_vocabularies_may_differ_in_size_only():
    small = {"a": 0, "b": 1, "c": 2}
    hf.check_vocabularies(small, small)
    hf.check_vocabularies({**small, "<pad>": 3}, small)
    hf.check_vocabularies(small, {**small, "<pad>": 3})
    for bad in (None, ["a", "b"], 3):
        with pytest.raises(ValueError, match="target must map tokens to numbers"):
            hf.check_vocabularies(bad, small)
        with pytest.raises(ValueError, match="draft must map tokens to numbers"):
            hf.check_vocabularies(small, bad)
    with pytest.raises(ValueError, match="two vocabularies that share nothing"):
        hf.check_vocabularies(small, {"x": 0, "y": 1})
    with pytest.raises(ValueError, match="two vocabularies that share nothing"):
        hf.check_vocabularies(small, {})
    with pytest.raises(ValueError, match="got 2 of 3 numbers with two meanings, such as 'b'"):
        hf.check_vocabularies(small, {"a": 0, "c": 1, "b": 2})


def saved(folder, model, letters):
    tokenizers = pytest.importorskip("tokenizers")
    model.save_pretrained(folder)
    table = {letter: i for i, letter in enumerate(letters)}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(table, unk_token=letters[0]))
    transformers.PreTrainedTokenizerFast(tokenizer_object=inner).save_pretrained(folder)
    return str(folder)


def test_a_pair_is_loaded_from_folders(tmp_path):
    target = saved(tmp_path / "target", llama(), "abcdefg")
    draft = saved(tmp_path / "draft", gpt2(), "abcdefg")
    other = saved(tmp_path / "other", gpt2(), "gfedcbX")
    big, small, tokenizer = hf.load_pair(target, draft, dtype=torch.float64)
    assert tokenizer.get_vocab()["b"] == 1
    drafter = ModelDrafter(small)
    made = generate(
        big, [1, 2], drafter=drafter, temperature=0, max_new_tokens=8, generator=seeded(0)
    )
    assert made.tokens == run(llama(), [1, 2], temperature=0, new=8).tokens
    assert hf.load_pair(target, draft, "cpu")[0].model.dtype == torch.float32
    with pytest.raises(ValueError, match="two meanings"):
        hf.load_pair(target, other, "cpu")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((3, "b"), "target_name must be a name or a folder, got 3"),
        (("a", None), "draft_name must be a name or a folder, got None"),
        (("a", "b", "gpu"), "device must be a device that torch can use here, got 'gpu'"),
        (("a", "b", "cpu", "float32"), "dtype must be a floating type"),
        (("a", "b", "cpu", torch.int8), "dtype must be a floating type"),
    ],
)
def test_a_pair_s_arguments_are_checked_before_anything_is_loaded(arguments, words):
    with pytest.raises(ValueError, match=words):
        hf.load_pair(*arguments)
