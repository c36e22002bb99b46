"""The batched rule equals the one-row numpy rule, and its laws are exact."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from draftproof import verify_block  # noqa: E402
from draftproof.decode import inverse  # noqa: E402
from draftproof.decode.inverse import BLOCK, SHORT  # noqa: E402
from draftproof.decode.spare import Rows, Spare, SpareOfOne  # noqa: E402
from draftproof.decode.verify import (  # noqa: E402
    _without_waiting,
    inverse_cdf,
    rejection_sample,
)

LONG = SHORT + 1  # the first size that is searched in blocks, and not a multiple of one


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
    p = laws(rng, batch, gamma + 1, size)
    q = (laws(rng, batch, gamma, size) + p[:, :gamma]) / 2  # near enough to be accepted at times
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


def one_row(p, q, drafts, u):
    """The rule for one row in plain numpy: masses as precise as the laws, sums in float64."""
    accepted = 0
    for x, test in zip(drafts, u[:-1], strict=True):
        if not test * np.float64(q[accepted, x]) < np.float64(p[accepted, x]):
            break
        accepted += 1
    weights = p[accepted]
    if accepted < len(drafts):
        spare = np.maximum(weights - q[accepted], 0)
        weights = spare if spare.any() else weights
    cdf = np.cumsum(weights, dtype=np.float64)
    return [*drafts[:accepted], np.searchsorted(cdf, u[-1] * cdf[-1], side="right")]


@pytest.mark.parametrize("size", [8, LONG])
@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.bfloat16])
def test_what_lies_past_a_rows_length_is_not_looked_at(size, kind):
    p, q, drafts, u = map(torch.tensor, case(10, 5, 3, size))
    p, q = p.to(kind), q.to(kind)
    lengths = torch.tensor([0, 3, 1, 0, 2])
    want = rejection_sample(drafts, q, p, lengths=lengths, uniforms=u)
    for b, length in enumerate(lengths.tolist()):
        p[b, length + 1 :], q[b, length:], drafts[b, length:] = torch.nan, torch.inf, 0
    got = rejection_sample(drafts, q, p, lengths=lengths, uniforms=u)
    assert torch.equal(got[0], want[0]) and torch.equal(got[1], want[1])
    for b in range(5):  # each row alone
        one = (x[b : b + 1] for x in (drafts, q, p, lengths, u))
        assert torch.equal(rejection_sample(*one)[0][0], want[0][b])


def test_an_empty_batch_comes_back_empty():
    drafts = torch.zeros(0, 3, dtype=torch.long)
    tokens, accepted = rejection_sample(drafts, torch.ones(0, 3, 5), torch.ones(0, 4, 5))
    assert tokens.shape == (0, 4) and accepted.shape == (0,)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("shape", [(6, 3, 16), (4, 2, SHORT), (4, 3, LONG), (3, 4, 50_257)])
def test_equals_numpy_in_the_precision_of_the_laws(kind, shape):
    p, q, drafts, u = case(6, *shape)
    p, q = torch.tensor(p).to(kind), torch.tensor(q).to(kind)
    tokens, accepted = rejection_sample(torch.tensor(drafts), q, p, uniforms=torch.tensor(u))
    p, q = p.float().numpy(), q.float().numpy()
    for b, row in enumerate(tokens.tolist()):
        wanted = one_row(p[b], q[b], drafts[b], u[b])
        assert row == wanted + [-1] * (shape[1] + 1 - len(wanted))
        assert int(accepted[b]) == len(wanted) - 1


@pytest.mark.parametrize("size", [16, LONG])
def test_laws_of_two_precisions_meet_in_the_better_one(size):
    p, q, drafts, u = case(7, 4, 3, size)
    low = torch.tensor(q).float()
    got, want = (
        rejection_sample(torch.tensor(drafts), law, torch.tensor(p), uniforms=torch.tensor(u))
        for law in (low, low.double())
    )
    assert torch.equal(got[0], want[0])


@pytest.mark.parametrize("size", [16, LONG])
def test_any_strides_give_the_same_tokens_and_nothing_is_copied(size):
    p, q, drafts, u = case(1, 4, 3, size)
    p, q, drafts, u = map(torch.tensor, (p, q, drafts, u))
    plain = rejection_sample(drafts, q, p, uniforms=u)

    def turned(x):
        return x.transpose(0, 1).contiguous().transpose(0, 1)

    def inside_out(x):
        return x.permute(2, 0, 1).contiguous().permute(1, 2, 0)

    def cut_out(x):
        wide = torch.full((x.shape[0] + 1, x.shape[1] + 2, x.shape[2] + 3), torch.nan).to(x)
        wide[1:, 1:-1, 2:-1] = x
        return wide[1:, 1:-1, 2:-1]

    def every_other(x):
        return torch.stack([x, torch.full_like(x, torch.nan)], 1).flatten(0, 1)[::2]

    for change in (turned, inside_out, cut_out, every_other):
        laws = change(q), change(p)
        got = rejection_sample(drafts, *laws, uniforms=u)
        assert torch.equal(got[0], plain[0]) and torch.equal(got[1], plain[1]), change
        rows = Rows(laws[1])
        assert rows.matrix.untyped_storage().data_ptr() == laws[1].untyped_storage().data_ptr()
        at = torch.tensor([[3], [0], [1], [2]])
        assert torch.equal(rows.matrix[rows.find(at)], p[torch.arange(4), at[:, 0]])


@pytest.mark.parametrize("size", [16, LONG])
def test_expanded_laws(size):
    p, q, drafts, u = map(torch.tensor, case(1, 4, 3, size))
    one = rejection_sample(drafts[:1], q[:1], p[:1], uniforms=u[:1])
    got = rejection_sample(
        drafts[:1].expand(4, -1),
        q[:1].expand(4, -1, -1),
        p[:1].expand(4, -1, -1),
        uniforms=u[:1].expand(4, -1),
    )
    assert (got[0] == one[0]).all() and (got[1] == one[1]).all()
    law = p[:1, :1]  # the same law at every position
    got = rejection_sample(drafts, q, law.expand(4, 4, -1), uniforms=u)
    want = rejection_sample(drafts, q, law.repeat(4, 4, 1), uniforms=u)
    assert torch.equal(got[0], want[0]) and torch.equal(got[1], want[1])


@pytest.mark.parametrize("piece", [5000, 10_000, 1 << 15])
def test_long_rows_are_read_a_few_at_a_time(monkeypatch, piece):
    """Nothing as large as the laws is made, and a row from which nothing is taken is not copied."""
    p, q, drafts, u = map(torch.tensor, case(2, 5, 2, 5000))
    u[0] = 0  # a full block
    read = []

    def rows(self, start, stop, original=Spare._rows):
        weights = original(self, start, stop)
        lies = weights.untyped_storage().data_ptr() == p.untyped_storage().data_ptr()
        read.append((stop - start, lies))
        return weights

    monkeypatch.setattr(Spare, "_rows", rows)
    monkeypatch.setattr(inverse, "PIECE", piece)
    got = rejection_sample(drafts, q, p, uniforms=u)
    want = [rejection_sample(*row, uniforms=v) for *row, v in rows_of(drafts, q, p, u)]
    assert torch.equal(got[0], torch.cat([w[0] for w in want]))
    if piece == 5000:
        assert read == [(1, bool(n == 2)) for n in got[1]]
    else:
        assert [n for n, _ in read] == ([2, 2, 1] if piece == 10_000 else [5])


def rows_of(*laws):
    """One batch of one row for each row."""
    return ([law[i : i + 1] for law in laws] for i in range(len(laws[0])))


@pytest.mark.parametrize("batch", [1, 2, 3])
@pytest.mark.parametrize("cut", [0, BLOCK - 1, BLOCK, SHORT, 2 * SHORT - 1, 2 * SHORT])
def test_a_rejected_draft_that_was_not_drawn_is_left_out(cut, batch, monkeypatch):
    size = 2 * SHORT + 1
    monkeypatch.setattr(inverse, "PIECE", 2 * size)
    p = torch.zeros(batch, 2, size)
    p[..., cut], p[..., 77] = 0.75, 0.25
    u = torch.tensor([[0.8, 0.5]], dtype=torch.float64).expand(batch, -1)
    drafts = torch.full((batch, 1), cut)
    tokens, accepted = rejection_sample(drafts, None, p, uniforms=u)
    assert accepted.tolist() == [0] * batch and tokens.tolist() == [[77, -1]] * batch


@pytest.mark.parametrize("batch", [1, 2, 3])
@pytest.mark.parametrize("size", [16, LONG])
@pytest.mark.parametrize("hot", [False, True])
def test_tokens_outside_the_vocabulary(batch, size, hot):
    """Refused where they count, whatever they are where they do not, -1 of a result included."""
    p, q, drafts, u = map(torch.tensor, case(5, batch, 3, size))
    q = None if hot else q
    lengths = torch.full((batch,), 2)
    want = rejection_sample(drafts, q, p, lengths, u)
    for token in (-1, size, 2**40, -(2**40)):
        drafts[-1, 2] = token
        got = rejection_sample(drafts, q, p, lengths, u)
        assert torch.equal(got[0], want[0]) and torch.equal(got[1], want[1])
        with pytest.raises(ValueError, match=f"0..{size - 1}, got {token}"):
            rejection_sample(drafts, q, p, None, u)


@pytest.mark.parametrize("size", [16, LONG])
def test_what_is_no_law_stays_in_its_row(size):
    p, q, drafts, u = map(torch.tensor, case(6, 4, 2, size))
    u[1:] = 0  # full blocks, for which q of the last position does not count
    want = rejection_sample(drafts, q, p, uniforms=u)
    for wrong in (torch.nan, torch.inf):
        q[0] = wrong
        got = rejection_sample(drafts, q, p, uniforms=u)
        assert torch.equal(got[0][1:], want[0][1:]) and torch.equal(got[1][1:], want[1][1:])


@pytest.mark.parametrize("size", [9, LONG])
@pytest.mark.parametrize("hot", [False, True])
def test_the_way_of_a_gpu_gives_the_same_tokens(size, hot):
    p, q, drafts, u = map(torch.tensor, case(9, 6, 3, size))
    p[0, 0] = q[0, 0]  # a residual of nothing: p is the law
    accepted = torch.tensor([[0], [0], [1], [2], [3], [3]])
    rejected = accepted < 3
    rows = Rows(p)
    if hot:
        p[1, 0] = torch.nn.functional.one_hot(drafts[1, 0], size)
        source = SpareOfOne(rows, drafts, accepted, rejected)
    else:
        source = Spare(rows, Rows(q), accepted, rejected)
    token, mass = inverse.pick(source, u[:, 3:])
    gpu = _without_waiting(source, u[:, 3:])
    some = mass > 0
    assert some.sum() == 5 and torch.equal(token[some], gpu[some])
    source.spare_only(some)
    assert torch.equal(inverse.pick(source, u[:, 3:])[0], gpu)


def test_laws_that_want_gradients_and_int32_drafts_are_taken():
    p, q, drafts, u = map(torch.tensor, case(8, 3, 2, LONG))
    want = rejection_sample(drafts, q, p, uniforms=u)
    got = rejection_sample(drafts.int(), q.requires_grad_(True), p.requires_grad_(True), uniforms=u)
    assert torch.equal(got[0], want[0]) and got[0].dtype == torch.int64


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


def test_denormal_masses_are_drawn():
    tiny = 5e-324
    p = torch.tensor([[[1.0, tiny, 0.0]] * 2], dtype=torch.float64)
    q = torch.tensor([[[1.0, 0.0, 0.0]]], dtype=torch.float64)
    u = torch.tensor([[0.5, 0.9]], dtype=torch.float64)
    # A draft that q cannot make is no valid input; it is the way to a residual of one denormal.
    tokens, _ = rejection_sample(torch.tensor([[2]]), q, p, uniforms=u)
    assert tokens.tolist() == [[1, -1]]
    single = torch.tensor([[0.0, 1e-45, 0.0, 1e-45, 0.0]])  # the smallest float32, twice
    for point, token in ((0.0, 1), (0.49, 1), (0.51, 3), (1 - 2**-53, 3)):
        assert inverse_cdf(single, torch.tensor([point], dtype=torch.float64)).tolist() == [token]


@pytest.mark.parametrize("size", [2, LONG])
def test_a_rejection_with_an_empty_residual_falls_back_to_p(size):
    p, q = torch.zeros(2, 2, size), torch.zeros(2, 1, size)
    p[..., 0], p[..., -1] = 0.5, 0.25  # sums short by rounding, exaggerated
    q[..., 0], q[..., -1] = 0.75, 0.25
    p[1, 0, -1] = 0.5  # the other row has a residual
    for u, token in ((0.6, 0), (0.7, size - 1)):
        points = torch.tensor([[0.9, u]] * 2, dtype=torch.float64)
        tokens, accepted = rejection_sample(torch.tensor([[0]] * 2), q, p, uniforms=points)
        assert accepted.tolist() == [0, 0] and tokens[:, 0].tolist() == [token, size - 1]
    p = torch.zeros(1, 2, size)
    p[..., 0] = 0.75  # alone, and short by rounding
    tokens, accepted = rejection_sample(torch.tensor([[0]]), None, p, uniforms=points[:1])
    assert accepted.tolist() == [0] and tokens[0, 0] == 0


@pytest.mark.parametrize("size", [3, SHORT, LONG, 5 * BLOCK * 16])
@pytest.mark.parametrize("value", [0.0, torch.nan])
def test_a_row_that_is_no_law_gives_a_token_of_the_vocabulary(size, value):
    p, q = torch.full((2, 3, size), value), torch.full((2, 2, size), value)
    for law in (q, None):
        tokens, accepted = rejection_sample(torch.zeros(2, 2, dtype=torch.long), law, p)
        assert accepted.tolist() == [0, 0] and ((tokens[:, 0] >= 0) & (tokens[:, 0] < size)).all()


def test_a_tail_of_tiny_masses_keeps_its_probability():
    mass = float(np.float32(1e-12))
    weights = torch.full((1, 50_001), mass)
    weights[0, 0] = 1.0
    for share in (0.1, 0.5, 0.9):  # of the tail; a running sum in float32 has none of it
        u = (1 + share * 50_000 * mass) / (1 + 50_000 * mass)
        point = torch.tensor([0.0, u], dtype=torch.float64)
        # The uniform itself is rounded: by 2**-54 at most, a ten-thousandth of a token's mass.
        assert abs(int(inverse_cdf(weights, point[1:])) - 50_000 * share) <= 1
        laws = weights[None].expand(1, 2, -1)
        got = rejection_sample(torch.tensor([[0]]), None, laws, uniforms=point[None])
        assert abs(int(got[0][0, 1]) - 50_000 * share) <= 1


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
    "target_probs must be a dense": {"target_probs": torch.full((2, 4, 5), 0.2).to_sparse()},
    "target_probs must be floats of 16, 32 or 64 bits": {
        "target_probs": torch.full((2, 4, 5), 0.25).to(torch.float8_e4m3fn)
    },
    "draft_tokens must be on the laws' device, cpu, got one on meta": {
        "draft_tokens": torch.zeros(2, 3, dtype=torch.long, device="meta")
    },
    "draft_probs must be on": {"draft_probs": torch.full((2, 3, 5), 0.2, device="meta")},
    "uniforms must be on": {"uniforms": torch.zeros(2, 4, device="meta")},
    "lengths must be on": {"lengths": torch.zeros(2, dtype=torch.long, device="meta")},
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


@pytest.mark.parametrize("bad", [{"uniforms": [1]}, {"lengths": "x"}, {"generator": 3}])
def test_an_empty_batch_is_checked_as_well(bad):
    empty = torch.zeros(0, 3, dtype=torch.long), torch.ones(0, 3, 5), torch.ones(0, 4, 5)
    with pytest.raises(ValueError, match=next(iter(bad))):
        rejection_sample(*empty, **bad)


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("size", [3, 2 * SHORT])
def test_results_are_where_the_laws_are_whatever_torch_s_default_is(batch, size):
    law = torch.full((batch, 2, size), 1 / size)
    drafts, u = torch.zeros(batch, 1, dtype=torch.long), torch.zeros(batch, 2).double()
    torch.set_default_device("meta")
    try:
        found = [*rejection_sample(drafts, None, law, None, u)]
        found.append(inverse.inverse_cdf(law[:, 0], u[:, 0]))
    finally:
        torch.set_default_device(None)
    assert {part.device.type for part in found} == {"cpu"}
