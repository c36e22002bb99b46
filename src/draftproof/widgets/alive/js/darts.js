/* Darts under an envelope: the slice that decides, and what the survivors add up to. */

import { alive, chance, clamp, count, num, trail } from "./kit.js";
import { area, density, HIGH, LOW, smallest, target, WHOLE } from "./envelope.js";

const BINS = 60, SHOWN = 500;
const LEAST = 2, MOST = 40; // of C: the slider's ends

/* ---- numbers: pure ---- */

export function facts(state) {
  const { constant, x } = state, bound = smallest(state);
  const broken = constant < bound * (1 - 1e-9);
  const height = (at) => constant * density(state, at);
  const kept = broken ? area((at) => Math.min(target(at), height(at))) : WHOLE;
  const f = target(x), ceiling = height(x);
  return {
    target: f, ceiling, chance: f > 0 ? Math.min(1, f / ceiling) : 0,
    smallest: bound, broken, kept, acceptance: kept / constant,
  };
}

/* Throw n darts; `seen(x, height, kept)` hears of each. Returns the new tally. */
export function throwDarts(state, n, rand, tally, seen = () => {}) {
  const bins = [...tally.bins];
  let kept = tally.kept;
  for (let k = 0; k < n; k++) {
    const x = state.proposal === "flat" ? LOW + (HIGH - LOW) * rand()
      : state.width * Math.sqrt(-2 * Math.log(1 - rand())) * Math.cos(2 * Math.PI * rand());
    const height = rand() * state.constant * density(state, x), below = height < target(x);
    if (below) { kept += 1; bins[Math.min(BINS - 1, Math.floor((x - LOW) / (HIGH - LOW) * BINS))] += 1; }
    seen(x, height, below);
  }
  return { ...tally, thrown: tally.thrown + n, kept, bins };
}

/* ---- the run: counted only for the envelope it was thrown under ---- */

const setting = ({ proposal, width, constant }) => JSON.stringify([proposal, width, constant]);
const empty = (state) => ({ of: setting(state), thrown: 0, kept: 0, bins: Array(BINS).fill(0) });
const tallyOf = (state) =>
  (state.tally && state.tally.of === setting(state) ? state.tally : empty(state));

/* How many darts a pause has left to throw; none under an envelope they were not meant for. */
const left = ({ memo }, state) =>
  (memo.waiting && memo.waiting.of === setting(state) ? memo.waiting.darts : 0);

function run(app) {
  const { memo } = app, { of, darts: goal } = memo.waiting;
  let done = 0;
  app.play(goal > 1 ? 400 + 300 * Math.log10(goal) : 1, (t) => {
    const state = app.state();
    if (setting(state) !== of) { app.stop(); return; }
    const more = Math.round(goal * t) - done;
    if (memo.of !== of) { memo.of = of; memo.darts = []; }
    const tally = throwDarts(state, more, memo.rand, tallyOf(state),
      (...dart) => memo.darts.push(dart));
    memo.darts = memo.darts.slice(-SHOWN);
    done += more;
    memo.waiting = { of, darts: goal - done };
    app.set({ tally });
  });
}

function throwing(n) {
  return (app) => {
    const state = app.state();
    app.memo.rand = app.memo.rand || chance(state.seed);
    app.memo.waiting = { of: setting(state), darts: left(app, state) + n };
    run(app);
  };
}

function pause(app) {
  if (app.playing()) app.stop();
  else run(app);
}

/* ---- picture ---- */

const GRID = Array.from({ length: 241 }, (_, i) => LOW + i * (HIGH - LOW) / 240);
const TOPS = [4.6, 6, 8, 11, 16, 24, 40];

function stage(state, pen) {
  const left = pen.choose(28, 10), across = pen.choose(456, 228);
  const peak = Math.max(3.75, state.constant * density(state, 0));
  const top = TOPS.find((v) => peak <= v) || peak, tall = pen.choose(270, 240), roof = 34;
  const floor = roof + tall, foot = floor + pen.choose(166, 160), high = 110;
  return {
    left, across, top, tall, roof, floor, foot, high,
    x: (v) => left + (v - LOW) / (HIGH - LOW) * across,
    y: (v) => floor - v * tall / top,
    h: (v) => foot - Math.min(v, 0.95) * high / 0.95,
  };
}

const closed = (upper, lower) => `${trail([...upper, ...lower.reverse()])}Z`;

/* The stretches of the grid on which `holds` is true. */
function stretches(holds) {
  const found = [];
  let open = null;
  GRID.forEach((x) => {
    if (holds(x)) { if (!open) found.push(open = []); open.push(x); } else open = null;
  });
  return found.filter((xs) => xs.length > 1);
}

function regions(state, f, s, pen) {
  const g = (x) => state.constant * density(state, x);
  const at = (fn) => (x) => [s.x(x), s.y(fn(x))];
  const low = (x) => Math.min(target(x), g(x));
  let out = pen.region("rejected", closed(GRID.map(at(g)), GRID.map(at(low))), { pattern: false, key: "over" });
  out += pen.region("accepted", closed(GRID.map(at(low)), GRID.map((x) => [s.x(x), s.floor])), { key: "under" });
  for (const xs of stretches((x) => target(x) > g(x) * (1 + 1e-9))) {
    out += pen.path(closed(xs.map(at(target)), xs.map(at(g))), { class: "missed", "data-key": "missed" });
  }
  return out;
}

function darts(app, state, s, pen) {
  if (app.memo.of !== setting(state)) return "";
  const kept = [], lost = [];
  for (const [x, height, below] of app.memo.darts) {
    if (x < LOW || x > HIGH) continue;
    const [px, py] = [s.x(x).toFixed(1), s.y(height).toFixed(1)];
    if (below) kept.push(`M${px} ${py}h0`);
    else lost.push(`M${px - 3} ${py - 3}l6 6m0 -6l-6 6`);
  }
  return pen.path(lost.join(""), { class: "cross-rej", "data-key": "crosses" })
    + pen.path(kept.join(""), { class: "dot-acc", "data-key": "dots" });
}

/* The slice at x where it stands, and once more beside the board. */
function slice(state, f, s, pen) {
  const x = s.x(state.x), under = Math.min(f.target, f.ceiling);
  const column = (left, wide) =>
    pen.mass("accepted", left, s.y(under), wide, s.floor - s.y(under), { key: `kept/${wide}` })
    + pen.mass("rejected", left, s.y(f.ceiling), wide, s.y(under) - s.y(f.ceiling), { key: `lost/${wide}` })
    + (f.target > f.ceiling ? pen.rect(left, s.y(f.target), wide, s.y(under) - s.y(f.target), { class: "missed" }) : "");
  const left = pen.choose(560, 260), wide = pen.choose(72, 40), middle = left + wide / 2;
  const roof = Math.min(s.y(f.ceiling), s.y(f.target));
  let out = pen.rect(x - 10, s.roof - 6, 20, s.floor - s.roof + 6, { class: "fill-bg", opacity: 0.8 }) + column(x - 7, 14);
  for (const v of new Set([f.target, f.ceiling])) out += pen.line(`M${x + 9} ${s.y(v)}H${left - 6}`, "leader");
  out += column(left, wide);
  out += pen.law("p", `M${left - 6} ${s.y(f.target)}h${wide + 12}`) + pen.law("q", `M${left - 6} ${s.y(f.ceiling)}h${wide + 12}`);
  const end = left + wide + 9, apart = Math.abs(s.y(f.target) - s.y(f.ceiling)) > 14;
  out += pen.text(end, s.y(f.target) + 5, "$f$", { tone: "p" });
  if (apart) out += pen.text(end, s.y(f.ceiling) + 5, "$C g$", { tone: "q" });
  const inside = (v, y0, y1, halo) => (y1 - y0 > 18
    ? pen.text(middle, (y0 + y1) / 2 + 4.5, num(v), { anchor: "middle", bold: true, halo }) : "");
  out += inside(under, s.y(under), s.floor, "acc") + inside(f.ceiling - under, s.y(f.ceiling), s.y(under), "rej");
  out += pen.text(middle, roof - 32, num(f.chance), { anchor: "middle", bold: true, size: 24 })
    + pen.text(middle, roof - 12, pen.choose("P(accept | $x$)", "kept"), { anchor: "middle", tone: "ink2" });
  out += pen.path(`M${x} ${s.floor + 3}l7 9h-14z`, { class: "fill-ink" })
    + pen.text(clamp(x, s.left + 30, s.left + s.across - 30), s.floor + 28, `$x$ = ${num(state.x)}`, { anchor: "middle", bold: true });
  return out;
}

/* The run in words: how many darts have survived, and of how many. */
function tallied({ thrown, kept }, pen) {
  if (!thrown) return [pen.choose("no darts yet", "no darts"), "throw some"];
  const ends = kept === 1 ? "survivor" : "survivors", of = `of ${count(thrown)}`;
  return [pen.choose(`${count(kept)} ${ends}`, count(kept)), pen.choose(`${of} ${thrown === 1 ? "dart" : "darts"}`, of)];
}

function histogram(state, f, s, pen) {
  const tally = tallyOf(state), wide = s.across / BINS;
  let out = "";
  tally.bins.forEach((n, i) => {
    if (!n) return;
    const y = s.h(n / tally.kept / ((HIGH - LOW) / BINS));
    out += pen.rect(s.left + i * wide, y, wide, s.foot - y, { class: "fill-acc", "data-key": `bin/${i}` })
      + pen.rect(s.left + i * wide, y, wide, s.foot - y, { class: "edge edge-acc" });
  });
  const curve = (fn) => trail(GRID.map((x) => [s.x(x), s.h(fn(x))]));
  out += pen.law("p", curve((x) => target(x) / WHOLE), { "data-key": "wanted" });
  if (f.broken) {
    out += pen.line(curve((x) => Math.min(target(x), state.constant * density(state, x)) / f.kept), "dashed", { "data-key": "comes" });
  }
  out += pen.line(`M${s.left - 4} ${s.foot}H${s.left + s.across + 4}`, "axis");
  for (let x = LOW; x <= HIGH; x++) {
    out += pen.line(`M${s.x(x)} ${s.foot}v5`, "axis")
      + pen.text(s.x(x), s.foot + 19, String(x).replace("-", "−"), { anchor: "middle", size: 12, tone: "ink2" });
  }
  const side = s.left + s.across + pen.choose(16, 8), line = (k) => s.foot - s.high + 14 + 18 * k;
  out += pen.text(side, line(0), pen.choose("$f/Z$, the law wanted", "$f/Z$"), { tone: "p", bold: true });
  const [first, second] = tallied(tally, pen);
  out += pen.text(side, line(1), first, { bold: true, key: "survivors" })
    + pen.text(side, line(2), second, { tone: "ink2", key: "thrown" });
  if (f.broken) out += pen.text(side, line(4), pen.choose("dashed: what comes out", "dashed: out"), { bold: true });
  return out;
}

function draw(state, f, pen, app) {
  const s = stage(state, pen), g = (x) => state.constant * density(state, x);
  let body = regions(state, f, s, pen) + darts(app, state, s, pen) + slice(state, f, s, pen);
  body += state.proposal === "flat"
    ? pen.law("q", `M${s.x(LOW)} ${s.floor}V${s.y(g(0))}H${s.x(HIGH)}V${s.floor}`, { "data-key": "envelope" })
    : pen.law("q", trail(GRID.map((x) => [s.x(x), s.y(g(x))])), { "data-key": "envelope" });
  body += pen.law("p", trail(GRID.map((x) => [s.x(x), s.y(target(x))])), { "data-key": "target" });
  body += pen.line(`M${s.left - 4} ${s.floor}H${s.left + s.across + 4}`, "axis");
  body += pen.text(s.left, pen.choose(s.roof - 16, 16), `envelope $C g$${f.broken ? ": too low" : ""}`, { tone: f.broken ? "ink" : "q", bold: true })
    + (state.proposal === "flat" ? "" : pen.text(s.left + 2, s.y(s.top * 0.29), pen.choose("target $f$", "$f$"), { tone: "p", bold: true }));
  if (f.broken) {
    const top = GRID.reduce((best, x) => (target(x) - g(x) > target(best) - g(best) ? x : best), 0);
    body += pen.text(s.x(top), s.y(target(top)) - 8, "missed", { anchor: "middle", bold: true, halo: "bg" });
  }
  body += histogram(state, f, s, pen);
  body += pen.rect(s.left, s.roof - 8, s.across, s.tall + 44, { fill: "transparent", "data-drag": "x" });
  const tally = tallyOf(state);
  const alt = `Target f under the ${state.proposal} envelope with C = ${num(state.constant)}. At x = ${num(state.x)} `
    + `f is ${num(f.target)} and the envelope ${num(f.ceiling)}: a dart there is kept with probability ${num(f.chance)}. `
    + `Of all darts ${num(f.acceptance)} are kept. `
    + (f.broken ? `The envelope is too low (the smallest C is ${num(f.smallest)}), so the survivors follow the lower of the two curves. ` : "")
    + `${count(tally.kept)} of ${count(tally.thrown)} darts thrown have survived.`;
  return { height: s.foot + 26, body, alt };
}

function read(state, f) {
  const tally = tallyOf(state);
  const found = [[num(f.chance), "$f/(C g)$ at $x$"], [num(f.acceptance, 3), f.broken ? "of all darts kept" : "$Z/C$: of all darts kept", "acc"],
    [num(f.smallest), f.broken ? "smallest $C$: yours is too low" : "smallest $C$ that holds", f.broken ? "rej" : undefined]];
  if (tally.thrown) found.push([num(tally.kept / tally.thrown, 3), `kept of ${count(tally.thrown)} thrown`]);
  return found;
}

function grab(state, f, pen, [x, y], held) {
  const s = stage(state, pen);
  if (!held && (x < s.left - 8 || x > s.left + s.across + 8 || y > s.floor + 40)) return null;
  const at = LOW + (x - s.left) / s.across * (HIGH - LOW);
  return { held: "x", set: { x: clamp(Math.round(at * 20) / 20, LOW, HIGH) } };
}

/* C for a proposal just chosen: the book's, or the lowest that holds, if the slider has it. */
const opening = (s) => (s.proposal === "flat" ? 25
  : Math.min(MOST, Math.max(11, Math.ceil(smallest(s) * 4 - 1e-9) / 4)));
const tooHigh = (s) => smallest(s) > MOST;

export default alive({
  title: "Darts under an envelope",
  question: "How low can the envelope go before the survivors follow a wrong law?",
  keys: ["proposal", "width", "constant", "x", "seed", "tally"],
  knobs: [
    { kind: "menu", key: "proposal", label: "proposal $g$", options: [["bell", "bell"], ["flat", "flat"]],
      set: (s, proposal) => ({ proposal, constant: opening({ ...s, proposal }) }) },
    { kind: "slider", key: "width", label: (s) => (s.proposal === "flat" ? "width (bell only)" : "width of the bell"), role: "q", min: 0.7, max: 2.5, step: 0.05,
      show: (x) => num(x), off: (s) => s.proposal === "flat" },
    { kind: "slider", key: "constant", label: "constant $C$", role: "q", min: LEAST, max: MOST, step: 0.25, show: (x) => num(x) },
    { kind: "slider", key: "x", label: "slice at $x$", min: LOW, max: HIGH, step: 0.05, show: (x) => num(x) },
    ...[1, 100, 10000].map((n) => ({ kind: "button", key: `throw${n}`, label: `Throw ${count(n)}`, act: throwing(n), off: (s, app) => app.playing() })),
    { kind: "button", key: "pause", label: (s) => (s.app.playing() || !left(s.app, s) ? "Pause" : "Go on"),
      act: pause, off: (s, app) => !app.playing() && !left(app, s) },
    { kind: "button", key: "tight", label: (s) => (tooHigh(s) ? `Lowest C: ${num(smallest(s))}, off the slider` : "Lowest C"),
      act: (app) => app.set({ constant: smallest(app.state()) }), off: tooHigh },
  ],
  facts, draw, read, grab,
});
