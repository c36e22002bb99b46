"""The widgets' own site: one small page with all of them, built once and opened from disk."""

import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

import pytest

anywidget = pytest.importorskip("anywidget")

HEAD = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
---

# A bench

"""
CONFIG = """
from pathlib import Path
extensions = ["myst_nb", "draftproof.book"]
html_theme = "sphinx_book_theme"
html_static_path = [STATIC]
html_context = {"default_mode": "auto"}
html_theme_options = {"navbar_persistent": []}
html_title = "Bench"
myst_enable_extensions = ["dollarmath"]
numfig = True
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_ipywidgets_js = {}
"""


def cells(names):
    """A page that shows each widget once."""
    made = [
        f"## {name}\n\n```{{code-cell}} python\n"
        f"from draftproof.widgets import alive\nalive.{name}()\n```\n"
        for name in names
    ]
    return HEAD + "\n".join(made)


def build_bench(folder, root, names, run):
    """Build the bench in a folder, as ``html/index.html``."""
    source = folder / "source"
    source.mkdir(parents=True, exist_ok=True)
    (source / "index.md").write_text(cells(names), encoding="utf-8")
    config = CONFIG.replace("STATIC", repr(str(root / "static")))
    (source / "conf.py").write_text(config, encoding="utf-8")
    out = folder / "html"
    options = ["-W", "-q", "-b", "html", "-d", folder / "trees"]
    done = run([sys.executable, "-m", "sphinx", *options, source, out])
    assert done.returncode == 0, done.said


def widget_names():
    from draftproof.widgets import alive

    return [name for name in alive.__all__ if name != "Alive"]


@pytest.fixture(scope="session")
def bench(once, root, run):
    """Path of a built page with every widget."""
    pytest.importorskip("sphinx_book_theme")
    return once("bench", lambda to: build_bench(to, root, widget_names(), run)) / "html/index.html"


def scripted_page(browser):
    """A blank page that has run the widgets' scripts."""
    from draftproof.widgets.alive.bundle import MODULES, host_script, module_script

    page = browser.new_page()
    page.set_content("<p>scripts</p>")
    for text in (host_script(), *map(module_script, MODULES)):
        page.evaluate(text)
    return page


@pytest.fixture(scope="session")
def keep():
    """Return a function that makes a page once and gives it again while its browser lives."""
    kept = {}

    def fetch(name, make):
        try:
            kept[name].evaluate("1")
        except Exception:  # the first time, or the browser was lost
            kept[name] = make()
        return kept[name]

    return fetch


@pytest.fixture
def scripts(browser, keep):
    """A page that has run the widgets' scripts: their pure functions can be called."""
    return keep("scripts", lambda: scripted_page(browser))


class Bench:
    """The bench in a browser, with a record of what went wrong."""

    def __init__(self, page, path):
        self.page, self.complaints = page, []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("requestfailed", lambda r: self.complaints.append(f"failed: {r.url}"))
        page.on("request", self._request)
        page.goto(path.as_uri())

    def _console(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(f"console {message.type}: {message.text}")

    def _request(self, request):
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(f"outside: {request.url}")

    def evaluate(self, text):
        return self.page.evaluate(text)

    def hand(self, module):
        """The mounted widget of a module, to be moved and read."""
        return Hand(self.widget(module))

    def widget(self, module):
        """The mounted widget of a module."""
        place = self.page.locator(f'.dp-plates:has(.dpa-place[data-module="{module}"])')
        place.scroll_into_view_if_needed()
        found = place.locator(".dp-alive")
        found.wait_for(timeout=5000)
        return found


def open_bench(new_context, bench, theme="light", width=1280, **options):
    """Open the bench in a browser context of its own."""
    viewport = {"width": width, "height": 900}
    return Bench(new_context(viewport=viewport, color_scheme=theme, **options).new_page(), bench)


@pytest.fixture(scope="session")
def opened(new_context, bench):
    """Return a context manager: opened(theme=..., width=..., **options) as Bench."""

    @contextmanager
    def visit(*args, **options):
        one = open_bench(new_context, bench, *args, **options)
        try:
            yield one
        finally:
            one.page.context.close()

    return visit


@pytest.fixture
def desk(new_context, bench, keep):
    """The bench without animations, one for all tests that leave it as they found it."""
    return keep("desk", lambda: open_bench(new_context, bench, reduced_motion="reduce"))


class Hand:
    """A widget, moved and read as a reader would."""

    def __init__(self, widget):
        self.widget = widget

    def knob(self, key):
        return self.widget.locator(f'[data-key="{key}"]:is(input, select, button)')

    def settle(self):
        """Wait until what was asked for has been drawn."""
        self.widget.evaluate(
            "() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
        )

    def move(self, **values):
        """Put sliders somewhere, as a pointer would."""
        for key, value in values.items():
            self.knob(key).evaluate(
                """(e, v) => {
                    e.value = v; e.dispatchEvent(new Event('input', { bubbles: true }));
                }""",
                value,
            )
            self.settle()

    def choose(self, key, value):
        self.knob(key).select_option(value)
        self.settle()

    def press(self, key):
        self.knob(key).click()
        self.settle()

    def drag(self, start, *points):
        """Draw the pointer, pressed, from one place of the window to others."""
        mouse = self.widget.page.mouse
        mouse.move(*start)
        mouse.down()
        for point in points:
            mouse.move(*point, steps=4)
        mouse.up()
        self.settle()

    def reading(self):
        return [b.strip() for b in self.widget.locator(".dpa-fact b").all_inner_texts()]

    def label(self):
        return self.widget.locator("svg").get_attribute("aria-label")

    def state(self, *keys):
        return self.widget.evaluate(
            "(e, keys) => keys.map(k => e.parentElement.model.get(k))", keys
        )

    def get(self, key):
        return self.state(key)[0]

    def areas(self, start):
        """Areas of the drawn rectangles whose key starts like this, in px², by key."""
        found = self.widget.evaluate(
            """(e, start) => [...e.querySelectorAll('rect[data-key]')]
                .filter(r => r.dataset.key.startsWith(start))
                .map(r => [r.dataset.key, r.width.baseVal.value * r.height.baseVal.value])""",
            start,
        )
        areas = {}
        for key, area in found:
            areas[key] = areas.get(key, 0) + area
        return areas


@pytest.fixture
def take(desk):
    """Return a function: the widget of a module in its first state, to be moved and read."""

    def fetch(module):
        hand = desk.hand(module)
        hand.press("reset")
        return hand

    yield fetch
    assert desk.complaints == []


# ---- one widget on a blank page ----

BLANK = """<!doctype html><style>body { margin: 0; font: 16px "Liberation Sans", sans-serif; }
#room { position: absolute; } SHEET</style><div id=room><div id=place></div></div>"""

# A model as a kernel's front end has it: `traits` holds the state.
MOUNT = """([texts, module, state, width]) => {
    for (const text of texts) (0, eval)(text);
    const traits = { ...state, home: state }, heard = {};
    const room = document.querySelector("#room"), place = document.createElement("div");
    room.style.width = width + "px";
    if (window.over) window.over();
    room.replaceChildren(place);
    const model = {
        get: (key) => traits[key],
        set(key, value) {
            if (traits[key] === value) return;
            traits[key] = value;
            (heard["change:" + key] || []).forEach((call) => call());
        },
        save_changes() {},
        on: (name, call) => (heard[name] = heard[name] || []).push(call),
        off: (name, call) => { heard[name] = heard[name].filter((one) => one !== call); },
    };
    window.traits = traits;
    window.over = draftproofAlive.bench[module].default.render({ model, el: place });
    window.frames_ = (n) => new Promise((done) => {
        const wait = (k) => (k ? requestAnimationFrame(() => wait(k - 1)) : done());
        wait(n);
    });
    window.knob = (key) => [...place.querySelectorAll("input, select, button")]
        .find((control) => control.dataset.key === key);
    window.off = (control) => control.disabled || control.getAttribute("aria-disabled") === "true";
}"""

STEPS = """async (steps) => {
    await frames_(2); // the width of the room is known by then
    for (const [key, value] of steps) {
        const control = knob(key);
        if (!control) throw new Error("no control " + key);
        if (control.tagName === "BUTTON") control.click();
        else {
            control.value = control.tagName === "SELECT" ? JSON.stringify(value) : value;
            const name = control.tagName === "SELECT" ? "change" : "input";
            control.dispatchEvent(new Event(name, { bubbles: true }));
        }
        await frames_(2);
    }
}"""

READ = """() => {
    const root = document.querySelector(".dp-alive"), svg = root.querySelector("svg");
    const inside = (node) => !node.closest("defs"), plain = (node) => node.textContent.trim();
    const numbers = ["x", "y", "width", "height", "cx", "cy", "r", "opacity"];
    const shapes = [...svg.querySelectorAll("rect, path, circle, text")].filter(inside);
    const { home, ...state } = traits;
    return {
        state,
        facts: [...root.querySelectorAll(".dpa-fact")].map(
            (fact) => [plain(fact.querySelector("b")), plain(fact.querySelector("span"))]),
        alt: svg.getAttribute("aria-label"),
        cells: [...root.querySelectorAll("tbody td")].map(plain),
        box: svg.getAttribute("viewBox").split(" ").map(Number),
        shapes: shapes.map((node) => ({
            tag: node.tagName, key: node.dataset.key || "", d: node.getAttribute("d") || "",
            kind: node.getAttribute("class") || "", text: node.textContent,
            anchor: node.getAttribute("text-anchor") || "", fill: node.getAttribute("fill") || "",
            ...Object.fromEntries(numbers.map((name) => [name, Number(node.getAttribute(name))])),
        })),
        knobs: Object.fromEntries([...root.querySelectorAll("input, select, button")].map(
            (control) => [control.dataset.key, {
                kind: control.tagName === "INPUT" ? "slider" : control.tagName.toLowerCase(),
                value: JSON.parse(control.value || "null"),
                words: plain(control.closest("label") || control), off: off(control),
                hidden: !control.checkVisibility(), top: control.getBoundingClientRect().top,
                min: Number(control.min), max: Number(control.max), step: Number(control.step),
                options: [...(control.options || [])].map((option) => JSON.parse(option.value)),
            }])),
    };
}"""


POINT = re.compile(r"[ML](-?[\d.]+) (-?[\d.]+)")


def mount_on(page, module, state, steps=(), *, width=736, change=None):
    """Mount a widget, use its controls, and return what is seen then.

    A step is a control's key and its new value (None presses a button), ``("drag", points)`` with
    points of the picture, or ``("key", (key, name))`` for a key of the keyboard.
    """
    from draftproof.widgets.alive.bundle import host_script, module_script

    texts = [host_script(), module_script(module)]
    page.evaluate(MOUNT, [change(texts) if change else texts, module, state, width])
    for by_hand, some in groupby(steps, lambda step: step[0] in ("drag", "key")):
        if not by_hand:
            page.evaluate(STEPS, list(some))
            continue
        page.evaluate("() => frames_(2)")
        for kind, what in some:
            drag(page, what) if kind == "drag" else press_key(page, *what)
            page.evaluate("() => frames_(2)")
    page.evaluate("() => frames_(2)")
    return Seen(**page.evaluate(READ))


def press_key(page, key, name):
    """Press a key of the keyboard on a control."""
    page.locator(f'[data-key="{key}"]:is(input, select, button)').press(name)


def drag(page, points):
    """Draw the pointer, pressed, from point to point of the picture."""
    page.locator(".dp-alive svg").scroll_into_view_if_needed()
    box = page.evaluate(
        """() => { const svg = document.querySelector(".dp-alive svg");
            const box = svg.getBoundingClientRect();
            return [box.left, box.top, box.width / svg.viewBox.baseVal.width]; }"""
    )
    there = [(box[0] + x * box[2], box[1] + y * box[2]) for x, y in points]
    page.mouse.move(*there[0])
    page.mouse.down()
    for point in there[1:]:
        page.mouse.move(*point, steps=3)
    page.evaluate("() => frames_(2)")
    page.mouse.up()


@dataclass
class Seen:
    """What a reader sees of a widget, as data."""

    state: dict
    facts: list
    alt: str
    cells: list
    box: list
    shapes: list
    knobs: dict

    @property
    def values(self):
        """The numbers of the readout, as written."""
        return [value for value, _ in self.facts]

    def all(self, key="", kind="", tag=""):
        """The shapes whose key starts so and that are of this class and tag."""
        return [
            shape
            for shape in self.shapes
            if shape["key"].startswith(key)
            and (not kind or kind in shape["kind"].split())
            and (not tag or shape["tag"] == tag)
        ]

    def one(self, key, **kind):
        """The only shape with this key."""
        found = [shape for shape in self.all(key, **kind) if shape["key"] == key]
        assert len(found) == 1, (key, len(found))
        return found[0]

    def points(self, shape):
        """The corners of a path of straight lines between points."""
        return [(float(x), float(y)) for x, y in POINT.findall(shape["d"])]

    def masses(self, key):
        """Areas of the rectangles whose key starts so, in px², by key."""
        found = {}
        for shape in self.all(key, tag="rect"):
            area = shape["width"] * shape["height"]
            found[shape["key"]] = found.get(shape["key"], 0) + area
        return found

    def texts(self):
        """All words of the picture."""
        return [shape["text"] for shape in self.all(tag="text")]


@pytest.fixture(scope="session")
def mounted(new_context, keep):
    """Return a function that mounts a widget on a blank page, from its scripts alone.

    No site has to be built for that, and a test can change the scripts first. Nothing moves by
    itself there: see `mount_on`.
    """
    from draftproof.widgets.alive.bundle import style_sheet

    def make():
        size = {"width": 900, "height": 1600}
        page = new_context(viewport=size, reduced_motion="reduce").new_page()
        page.set_content(BLANK.replace("SHEET", style_sheet()))
        return page

    return lambda *args, **options: mount_on(keep("mounted", make), *args, **options)
