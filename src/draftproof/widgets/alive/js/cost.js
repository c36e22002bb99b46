/* What drafting costs and buys: the speed at every block length, and one round drawn to scale. */

import { alive, clamp, num, trail } from "./kit.js";

// The slider ends at LAST drafts, the search for the best at FARTHEST.
const LAST = 16, FARTHEST = 64, ROUNDING = 1e-12;

/* ---- numbers: pure ---- */

export function accepted(alpha, gamma) {
  if (alpha === 0 || alpha === 1) return alpha * gamma;
  return alpha * -Math.expm1(gamma * Math.log(alpha)) / (1 - alpha);
}

export const tokens = (alpha, gamma) => 1 + accepted(alpha, gamma);
export const speedup = (alpha, gamma, c, v) => tokens(alpha, gamma) / (gamma * c + v);
/* Without drafts nothing is verified: plain decoding, speed 1. */
const speed = (alpha, gamma, c, v) => (gamma ? speedup(alpha, gamma, c, v) : 1);

/* The length with the largest speed; of equal ones the shortest, none if no length gains. Free
   drafts have no best: the longer, the better. */
export function bestLength(alpha, c, v) {
  const free = c === 0 && alpha > 0;
  let best = 0, most = 1;
  for (let gamma = free ? FARTHEST : 1; gamma <= FARTHEST; gamma++) {
    const here = speedup(alpha, gamma, c, v);
    if (here > most * (1 + ROUNDING) || (free && v === 1)) [best, most] = [gamma, here];
  }
  return [best, most];
}

/* The alpha at which a block gains nothing; null if even 1 loses. */
export function breakEven(gamma, c, v) {
  const wanted = gamma * c + v - 1;
  if (wanted <= 0) return 0;
  if (wanted > gamma) return null;
  let low = 0, high = 1;
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (accepted(middle, gamma) >= wanted) high = middle; else low = middle;
  }
  return high;
}

export function facts({ alpha, gamma, c, v }) {
  const [best, bestSpeed] = bestLength(alpha, c, v);
  return {
    tokens: tokens(alpha, gamma), bonus: alpha ** gamma, price: gamma * c + v,
    speedup: speedup(alpha, gamma, c, v), best, bestSpeed, breakEven: breakEven(gamma, c, v),
    operations: (gamma * c + gamma + 1) / tokens(alpha, gamma),
  };
}

/* ---- picture ---- */

/* What is best, in words: for the picture, the readout and the button, which can set it only
   where it is on the slider. */
function verdict({ c }, { best, bestSpeed }) {
  if (!best) return { short: "none", words: "best: do not draft", act: "Best γ: do not draft" };
  if (c === 0) return { short: "no end", words: "no best: the longer, the better", act: "Best γ: no end" };
  const short = best < FARTHEST ? String(best) : `${best} or more`;
  if (best > LAST) return { short, words: `best: $γ$ = ${short}, off to the right`, act: `Best γ: ${short}, off the slider` };
  return { short, words: `best: $γ$ = ${short}, ${num(bestSpeed)} times`, act: "Best γ", shown: true };
}

const STEPS = [0.5, 1, 2, 5, 10];

function axes({ alpha, c, v }, pen) {
  const left = pen.choose(40, 26), right = pen.choose(96, 14), roof = 34, tall = pen.choose(170, 150);
  const speeds = Array.from({ length: LAST + 1 }, (_, g) => speed(alpha, g, c, v));
  const high = Math.max(2, ...speeds) * 1.05, step = STEPS.find((s) => high / s <= 6), most = Math.ceil(high / step) * step;
  return {
    speeds, left, right, roof, tall, most, step, floor: roof + tall,
    x: (g) => left + g / LAST * (pen.width - left - right),
    y: (s) => roof + tall * (1 - s / most),
  };
}

function grid(a, pen) {
  let out = "";
  for (let s = 0; s <= a.most; s += a.step) {
    if (s !== 1) out += pen.line(`M${a.left} ${a.y(s)}H${a.x(LAST)}`);
    out += pen.text(a.left - 8, a.y(s) + 4, String(s), { anchor: "end", size: 12, tone: "ink2", key: "tick" });
  }
  for (let g = 0; g <= LAST; g += pen.choose(2, 4)) {
    out += pen.text(a.x(g), a.floor + 18, String(g), { anchor: "middle", size: 12, tone: "ink2", key: "length" });
  }
  return out + pen.text(a.left - 10, 14, "speed", { bold: true })
    + pen.text(a.x(LAST), a.floor + pen.choose(18, 34), pen.choose("", "drafts $γ$"), { anchor: "end", tone: "ink2" })
    + pen.text(a.x(LAST) + 14, a.floor + 18, pen.choose("drafts $γ$", ""), { tone: "ink2" })
    + pen.line(`M${a.left} ${a.y(1)}H${a.x(LAST)}`, "leader", { "data-key": "even" })
    + pen.text(a.x(LAST) + pen.choose(8, 0), a.y(1) + pen.choose(4, a.floor - a.y(1) < 18 ? -5 : 14), "break even",
      { anchor: pen.choose("start", "end"), size: 12, tone: "ink2", halo: "bg" });
}

function curve(state, f, pen) {
  const { gamma } = state, a = axes(state, pen), points = a.speeds.map((s, g) => [a.x(g), a.y(s)]);
  const { shown, words } = verdict(state, f);
  let out = grid(a, pen) + pen.line(trail(points), "ink", { "data-key": "curve" });
  points.forEach(([x, y], g) => {
    out += pen.tag("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 3, class: "fill-ink", "data-key": `speed/${g}` });
  });
  const [x, y] = points[gamma];
  out += pen.line(`M${x} ${a.floor}V${y + 8}`, "ink") + pen.tag("circle", { cx: x, cy: y, r: 7, class: "seen", "data-key": "now" });
  if (shown) {
    const [bx, by] = points[f.best], half = words.length * 3.3;
    if (f.best !== gamma) out += pen.tag("circle", { cx: bx, cy: by, r: 7, class: "ring", "data-key": "ring" });
    out += pen.text(clamp(bx, a.left + half, pen.width - half - 4), Math.max(by - 14, 12), words, { anchor: "middle", bold: true, halo: "bg", key: "best" });
  } else {
    out += pen.text(a.x(LAST), 14, words, { anchor: "end", bold: true, key: "best" });
  }
  out += pen.line(`M${a.left} ${a.floor}H${a.x(LAST)}`, "axis");
  out += pen.rect(a.left - 8, a.roof - 10, a.x(LAST) - a.left + 16, a.tall + 30, { fill: "transparent", "data-drag": "gamma" });
  return { out, foot: a.floor + pen.choose(40, 52) };
}

const STAIR = 132; // at every length: what the reader holds must not move away

/* Treads of a stair: token k + 1 comes out with probability alpha^k. */
function stair(state, f, pen, top) {
  const { alpha, gamma, c, v } = state, left = pen.choose(40, 8), room = pen.width - left - pen.choose(20, 8);
  const unit = room / Math.max(f.tokens, f.price), high = Math.min(36, STAIR / (gamma + 1));
  let out = pen.text(left, top, pen.choose(`one round: ${num(f.tokens)} tokens, a tread each`, `${num(f.tokens)} tokens a round`), { bold: true });
  let x = left, y = top + 10;
  for (let k = 0; k <= gamma; k++) {
    const chance = alpha ** k, start = x;
    const parts = k === gamma ? [["bonus", chance]] : [["accepted", chance * alpha], ["residual", chance * (1 - alpha)]];
    for (const [role, share] of parts) {
      out += pen.mass(role, x, y, share * unit, high, { key: `${role}/${k}` });
      const word = { accepted: "draft kept", residual: "corrected", bonus: "bonus" }[role];
      if ((k === 0 || role === "bonus") && high > 15 && share * unit > word.length * 7 + 10) {
        out += pen.text(x + share * unit / 2, y + high / 2 + 4.5, word, { anchor: "middle", bold: true, halo: role.slice(0, 3) });
      }
      x += share * unit;
    }
    if (k && high > 12 && start - left > 60) {
      out += pen.text(start - 8, y + high / 2 + 4, num(chance), { anchor: "end", size: 12, tone: "ink2" });
    }
    y += high;
    out += pen.line(`M${x} ${y}V${top + STAIR + 22}`);
  }
  return { out, unit, left, foot: top + STAIR + 22 };
}

function clocks(state, f, pen, { unit, left, foot }) {
  const { gamma, c, v } = state, high = 30;
  let out = "", y = foot + 4;
  const box = (role, x, w, key) => (w > 0.3 ? pen.rect(x + 0.5, y, Math.max(w - 1, 0.3), high, { class: `box-${role}`, rx: 2, "data-key": key }) : "");
  for (let x = 0; x < f.tokens - 1e-9; x++) out += box("p", left + x * unit, Math.min(1, f.tokens - x) * unit, "plain");
  y += high;
  out += pen.text(left, y + 17, pen.choose(`plain decoding: one pass for each token, ${num(f.tokens)} passes`, `plain: ${num(f.tokens)} passes`), { tone: "p", bold: true });
  y += 30;
  const each = c * unit > 7; // thinner boxes would be dashes alone
  for (let k = 0; k < (each ? gamma : 1); k++) {
    out += box("q", left + k * c * unit, (each ? 1 : gamma) * c * unit, "draft");
  }
  const pass = left + gamma * c * unit;
  out += box("p", pass, v * unit, "pass");
  if (v * unit > 110) out += pen.text(pass + v * unit / 2, y + 20, "target pass", { anchor: "middle", tone: "p", bold: true });
  const gain = f.tokens - f.price, from = left + Math.min(f.tokens, f.price) * unit;
  if (gain > 0.005) {
    out += pen.rect(from, y, gain * unit, high, { class: "edge-next", "data-key": "saved" });
    if (gain * unit > 80) out += pen.text(from + gain * unit / 2, y + 20, "time saved", { anchor: "middle", tone: "ink2", bold: true });
  }
  y += high;
  out += pen.text(left, y + 17, pen.choose(`speculative: ${gamma} ${gamma > 1 ? "drafts" : "draft"} of ${num(c)} and a pass of ${num(v)}, ${num(f.price)} passes`,
    `speculative: ${gamma} × ${num(c)} + ${num(v)} = ${num(f.price)}`), { tone: "q", bold: true });
  return { out, height: y + 26 };
}

function draw(state, f, pen) {
  const top = curve(state, f, pen), steps = stair(state, f, pen, top.foot + 12), end = clocks(state, f, pen, steps);
  const alt = `Speed against the number of drafts. Acceptance ${num(state.alpha)}, ${state.gamma} drafts, a draft costs ${num(state.c)} `
    + `and verification ${num(state.v)} passes: ${num(f.tokens)} tokens a round in ${num(f.price)} passes, speed ${num(f.speedup)}. `
    + (!f.best ? "No length gains anything." : state.c === 0 ? "Drafts are free: the longer the block, the better."
      : `The best length is ${verdict(state, f).short}, at ${num(f.bestSpeed)} times.`);
  return { height: end.height, body: top.out + steps.out + end.out, alt };
}

function read(state, f) {
  return [
    [`${num(f.tokens)} / ${num(f.price)} = ${num(f.speedup)}`, f.speedup < 1 ? "tokens over passes: a loss" : "tokens over passes: the speed"],
    [verdict(state, f).short, "best number of drafts"],
    [f.breakEven === null ? "none" : num(f.breakEven), `$α$ at which ${state.gamma} ${state.gamma > 1 ? "break" : "breaks"} even`],
    [num(f.operations), "times the arithmetic"],
  ];
}

function grab(state, f, pen, [x, y], held) {
  const a = axes(state, pen);
  if (!held && (y > a.floor + 20 || x < a.left - 12)) return null;
  return { held: "gamma", set: { gamma: clamp(Math.round((x - a.left) / (a.x(LAST) - a.left) * LAST), 1, LAST) } };
}

const two = (x) => num(x);

export default alive({
  title: "Cost of a block of drafts",
  question: "How many drafts are worth their time?",
  keys: ["alpha", "gamma", "c", "v"],
  knobs: [
    { kind: "slider", key: "alpha", label: "acceptance $α$", min: 0, max: 1, step: 0.01, show: two },
    { kind: "slider", key: "gamma", label: "drafts $γ$", min: 1, max: LAST, step: 1 },
    { kind: "slider", key: "c", label: "cost of a draft $c$", role: "q", min: 0, max: 1, step: 0.01, show: two },
    { kind: "slider", key: "v", label: "cost of verifying $v$", role: "p", min: 1, max: 6, step: 0.05, show: two },
    { kind: "button", key: "best", label: (s) => verdict(s, facts(s)).act, off: (s) => !verdict(s, facts(s)).shown,
      act: (app) => app.set({ gamma: app.facts().best }) },
  ],
  facts, draw, read, grab,
});
