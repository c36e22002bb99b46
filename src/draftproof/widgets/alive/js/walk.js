/* A block of drafts, step by step: drawn, tested from left to right, ended by one more token. */

import { alive, chance, clamp, count, num, pick, safe, sum } from "./kit.js";
import { compare } from "./laws.js";

/* ---- numbers: pure ---- */

const ROUNDS = 100;
const laws = ({ pairs, pair }) => pairs[pair];

/* What becomes of a block with these drafts and coins. */
export function walk(state) {
  const { p, q } = laws(state), { gamma } = state;
  const drafts = state.drafts.slice(0, gamma).map((u) => pick(q, u));
  const verdicts = drafts.map((x, k) => state.coins[k] * q[x] < p[x]);
  const first = verdicts.indexOf(false), accepted = first < 0 ? gamma : first;
  const law = accepted === gamma ? p : compare({ p, q }).residual;
  return {
    drafts, verdicts, accepted, next: pick(law, state.end),
    tested: Math.min(accepted + 1, gamma), fate: accepted === gamma ? "bonus" : "residual",
  };
}

export function facts(state) {
  const { p, q } = laws(state), { alpha, residual } = compare({ p, q }), { gamma } = state;
  const lengths = Array.from({ length: gamma + 1 }, (_, k) => alpha ** k * (k < gamma ? 1 - alpha : 1));
  return {
    ...walk(state), alpha, residual, lengths,
    tokens: sum(lengths.map((share, k) => share * (k + 1))),
  };
}

/* Fresh uniforms for a block: drafts, coins, the last token. */
export const fresh = (rand) => ({
  drafts: Array.from({ length: 8 }, rand), coins: Array.from({ length: 8 }, rand), end: rand(),
});

/* Steps: a draft each, a test each, the last token. */
const stepsOf = (state, f = walk(state)) => state.gamma + f.tested + 1;

/* The counters: rounds that are over, and this one as far as it has come. */
export function counters(state) {
  const { step } = state, f = walk(state), before = state.tally || {}, tested = clamp(step - state.gamma, 0, f.tested);
  const over = step >= stepsOf(state, f) ? 1 : 0, kept = Math.min(tested, f.accepted);
  const here = { rounds: over, drafted: Math.min(step, state.gamma), tested, accepted: kept, emitted: kept + over };
  return Object.fromEntries(Object.entries(here).map(([key, n]) => [key, n + (before[key] || 0)]));
}

/* A new round. The totals take over what has been seen to its end; a round left before that is
   dropped. */
function begin(app, whole) {
  const state = app.state(), over = state.step >= stepsOf(state);
  app.memo.rand = app.memo.rand || chance(state.seed);
  const next = fresh(app.memo.rand), tally = over ? counters(state) : state.tally;
  app.set({ ...next, tally, step: whole ? stepsOf({ ...state, ...next }) : 0 });
}

function many(app) {
  if (app.playing()) { app.stop(); return; }
  let done = 0;
  app.play(1600, (t) => {
    for (const goal = Math.round(ROUNDS * t); done < goal; done++) begin(app, true);
  });
}

/* ---- picture ---- */

function block(state, f, pen) {
  const { names, p, q } = laws(state), { gamma, step } = state, tested = clamp(step - gamma, 0, f.tested);
  const over = step >= stepsOf(state, f), column = (pen.width - 8) / (gamma + 1), bar = Math.min(76, column * 0.66);
  const tall = 130, base = 190, unit = tall / Math.max(...q, ...p), small = column < 62;
  let out = "";
  for (let k = 0; k < gamma; k++) {
    const middle = 4 + column * (k + 0.5), x = middle - bar / 2, token = f.drafts[k];
    const isTested = k < tested, isVoid = k >= f.tested && tested === f.tested;
    const tone = isVoid ? "ink2" : undefined, put = (y, words, more = {}) => pen.text(middle, y, words, { anchor: "middle", tone, ...more });
    out += put(14, small ? String(k) : `draft ${k}`, { size: 12, tone: "ink2" });
    if (k >= step) continue;
    const high = q[token] * unit, kept = Math.min(p[token], q[token]) * unit;
    out += put(34, names[token], { bold: true, size: 15 });
    if (isVoid) out += pen.line(`M${middle - 16} 29H${middle + 16}`, "ink");
    if (isTested) {
      out += pen.mass("accepted", x, base - kept, bar, kept, { key: `kept/${k}` })
        + pen.mass("rejected", x, base - high, bar, high - kept, { key: `cut/${k}` });
      const level = base - state.coins[k] * high;
      out += pen.line(`M${x - 5} ${level}H${x + bar + 5}`, "ink", { "data-key": `coin/${k}` })
        + pen.tag("circle", { cx: middle, cy: level, r: 5, class: "seen" });
      const ok = f.verdicts[k];
      out += put(base + 20, small ? (ok ? "✓" : "✗") : ok ? "kept" : "rejected", { bold: true, tone: ok ? "acc" : "rej" });
      if (column >= 84) out += put(base + 38, `${num(state.coins[k])} ${ok ? "<" : "≥"} ${num(Math.min(1, p[token] / q[token]))}`, { size: 12, tone: "ink2" });
    } else {
      out += pen.law("q", `M${x} ${base}V${base - high}h${bar}V${base}`);
      if (isVoid) out += put(base + 20, small ? "–" : "void", {});
    }
  }
  const middle = 4 + column * (gamma + 0.5), x = middle - bar / 2, bonus = f.fate === "bonus";
  if (tested === f.tested && step > gamma) {
    const law = bonus ? p : f.residual;
    out += pen.text(middle, 14, small ? "end" : bonus ? "bonus" : "correction", { anchor: "middle", size: 12, tone: "ink2" });
    let low = 0;
    law.forEach((share, i) => {
      out += pen.mass(f.fate, x, base - (low + share) * tall, bar, share * tall, { key: `end/${names[i]}` });
      if (share * tall > 17 && bar > names[i].length * 7.5 + 6) {
        out += pen.text(middle, base - (low + share / 2) * tall + 4.5, names[i], { anchor: "middle", bold: true, halo: bonus ? "bon" : "res" });
      }
      low += share;
    });
    if (over) {
      const level = base - state.end * tall;
      out += pen.line(`M${x - 5} ${level}H${x + bar + 5}`, "ink") + pen.tag("circle", { cx: x - 5, cy: level, r: 5, class: "seen" })
        + pen.text(middle, 34, names[f.next], { anchor: "middle", bold: true, size: 15 })
        + pen.text(middle, base + 20, small ? "+" : "drawn", { anchor: "middle", bold: true, tone: bonus ? "bon" : "res" });
    }
  }
  out += pen.line(`M4 ${base}H${pen.width - 4}`, "axis");
  return { out, foot: base + 46 };
}

/* What this round hands over, and the draws it is made of. */
function line(state, f, pen, top) {
  const { names } = laws(state), c = clamp(state.step - state.gamma, 0, f.tested);
  const cells = f.drafts.slice(0, Math.min(c, f.accepted)).map((x) => [x, "accepted"]);
  if (state.step >= stepsOf(state, f)) cells.push([f.next, f.fate]);
  const wide = pen.choose(64, 34);
  let out = pen.text(4, top + 16, pen.choose("handed over:", "out:"), { bold: true });
  cells.forEach(([token, fate], k) => {
    const x = pen.choose(100, 32) + k * wide;
    out += pen.mass(fate, x, top + 22, wide - 4, 7, { key: `out/${fate}` })
      + pen.text(x + wide / 2 - 2, top + 16, names[token], { anchor: "middle", bold: true, size: pen.choose(14, 13) });
  });
  if (!cells.length) out += pen.text(pen.choose(100, 32), top + 16, "nothing yet", { tone: "ink2" });
  return { out, foot: top + 44 };
}

const TREE = 150; // at every block length: what the reader holds must not move away

/* The tree of all rounds: widths are probabilities, every row a position; this round is framed. */
function tree(state, f, pen, top) {
  const { names, p, q } = laws(state), { kept } = compare({ p, q }), { gamma } = state;
  const rows = Math.min(gamma, p.length > 2 ? 3 : 4), whole = rows === gamma, wide = pen.width - 8;
  const high = whole ? Math.min(50, TREE / (rows + 1)) : (TREE - 24) / rows;
  let out = pen.text(4, top + 14, pen.choose(`all rounds: widths are probabilities, α = ${num(f.alpha)} of each row goes on`, `all rounds, α = ${num(f.alpha)} of a row goes on`), { bold: true });
  let frames = "";
  const cell = (role, x, y, w, name, mine, key) => {
    if (mine) frames += pen.rect(x, y, w, high, { class: "mine" });
    const label = w > name.length * 7.2 + 8 ? pen.text(x + w / 2, y + high / 2 + 4.5, name, { anchor: "middle", bold: true, halo: role.slice(0, 3) }) : "";
    return w < 0.3 ? "" : pen.mass(role, x, y, w, high, { key, bare: w < 5 }) + label;
  };
  function grow(x, w, depth, mine) {
    const y = top + 24 + depth * high;
    let at = x;
    const here = mine && state.step > state.gamma + depth;
    kept.forEach((share, i) => {
      const on = here && depth < f.accepted && f.drafts[depth] === i;
      out += cell("accepted", at, y, share * w, names[i], on, `tree/accepted/${depth}`);
      if (depth + 1 < rows) grow(at, share * w, depth + 1, on);
      else if (whole) {
        let inner = at;
        p.forEach((b, j) => {
          out += cell("bonus", inner, y + high, b * share * w, names[j], on && state.step >= stepsOf(state, f) && f.next === j, "tree/bonus");
          inner += b * share * w;
        });
      }
      at += share * w;
    });
    f.residual.forEach((r, i) => {
      const share = r * (1 - f.alpha);
      out += cell("residual", at, y, share * w, names[i],
        here && depth === f.accepted && state.step >= stepsOf(state, f) && f.next === i, `tree/residual/${depth}`);
      at += share * w;
    });
  }
  grow(4, wide, 0, true);
  if (!whole) out += pen.text(4, top + TREE + 18, gamma - rows > 1 ? `and ${gamma - rows} rows more` : "and one row more", { tone: "ink2" });
  return { out: out + frames, height: top + TREE + 32 };
}

function draw(state, f, pen) {
  const one = block(state, f, pen), two = line(state, f, pen, one.foot), three = tree(state, f, pen, two.foot);
  const { names } = laws(state), said = f.drafts.map((x, k) => `${names[x]} ${k < f.accepted ? "kept" : k === f.accepted ? "rejected" : "void"}`);
  const alt = `A round of ${state.gamma} drafts, at step ${state.step} of ${stepsOf(state, f)}. Whole round: ${said.join(", ")}; then ${f.fate === "bonus" ? "the bonus" : "the correction"} ${names[f.next]}. `
    + `Each draft is kept with probability ${num(f.alpha)}; a round emits ${num(f.tokens)} tokens on average.`;
  return { height: three.height, body: one.out + two.out + three.out, alt };
}

function read(state, f) {
  const c = counters(state), found = [[num(f.tokens), "tokens a round, on average"]];
  if (c.rounds && state.step >= stepsOf(state)) found.push([num(c.emitted / c.rounds), `in ${count(c.rounds)} ${c.rounds > 1 ? "rounds" : "round"} here`]);
  found.push([num(f.alpha), "$α$: a draft is kept", "acc"], [num(f.alpha ** state.gamma), "bonus", "bon"]);
  return found;
}

function more(state) {
  const c = counters(state), cells = ["drafted", "tested", "accepted", "emitted"];
  return `<table><thead><tr>${cells.map((name) => `<th>${safe(name)}</th>`).join("")}</tr></thead>`
    + `<tbody><tr>${cells.map((name) => `<td>${count(c[name])}</td>`).join("")}</tr></tbody></table>`;
}

export default alive({
  title: "A block, step by step",
  question: "Which drafts does a rejection throw away, and why?",
  keys: ["pairs", "pair", "gamma", "drafts", "coins", "end", "step", "position", "seed", "tally"],
  knobs: [
    { kind: "slider", key: "step", label: "step", min: 0, max: (s) => stepsOf(s), step: 1,
      get: (s) => Math.min(s.step, stepsOf(s)), show: (x, s) => `${x} of ${stepsOf(s)}` },
    { kind: "slider", key: "gamma", label: "drafts $γ$", min: 1, max: 8, step: 1,
      set: (s, gamma) => ({ gamma, step: stepsOf({ ...s, gamma }), position: Math.min(s.position, gamma - 1), tally: null }) },
    { kind: "menu", key: "position", label: "coin of draft", options: (s) => Array.from({ length: s.gamma }, (_, k) => [k, String(k)]) },
    { kind: "slider", key: "coin", label: (s) => `coin $u$ of draft ${s.position}`, min: 0, max: 0.99, step: 0.01, show: (x) => num(x),
      get: (s) => s.coins[s.position],
      set: (s, u) => { const coins = s.coins.map((c, k) => (k === s.position ? u : c)); return { coins, step: stepsOf({ ...s, coins }) }; } },
    { kind: "menu", key: "pair", label: "two laws", options: (s) => s.pairs.map(({ title }, i) => [i, title]),
      set: (s, pair) => ({ pair, step: stepsOf({ ...s, pair }), tally: null }) },
    { kind: "button", key: "next", label: "Next step", act: (app) => app.set({ step: app.state().step + 1 }), off: (s) => s.step >= stepsOf(s) },
    { kind: "button", key: "fresh", label: "New round", act: (app) => begin(app, false) },
    { kind: "button", key: "many", label: ({ app }) => (app.playing() ? "Stop" : `${ROUNDS} rounds`), act: many },
  ],
  facts, draw, read, more,
});
