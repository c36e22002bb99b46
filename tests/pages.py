"""The pages of the book, and how long a widget on one of them takes to answer."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOC = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))
CHAPTERS = [name for name in TOC if re.match(r"chapters/\d", name)]

# Milliseconds of script and layout that steps of a widget's first slider cost, each to and fro.
STEPS = """async (e, count) => {
    const input = e.querySelector('input[type=range]:enabled'), times = [];
    for (let k = 0; k < count; k++) {
        let start = 0;
        requestAnimationFrame(() => { start = performance.now(); }); // before the drawing
        input.value = Number(input.value) + Number(input.step) * (k % 2 ? 1 : -1);
        input.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise(done => requestAnimationFrame(() => {
            e.querySelector('svg').getBoundingClientRect();
            times.push(performance.now() - start);
            done();
        }));
    }
    return times;
}"""


def busy():
    """Whether other work waits for this machine's cores."""
    return os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)
