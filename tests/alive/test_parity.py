"""The widgets' JavaScript and the package give the same numbers on random states."""

import math
from functools import partial

import numpy as np
import pytest
from traitlets import Int, TraitError

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


# States that the controls make: from the opening one, each slider and menu is set to a value that
# it can stop at, or left alone. A third of these values are ends.
BY_CONTROLS = """([module, home, n, seed]) => {
    const { bench } = draftproofAlive, rand = bench.kit.chance(seed);
    const { knobs } = bench[module].default.spec;
    const ask = (value, state) => (typeof value === "function" ? value(state) : value);
    const among = (list) => list[Math.floor(rand() * list.length)];
    const stops = (knob, state) => {
        const [low, high, step] = ["min", "max", "step"].map((side) => ask(knob[side], state));
        const last = Math.floor((high - low) / step + 1e-9);
        const k = rand() < 1 / 3 ? among([0, last]) : Math.floor(rand() * (last + 1));
        return Number((low + k * step).toFixed(8)); // as the slider's text has it
    };
    const moved = (state, knob) => {
        if (knob.kind === "button" || rand() < 0.2 || (knob.off && knob.off(state))) return state;
        const options = knob.kind === "menu" && ask(knob.options, state);
        const value = options ? among(options)[0] : stops(knob, state);
        const now = knob.get ? knob.get(state) : state[knob.key];
        if (value === now) return state; // a menu says nothing then
        return { ...state, ...(knob.set ? knob.set(state, value) : { [knob.key]: value }) };
    };
    return Array.from({ length: n }, () => knobs.map((knob) => [rand(), knob])
        .sort(([a], [b]) => a - b).reduce((state, [, knob]) => moved(state, knob), home));
}"""


def by_controls(scripts, widget, n):
    """Widgets in states that their own controls make; each state must be one that Python takes."""
    states = scripts.evaluate(BY_CONTROLS, [widget.module, widget().state, n, 20_240_602])
    return [widget(**{key: state[key] for key in widget.parts}) for state in states]


@pytest.mark.browser
@pytest.mark.parametrize("widget", WIDGETS, ids=lambda w: w.module)
def test_numbers_agree(scripts, widget):
    """Half of the states are drawn at random, half are made by the controls."""
    rng = np.random.default_rng(20_240_601)
    drawn = [widget.random(rng) for _ in range(STATES // 2)]
    drawn += by_controls(scripts, widget, STATES - len(drawn))
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
def test_the_controls_reach_their_ends(scripts, widget):
    """The states made by the controls differ, and take every slider of the state to both ends."""
    states = [one.state for one in by_controls(scripts, widget, STATES // 2)]
    assert len({str(state) for state in states}) > 20
    ends = scripts.evaluate(
        """([module, states]) => draftproofAlive.bench[module].default.spec.knobs
            .filter((knob) => knob.kind === "slider" && knob.key in states[0] && !knob.get
                && typeof knob.max !== "function")
            .map(({ key, min, max }) => [key, min, max])""",
        [widget.module, states],
    )
    for key, low, high in ends:
        assert {low, high} <= {state[key] for state in states}, key


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


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda w: w.module)
def test_a_whole_number_without_end_is_refused_or_shown(widget):
    """No number gets into a state whose facts cannot be computed."""
    one, numbers = widget(), [k for k, trait in widget.class_traits().items() if type(trait) is Int]
    for key in set(numbers) & set(widget.parts):
        for value in (-1, 99, 10**6):
            for put in (lambda key, value: widget(**{key: value}), partial(setattr, one)):
                try:
                    made = put(key, value) or one
                except TraitError as error:
                    assert key in str(error), error  # it names what is wrong
                else:
                    assert getattr(made, key) == value
                    assert made.facts()


@pytest.mark.parametrize(
    "widget, place, of",
    [
        (alive.Walk, "pair", "pairs"), (alive.Walk, "position", "coins"),
        (alive.Roofline, "machine", "machines"), (alive.Warps, "pair", "pairs"),
        (alive.Tokens, "token", "names"), (alive.Several, "token", "names"),
        (alive.Bigram, "context", "table"), (alive.Noise, "step", "sizes"),
        (alive.Ribbon, "run", "runs"),
    ],
    ids=lambda x: getattr(x, "module", x),
)  # fmt: skip
def test_places_exist(widget, place, of):
    one = widget()
    last = len(getattr(one, of)) - 1
    setattr(one, place, last)
    assert one.facts()
    with pytest.raises(TraitError, match=f"{place} must be less than {last + 1}"):
        widget(**{place: last + 1})
    with pytest.raises(TraitError, match=f"the length of {of}; got {last + 1}"):
        setattr(one, place, last + 1)
    assert getattr(one, place) == last  # the last one stands
    if place != "position":  # a round has eight coins, always
        with pytest.raises(TraitError, match=f"{place} must be less than 1"):
            setattr(one, of, getattr(one, of)[:1])


def test_a_place_and_its_list_can_come_together():
    pairs = [*alive.Walk().pairs, alive.Walk().pairs[0]]
    assert alive.Walk(pair=2, pairs=pairs).facts()["alpha"] == pytest.approx(0.7)


def test_any_machine():
    machine = {"name": "another", "bandwidth": 1e12, "peak": 5e13}
    assert alive.Roofline(machines=[machine]).facts()["ridge"] == 50


def test_defaults_are_the_packages():
    from draftproof.examples import CAT_DOG_FOX, bell_envelope

    tokens = alive.Tokens()
    assert tokens.p == [float(x) for x in CAT_DOG_FOX.p]
    assert tokens.q == [float(x) for x in CAT_DOG_FOX.q]
    assert alive.Darts().constant == bell_envelope().constant
