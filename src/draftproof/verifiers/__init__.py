"""Every verification rule under one signature.

A rule is an object with a *law* (the probability of every outcome given the drafts) and a *draw*
(the same decision by given uniforms). Hand it to `draftproof.lab.output_law`, or run it with
``rule.round(target, draft, context, gamma, rng)``.

Exact: `token`, `greedy`, `sample_match`, `one_hot`, `top_k`, `block`, `recursive`, `tree`.
Inexact: `lenience`, `typical`.

`greedy` is exact for another law than the others: the target's at temperature 0, all mass on the
argmax. In one line, ``output_law(greedy, target, draft) == target_law(lambda context:
temper(target(context), 0))``, with `draftproof.warp.temper`; the target's own law is not emitted.
"""

from draftproof.verifiers.blockwise import Blockwise, Chainwise, block
from draftproof.verifiers.inexact import lenience, typical, typical_acceptance
from draftproof.verifiers.nodewise import Nodewise
from draftproof.verifiers.several import recursive, tree
from draftproof.verifiers.shapes import BlockTrace, TreeTrace
from draftproof.verifiers.single import from_rule, greedy, one_hot, sample_match, token, top_k
from draftproof.verifiers.transport import (
    Cut,
    Plan,
    best_cut,
    optimal_transport_bound,
    transport_plan,
)
from draftproof.verifiers.verifier import Verifier

__all__ = [
    "BlockTrace",
    "Blockwise",
    "Chainwise",
    "Cut",
    "Nodewise",
    "Plan",
    "TreeTrace",
    "Verifier",
    "best_cut",
    "block",
    "from_rule",
    "greedy",
    "lenience",
    "one_hot",
    "optimal_transport_bound",
    "recursive",
    "sample_match",
    "token",
    "top_k",
    "transport_plan",
    "tree",
    "typical",
    "typical_acceptance",
]
