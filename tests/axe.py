"""The rules of accessibility, run on a page as often as its looks differ.

Contrast is nine tenths of what axe has to do, and on a long page it finds the same colours some
thousand times. An element's look is its tag, its classes, its style and its colours, and those of
everything around it; of all elements that look alike, the first and the last are looked at.
"""

COLOUR = ["color-contrast", "link-in-text-block"]

MARK = """() => {
    const kinds = new Map(), first = new Map(), last = new Map();
    const look = (e) => {
        const now = getComputedStyle(e), said = ["class", "style", "aria-disabled", "disabled"];
        const seen = ["color", "fill", "stroke", "backgroundColor", "backgroundImage", "fontSize",
            "fontWeight", "opacity", "position", "display", "visibility", "textShadow", "filter"];
        return [e.tagName, ...said.map((name) => e.getAttribute(name)),
            ...seen.map((name) => now[name])].join("\\n");
    };
    const walk = (e, around) => {
        const key = around + "\\n" + look(e);
        if (!kinds.has(key)) kinds.set(key, kinds.size);
        const kind = kinds.get(key);
        if (!first.has(kind)) first.set(kind, e);
        last.set(kind, e);
        e.removeAttribute("data-look");
        for (const child of e.children) walk(child, kind);
    };
    walk(document.documentElement, "");
    for (const e of [...first.values(), ...last.values()]) e.setAttribute("data-look", "");
    axe.configure({ rules: [{ id: "color-contrast", selector: "[data-look]" }] });
}"""


def violations(page, context=None, only=None):
    """What axe finds wrong on a page, or in a part of it, by all its rules or only some."""
    from axe_playwright_python.base import AXE_SCRIPT

    if not page.evaluate("() => typeof axe !== 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    page.evaluate(MARK)
    options = {"resultTypes": ["violations"]} | ({"runOnly": only} if only else {})
    found = page.evaluate(
        "async ([part, options]) => (await axe.run(part || document, options)).violations",
        [context, options],
    )
    return [
        f"{one['id']}: {one['help']}: {node['target']} {node['html'][:160]}"
        for one in found
        for node in one["nodes"][:4]
    ]
