"""What a run leaves behind, and the counters that the field mixes up."""

import dataclasses

import numpy as np
import pytest

from draftproof.envelope import Envelope, Proposal, Target, rejection_trace
from draftproof.speculative import classical_trace, generate, speculative_trace, verify_block
from draftproof.trace import Counters

P, Q = np.array([0.3, 0.4, 0.3]), np.array([0.6, 0.3, 0.1])


def block(uniforms, drafts=(0, 1, 2)):
    gamma = len(drafts)
    return verify_block(drafts, [Q] * gamma, [P] * (gamma + 1), uniforms, np.random.default_rng(0))


def test_a_rejected_block():
    trace = block([0.4, 0.9, 0.5], drafts=(0, 0, 2))
    assert trace.verdicts.tolist() == [True, False, True]
    assert (trace.num_accepted, trace.tested, trace.drafted) == (1, 2, 3)
    assert not trace.is_bonus
    assert trace.bonus is None
    assert trace.correction == trace.next_token
    assert trace.tokens == (0, trace.next_token)


def test_verdicts_after_the_first_rejection_do_not_count():
    # The reported fault adds up verdicts instead of their running product.
    trace = block([0.99, 0.0, 0.0, 0.0, 0.0], drafts=(0, 1, 2, 1, 2))
    assert trace.verdicts.sum() == 4
    assert trace.num_accepted == 0


def test_a_full_block_brings_a_bonus():
    trace = block([0.0, 0.9, 0.9])
    assert trace.is_bonus
    assert trace.bonus == trace.next_token
    assert trace.correction is None
    assert len(trace.tokens) == 4


def test_counters_of_one_round():
    assert block([0.0, 0.9, 0.9]).counters == Counters(3, 3, 3, 0, 1, 1)
    assert block([0.4, 0.9, 0.5], drafts=(0, 0, 2)).counters == Counters(3, 2, 1, 1, 0, 1)


def test_rates_do_not_count_the_bonus():
    counters = Counters(drafted=4, tested=3, accepted=2, corrections=1, target_calls=1)
    assert counters.accepted_over_drafted == 0.5
    assert counters.acceptance_rate == pytest.approx(2 / 3)
    assert counters.accept_length == counters.emitted == 3


def test_counters_add_up():
    parts = [block([0.0, 0.9, 0.9]).counters, block([0.4, 0.9, 0.5], drafts=(0, 0, 2)).counters]
    assert Counters.total(parts) == parts[0] + parts[1]
    assert Counters.total([]) == Counters()


def test_an_empty_run_divides_by_nothing():
    counters = Counters()
    assert (counters.acceptance_rate, counters.accepted_over_drafted, counters.accept_length) == (
        0,
        0,
        0,
    )


def test_a_run_keeps_its_rounds_and_cuts_its_tokens():
    run = generate(lambda _: P, lambda _: Q, (), 3, 10, np.random.default_rng(1))
    made = [token for round_ in run.rounds for token in round_.tokens]
    assert run.tokens == tuple(made[:10])
    assert len(run.fates) == 10
    assert set(run.fates) <= {"accepted", "corrected", "bonus"}
    assert run.counters.emitted == len(made) >= 10
    assert run.counters.target_calls == len(run.rounds)


def test_token_traces_account_for_every_token():
    trace = speculative_trace(P, Q, np.random.default_rng(2), 5000)
    assert (trace.accepted_counts + trace.corrected_counts == trace.emitted_counts).all()
    assert trace.drafted_counts.sum() == trace.emitted_counts.sum() == 5000
    assert trace.corrected_counts[0] == 0  # q > p: never a correction


def test_classical_rejection_emits_nothing_for_a_rejected_draft():
    trace = classical_trace(P, Q, np.random.default_rng(3), 5000)
    assert (trace.tokens[~trace.accepted] == -1).all()
    assert (trace.emitted_counts == trace.accepted_counts).all()


def test_envelope_traces():
    target = Target(lambda x: 6 * x * (1 - x), 0, 1)
    trace = rejection_trace(
        Envelope(target, Proposal.uniform(0, 1), 1.5), 1000, np.random.default_rng(4)
    )
    assert trace.proposed == 1000
    assert trace.num_accepted == len(trace.survivors) == trace.accepted.sum()
    assert trace.acceptance_rate == trace.num_accepted / 1000
    assert (trace.heights < 1.5).all()


@pytest.mark.parametrize(
    "trace", [block([0, 0, 0]), speculative_trace(P, Q, np.random.default_rng(0), 3)]
)
def test_traces_are_frozen_and_can_be_compared_and_hashed(trace):
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.p = None
    assert trace == trace
    assert trace != dataclasses.replace(trace)
    assert len({trace, trace}) == 1
