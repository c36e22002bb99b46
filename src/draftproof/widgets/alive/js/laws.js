/* Two laws over a vocabulary: what is kept, cut off and filled in. Pure functions. */

import { clamp, pick, sum } from "./kit.js";

export function compare({ p, q }) {
  const kept = p.map((x, i) => Math.min(x, q[i]));
  const cut = p.map((x, i) => Math.max(q[i] - x, 0));
  const gap = p.map((x, i) => Math.max(x - q[i], 0));
  const missing = sum(gap);
  const residual = missing === 0 ? [...p] : gap.map((x) => x / missing);
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
  const value = clamp(v, 0, 1), rest = sum(law) - law[i];
  const others = law.length - 1;
  const out = law.map((x) => (rest > 1e-12 ? x * (1 - value) / rest : (1 - value) / others));
  out[i] = 0;
  out[i] = 1 - sum(out);
  return out;
}

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
