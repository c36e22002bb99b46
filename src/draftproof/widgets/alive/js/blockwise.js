/* Blocks of drafts over two tokens under two rules: numbers and words. Pure functions.
   Masses are whole numbers of 12^-t, so that what is zero is exactly zero. */

import { num, sum } from "./kit.js";

export const NAMES = ["a", "b"];
export const PARTS = 12;
export const RULES = ["token", "block"];

const twelfths = (a) => [a, PARTS - a];
export const spelt = (block, gamma) => Array.from({ length: gamma }, (_, t) => (block >> (gamma - 1 - t)) & 1);
const gcd = (a, b) => (b ? gcd(b, a % b) : a);
const lowest = (n, d) => [n / gcd(n, d), d / gcd(n, d)];

/* Along one block: how often its prefixes are drafted, and which part of that each rule lets on. */
function along(p, q, drafts) {
  const drafted = [1], token = [1], block = [1];
  drafts.forEach((x, t) => {
    drafted.push(drafted[t] * q[x]);
    token.push(token[t] * Math.min(p[x], q[x]));
    block.push(Math.min(drafted[t + 1], block[t] * p[x])); // the running weight, times what is drafted
  });
  return { drafted, token, block };
}

/* What is missing after a prefix, by token, as masses of 12^-(t + 1). */
const missing = (p, q, { drafted, block }, t) => p.map((x, i) => Math.max(block[t] * x - drafted[t] * q[i], 0));

/* The chance that the prefix of t drafts passes. */
function passing(p, q, found, t, gamma) {
  const { drafted, block } = found;
  if (t === gamma) return block[t] / drafted[t];
  const mass = sum(missing(p, q, found, t)), whole = mass + PARTS * (drafted[t] - block[t]);
  return whole ? mass / whole : 1;
}

/* The probability that a block is drafted and just t of its drafts are kept, t = 0, 1, ... */
function keptOf(p, q, drafts) {
  const found = along(p, q, drafts), { drafted, token } = found, gamma = drafts.length;
  const whole = drafted[gamma] / PARTS ** gamma, upTo = token.map((mass, t) => whole * mass / drafted[t]);
  const byToken = upTo.map((mass, t) => (t === gamma ? mass
    : whole * token[t] * (q[drafts[t]] - Math.min(p[drafts[t]], q[drafts[t]])) / drafted[t + 1]));
  const byBlock = [];
  let left = whole;
  for (let t = gamma; t >= 0; t--) {
    byBlock[t] = t ? left * passing(p, q, found, t, gamma) : left;
    left -= byBlock[t];
  }
  const fixes = {
    token: byToken.slice(0, gamma).map((mass) => (mass > 0 ? Number(p[1] > q[1]) : null)),
    block: byBlock.slice(0, gamma).map((mass, t) => (mass > 0 ? Number(missing(p, q, found, t)[1] > 0) : null)),
  };
  return { drafted: whole, token: byToken, block: byBlock, fixes };
}

/* Expected kept drafts of both rules, as whole numbers of 12^-gamma. */
function totals(p, q, gamma) {
  const found = { token: 0, block: 0 };
  function grow(drafted, token, block, t) {
    if (t) { found.token += token * PARTS ** (gamma - t); found.block += block * PARTS ** (gamma - t); }
    if (t < gamma) {
      for (const x of [0, 1]) {
        if (q[x]) grow(drafted * q[x], token * Math.min(p[x], q[x]), Math.min(drafted * q[x], block * p[x]), t + 1);
      }
    }
  }
  grow(1, 1, 1, 0);
  return found;
}

/* By how many drafts the block rule keeps more: a row a target, an entry a draft. */
export function gains(gamma) {
  const shares = Array.from({ length: PARTS + 1 }, (_, a) => twelfths(a));
  return shares.map((p) => shares.map((q) => {
    const { token, block } = totals(p, q, gamma);
    return (block - token) / PARTS ** gamma;
  }));
}

export function compare({ draft_a, target_a, gamma, block }) {
  const p = twelfths(target_a), q = twelfths(draft_a);
  const blocks = Array.from({ length: 2 ** gamma }, (_, b) => b).filter((b) => spelt(b, gamma).every((x) => q[x]));
  const kept = blocks.map((b) => keptOf(p, q, spelt(b, gamma)));
  const total = totals(p, q, gamma), rules = RULES.map((rule) => [rule, {
    kept: kept.map((one) => one[rule]), fixes: kept.map((one) => one.fixes[rule]),
    total: lowest(total[rule], PARTS ** gamma),
  }]);
  const chosen = blocks.includes(block) ? block : blocks[0], drafts = spelt(chosen, gamma);
  const found = along(p, q, drafts), share = (law) => drafts.map((_, t) => found[law][t + 1] / found.drafted[t + 1]);
  const steps = {
    ratio: drafts.map((x) => p[x] / q[x]), coin: drafts.map((x) => Math.min(1, p[x] / q[x])),
    product: share("token"), weight: share("block"),
    passes: drafts.map((_, t) => passing(p, q, found, t + 1, gamma)),
  };
  return {
    ...Object.fromEntries(rules), blocks, drafted: kept.map((one) => one.drafted), chosen, drafts, steps, gains: gains(gamma),
  };
}

/* ---- words ---- */

export const word = (drafts) => drafts.map((x) => NAMES[x]).join("");

/* A fraction with a small denominator as such, anything else with three decimals. */
export function short(x, most = 99) {
  for (let d = 1; d <= most; d++) {
    const n = Math.round(x * d);
    if (Math.abs(x * d - n) < 1e-9) return d === 1 ? String(n) : `${n}/${d}`;
  }
  return num(x, 3);
}
export const signed = (x) => (Math.abs(x) < 1e-9 ? "±0" : `${x > 0 ? "+" : "−"}${short(Math.abs(x))}`);
export const both = ([n, d]) => (d === 1 ? String(n) : d < 1000 ? `${n}/${d} = ${num(n / d, 3)}` : num(n / d, 3));

/* The probabilities that at least 1, 2, ... drafts are kept, and their sum; and the sum alone. */
export function sumWords(kept, [n, d], gamma) {
  const parts = Array.from({ length: gamma }, (_, t) => sum(kept.map((one) => sum(one.slice(t + 1)))));
  const over = parts.map((x) => Math.round(x * PARTS ** gamma)), common = PARTS ** gamma / over.reduce(gcd, PARTS ** gamma);
  const say = (x) => (common > 81 ? num(x, 3) : `${Math.round(x * common)}${common > 1 ? `/${common}` : ""}`);
  const total = gamma === 1 ? short(n / d) : say(n / d);
  return [...(gamma === 1 ? [] : [`${parts.map(say).join(" + ")} = ${total}`]), total];
}

export const average = (kept) => sum(kept.map((mass, t) => mass * t)) / sum(kept);
