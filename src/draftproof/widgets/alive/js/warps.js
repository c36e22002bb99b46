/* Temperature, top-k and top-p on two laws: the overlap moves, and one-sided warps go wrong. */

import { alive, clamp, num, sum, trail } from "./kit.js";
import { compare, digitsFor, rounded } from "./laws.js";

/* ---- numbers: pure ---- */

const normal = (weights) => weights.map((x) => x / sum(weights));
const softmax = (scores) => normal(scores.map((x) => Math.exp(x - Math.max(...scores))));

export function temper(law, heat) {
  if (heat === 1) return law;
  const peak = Math.max(...law);
  if (heat === 0) return law.map((_, i) => (i === law.indexOf(peak) ? 1 : 0));
  return normal(law.map((x) => Math.exp((Math.log(x) - Math.log(peak)) / heat)));
}

/* Tokens from the largest mass to the smallest, ties by index. */
const order = (law) => law.map((_, i) => i).sort((a, b) => law[b] - law[a] || a - b);
/* A law that loses nothing stays as it is: dividing by its sum would only round it. */
const keep = (law, kept) => (law.some((x, i) => x > 0 && !kept.includes(i))
  ? normal(law.map((x, i) => (kept.includes(i) ? x : 0))) : law);

export const topK = (law, k) => keep(law, order(law).slice(0, k));

/* Up to rounding: 0.4 + 0.3 + 0.2 reaches 0.9. */
export function topP(law, mass) {
  if (mass >= 1) return law;
  let before = 0;
  const short = mass * (1 - 1e-12);
  const kept = order(law).filter((i) => { const inside = before < short; before += law[i]; return inside; });
  return keep(law, kept);
}

const warp = ({ temperature, k, mass }, law) => topP(topK(temper(law, temperature), k), mass);

/* What the rule emits if it believes p and q and the drafts come from another law. */
export function emitted(p, q, drawn) {
  const { accept, residual } = compare({ p, q });
  const kept = drawn.map((x, i) => x * accept[i]), rest = Math.max(0, 1 - sum(kept));
  return { kept, filled: residual.map((r) => rest * r) };
}

export const pairOf = ({ pairs, pair }) => pairs[pair];

/* Two logit vectors: the reader's, or logarithms of the pair chosen. */
const own = ({ logits }) => Boolean(logits && logits.p);
const logitsOf = (state) => (own(state) ? state.logits
  : { p: pairOf(state).p.map(Math.log), q: pairOf(state).q.map(Math.log) });
const lawsOf = (state) => (own(state)
  ? { p: softmax(state.logits.p), q: softmax(state.logits.q) } : pairOf(state));

function withLogit(state, law, i, value) {
  const now = logitsOf(state);
  return { logits: { ...now, [law]: now[law].map((x, k) => (k === i ? value : x)) } };
}

export function facts(state) {
  const { p, q } = lawsOf(state), hotP = warp(state, p), hotQ = warp(state, q);
  const [believedP, believedQ, drawn] = {
    "both": [hotP, hotQ, hotQ], "draft alone": [p, hotQ, hotQ], "target alone": [hotP, q, q],
    "draft, and the rule not told": [hotP, q, hotQ],
  }[state.side];
  const { kept, filled } = emitted(believedP, believedQ, drawn), got = kept.map((x, i) => x + filled[i]);
  return {
    p: hotP, q: hotQ, alpha: compare({ p: hotP, q: hotQ }).alpha, kept, filled, got,
    plain: compare({ p, q }).alpha, accepted: sum(kept),
    distance: sum(got.map((x, i) => Math.abs(x - hotP[i]))) / 2,
  };
}

/* ---- picture ---- */

const BACK = { rejected: "rej", residual: "res", accepted: "acc" };

function panel(pen, s, names, title, bars, lines) {
  const digits = digitsFor(...lines.map(([, values]) => values));
  const rows = lines.map(([law, values]) => [law, rounded(values, digits).map((x) =>
    (digits > 2 && pen.phone ? num(x, digits).replace(/^0\./, ".") : num(x, digits)))]);
  const slot = s.wide / names.length, bar = Math.min(64, slot * 0.72);
  const y = (v) => s.base - v * s.tall / s.top;
  let out = pen.text(s.left, s.base - s.tall - 14, title, { bold: true }), front = "";
  names.forEach((name, i) => {
    const x = s.left + slot * (i + 0.5) - bar / 2;
    let low = 0;
    for (const [role, v, key] of bars(i)) {
      out += role === "missing" || role === "excess"
        ? pen.rect(x + 0.5, y(low + v), bar - 1, Math.max(0, y(low) - y(low + v)), { class: "missed", "data-key": `${key}/${name}` })
        : pen.mass(role, x, y(low + v), bar, y(low) - y(low + v), { key: `${key}/${name}` });
      if (v * s.tall / s.top > 17 && bar > 36) {
        out += pen.text(x + bar / 2, y(low + v / 2) + 4.5, num(v), { anchor: "middle", bold: true, halo: BACK[role] });
      }
      low += v;
    }
    for (const [law, values] of lines) {
      if (law !== "out") front += law === "q" ? pen.law("q", `M${x - 5} ${y(values[i])}h${bar + 10}`) : pen.law("p", `M${x} ${s.base}V${y(values[i])}h${bar}V${s.base}`);
    }
    front += pen.text(x + bar / 2, s.base + 18, name, { anchor: "middle", bold: true });
    rows.forEach(([law, values], k) => {
      front += pen.text(x + bar / 2, s.base + 36 + 17 * k, values[i], { anchor: "middle", tone: law === "out" ? undefined : law, size: 12 });
      if (!i) front += pen.text(s.left - 2, s.base + 36 + 17 * k, law === "out" ? law : `$${law}$`, { anchor: "end", tone: law === "out" ? undefined : law, size: law === "out" ? 12 : 13 });
    });
  });
  return out + front + pen.line(`M${s.left - 4} ${s.base}H${s.left + s.wide + 4}`, "axis");
}

/* ---- the logits: two levels for each token, to be dragged ---- */

const LEAST = -5, MOST = 2;

function scale(state, pen) {
  const n = pairOf(state).names.length, left = pen.choose(40, 28), roof = 26, tall = 96;
  const slot = (pen.width - left - pen.choose(10, 6)) / n, bar = Math.min(110, slot * 0.56);
  return {
    n, left, roof, tall, slot, bar, base: roof + tall, x: (i) => left + slot * (i + 0.5) - bar / 2,
    y: (v) => roof + (MOST - clamp(v, LEAST, MOST)) / (MOST - LEAST) * tall,
  };
}

const signed = (x, digits) => num(x, digits).replace("-", "−");

function scores(state, pen) {
  const s = scale(state, pen), logits = logitsOf(state), { names } = pairOf(state), digits = pen.choose(2, 1);
  let out = pen.text(pen.choose(30, 22) - 14, 14, pen.choose("logits of the two models, before the warp", "logits, before the warp"), { bold: true })
    + pen.rect(s.left + s.slot * state.token, s.roof - 4, s.slot, s.tall + 48, { class: "fill-panel", rx: 6 });
  for (const v of [0, -2, -4]) {
    out += pen.line(`M${s.left} ${s.y(v)}H${s.left + s.slot * s.n}`)
      + pen.text(s.left - 7, s.y(v) + 4, signed(v, 0), { anchor: "end", size: 12, tone: "ink2" });
  }
  names.forEach((name, i) => {
    const x = s.x(i), middle = x + s.bar / 2, at = (law) => s.y(logits[law][i]);
    out += pen.law("q", `M${x - 8} ${at("q")}h${s.bar + 16}`) + pen.law("p", `M${x} ${at("p")}h${s.bar}`)
      + pen.tag("circle", { cx: x - 8, cy: at("q"), r: 5, class: "knob-q", "data-key": `logit/q/${i}` })
      + pen.tag("circle", { cx: x + s.bar, cy: at("p"), r: 5.5, class: "knob-p", "data-key": `logit/p/${i}` })
      + pen.text(middle, s.base + 18, name, { anchor: "middle", bold: true })
      + pen.text(middle - 4, s.base + 36, signed(logits.q[i], digits), { anchor: "end", size: 12, tone: "q" })
      + pen.text(middle + 4, s.base + 36, signed(logits.p[i], digits), { anchor: "start", size: 12, tone: "p" })
      + pen.rect(s.left + s.slot * i, s.roof - 8, s.slot, s.tall + 12, { fill: "transparent", "data-grab": i });
  });
  return { out, height: s.base + 44 };
}

function grab(state, f, pen, [x, y], held) {
  const s = scale(state, pen);
  if (held) {
    const value = MOST - (y - s.roof) / s.tall * (MOST - LEAST);
    return { held, set: withLogit(state, held.law, held.token, clamp(Math.round(value * 20) / 20, LEAST, MOST)) };
  }
  const token = Math.floor((x - s.left) / s.slot);
  if (token < 0 || token >= s.n || y < s.roof - 10 || y > s.base + 6) return null;
  const far = (law) => Math.abs(s.y(logitsOf(state)[law][token]) - y), near = far("p") - far("q");
  const law = Math.abs(near) > 4 ? (near < 0 ? "p" : "q") : x > s.x(token) + s.bar / 2 ? "p" : "q";
  return { held: { law, token }, set: { token } };
}

function curve(state, f, pen, top) {
  const { p, q } = lawsOf(state), left = pen.choose(40, 28), right = pen.choose(110, 12), tall = 96, floor = top + tall;
  const most = 3, x = (t) => left + t / most * (pen.width - left - right), y = (a) => floor - a * tall;
  const at = (t) => { const s = { ...state, temperature: t }; return compare({ p: warp(s, p), q: warp(s, q) }).alpha; };
  const points = Array.from({ length: 121 }, (_, i) => { const t = i * most / 120; return [x(t), y(at(t))]; });
  let out = "";
  for (const a of [0, 0.5, 1]) {
    out += pen.line(`M${left} ${y(a)}H${x(most)}`) + pen.text(left - 7, y(a) + 4, String(a), { anchor: "end", size: 12, tone: "ink2" });
  }
  for (let t = 0; t <= most; t++) out += pen.text(x(t), floor + 18, String(t), { anchor: "middle", size: 12, tone: "ink2" });
  out += pen.line(trail(points), "ink") + pen.line(`M${left} ${floor}H${x(most)}`, "axis");
  const [cx, cy] = [x(state.temperature), y(f.alpha)];
  out += pen.line(`M${cx} ${floor}V${cy}`, "ink") + pen.tag("circle", { cx, cy, r: 6.5, class: "seen", "data-key": "now" });
  out += pen.text(left - 14, top - 14, pen.choose("acceptance $α$, warped on both sides", "$α$, warped on both sides"), { bold: true })
    + pen.text(pen.choose(x(most) + 12, x(most)), floor + pen.choose(18, 36), "temperature $T$", { anchor: pen.choose("start", "end"), tone: "ink2" });
  return { out, height: floor + pen.choose(28, 46) };
}

function draw(state, f, pen) {
  const { names } = pairOf(state), logits = scores(state, pen);
  const tall = pen.choose(170, 150), base = logits.height + 50 + tall;
  const most = Math.max(...f.p, ...f.q, ...f.got), top = [0.4, 0.6, 0.8, 1].find((v) => most <= v + 1e-9) || 1;
  const half = pen.choose(312, 140), scale = { tall, base, top, wide: half };
  const gap = f.p.map((x, i) => x - f.got[i]);
  const left = panel(pen, { ...scale, left: pen.choose(30, 22) }, names, pen.choose("the two laws, both warped", "both warped"),
    (i) => {
      const low = Math.min(f.p[i], f.q[i]), over = f.q[i] - f.p[i];
      return [["accepted", low, "kept"], over > 0 ? ["rejected", over, "cut"] : ["residual", -over, "filled"]].filter(([, v]) => v > 1e-9);
    }, [["q", f.q], ["p", f.p]]);
  const wrong = f.distance > 1e-9;
  const right = panel(pen, { ...scale, left: pen.choose(400, 192) }, names,
    pen.choose(wrong ? `what comes out: wrong by ${num(f.distance)}` : "what comes out: exactly $p$", wrong ? `out: wrong ${num(f.distance)}` : "out: exactly $p$"),
    (i) => [["accepted", f.kept[i], "out"], ["residual", f.filled[i], "refill"], ["missing", Math.max(0, gap[i]), "missing"]].filter(([, v]) => v > 1e-9),
    [["p", f.p], ["out", f.got]]);
  const low = curve(state, f, pen, base + 104);
  const list = (law) => names.map((name, i) => `${name} ${num(law[i])}`).join(", ");
  const alt = `Warped target: ${list(f.p)}. Warped draft: ${list(f.q)}. They overlap in ${num(f.alpha)}. Warped: ${state.side}. `
    + (wrong ? `What comes out, ${list(f.got)}, is ${num(f.distance)} away from the warped target.` : "What comes out is the warped target exactly.");
  return { height: low.height, body: logits.out + left + right + low.out, alt };
}

function read(state, f) {
  return [
    [num(f.alpha), "$α$, warped on both sides", "acc"], [num(f.plain), "$α$ without a warp"],
    [num(f.accepted), "kept as set"],
    [f.distance > 1e-9 ? num(f.distance, 3) : "0", f.distance > 1e-9 ? "distance from the law wanted" : "distance: the right law", f.distance > 1e-9 ? "rej" : undefined],
  ];
}

const logitKnob = (law, words) => ({
  kind: "slider", key: law, role: law, min: LEAST, max: MOST, step: 0.05, show: (x) => signed(x),
  label: (s) => `${words} logit of ${pairOf(s).names[s.token]}`,
  get: (s) => logitsOf(s)[law][s.token],
  set: (s, x) => withLogit(s, law, s.token, x),
});

export default alive({
  title: "Temperature, top-k and top-p",
  question: "Warp one side alone: whose law comes out?",
  keys: ["pairs", "pair", "logits", "token", "temperature", "k", "mass", "side"],
  knobs: [
    { kind: "slider", key: "temperature", label: "temperature $T$", min: 0, max: 3, step: 0.05, show: (x) => num(x) },
    { kind: "slider", key: "k", label: "top-$k$", min: 1, max: (s) => pairOf(s).p.length, step: 1,
      show: (x, s) => (x >= pairOf(s).p.length ? "all" : String(x)) },
    { kind: "slider", key: "mass", label: "top-$p$", min: 0.05, max: 1, step: 0.05, show: (x) => (x === 1 ? "all" : num(x)) },
    { kind: "menu", key: "side", label: "the warp reaches",
      options: [["both", "both"], ["draft alone", "draft alone"], ["target alone", "target alone"],
        ["draft, and the rule not told", "draft, rule not told"]] },
    { kind: "menu", key: "pair", label: "two laws", get: (s) => (own(s) ? -1 : s.pair),
      options: (s) => [...s.pairs.map(({ title }, i) => [i, title]), ...(own(s) ? [[-1, "your own logits"]] : [])],
      set: (s, pair) => (pair < 0 ? {} : {
        pair, logits: null, token: Math.min(s.token, s.pairs[pair].p.length - 1),
        k: clamp(s.k >= pairOf(s).p.length ? 99 : s.k, 1, s.pairs[pair].p.length),
      }) },
    { kind: "menu", key: "token", label: "token", options: (s) => pairOf(s).names.map((name, i) => [i, name]) },
    logitKnob("q", "draft"), logitKnob("p", "target"),
  ],
  facts, draw, read, grab,
});
