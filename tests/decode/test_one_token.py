"""The torch form and the numpy form of the rule are one function."""

import numpy as np
import pytest

from draftproof import one_token
from draftproof.finite import inverse_cdf
from draftproof.speculative import keeps, residual

torch = pytest.importorskip("torch")

from draftproof.decode.one_token import accept_or_correct  # noqa: E402


class Replay(np.random.Generator):
    """A numpy generator whose next uniform is the one that torch drew."""

    def __init__(self, value):
        super().__init__(np.random.PCG64(0))
        self.value = value

    def random(self, *args, **kwargs):
        return self.value


def uniform_of(seed):
    return float(torch.rand((), generator=torch.Generator().manual_seed(seed), dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_same_uniforms_same_token(dtype):
    rng = np.random.default_rng(11)
    corrected = 0
    for seed in range(600):
        size = int(rng.integers(2, 40))
        p, q = (
            torch.tensor(rng.dirichlet(np.full(size, 0.3)), dtype=torch.float64).to(dtype)
            for _ in range(2)
        )
        token = int(inverse_cdf(q.double().numpy(), rng.random()))
        u = float(rng.random())
        got = accept_or_correct(p, q, token, u, torch.Generator().manual_seed(seed))
        p64, q64 = p.double().numpy(), q.double().numpy()
        v = uniform_of(seed)
        assert got == one_token.accept_or_correct(p.numpy(), q.numpy(), token, u, Replay(v))
        # and both are the book's rule
        kept = bool(keeps(np.array(u), q64[token], p64[token]))
        expected = token if kept else int(inverse_cdf(residual(p64, q64), v))
        assert got == (expected, kept)
        corrected += not kept
    assert 150 < corrected < 550


def test_the_law_is_p():
    generator = torch.Generator().manual_seed(3)
    p, q = torch.tensor([0.3, 0.4, 0.3]), torch.tensor([0.6, 0.3, 0.1])
    n = 6000
    drafts = torch.multinomial(q, n, replacement=True, generator=generator).tolist()
    us = torch.rand(n, generator=generator).tolist()
    out = [accept_or_correct(p, q, x, u, generator) for x, u in zip(drafts, us, strict=True)]
    shares = np.bincount([x for x, _ in out], minlength=3) / n
    # Five standard errors a count: a false alarm in under 1e-5 of runs.
    assert abs(shares - p.numpy()).max() < 5 * np.sqrt(0.25 / n)
    assert abs(np.mean([kept for _, kept in out]) - 0.7) < 5 * np.sqrt(0.21 / n)


def test_edges():
    generator = torch.Generator().manual_seed(0)
    p, q = torch.tensor([0.0, 1.0]), torch.tensor([0.5, 0.5])
    assert accept_or_correct(p, q, 0, 0.0, generator) == (1, False)  # p = 0 at u = 0
    almost = torch.tensor([0.5, 0.5], dtype=torch.float16)
    higher = torch.tensor([0.5005, 0.5], dtype=torch.float16)
    token, kept = accept_or_correct(almost, higher, 0, 0.9999, generator)  # no residual at all
    assert not kept
    assert token in (0, 1)


@pytest.mark.parametrize("form", ["numpy", "torch"])
def test_bad_input_is_named(form):
    if form == "torch":
        run, make, rng = accept_or_correct, torch.tensor, torch.Generator().manual_seed(0)
    else:
        run, make, rng = one_token.accept_or_correct, np.array, np.random.default_rng(0)
    p, q = make([0.5, 0.5]), make([1.0, 0.0])
    for arguments, word in [
        ((make([0.7, 0.7]), q, 0, 0.5), "p must"),
        ((p, make([-0.5, 1.5]), 0, 0.5), "q must"),
        ((p, make([float("nan"), 1.0]), 0, 0.5), "q must"),
        ((p, make([0.2, 0.3, 0.5]), 0, 0.5), "vocabulary"),
        ((make([[0.5, 0.5]]), q, 0, 0.5), "p must"),
        ((p, q, 2, 0.5), "token"),
        ((p, q, -1, 0.5), "token"),
        ((p, q, 0.5, 0.5), "token"),
        ((p, q, 1, 0.5), "drawn from"),
        ((p, q, 0, 1.0), "u must"),
        ((p, q, 0, -0.1), "u must"),
        ((p, q, 0, float("nan")), "u must|finite"),
    ]:
        with pytest.raises(ValueError, match=word):
            run(*arguments, rng)


def test_the_generator_is_named():
    p = np.array([0.5, 0.5])
    with pytest.raises(ValueError, match="rng"):
        one_token.accept_or_correct(p, p, 0, 0.5, None)
