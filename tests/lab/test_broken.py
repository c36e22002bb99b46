"""The gallery: every fault is one, its right rule is right, and the audit sees it."""

import re

import numpy as np
import pytest

from draftproof import lab
from draftproof.finite import total_variation
from draftproof.lab.broken import FALSE_ALARMS, GALLERY, LawFault, ValueFault
from draftproof.lab.broken_blocks import copying
from draftproof.lab.broken_fault import always
from draftproof.verifiers import Verifier

LAWS = [fault for fault in GALLERY.values() if isinstance(fault, LawFault)]
VALUES = [fault for fault in GALLERY.values() if isinstance(fault, ValueFault)]


def test_the_gallery_is_large_and_named() -> None:
    assert len(GALLERY) >= 20
    assert len(LAWS) + len(VALUES) == len(GALLERY)
    for name, fault in GALLERY.items():
        assert fault.name == name
        assert re.fullmatch(r"[a-z-]+", name)
        assert fault.what.endswith(".")
        for report in fault.reports:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", report)
    assert sum(bool(fault.reports) for fault in LAWS) >= 20


@pytest.mark.parametrize("fault", LAWS, ids=repr)
def test_the_law_is_a_biased_law(fault: LawFault) -> None:
    assert float(fault.law.sum()) == pytest.approx(1, abs=1e-12)
    assert (fault.law >= 0).all()
    assert fault.law.shape == fault.wanted.shape == (len(fault.p),) * fault.length
    assert fault.tv == total_variation(fault.wanted.reshape(-1), fault.law.reshape(-1)) > 0


@pytest.mark.parametrize("fault", [f for f in LAWS if isinstance(f.right, Verifier)], ids=repr)
def test_the_right_rule_is_right(fault: LawFault) -> None:
    """On the same example, in Fractions where the example is."""
    if fault.length == 1 or fault.name in ("one-uniform-for-the-block", "block-rule-by-token-rule"):
        target, draft = always(fault.p), always(fault.q)
    else:
        target, draft = copying("3/4"), always(fault.q)
        if fault.name == "block-with-token-residual":
            target = always(fault.p)
    law = lab.output_array(fault.right, target, draft, (), fault.gamma, fault.length)
    np.testing.assert_allclose(law.astype(float), fault.wanted.astype(float), atol=1e-12)


@pytest.mark.parametrize("fault", LAWS, ids=repr)
def test_the_sampler_runs_the_fault(fault: LawFault) -> None:
    """The faulty procedure follows the faulty law: false alarm 1e-6 each."""
    n = 20_000 if fault.length == 1 else 600
    drawn = fault.sample(n, np.random.default_rng(7))
    assert drawn.shape == ((n,) if fault.length == 1 else (n, fault.length))
    law = np.asarray(fault.law, dtype=float)
    report = lab.audit(lambda n, rng: drawn, law, n, np.random.default_rng(0), alpha=1e-6)
    assert report.exact


@pytest.mark.parametrize("fault", LAWS, ids=repr)
def test_the_audit_catches_it(fault: LawFault) -> None:
    """At the stated n, with 99 % power: one seed in a hundred would miss."""
    n = fault.n_to_catch
    report = lab.audit(fault.sample, fault.wanted, n, np.random.default_rng(20), alpha=0.01)
    assert not report.exact


@pytest.mark.parametrize("name", ["no-coin", "lenience", "one-sided-warp", "top-k-with-ties"])
def test_the_power_is_as_stated(name: str) -> None:
    """60 audits at 99 % power: more than 5 misses has probability below 1e-5."""
    fault = GALLERY[name]
    rng = np.random.default_rng(3)
    reports = [lab.audit(fault.sample, fault.wanted, fault.n_to_catch, rng) for _ in range(60)]
    assert sum(report.exact for report in reports) <= 5


@pytest.mark.parametrize("fault", VALUES, ids=repr)
def test_the_case_shows_it(fault: ValueFault) -> None:
    right, wrong = (
        np.asarray(value, dtype=object) for value in (fault.right_value, fault.wrong_value)
    )
    assert right.shape != wrong.shape or (right != wrong).any()
    assert fault.n_to_catch == 1


@pytest.mark.parametrize("alarm", FALSE_ALARMS.values(), ids=lambda alarm: alarm.name)
def test_false_alarms_are_exact(alarm) -> None:
    target, draft = copying("3/4"), copying("1/3")
    assert alarm.reports
    for gamma in (1, 2):
        law = lab.output_law(alarm.rule, target, draft, (), gamma, 3)
        assert law == lab.target_law(target, (), 3)
