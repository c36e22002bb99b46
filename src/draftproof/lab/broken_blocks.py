"""Faults that show in blocks: linked verdicts, shifted rows, stale text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draftproof.examples import BLOCK
from draftproof.finite import Array, as_law, check_rng, inverse_cdf
from draftproof.lab.broken_fault import Fault, LawFault, always, rule_fault
from draftproof.lab.broken_verdicts import exactly
from draftproof.rules import pair_law
from draftproof.speculative import Model, acceptance, residual
from draftproof.trace import Trace
from draftproof.verifiers import BlockTrace, Blockwise, Chainwise, block, token

__all__ = [
    "FAULTS",
    "FirstDraftFree",
    "OneUniform",
    "ProductOfUniforms",
    "RowsShifted",
    "TokenResidual",
    "copying",
]


@dataclass(frozen=True)
class OneUniform(Chainwise):
    r"""The token rule with a single uniform for all positions of the block.

    The first t drafts are accepted with probability :math:`\min_{s \le t} a_s`, not their product.

    Attributes
    ----------
    name : str
        How the rule is called.
    exact : bool
        False: it does not emit the target's law.
    """

    name: str = "one uniform for the block"
    exact: bool = False

    def _law(self, tokens: Array, q: Array, p: Array, branching: tuple[int, ...]) -> Array:
        out, reach = p * 0, 1 + 0 * p[0, 0]
        for t, x in enumerate(tokens):
            further = min(reach, acceptance(p[t], q[t])[x])
            out[t] = (reach - further) * residual(p[t], q[t])
            reach = further
        out[-1] = reach * p[-1]
        return out

    def _draw(
        self,
        tokens: Array,
        q: Array,
        p: Array,
        branching: tuple[int, ...],
        u: Array,
        rng: np.random.Generator,
    ) -> Trace:
        return token.draw(tokens, q, p, np.full_like(u, u[0]), rng)


class _OtherRows(Chainwise):
    """The token rule, given other rows of the target than it should."""

    exact: bool = False

    def rows(self, q: Array, p: Array) -> Array:
        """Return what it takes for the target's rows.

        Parameters
        ----------
        q : ndarray, shape (T, V)
        p : ndarray, shape (T + 1, V)
            The laws at each place.

        Returns
        -------
        ndarray, shape (T + 1, V)

        Raises
        ------
        NotImplementedError
            In this class; a subclass says which rows.
        """
        raise NotImplementedError

    def _law(self, tokens: Array, q: Array, p: Array, branching: tuple[int, ...]) -> Array:
        return token.law(tokens, q, self.rows(q, p))

    def _draw(
        self,
        tokens: Array,
        q: Array,
        p: Array,
        branching: tuple[int, ...],
        u: Array,
        rng: np.random.Generator,
    ) -> Trace:
        return token.draw(tokens, q, self.rows(q, p), u, rng)


@dataclass(frozen=True)
class RowsShifted(_OtherRows):
    """Draft t is judged by the law after it, row t + 1; the last row serves twice.

    Attributes
    ----------
    name : str
        How the rule is called.
    """

    name: str = "rows shifted by one"

    def rows(self, q: Array, p: Array) -> Array:
        """Return rows 1, 2, ..., T, T.

        Parameters
        ----------
        q : ndarray, shape (T, V)
        p : ndarray, shape (T + 1, V)
            The laws at each place.

        Returns
        -------
        ndarray, shape (T + 1, V)
        """
        return np.concatenate([p[1:], p[-1:]])


@dataclass(frozen=True)
class FirstDraftFree(_OtherRows):
    """The first draft is taken unseen: its row is, in effect, the draft's own law.

    Attributes
    ----------
    name : str
        How the rule is called.
    """

    name: str = "first draft unverified"

    def rows(self, q: Array, p: Array) -> Array:
        """Return the target's rows with q in the place of the first.

        Parameters
        ----------
        q : ndarray, shape (T, V)
        p : ndarray, shape (T + 1, V)
            The laws at each place.

        Returns
        -------
        ndarray, shape (T + 1, V)
        """
        return np.concatenate([q[:1], p[1:]])


@dataclass(frozen=True)
class TokenResidual(Blockwise):
    """Block verification that corrects from the token rule's residual, max(p - q, 0).

    Attributes
    ----------
    name : str
        How the rule is called.
    exact : bool
        False: it does not emit the target's law.
    """

    name: str = "block with the token residual"
    exact: bool = False

    def correction(self, weight: Array, q: Array, p: Array) -> Array:
        """Return max(p - q, 0): the prefix's weight is left out.

        Parameters
        ----------
        weight : ndarray, shape (...)
            Not used: that is the fault.
        q, p : ndarray, shape (..., V)

        Returns
        -------
        ndarray, shape (..., V)
        """
        return np.asarray(np.maximum(p - q, 0))


@dataclass(frozen=True)
class ProductOfUniforms(Chainwise):
    r"""Block verification that tests prefix weights against products of uniforms.

    The longest prefix with :math:`w_t \ge u_1 \cdots u_t` is kept, and the correction comes from
    the token rule's residual. Its law needs logarithms: floats, and blocks of at most two drafts.

    Attributes
    ----------
    name : str
        How the rule is called.
    exact : bool
        False: it does not emit the target's law.
    """

    name: str = "block by products of uniforms"
    exact: bool = False

    def _law(self, tokens: Array, q: Array, p: Array, branching: tuple[int, ...]) -> Array:
        if len(tokens) != 2:
            raise ValueError(f"gamma must be 2 for the rule {self.name!r}, got {len(tokens)}")
        first, second = (float(weight) for weight in _weights(tokens, q, p))
        whole = second * (1 - np.log(second)) if second > 0 else 0.0
        # The integral of 1 - second / u over second < u < first: u_1 passes, u_1 u_2 does not.
        one = max(first - second, 0.0)
        if first > second > 0:
            one -= second * np.log(first / second)
        masses = 1 - whole - one, one, whole
        laws = residual(p[0], q[0]), residual(p[1], q[1]), p[2]
        return np.stack(
            [mass * law.astype(np.float64) for mass, law in zip(masses, laws, strict=True)]
        )

    def _draw(
        self,
        tokens: Array,
        q: Array,
        p: Array,
        branching: tuple[int, ...],
        u: Array,
        rng: np.random.Generator,
    ) -> Trace:
        weights = np.array(_weights(tokens, q, p), dtype=np.float64)
        verdicts = weights >= u.cumprod()
        kept = int(np.flatnonzero(verdicts)[-1]) + 1 if verdicts.any() else 0
        law = p[kept] if kept == len(tokens) else residual(p[kept], q[kept])
        return BlockTrace(tokens, u, q, p, verdicts, kept, int(inverse_cdf(law, rng.random())))


def _weights(tokens: Array, q: Array, p: Array) -> list[Any]:
    """Return block verification's running weights w_1, ..., w_T."""
    weights: list[Any] = []
    weight: Any = 1
    for t, x in enumerate(tokens):
        weight = min(1, weight * p[t, x] / q[t, x])
        weights.append(weight)
    return weights


def copying(repeat: str) -> Model:
    """Return a model over two tokens: the last token comes again with probability `repeat`.

    After nothing both are as likely.

    Parameters
    ----------
    repeat : str
        A probability, such as ``"3/4"``.

    Returns
    -------
    callable
        A model in Fractions, of order 1.
    """
    again = exactly(repeat)[0]
    rows = [exactly(f"{again} {1 - again}"), exactly(f"{1 - again} {again}")]

    def model(context: tuple[int, ...]) -> Array:
        return rows[context[-1]] if context else exactly("1/2 1/2")

    model.order = 1  # type: ignore[attr-defined]
    return model


def _table(law: dict[tuple[int, int], object]) -> Array:
    size = 1 + max(x for x, _ in law)
    out = np.empty((size, size), dtype=object)
    for at, mass in law.items():
        out[at] = mass
    return out


def _going_on(target: Model, draft: Model) -> LawFault:
    """Check on after a rejection, by rows that belong to the rejected token."""

    def sample(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        out = np.empty((n, 2), dtype=np.int64)
        for row in out:
            text: tuple[int, ...] = ()
            for t in range(2):
                p, q = (as_law(model(text)) for model in (target, draft))
                x = int(inverse_cdf(q, check_rng(rng).random()))
                keep = rng.random() < acceptance(p, q)[x]
                row[t] = x if keep else inverse_cdf(residual(p, q), rng.random())
                text = (*text, x)  # the fault: the next rows follow the draft, not what is out
        return out

    return LawFault(
        name="go-on-after-a-rejection",
        what="After a rejection the later drafts are still checked, by the rejected token's rows.",
        reports=("openvinotoolkit/openvino.genai#4190",),
        right=lambda: _table(pair_law(target, draft)),
        wrong=lambda: _table(pair_law(target, draft, go_on=True)),
        p=as_law(target(())),
        q=as_law(draft(())),
        wanted=_table(pair_law(target, draft)),
        compute=lambda: _table(pair_law(target, draft, go_on=True)),
        sample=sample,
        gamma=2,
        length=2,
    )


def _same(law: tuple[object, ...]) -> Model:
    return always(exactly(" ".join(map(str, law))))


_P, _Q = _same(BLOCK.p), _same(BLOCK.q)

FAULTS: tuple[Fault, ...] = (
    rule_fault(
        "one-uniform-for-the-block",
        "One uniform serves all positions of a block, so that the verdicts hang together.",
        ("flashinfer-ai/flashinfer#424",),
        token,
        OneUniform(),
        always(exactly("0.5 0.5")),
        always(exactly("0.9 0.1")),
        gamma=2,
        length=2,
    ),
    rule_fault(
        "block-rule-by-token-rule",
        "Block verification tests products of uniforms and corrects from the token residual.",
        ("vllm-project/vllm-ascend#7807",),
        block,
        ProductOfUniforms(),
        _P,
        _Q,
        gamma=2,
        length=2,
    ),
    rule_fault(
        "block-with-token-residual",
        "Block verification accepts rightly but corrects from the token rule's residual.",
        ("vllm-project/vllm-ascend#7807",),
        block,
        TokenResidual(),
        always(exactly("0.4 0.4 0.2")),
        always(exactly("0.8 0.1 0.1")),
        gamma=2,
        length=2,
    ),
    rule_fault(
        "rows-shifted-by-one",
        "Every draft is judged by the target's law after it instead of before it.",
        ("mlx-node/mlx-node#11", "antirez/ds4#358"),
        token,
        RowsShifted(),
        copying("3/4"),
        copying("1/2"),
        gamma=2,
        length=2,
    ),
    rule_fault(
        "first-draft-unverified",
        "The first draft of a block is accepted unseen; only the later ones are checked.",
        ("ohdearquant/lattice#243",),
        token,
        FirstDraftFree(),
        copying("3/4"),
        always(exactly("2/3 1/3")),
        gamma=2,
        length=2,
    ),
    _going_on(copying("3/4"), always(exactly("2/3 1/3"))),
)
