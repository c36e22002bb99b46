"""The batched rule equals the one-row numpy rule, and its laws are exact."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from draftproof import verify_block  # noqa: E402
from draftproof.decode.verify import BLOCK, inverse_cdf, rejection_sample  # noqa: E402

LONG = 16 * BLOCK + 1  # the first size that is searched in blocks, and not a multiple of one


class Replay(np.random.Generator):
    """A generator whose next uniform is known."""

    def __init__(self, u):
        super().__init__(np.random.PCG64(0))
        self.u = u

    def random(self, *_, **__):
        return self.u


def laws(rng, *shape):
    """Random laws, some of their masses zero."""
    raw = rng.exponential(size=shape) ** 3 * (rng.random(shape) < 0.7)
    raw[..., 0] += 1e-9
    return raw / raw.sum(-1, keepdims=True)


def case(seed, batch, gamma, size):
    rng = np.random.default_rng(seed)
    p, q = laws(rng, batch, gamma + 1, size), laws(rng, batch, gamma, size)
    drafts = [[rng.choice(size, p=law) for law in row] for row in q]
    return p, q, np.array(drafts, dtype=int).reshape(batch, gamma), rng.random((batch, gamma + 1))


def by_row(p, q, drafts, u):
    return [verify_block(drafts[b], q[b], p[b], u[b, :-1], Replay(u[b, -1])) for b in range(len(p))]


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 4, 7), (3, 0, 6), (4, 3, LONG), (2, 2, 4096)])
@pytest.mark.parametrize("seed", range(5))
def test_equals_the_numpy_rule_given_the_same_uniforms(shape, seed):
    p, q, drafts, u = case(seed, *shape)
    tokens, accepted = rejection_sample(
        *map(torch.tensor, (drafts, q, p)), uniforms=torch.tensor(u)
    )
    for b, trace in enumerate(by_row(p, q, drafts, u)):
        emitted = [x for x in tokens[b].tolist() if x >= 0]
        assert (tuple(emitted), int(accepted[b])) == (trace.tokens, trace.num_accepted)
        assert tokens[b, len(emitted) :].tolist() == [-1] * (shape[1] + 1 - len(emitted))


@pytest.mark.parametrize("seed", range(5))
def test_no_draft_laws_means_one_hot_drafts(seed):
    p, _, drafts, u = case(seed, 6, 3, 9)
    hot = np.eye(9)[drafts]
    got = rejection_sample(torch.tensor(drafts), None, torch.tensor(p), uniforms=torch.tensor(u))
    for b, trace in enumerate(by_row(p, hot, drafts, u)):
        assert tuple(x for x in got[0][b].tolist() if x >= 0) == trace.tokens


def test_ragged_rows_equal_their_own_shorter_blocks():
    p, q, drafts, u = case(3, 4, 3, 8)
    lengths = torch.tensor([0, 1, 2, 3])
    tokens, accepted = rejection_sample(
        *map(torch.tensor, (drafts, q, p)), lengths=lengths, uniforms=torch.tensor(u)
    )
    for b, length in enumerate(lengths.tolist()):
        trace = verify_block(
            drafts[b, :length], q[b, :length], p[b, : length + 1], u[b, :length], Replay(u[b, -1])
        )
        assert tuple(x for x in tokens[b].tolist() if x >= 0) == trace.tokens
        assert int(accepted[b]) == trace.num_accepted


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float16])
def test_low_precision_and_strided_inputs(kind):
    p, q, drafts, u = case(1, 4, 3, 16)
    low = torch.tensor(p).to(kind), torch.tensor(q).to(kind)
    apart = [x.transpose(0, 1).contiguous().transpose(0, 1) for x in low]
    plain = rejection_sample(torch.tensor(drafts), low[1], low[0], uniforms=torch.tensor(u))
    strided = rejection_sample(torch.tensor(drafts), apart[1], apart[0], uniforms=torch.tensor(u))
    assert torch.equal(plain[0], strided[0]) and torch.equal(plain[1], strided[1])
    one = torch.tensor(p[:1]).to(kind), torch.tensor(q[:1]).to(kind)
    spread = [x.expand(4, -1, -1) for x in one]
    same = torch.tensor(drafts[:1]).expand(4, -1)
    got = rejection_sample(same, spread[1], spread[0], uniforms=torch.tensor(u[:1]).expand(4, -1))
    assert (got[0] == got[0][0]).all()


def test_lengths_outside_the_block_count_as_its_ends():
    p, q, drafts, u = case(4, 2, 3, 8)
    got = [
        rejection_sample(
            *map(torch.tensor, (drafts, q, p)), lengths=torch.tensor(x), uniforms=torch.tensor(u)
        )
        for x in ([0, 3], [-2, 9])
    ]
    assert torch.equal(got[0][0], got[1][0]) and torch.equal(got[0][1], got[1][1])


def test_p_equal_to_q_is_always_accepted_even_for_denormals():
    tiny = 5e-324
    p = torch.tensor([[[1.0, tiny, 0.0]] * 3], dtype=torch.float64)
    drafts = torch.tensor([[1, 1]])
    u = torch.full((1, 3), 1 - 2**-53, dtype=torch.float64)
    tokens, accepted = rejection_sample(drafts, p[:, :2], p, uniforms=u)
    assert accepted.tolist() == [2] and tokens[0, 2] != 2


@pytest.mark.parametrize("size", [4, LONG])
def test_a_zero_token_is_never_emitted_at_the_edges_of_u(size):
    p = torch.zeros(1, 2, size, dtype=torch.float64)
    p[..., 1] = 1.0
    q = torch.full((1, 1, size), 1 / size, dtype=torch.float64)
    for edge in (0.0, 1 - 2**-53):
        u = torch.full((1, 2), edge, dtype=torch.float64)
        for x in (0, size - 1):
            tokens, accepted = rejection_sample(torch.tensor([[x]]), q, p, uniforms=u)
            assert accepted.tolist() == [0] and tokens.tolist() == [[1, -1]]


def test_a_rejection_with_an_empty_residual_falls_back_to_p():
    p = torch.tensor([[[0.5, 0.25], [0.5, 0.25]]])  # sums short by rounding, exaggerated
    q = torch.tensor([[[0.75, 0.25]]])
    tokens, accepted = rejection_sample(torch.tensor([[0]]), q, p, uniforms=torch.full((1, 2), 0.9))
    assert accepted.tolist() == [0] and tokens[0, 0] in (0, 1)


def test_a_tail_of_tiny_masses_keeps_its_probability():
    weights = torch.full((1, 50_001), 1e-9)
    weights[0, 0] = 1 - 50_000e-9
    edge = 1 - 25_000e-9  # half of the tail lies beyond
    x = inverse_cdf(weights, torch.tensor([edge], dtype=torch.float64))
    assert abs(int(x) - 25_000) < 60


def test_inverse_cdf_equals_searching_the_whole_row():
    rng = np.random.default_rng(5)
    for size in (LONG, 32_000, 50_257):
        weights = torch.tensor(laws(rng, 3, size))
        u = torch.tensor(rng.random(3))
        cdf = weights.numpy().cumsum(-1)
        wanted = [
            np.searchsorted(c, x * c[-1], side="right")
            for c, x in zip(cdf, u.tolist(), strict=True)
        ]
        assert inverse_cdf(weights, u).tolist() == wanted


BAD = {
    "draft_tokens": {"draft_tokens": torch.zeros(3, dtype=torch.long)},
    "draft_tokens must be whole": {"draft_tokens": torch.zeros(2, 3)},
    "target_probs": {"target_probs": torch.ones(2, 3, 5)},
    "draft_probs": {"draft_probs": torch.ones(2, 3, 4)},
    "uniforms": {"uniforms": torch.zeros(2, 2)},
    "lengths": {"lengths": torch.zeros(3, dtype=torch.long)},
    "lengths must be whole": {"lengths": torch.zeros(2)},
    "lengths must be a torch": {"lengths": [1, 1]},
    "draft_tokens must be a torch": {"draft_tokens": [[0, 0, 0], [0, 0, 0]]},
    "target_probs must be a torch": {"target_probs": np.full((2, 4, 5), 0.2)},
    "draft_probs must be floats": {"draft_probs": torch.ones(2, 3, 5, dtype=torch.long)},
    "uniforms must be a torch": {"uniforms": [[0.1] * 4] * 2},
    "generator": {"generator": np.random.default_rng(0)},
}


@pytest.mark.parametrize("words", BAD)
def test_shapes_are_checked(words):
    good = {
        "draft_tokens": torch.zeros(2, 3, dtype=torch.long),
        "draft_probs": torch.full((2, 3, 5), 0.2),
        "target_probs": torch.full((2, 4, 5), 0.2),
    }
    with pytest.raises(ValueError, match=words):
        rejection_sample(**{**good, **BAD[words]})
