"""What a fault is: a right rule, a small change of it, and what the change does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draftproof.finite import Array, as_law, check_rng, check_whole, inverse_cdf, total_variation
from draftproof.lab.audit_power import samples_needed
from draftproof.lab.exact import output_array, sampler, target_array
from draftproof.speculative import Model
from draftproof.verifiers import Nodewise, Verifier
from draftproof.verifiers.shapes import NO_DRAFT

__all__ = ["Fault", "LawFault", "ValueFault", "always", "rule_fault", "run_once"]

ALPHA, POWER = 0.01, 0.99

Sample = Callable[[int, np.random.Generator], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Fault:
    """A small change that breaks a right rule.

    Attributes
    ----------
    name : str
    what : str
        What went wrong, in one sentence.
    reports : tuple of str
        The public reports it is modelled on, as ``owner/repository#number``; may be empty.
    right, wrong : Verifier or callable
        The rule as it should be and as it was.
    """

    name: str
    what: str
    reports: tuple[str, ...]
    right: Any
    wrong: Any

    def __repr__(self) -> str:
        return f"<fault {self.name}>"


@dataclass(frozen=True, eq=False, repr=False)
class LawFault(Fault):
    """A fault that changes the law of what is emitted.

    Attributes
    ----------
    name, what, reports, right, wrong
        As for `Fault`.
    p, q : ndarray
        Target and draft law of the example, at its first context.
    gamma, length : int
        Drafts in a block, and tokens in the law.
    wanted : ndarray, shape (V,) * length
        The law that should be emitted.
    compute : callable
        Returns the law that is emitted; use `law`.
    sample : callable
        ``sample(n, rng)`` runs the faulty procedure: n tokens, or shape (n, length).
    """

    p: Array
    q: Array
    wanted: Array
    compute: Callable[[], Array]
    sample: Sample
    gamma: int = 1
    length: int = 1

    @cached_property
    def law(self) -> Array:
        """The law that is emitted, by enumeration; Fractions where no logarithm is needed."""
        return self.compute()

    @cached_property
    def tv(self) -> Any:
        """Total variation distance between `law` and `wanted`."""
        return total_variation(self.wanted.reshape(-1), self.law.reshape(-1))

    @cached_property
    def n_to_catch(self) -> int:
        """The draws with which `audit` (alpha = 1 %) catches this fault with 99 % power."""
        law, wrong = (np.asarray(a, dtype=np.float64) for a in (self.wanted, self.law))
        return int(samples_needed(law, wrong, alpha=ALPHA, power=POWER))


@dataclass(frozen=True, eq=False, repr=False)
class ValueFault(Fault):
    """A fault that shows in one case: a counter, a cache, an end of text.

    Attributes
    ----------
    name, what, reports, right, wrong
        As for `Fault`.
    case : tuple
        Arguments with which `right` and `wrong` differ.
    """

    case: tuple[Any, ...]

    @property
    def right_value(self) -> Any:
        """What the right function returns."""
        return self.right(*self.case)

    @property
    def wrong_value(self) -> Any:
        """What the wrong one returns."""
        return self.wrong(*self.case)

    @property
    def n_to_catch(self) -> int:
        """One: the case shows it every time."""
        return 1


def always(law: Any) -> Model:
    """Return the model that has one law whatever came before.

    Parameters
    ----------
    law : array_like, shape (V,)
        Floats or Fractions.

    Returns
    -------
    callable
        From any context to the law; its order is 0.

    Raises
    ------
    ValueError
        If it is not a law.
    """
    fixed = as_law(law)

    def model(context: tuple[int, ...]) -> Array:
        return fixed

    model.order = 0  # type: ignore[attr-defined]
    return model


def rule_fault(
    name: str,
    what: str,
    reports: tuple[str, ...],
    right: Verifier,
    wrong: Verifier,
    target: Model,
    draft: Model,
    gamma: int = 1,
    length: int = 1,
    wanted: Any = None,
) -> LawFault:
    """Make a fault of two verifiers; its law comes from `output_array`.

    Parameters
    ----------
    name, what, reports, right, wrong
        As for `Fault`; `right` and `wrong` are verifiers.
    target, draft : callable
        The models of the example.
    gamma, length : int
        Drafts in a block, and tokens in the law.
    wanted : array_like, optional
        The law that should be emitted; by default the target's.

    Returns
    -------
    LawFault

    Raises
    ------
    ValueError
        If a model does not return a law.
    """
    p, q = as_law(target(())), as_law(draft(()))
    sample = sampler(wrong, target, draft, (), gamma, length)
    if isinstance(wrong, Nodewise) and gamma == length == 1:
        sample = run_once(wrong, p, q)  # the same, side by side
    return LawFault(
        name=name,
        what=what,
        reports=reports,
        right=right,
        wrong=wrong,
        p=p,
        q=q,
        wanted=target_array(target, (), length) if wanted is None else as_law(wanted),
        compute=lambda: output_array(wrong, target, draft, (), gamma, length),
        sample=sample,
        gamma=gamma,
        length=length,
    )


def run_once(rule: Nodewise, p: Array, q: Array) -> Sample:
    """Return a sampler that runs a rule at one context, many times side by side.

    Drafts, verdicts and corrections are drawn as `Nodewise.draw` draws them.

    Parameters
    ----------
    rule : Nodewise
    p, q : ndarray, shape (V,)
        Draft and target law at the context.

    Returns
    -------
    callable
        ``sample(n, rng)`` returns n tokens.

    Raises
    ------
    ValueError
        If the rule has no tree of depth one.
    """
    (width,) = rule.branching(1)
    ways = list(rule.propose(q, width))
    weights = [float(weight) for weight, _ in ways]
    drafted = np.array([tokens for _, tokens in ways]).reshape(len(ways), width)
    kept = np.zeros((len(ways), width))
    fixes = np.zeros((len(ways), len(p)))
    for row, tokens in enumerate(drafted.tolist()):
        chances, fix = rule.judge(tuple(x for x in tokens if x != NO_DRAFT), q, rule.reads(p))
        kept[row, : len(chances)] = [float(chance) for chance in chances]
        fixes[row] = fix

    def sample(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        rows = inverse_cdf(weights, check_rng(rng).random(check_whole(n, "n")))
        out = np.full(n, NO_DRAFT)
        for place in range(width):
            taken = (out == NO_DRAFT) & (rng.random(n) < kept[rows, place])
            out[taken] = drafted[rows[taken], place]
        left = out == NO_DRAFT
        out[left] = inverse_cdf(fixes[rows[left]], rng.random(int(left.sum())))
        return out

    return sample
