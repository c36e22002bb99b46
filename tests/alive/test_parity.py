"""The widgets' JavaScript and the package give the same numbers on random states."""

import math

import numpy as np
import pytest

from draftproof.widgets import alive

STATES = 1000
TOLERANCE = 1e-9
WIDGETS = [getattr(alive, name) for name in alive.__all__ if name != "Alive"]


def differences(ours, theirs, path=""):
    """Where two values of JSON differ by more than the tolerance, relative beyond 1."""
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), path
        for key in ours:
            yield from differences(ours[key], theirs[key], f"{path}/{key}")
    elif isinstance(ours, list):
        assert len(ours) == len(theirs), path
        for i, pair in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(*pair, f"{path}/{i}")
    elif isinstance(ours, bool) or ours is None or isinstance(ours, str) or theirs is None:
        if ours != theirs:
            yield path, ours, theirs
    elif not math.isclose(ours, theirs, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
        yield path, ours, theirs


@pytest.mark.browser
@pytest.mark.parametrize("widget", WIDGETS, ids=lambda w: w.module)
def test_numbers_agree(scripts, widget):
    rng = np.random.default_rng(20_240_601)
    drawn = [widget.random(rng) for _ in range(STATES)]
    theirs = scripts.evaluate(
        "([module, states]) => states.map(draftproofAlive.bench[module].facts)",
        [widget.module, [one.state for one in drawn]],
    )
    found = []
    for one, facts in zip(drawn, theirs, strict=True):
        found += [(one.state, *gap) for gap in differences(one.facts(), facts)]
    assert not found[:3], f"{len(found)} differences"


@pytest.mark.browser
@pytest.mark.parametrize("widget", WIDGETS, ids=lambda w: w.module)
def test_numbers_are_quick(scripts, widget):
    """The numbers of a new state take less than half of 50 ms (median of 20, best of 5)."""
    rng = np.random.default_rng(5)
    states = [widget.random(rng).state for _ in range(20)]
    best = min(
        np.median(
            scripts.evaluate(
                """([module, states]) => states.map((state) => {
                    const start = performance.now();
                    draftproofAlive.bench[module].facts(state);
                    return performance.now() - start;
                })""",
                [widget.module, states],
            )
        )
        for _ in range(5)
    )
    assert best < 25


def test_defaults_are_the_packages():
    from draftproof.examples import CAT_DOG_FOX, bell_envelope

    tokens = alive.Tokens()
    assert tokens.p == [float(x) for x in CAT_DOG_FOX.p]
    assert tokens.q == [float(x) for x in CAT_DOG_FOX.q]
    assert alive.Darts().constant == bell_envelope().constant
