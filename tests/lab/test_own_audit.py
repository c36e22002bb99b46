"""The chapter on faults shows how to audit numpy, torch, `generate` and whole texts: it all runs.

The draws are few and their seeds fixed, so that no outcome changes from run to run; a right sampler
would be rejected by one seed in a hundred.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from draftproof import lab
from draftproof.lab.broken_blocks import copying

PAGE = Path(__file__).resolve().parents[2] / "chapters" / "05-faults.md"
P, Q = np.array([0.3, 0.4, 0.3]), np.array([0.6, 0.3, 0.1])


def tabs() -> dict[str, str]:
    own = PAGE.read_text(encoding="utf-8").partition("(faults-own)=")[2].partition("\n::::\n")[0]
    return dict(re.findall(r":::\{tab-item\} ([^\n]+)\n```python\n(.*?)```", own, re.DOTALL))


def verdict(tab: str, draws: int, capsys, **names) -> str:
    """Run a tab's lines with fewer draws, and return what they print."""
    code, changed = re.subn(r"(?<=, )[\d_]+(?=, np\.random)", str(draws), tabs()[tab])
    assert changed == 1
    exec(code, {"lab": lab, "np": np} | names)
    return capsys.readouterr().out.splitlines()[0]


def right(p, q, rng):
    x = rng.choice(len(q), p=q)
    rest = np.maximum(p - q, 0)
    return x if rng.random() * q[x] < p[x] else rng.choice(len(p), p=rest / rest.sum())


def test_there_is_a_tab_for_each():
    assert list(tabs()) == ["your function", "whole texts", "torch", "Hugging Face"]


def test_your_function(capsys):
    names = {"p": P, "q": Q}
    assert "not rejected" in verdict("your function", 600, capsys, my_sampler=right, **names)
    wrong = {"my_sampler": lambda p, q, rng: rng.choice(3, p=q)}
    assert "rejected:" in verdict("your function", 600, capsys, **wrong, **names)


def test_whole_texts(capsys):
    target = copying("3/4")

    def text(prompt, rng):
        for _ in range(4):
            law = np.array(target(prompt), dtype=float)
            prompt = (*prompt, int(rng.choice(2, p=law)))
        return prompt

    names = {"target": target, "prompt": ()}
    assert "not rejected" in verdict("whole texts", 400, capsys, my_text=text, **names)
    even = {"my_text": lambda prompt, rng: rng.integers(0, 2, 4).tolist()}
    assert "rejected:" in verdict("whole texts", 400, capsys, **even, **names)


def test_torch_samplers(capsys):
    torch = pytest.importorskip("torch")

    def speculative(p, q):
        x = torch.multinomial(q, 1)[0]
        if torch.rand(()) * q[x] < p[x]:
            return x
        return torch.multinomial((p - q).clamp(min=0), 1)[0]

    names = {"torch": torch, "p": torch.tensor(P), "q": torch.tensor(Q)}
    assert "not rejected" in verdict("torch", 500, capsys, my_sampler=speculative, **names)
    drafts = {"my_sampler": lambda p, q: torch.multinomial(q, 1)[0]}
    assert "rejected:" in verdict("torch", 500, capsys, **drafts, **names)


def test_generate_with_an_assistant(capsys):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    models = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        tiny = {"n_embd": 8, "n_layer": 1, "n_head": 1, "n_positions": 32, "initializer_range": 1.0}
        config = transformers.GPT2Config(vocab_size=5, bos_token_id=0, eos_token_id=4, **tiny)
        models.append(transformers.GPT2LMHeadModel(config).eval())
    names = {"torch": torch, "model": models[0], "draft": models[1]}
    prompt = torch.tensor([[1, 2, 3]])
    assert "not rejected" in verdict("Hugging Face", 60, capsys, prompt=prompt, **names)
