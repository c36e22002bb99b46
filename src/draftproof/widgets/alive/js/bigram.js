/* A toy of two tables: the laws of one context, and text with the fate of every character. */

import { alive, chance, count, num, pick, sum } from "./kit.js";
import { compare, rounded } from "./laws.js";
import { bars, contexts, draftRow, glyph, spoken } from "./rows.js";

/* ---- numbers: pure ---- */

const product = (a, b) => a.map((row) => b[0].map((_, j) => sum(row.map((x, k) => x * b[k][j]))));

/* The long-run law of a chain: pi = pi T, sum 1, by elimination with pivots. */
export function longRun(table) {
  const n = table.length;
  const rows = table.map((_, i) => [...table.map((row, j) => row[i] - (i === j ? 1 : 0)), 0]);
  rows[n - 1] = Array(n + 1).fill(1);
  for (let c = 0; c < n; c++) {
    let best = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(rows[r][c]) > Math.abs(rows[best][c])) best = r;
    [rows[c], rows[best]] = [rows[best], rows[c]];
    for (let r = 0; r < n; r++) {
      if (r === c || rows[r][c] === 0) continue;
      const share = rows[r][c] / rows[c][c];
      for (let k = c; k <= n; k++) rows[r][k] -= share * rows[c][k];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}

/* Tokens for one target call in the long run: nothing is taken as independent. */
export function tokensPerCall(target, draft, gamma) {
  const kept = target.map((row, i) => row.map((p, j) => Math.min(p, draft[i][j])));
  const corrected = target.map((row, i) => row.map((p, j) => Math.max(p - draft[i][j], 0)));
  let alive_ = target.map((_, i) => target.map((__, j) => (i === j ? 1 : 0)));
  let step = target.map((row) => row.map(() => 0));
  const tokens = target.map(() => 1);
  const add = (a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j]));
  for (let k = 0; k < gamma; k++) {
    step = add(step, product(alive_, corrected));
    alive_ = product(alive_, kept);
    alive_.forEach((row, i) => { tokens[i] += sum(row); });
  }
  step = add(step, product(alive_, target));
  const law = longRun(step);
  return sum(law.map((x, i) => x * tokens[i]));
}

export function facts(state) {
  const { table, gamma, context } = state, size = table.length - 1;
  const chain = table.slice(0, size), draft = chain.map((row) => draftRow(state, row));
  const p = table[context], q = draftRow(state, p), one = compare({ p, q });
  const seen = longRun(chain);
  const alpha = Math.min(1, sum(seen.map((x, c) => x * sum(chain[c].map((y, i) => Math.min(y, draft[c][i]))))));
  return { p, q, beta: one.alpha, tv: one.tv, residual: one.residual, alpha, calls: tokensPerCall(chain, draft, gamma) };
}

/* One round: gamma drafts, their tests, and a correction or a bonus. Returns [token, fate] pairs. */
export function round(state, context, rand) {
  const { table, gamma } = state, drafts = [];
  let at = context;
  for (let k = 0; k < gamma; k++) drafts.push(at = pick(draftRow(state, table[at]), rand()));
  const out = [];
  at = context;
  for (const x of drafts) {
    const p = table[at], q = draftRow(state, p);
    if (rand() * q[x] < p[x]) { out.push([x, "accepted"]); at = x; continue; }
    out.push([pick(compare({ p, q }).residual, rand()), "residual"]);
    return out;
  }
  out.push([pick(table[at], rand()), "bonus"]);
  return out;
}

/* ---- the text: rounds, kept while weight and gamma stay ---- */

const setting = ({ weight, gamma }) => JSON.stringify([weight, gamma]);
const roundsOf = (state) => (state.text && state.text.of === setting(state) ? state.text.rounds : []);

function write(app, n) {
  const state = app.state(), rounds = roundsOf(state), size = state.table.length - 1;
  app.memo.rand = app.memo.rand || chance(state.seed);
  let last = rounds.length ? rounds[rounds.length - 1].slice(-1)[0][0] : size;
  const more = [...rounds];
  for (let k = 0; k < n; k++) {
    more.push(round(state, last, app.memo.rand));
    last = more[more.length - 1].slice(-1)[0][0];
  }
  app.set({ text: { of: setting(state), rounds: more }, context: last });
}

const writing = (n) => (app) => {
  let done = 0;
  app.play(n > 1 ? 1600 : 1, (t) => {
    const goal = Math.round(n * t);
    if (goal > done) write(app, goal - done);
    done = goal;
  });
};

export function counters(state) {
  const rounds = roundsOf(state), of = (fate) => sum(rounds.map((one) => one.filter(([, f]) => f === fate).length));
  const found = { rounds: rounds.length, accepted: of("accepted"), residual: of("residual"), bonus: of("bonus") };
  return { ...found, drafted: rounds.length * state.gamma, tested: found.accepted + found.residual,
    characters: found.accepted + found.residual + found.bonus };
}

/* ---- picture ---- */

/* The last rounds of the text: a cell a character, its fate in the foot, a gap between rounds. */
function ribbon(state, pen, top) {
  const cell = pen.choose(16, 15), gap = 5, left = 4, lines = 3, high = 26, step = 38;
  const rows = [[]];
  let x = left;
  for (const one of roundsOf(state)) {
    const wide = one.length * cell + gap;
    if (x + wide > pen.width - 2) { rows.push([]); x = left; }
    rows[rows.length - 1].push([x, one]);
    x += wide;
  }
  let out = "";
  rows.slice(-lines).forEach((row, k) => {
    const y = top + 10 + k * step;
    for (const [start, one] of row) {
      one.forEach(([token, fate], i) => {
        out += pen.mass(fate, start + i * cell, y + 19, cell, high - 17, { key: `text/${fate}` })
          + pen.text(start + (i + 0.5) * cell, y + 14, glyph(state.names[token]), { anchor: "middle", mono: true, size: 15 });
      });
      out += pen.rect(start - 1, y, one.length * cell + 2, high + 4, { class: "cell" });
    }
  });
  if (!rows[0].length) out += pen.text(left, top + 34, "No text yet: press a button below.", { tone: "ink2" });
  const y = top + 10 + lines * step + 14;
  const legend = [["accepted", "draft kept"], ["residual", "corrected"], ["bonus", "bonus"]];
  legend.forEach(([role, words], k) => {
    out += pen.mass(role, left + k * pen.choose(120, 108), y - 10, 22, 11)
      + pen.text(left + 28 + k * pen.choose(120, 108), y, words, { size: 12 });
  });
  return { out, height: y + 10 };
}

function draw(state, f, pen) {
  const [kept, lost] = rounded([f.beta, f.tv]);
  const top = bars(state, f, pen), foot = ribbon(state, pen, top.foot), c = counters(state);
  const alt = `After ${spoken(state, state.context)} the target p and the draft q overlap in ${num(kept)}: that much is kept, `
    + `${num(lost)} is cut off and filled in elsewhere. Over all contexts alpha is ${num(f.alpha, 3)}, and ${state.gamma} drafts a round `
    + `give ${num(f.calls, 3)} tokens a target call. `
    + (c.rounds ? `The text: "${roundsOf(state).flat().map(([x]) => state.names[x]).slice(-60).join("")}".` : "No text has been written yet.");
  return { height: foot.height, body: top.out + foot.out, alt };
}

function read(state, f) {
  const c = counters(state);
  const found = [[num(f.beta), "$β$: kept after this context", "acc"], [num(f.alpha, 3), "$α$: kept over all contexts"],
    [num(f.calls, 2), "tokens a target call, exactly"]];
  if (c.rounds) found.push([num(c.characters / c.rounds, 2), `in ${count(c.rounds)} ${c.rounds > 1 ? "rounds" : "round"}`]);
  return found;
}

function more(state) {
  const c = counters(state);
  if (!c.rounds) return "";
  const cells = [["drafted", c.drafted], ["tested", c.tested], ["accepted", c.accepted], ["corrected", c.residual], ["bonus", c.bonus]];
  return `<table><thead><tr>${cells.map(([name]) => `<th>${name}</th>`).join("")}</tr></thead>`
    + `<tbody><tr>${cells.map(([, n]) => `<td>${count(n)}</td>`).join("")}</tr></tbody></table>`;
}

export default alive({
  title: "Two bigram tables",
  question: "Where does the draft go wrong, and what does it cost?",
  keys: ["names", "table", "base", "weight", "gamma", "context", "seed", "text"],
  knobs: [
    { kind: "slider", key: "weight", label: "weight $w$ of $p$ in $q$", role: "q", min: 0, max: 1, step: 0.01, show: (x) => num(x) },
    { kind: "slider", key: "gamma", label: "drafts $γ$", min: 1, max: 8, step: 1 },
    { kind: "menu", key: "context", label: "after", options: contexts },
    { kind: "button", key: "round", label: "One round", act: writing(1) },
    { kind: "button", key: "rounds", label: "30 rounds", act: writing(30), off: (s, app) => app.playing() },
  ],
  facts, draw, read, more,
});
