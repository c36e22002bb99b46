/* Two laws of one context at a temperature, and their overlap at every temperature. */

import { alive, clamp, num, sum, trail } from "./kit.js";
import { compare } from "./laws.js";
import { bars, contexts, draftRow, glyph, spoken } from "./rows.js";

const LAST = 5, STEPS = 100; // the curve's end, and its number of pieces

/* ---- numbers: pure ---- */

const top = (law) => law.indexOf(Math.max(...law));

/* A law at another temperature; at 0 all mass is on the largest, the first of equal ones. */
export function temper(law, temperature) {
  const best = top(law);
  if (temperature === 0) return law.map((_, i) => (i === best ? 1 : 0));
  const weights = law.map((x) => (x / law[best]) ** (1 / temperature)), whole = sum(weights);
  return weights.map((x) => x / whole);
}

export function facts(state) {
  const cold = state.table[state.context], laws = [cold, draftRow(state, cold)];
  const at = (t) => compare({ p: temper(laws[0], t), q: temper(laws[1], t) }).alpha;
  const [p, q] = laws.map((law) => temper(law, state.temperature)), one = compare({ p, q });
  return {
    p, q, beta: one.alpha, tv: one.tv, before: at(1), favourites: laws.map(top),
    curve: Array.from({ length: STEPS + 1 }, (_, k) => at(k * LAST / STEPS)),
  };
}

/* ---- picture ---- */

function plan(pen, roof) {
  const left = pen.choose(34, 24), right = pen.choose(24, 16), tall = pen.choose(110, 100);
  return {
    left, right, roof, tall, base: roof + tall, end: pen.width - right,
    x: (t) => left + t / LAST * (pen.width - left - right), y: (b) => roof + tall * (1 - b),
  };
}

function curve(state, f, pen, roof) {
  const s = plan(pen, roof), { temperature: t } = state;
  let out = pen.text(4, roof - 14, "overlap $β$ at every temperature $T$", { bold: true });
  for (const b of [0.5, 1]) {
    out += pen.line(`M${s.left} ${s.y(b)}H${s.end}`)
      + pen.text(s.left - 5, s.y(b) + 4, String(b).replace(/^0/, ""), { anchor: "end", size: 12, tone: "ink2", key: "share" });
  }
  for (let k = 0; k <= LAST; k++) {
    out += pen.text(s.x(k), s.base + 17, String(k), { anchor: "middle", size: 12, tone: "ink2", key: "heat" });
  }
  out += pen.line(`M${s.left} ${s.base}H${s.end}`, "axis")
    + pen.line(`M${s.x(1)} ${s.base}V${s.y(f.before)}`, "leader", { "data-key": "one" })
    + pen.line(trail(f.curve.map((b, k) => [s.x(k * LAST / STEPS), s.y(b)])), "ink", { "data-key": "curve" })
    + pen.tag("circle", { cx: s.x(t), cy: s.y(f.beta), r: 7, class: "seen", "data-key": "now" })
    + pen.rect(s.left, s.roof - 6, s.end - s.left, s.tall + 28, { fill: "transparent", "data-drag": "temperature" });
  return { out, height: s.base + 26 };
}

function draw(state, f, pen) {
  const one = bars(state, f, pen), two = curve(state, f, pen, one.foot + 34), [p, q] = f.favourites.map((i) => spoken(state, i));
  const alt = `After ${spoken(state, state.context)}, at temperature ${num(state.temperature)}, p and q overlap in ${num(f.beta)}; `
    + `at temperature 1 in ${num(f.before)}. The favourite of p is ${p}, that of q is ${q}.`;
  return { height: two.height, body: one.out + two.out, alt };
}

function read(state, f) {
  const [p, q] = f.favourites.map((i) => glyph(state.names[i]));
  return [
    [num(f.beta), `$β$ at $T$ = ${num(state.temperature)}`, "acc"], [num(f.before), "$β$ at $T$ = 1"],
    [p === q ? p : `${p} and ${q}`, p === q ? "the favourite of both" : "favourites of $p$ and $q$"],
  ];
}

function grab(state, f, pen, [x, y], held) {
  const s = plan(pen, bars(state, f, pen).foot + 34);
  if (!held && (y < s.roof - 6 || y > s.base + 22)) return null;
  const t = (x - s.left) / (s.end - s.left) * STEPS;
  return { held: "temperature", set: { temperature: clamp(Math.round(t), 0, STEPS) * LAST / STEPS } };
}

export default alive({
  title: "Two laws at a temperature",
  question: "Does heat lower the overlap? Does cold?",
  keys: ["names", "table", "base", "weight", "context", "temperature"],
  knobs: [
    { kind: "slider", key: "temperature", label: "temperature $T$", min: 0, max: LAST, step: LAST / STEPS, show: (x) => num(x) },
    { kind: "slider", key: "weight", label: "weight $w$ of $p$ in $q$", role: "q", min: 0, max: 1, step: 0.01, show: (x) => num(x) },
    { kind: "menu", key: "context", label: "after", options: contexts },
  ],
  facts, draw, read, grab,
});
