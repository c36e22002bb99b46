/* What every widget shares: the shell around a picture, the pen that draws it, and chance.
   A widget is `alive({ question, knobs, facts, draw, read, ... })`; see `alive` below. */

export const WIDE = 736, PHONE = 336, TURN = 560;

/* ---- words ---- */

const ENTITY = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const safe = (text) => String(text).replace(/[&<>"]/g, (c) => ENTITY[c]);

/* Fixed digits; no minus sign before a zero. */
export const num = (x, digits = 2) => x.toFixed(digits).replace(/^-(?=0\.?0*$)/, "");
/* Whole numbers in groups of three. */
export const count = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
export const sum = (list) => list.reduce((a, b) => a + b, 0);

/* `$p$` sets a letter as mathematics. */
const maths = (words, tag) => safe(words).replace(/\$(.+?)\$/g, `<${tag} class="m">$1</${tag}>`);
export const prose = (words) => maths(words, "i");

/* ---- chance ---- */

/* A small generator of uniforms in [0, 1) (sfc32); seed 0 starts it from the clock. */
export function chance(seed) {
  let a = 0x9e3779b9, b = 0x243f6a88, c = 0xb7e15162;
  let d = (seed || Math.floor(Math.random() * 4294967295)) >>> 0;
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 20; i++) next();
  // 53 bits, as a double holds.
  return () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
}

/* The index that a uniform falls on; weights need not sum to 1. Never one without weight. */
export function pick(weights, u) {
  let left = u * sum(weights), last = 0;
  for (let i = 0; i < weights.length; i++) {
    if (!(weights[i] > 0)) continue;
    last = i;
    left -= weights[i];
    if (left < 0) return i;
  }
  return last;
}

/* ---- the pen: SVG text in the book's visual language ---- */

const attributes = (given) => Object.entries(given)
  .filter(([, value]) => value !== undefined && value !== null && value !== false)
  .map(([key, value]) => ` ${key}="${safe(value)}"`).join("");
const r1 = (x) => Math.round(x * 100) / 100;

/* A line is a law, a fill is mass, a pattern is its fate. Every method returns SVG text. */
export function pen(phone, id) {
  const tag = (name, given, inside = "") => `<${name}${attributes(given)}>${inside}</${name}>`;
  const rect = (x, y, w, h, given) =>
    tag("rect", { x: r1(x), y: r1(y), width: r1(w), height: r1(h), ...given });
  const path = (d, given) => tag("path", { d, ...given });
  const fate = { rejected: "rej", residual: "res", bonus: "bon" };
  const short = { accepted: "acc", ...fate, p: "p", q: "q" };
  return {
    phone, width: phone ? PHONE : WIDE, tag, rect, path,
    choose: (wide, narrow) => (phone ? narrow : wide),
    defs: () => `<defs>
<pattern id="${id}-rejected" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" class="hatch"/></pattern>
<pattern id="${id}-residual" width="8" height="8" patternUnits="userSpaceOnUse"><circle cx="2" cy="2" r="1.25" class="spot"/><circle cx="6" cy="6" r="1.25" class="spot"/></pattern>
<pattern id="${id}-bonus" width="7" height="7" patternUnits="userSpaceOnUse"><path d="M3.5 0V7M0 3.5H7" class="mesh"/></pattern></defs>`,
    /* Mass with its pattern and outline; `left` frames mass that has gone away, `bare` is for
       pieces too thin for either. */
    mass(role, x, y, w, h, { key, left, bare } = {}) {
      if (!(w > 0.05 && h > 0.05)) return "";
      if (bare) return rect(x, y, w, h, { class: `fill-${short[role]}`, "data-key": key });
      const inner = [x + 0.5, y + 0.5, Math.max(w - 1, 0.1), Math.max(h - 1, 0.1)];
      return rect(x, y, w, h, { class: `fill-${short[role]}`, "data-key": key })
        + (fate[role] ? rect(x, y, w, h, { fill: `url(#${id}-${role})` }) : "")
        + rect(...inner, { class: `edge edge-${short[role]}${left ? " gone" : ""}` });
    },
    /* The same for an outline of any form. */
    region(role, d, { key, pattern = true } = {}) {
      return path(d, { class: `fill-${short[role]}`, "data-key": key })
        + (pattern && fate[role] ? path(d, { fill: `url(#${id}-${role})` }) : "");
    },
    ghost: (role, x, y, w, h) => rect(x + 0.5, y + 0.5, Math.max(w - 1, 0.1),
      Math.max(h - 1, 0.1), { class: `edge edge-${short[role]} gone` }),
    law: (name, d, given = {}) => path(d, { class: `law-${name}`, ...given }),
    line: (d, kind = "hair", given = {}) => path(d, { class: `line-${kind}`, ...given }),
    /* Text; `halo` names what lies behind it. */
    text(x, y, words, { anchor, size, bold, tone, halo, mono, key } = {}) {
      const names = [bold && "b", tone && `tone-${tone}`, halo && `halo-${halo}`, mono && "mono"];
      return tag("text", {
        x: r1(x), y: r1(y), class: names.filter(Boolean).join(" ") || undefined,
        "text-anchor": anchor, style: size && `font-size:${size}px`, "data-key": key,
      }, maths(words, "tspan"));
    },
  };
}

/* A polyline as path data. */
export const trail = (points) =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${r1(x)} ${r1(y)}`).join("");

/* ---- the shell ---- */

const ENABLED = "data-lm-suppress-shortcuts"; // JupyterLab else takes the arrow keys
let made = 0;

function element(name, given = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

function html(node, text) {
  if (node.innerHTML !== text) node.innerHTML = text;
}

const ask = (value, state) => (typeof value === "function" ? value(state) : value);

function slider(knob, app) {
  const input = element("input", { type: "range", [ENABLED]: "true", "data-key": knob.key });
  const value = element("span", { class: "dpa-value", "aria-hidden": "true" });
  const name = element("span", { class: "dpa-name" });
  const get = knob.get || ((state) => state[knob.key]);
  const set = knob.set || ((state, x) => ({ [knob.key]: x }));
  input.addEventListener("input", () => app.set(set(app.state(), Number(input.value))));
  const sync = (state) => {
    const now = get(state);
    for (const side of ["min", "max", "step"]) {
      const wanted = String(ask(knob[side], state));
      if (input[side] !== wanted) input[side] = wanted;
    }
    if (Number(input.value) !== now) input.value = now;
    const shown = knob.show ? knob.show(now, state) : String(now);
    value.textContent = shown;
    input.setAttribute("aria-valuetext", shown);
    html(name, prose(ask(knob.label, state)));
    input.disabled = Boolean(knob.off && knob.off(state));
  };
  const role = knob.role ? ` dpa-${knob.role}` : "";
  return [element("label", { class: `dpa-knob${role}` }, name, input, value), sync];
}

function menu(knob, app) {
  const select = element("select", { "data-key": knob.key, [ENABLED]: "true" });
  const set = knob.set || ((state, x) => ({ [knob.key]: x }));
  const get = knob.get || ((state) => state[knob.key]);
  let listed = "";
  select.addEventListener("change", () =>
    app.set(set(app.state(), JSON.parse(select.value))));
  const sync = (state) => {
    const options = ask(knob.options, state);
    const names = JSON.stringify(options);
    if (names !== listed) {
      listed = names;
      select.replaceChildren(...options.map(([value, words]) =>
        element("option", { value: JSON.stringify(value) }, words)));
    }
    select.value = JSON.stringify(get(state));
    select.disabled = Boolean(knob.off && knob.off(state));
  };
  const name = element("span", { class: "dpa-name" });
  html(name, prose(knob.label));
  return [element("label", { class: "dpa-knob dpa-menu" }, name, select), sync];
}

function button(knob, app) {
  const node = element("button", { type: "button", "data-key": knob.key, [ENABLED]: "true" });
  const off = () => Boolean(knob.off && knob.off(app.state(), app));
  node.addEventListener("click", () => { if (!off()) knob.act(app); });
  const sync = (state) => {
    node.textContent = ask(knob.label, { ...state, app });
    // Not `disabled`: a button that has just been pressed would lose the focus to the page.
    node.setAttribute("aria-disabled", String(off()));
  };
  return [node, sync];
}

const KINDS = { slider, menu, button };

/* Move from 0 to 1 within `ms`, or at once for readers who want no motion. */
function clock(changed) {
  let frame = 0, running = false;
  const stop = () => {
    cancelAnimationFrame(frame);
    if (running) { running = false; changed(); }
  };
  const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  const play = (ms, step) => {
    stop();
    if (still()) { step(1); changed(); return; }
    const start = performance.now();
    running = true;
    const tick = (now) => {
      const t = clamp((now - start) / ms, 0, 1);
      step(t);
      if (t < 1 && running) frame = requestAnimationFrame(tick);
      else { running = false; changed(); }
    };
    frame = requestAnimationFrame(tick);
    changed();
  };
  return { play, stop, playing: () => running, still };
}

/* What scrolls a node. */
const scroller = (at) => (!at ? window
  : at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY) ? at
    : scroller(at.parentElement));

/* Build a widget from its description:
   title, question   words (a name for screen readers; what the reader is asked, by state)
   keys              the names of its state
   knobs             [{ kind: "slider" | "menu" | "button", key, label, ... }]
   facts(state)      the numbers, by name: pure, compared with the package by a test
   draw(state, facts, pen, app) -> { height, body, alt }
   read(state, facts, app) -> [[value, label, tone], ...]: the readout
   more(state, facts)      -> HTML below it (a table), optional
   grab(state, facts, pen, point, held) -> a change of state while the pointer drags, optional */
export function alive(spec) {
  function render({ model, el }) {
    const id = `dpa${++made}`;
    const keys = [...spec.keys];
    const home = JSON.parse(JSON.stringify(model.get("home") || {}));
    const state = () => Object.fromEntries(keys.map((key) => [key, model.get(key)]));
    let frame = 0, held = null, last = null;
    const later = () => {
      if (!frame) frame = requestAnimationFrame(() => { frame = 0; paint(); });
    };
    const time = clock(() => { later(); if (!time.playing()) model.save_changes(); });
    const set = (patch) => {
      for (const [key, value] of Object.entries(patch)) model.set(key, value);
      if (!time.playing()) model.save_changes(); // a moving picture is saved where it stops
      later();
    };
    const app = {
      state, set, ...time, home, memo: {}, held: () => held, facts: () => spec.facts(state()),
    };

    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("role", "img");
    const reading = element("div", { class: "dpa-read", role: "status", "aria-live": "polite" });
    const more = element("div", { class: "dpa-more" });
    const knobs = element("div", { class: "dpa-knobs" });
    const acts = element("div", { class: "dpa-acts" });
    const reset = {
      kind: "button", key: "reset", label: "Reset",
      act: () => { time.stop(); app.memo = {}; set(JSON.parse(JSON.stringify(home))); },
    };
    const syncs = [...spec.knobs, reset].map((knob) => {
      const [node, sync] = KINDS[knob.kind](knob, app);
      (knob.kind === "button" ? acts : knobs).append(node);
      return (now) => {
        sync(now);
        node.hidden = Boolean(knob.hidden && knob.hidden(now));
      };
    });
    const question = element("p", { class: "dpa-ask" });
    const picture = element("div", { class: `dpa-picture${spec.grab ? " dpa-grab" : ""}` }, svg);
    const root = element("div", { class: "dp-alive", role: "group", "aria-label": spec.title },
      question, picture, reading, knobs, acts, more);
    el.replaceChildren(root);

    /* The slider in use stays under the hand. */
    function paint() {
      const used = knobs.querySelector("input[type=range]:focus");
      const top = () => (used ? used.getBoundingClientRect().top : 0), before = top();
      redraw();
      const moved = top() - before;
      if (moved) scroller(el).scrollBy({ top: moved, behavior: "instant" });
    }

    function redraw() {
      const now = state(), facts = spec.facts(now);
      const narrow = root.clientWidth > 0 && root.clientWidth < TURN;
      const hand = pen(narrow, id);
      const { height, body, alt } = spec.draw(now, facts, hand, app);
      root.classList.toggle("dpa-phone", narrow);
      svg.setAttribute("viewBox", `0 0 ${hand.width} ${height}`);
      svg.innerHTML = hand.defs() + body;
      svg.setAttribute("aria-label", alt);
      html(question, prose(ask(spec.question, now)));
      last = { now, facts, hand };
      reading.setAttribute("aria-live", time.playing() || held !== null ? "off" : "polite");
      html(reading, spec.read(now, facts, app).map(([value, label, tone]) =>
        `<span class="dpa-fact"><b${tone ? ` class="tone-${tone}"` : ""}>${prose(value)}</b> `
        + `<span>${prose(label)}</span></span>`).join(" "));
      html(more, spec.more ? spec.more(now, facts) : "");
      for (const sync of syncs) sync(now);
    }

    /* Dragging: the picture's own coordinates go to the description. */
    function point(event) {
      const box = svg.getBoundingClientRect(), scale = last.hand.width / box.width;
      return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    }
    function drag(event, first) {
      const found = spec.grab(state(), last.facts, last.hand, point(event), first ? null : held);
      if (!found) return false;
      held = found.held;
      if (found.set) set(found.set);
      return true;
    }
    if (spec.grab) {
      svg.addEventListener("pointerdown", (event) => {
        if (event.button === 0 && drag(event, true)) {
          svg.setPointerCapture(event.pointerId);
          event.preventDefault();
        }
      });
      svg.addEventListener("pointermove", (event) => { if (held !== null) drag(event, false); });
      for (const end of ["pointerup", "pointercancel"]) {
        svg.addEventListener(end, () => { held = null; later(); });
      }
    }

    const names = keys.map((key) => `change:${key}`);
    for (const name of names) model.on(name, later);
    const watch = new ResizeObserver(later);
    watch.observe(root);
    if (spec.start) spec.start(app);
    paint();
    return () => {
      watch.disconnect();
      time.stop();
      cancelAnimationFrame(frame);
      for (const name of names) model.off(name, later);
    };
  }
  return { spec, render };
}
