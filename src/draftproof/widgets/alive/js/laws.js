/* Two laws over a vocabulary: what is kept, cut off and filled in. Pure functions. */

import { clamp, num, pick, sum } from "./kit.js";

/* So little missing mass is rounding: the laws are equal, and the correction is p itself. */
const EQUAL = 1e-12;

export function compare({ p, q }) {
  const kept = p.map((x, i) => Math.min(x, q[i]));
  const cut = p.map((x, i) => Math.max(q[i] - x, 0));
  const gap = p.map((x, i) => Math.max(x - q[i], 0));
  const missing = sum(gap);
  const residual = missing <= EQUAL ? [...p] : gap.map((x) => x / missing);
  const accept = p.map((x, i) => (x > 0 ? (q[i] > x ? x / q[i] : 1) : 0));
  const alpha = sum(kept);
  const tv = sum(p.map((x, i) => Math.abs(x - q[i]))) / 2;
  const output = kept.map((x, i) => x + (1 - alpha) * residual[i]);
  const ratios = p.map((x, i) => (x > 0 ? x / q[i] : 0));
  const ceiling = Math.max(...ratios);
  const constant = Number.isFinite(ceiling) ? ceiling : null;
  return { kept, cut, gap, residual, accept, alpha, tv, output, constant };
}

/* A law with entry i set to v; the others keep their ratios. */
export function withShare(law, i, v) {
  const value = clamp(v, 0, 1), rest = sum(law.filter((_, k) => k !== i)), others = law.length - 1;
  return law.map((x, k) => (k === i ? value
    : (rest > 1e-12 ? x / rest : 1 / others) * (1 - value)));
}

/* Numbers of few digits that still add up: the largest remainders are rounded up. */
export function rounded(list, digits = 2) {
  const unit = 10 ** digits, low = list.map((x) => Math.floor(x * unit + 1e-9));
  const rest = list.map((x, i) => x * unit - low[i]);
  const order = list.map((_, i) => i).sort((a, b) => rest[b] - rest[a]);
  for (const i of order.slice(0, Math.round(sum(list) * unit) - sum(low))) low[i] += 1;
  return low.map((n) => n / unit);
}

/* How many digits laws are printed with: two, or three where two would not add up to 1. */
export const digitsFor = (...laws) =>
  (laws.every((law) => Math.abs(sum(law.map((x) => Number(num(x)))) - 1) < 1e-9) ? 2 : 3);

/* A law over n tokens: the last ones go, or new ones take an equal share. */
export function resized(law, n) {
  let out = law.slice(0, n);
  const total = sum(out);
  out = total > 1e-12 ? out.map((x) => x / total) : out.map(() => 1 / out.length);
  while (out.length < n) {
    const share = 1 / (out.length + 1);
    out = [...out.map((x) => x * (1 - share)), share];
  }
  return out;
}

/* Add n drafts to a tally of accepted and filled-in tokens. */
export function throwDrafts(state, n, rand, tally) {
  const { p, q, rule } = state, { residual, constant } = compare(state);
  const scale = rule === "classical" ? constant : 1;
  const accepted = [...tally.accepted], filled = [...tally.filled];
  for (let k = 0; k < n; k++) {
    const x = pick(q, rand());
    if (rand() * scale * q[x] < p[x]) accepted[x] += 1;
    else if (rule !== "classical") filled[pick(residual, rand())] += 1;
  }
  return { ...tally, drafted: tally.drafted + n, accepted, filled };
}

/* Pieces cut off one bar that fill another: mass, from (token, level), to (token, level). */
export function pieces({ p, q }) {
  const { cut, gap } = compare({ p, q });
  const found = [];
  let j = 0, used = 0;
  cut.forEach((piece, i) => {
    let left = piece, level = p[i];
    while (left > 1e-12 && j < gap.length) {
      const room = gap[j] - used, mass = Math.min(left, room);
      if (mass > 1e-12) found.push({ mass, from: [i, level], to: [j, q[j] + used] });
      left -= mass; level += mass; used += mass;
      if (gap[j] - used <= 1e-12) { j += 1; used = 0; }
    }
  });
  return found;
}

/* ---- what has been drawn: counted only for the laws it was drawn from ---- */

export const setting = ({ p, q, rule }) => JSON.stringify([p, q, rule]);

export function tallyOf(state) {
  if (state.tally && state.tally.of === setting(state)) return state.tally;
  const zeros = state.p.map(() => 0);
  return { of: setting(state), drafted: 0, accepted: zeros, filled: zeros };
}

/* The shares of what came out so far, or null. */
export function shares(state) {
  const tally = tallyOf(state), out = tally.accepted.map((x, i) => x + tally.filled[i]);
  return sum(out) ? out.map((n) => n / sum(out)) : null;
}

/* ---- how many tokens ---- */

const NAMES = ["cat", "dog", "fox", "owl", "hen", "bee", "ant", "elk"];

export function resize(s, n) {
  const names = [...s.names.slice(0, n)];
  for (const name of NAMES) if (names.length < n && !names.includes(name)) names.push(name);
  return { names, p: resized(s.p, n), q: resized(s.q, n), token: Math.min(s.token, n - 1) };
}

/* ---- moving a token's share: by a slider, or by its bar ---- */

export const shareKnob = (law, words) => ({
  kind: "slider", key: law, role: law, min: 0, max: 1, step: 0.01, show: (x) => num(x),
  label: (s) => `${words} $${law}$(${s.names[s.token]})`,
  get: (s) => s[law][s.token],
  set: (s, x) => ({ [law]: withShare(s[law], s.token, x) }),
});

/* The top of a scale for bars up to x. */
const STEPS = [0.4, 0.7, 1, 1.5, 2, 3, 4, 6, 8, 12, 20, 40];
export const fit = (x) => STEPS.find((step) => x <= step + 1e-9) || x;

/* `s` says where the bars stand. The nearer of the two levels is taken hold of. */
export function grabShare(state, s, [x, y], held) {
  if (held) {
    const law = withShare(state[held.law], held.token, Math.round((s.base - y) / s.unit * 100) / 100);
    return { held, set: { [held.law]: law } };
  }
  const token = Math.floor((x - s.left) / s.slot);
  if (token < 0 || token >= s.n || y < s.roof - 12 || y > s.base + 4) return null;
  const far = (law) => Math.abs(s.y(state[law][token]) - y);
  const near = far("p") - far("q");
  const law = Math.abs(near) > 4 ? (near < 0 ? "p" : "q") : x > s.x(token) + s.bar / 2 ? "p" : "q";
  return { held: { law, token, top: s.top }, set: { token } };
}
