"""The inputs every implementation is audited on, and the law each of them must give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import torch

Verify = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""From drafts (B, T), q (B, T, V) and p (B, T + 1, V) to accepted (B,) and the next token (B,)."""


@dataclass(frozen=True)
class Case:
    """One audit: a sampler, the law it should follow, and what it is."""

    implementation: str
    function: str
    inputs: str
    law: Any
    n: int
    sampler: Callable[[int, np.random.Generator], Any]
    claimed: str = "exact"
    note: str = ""


def _skew(size: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(size))


PAIRS: dict[str, tuple[np.ndarray, np.ndarray]] = {
    "three tokens": (np.array([0.3, 0.4, 0.3]), np.array([0.6, 0.3, 0.1])),
    "eight tokens": (_skew(8, 1), _skew(8, 2)),
    "200 tokens": (_skew(200, 3), _skew(200, 4)),
    "zeros in p": (np.array([0.5, 0.5, 0.0, 0.0]), np.array([0.2, 0.2, 0.3, 0.3])),
    "zeros in q": (np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.5, 0.5, 0.0, 0.0])),
    "p = q": (_skew(6, 5), _skew(6, 5)),
    "p and q 1e-6 apart": (_skew(6, 6), _skew(6, 6) * (1 + 1e-6 * np.array([1, -1, 1, -1, 1, -1]))),
    "no token in common": (np.array([0.4, 0.6, 0.0, 0.0]), np.array([0.0, 0.0, 0.7, 0.3])),
    "even p": (np.full(4, 0.25), np.array([0.4, 0.3, 0.2, 0.1])),
    "one-hot draft": (np.array([0.2, 0.5, 0.3]), np.array([0.0, 1.0, 0.0])),
    "one-hot target": (np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.2, 0.3])),
    "one token": (np.array([1.0]), np.array([1.0])),
}


def _seed(rng: np.random.Generator) -> None:
    torch.manual_seed(int(rng.integers(2**31)))


def _law(row: np.ndarray) -> np.ndarray:
    return row / row.sum()


def single(
    verify: Verify,
    name: str,
    prepare: Callable[[np.ndarray], torch.Tensor],
    held: Callable[[torch.Tensor], np.ndarray],
) -> tuple[Any, Callable[[int, np.random.Generator], Any]]:
    """Return the law and a sampler of the first token of a one-draft round.

    `prepare` puts a law into the form and precision the implementation takes; `held` says which
    law that form stands for, rounding included.
    """
    p, q = (_law(row) for row in PAIRS[name])
    p_in, q_in = prepare(p), prepare(q)
    p_held, q_held = held(p_in), held(q_in)

    def sampler(n: int, rng: np.random.Generator) -> Any:
        _seed(rng)
        draft = torch.from_numpy(rng.choice(len(q), n, p=_law(q_held)))[:, None]
        rows_q = q_in.expand(n, 1, -1)
        rows_p = p_in.expand(n, 2, -1)
        accepted, following = verify(draft, rows_q, rows_p)
        return torch.where(accepted > 0, draft[:, 0], following)

    return p_held, sampler


LENGTH, TOKENS = 3, 3


def tables(seed: int = 11) -> tuple[np.ndarray, np.ndarray]:
    """Return target and draft tables: one row a context, the last one for the start."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(TOKENS), TOKENS + 1), rng.dirichlet(np.ones(TOKENS), TOKENS + 1)


def sequence_law(table: np.ndarray, length: int = LENGTH) -> dict[tuple[int, ...], float]:
    """Return the law of the next `length` tokens of a table, from the start."""
    law = {}
    for tokens in product(range(table.shape[1]), repeat=length):
        contexts = (table.shape[1], *tokens[:-1])
        law[tokens] = float(np.prod([table[c, x] for c, x in zip(contexts, tokens, strict=True)]))
    return law


def chained(
    verify: Verify,
    gamma: int,
    prepare: Callable[[np.ndarray], torch.Tensor],
    held: Callable[[torch.Tensor], np.ndarray],
) -> tuple[Any, Callable[[int, np.random.Generator], Any]]:
    """Return the law and a sampler of `LENGTH` tokens made by rounds of `gamma` drafts."""
    p_in, q_in = (prepare(table) for table in tables())
    q_held = held(q_in)
    q_held = q_held / q_held.sum(axis=-1, keepdims=True)

    def sampler(n: int, rng: np.random.Generator) -> Any:
        _seed(rng)
        out = np.full((n, LENGTH + gamma + 1), -1)
        made = np.zeros(n, dtype=int)
        while (made < LENGTH).any():
            alive = np.flatnonzero(made < LENGTH)
            start = np.where(made[alive] > 0, out[alive, made[alive] - 1], TOKENS)
            context, drafts = [start], []
            for _ in range(gamma):
                drafts.append(_rows(q_held[context[-1]], rng))
                context.append(drafts[-1])
            at = torch.from_numpy(np.stack(context, axis=1))
            block = torch.from_numpy(np.stack(drafts, axis=1))
            accepted, following = verify(block, q_in[at[:, :-1]], p_in[at])
            for row, block_row, kept, token in zip(
                alive, block.tolist(), accepted.tolist(), following.tolist(), strict=True
            ):
                new = [*block_row[:kept], token]
                out[row, made[row] : made[row] + len(new)] = new
                made[row] += len(new)
        return out[:, :LENGTH]

    table = held(p_in)
    return sequence_law(table / table.sum(axis=-1, keepdims=True)), sampler


def _rows(laws: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (laws.cumsum(axis=1) <= rng.random(len(laws))[:, None]).sum(axis=1).clip(max=TOKENS - 1)


def standard(
    implementation: str,
    function: str,
    verify: Verify,
    n: int,
    forms: dict[str, tuple[Callable[..., Any], Callable[..., Any]]],
    gammas: tuple[int, ...] = (1, 2, 4),
    names: tuple[str, ...] = tuple(PAIRS),
) -> Iterator[Case]:
    """Yield the named pairs in the first form, three of them in the others, then blocks."""
    for k, (form, (prepare, held)) in enumerate(forms.items()):
        for name in names if k == 0 else ("three tokens", "eight tokens", "zeros in p"):
            law, sampler = single(verify, name, prepare, held)
            yield Case(implementation, function, f"one draft, {name}, {form}", law, n, sampler)
    prepare, held = next(iter(forms.values()))
    for gamma in gammas:
        law, sampler = chained(verify, gamma, prepare, held)
        inputs = f"blocks of {gamma}, chained to {LENGTH} tokens, {next(iter(forms))}"
        yield Case(implementation, function, inputs, law, n, sampler)
