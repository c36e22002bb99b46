/* Two laws over a few tokens: what is kept, cut off and filled in, at every setting. */

import { boards, grabBoard } from "./boards.js";
import { alive, chance, clamp, count, num, safe, sum } from "./kit.js";
import {
  compare, digitsFor, fit, grabShare, pieces, resize, rounded, setting, shareKnob, shares, tallyOf,
  throwDrafts,
} from "./laws.js";

export const facts = compare;

/* ---- drawing tokens ---- */

function drawMore(n) {
  return (app) => {
    const start = tallyOf(app.state());
    app.memo.rand = app.memo.rand || chance(app.state().seed);
    let done = 0;
    app.play(n > 1 ? 1200 : 1, (t) => {
      const state = app.state(), goal = Math.round(n * t);
      if (setting(state) !== start.of) { app.stop(); return; }
      const more = throwDrafts(state, goal - done, app.memo.rand, tallyOf(state));
      done = goal;
      app.set({ tally: more });
    });
  };
}

/* ---- pictures ---- */

function ceilings(state, f) {
  return state.rule === "classical" && f.constant ? state.q.map((x) => x * f.constant) : state.q;
}

function stage(state, f, pen, held) {
  const n = state.p.length, left = pen.choose(48, 34), right = pen.choose(40, 22);
  const slot = (pen.width - left - right) / n, bar = Math.min(128, slot * pen.choose(0.62, 0.74));
  const reach = Math.max(...state.p, ...ceilings(state, f));
  const top = held ? held.top : fit(reach), tall = pen.choose(230, 200), roof = pen.choose(76, 92);
  return {
    n, left, right, slot, bar, top, tall, base: roof + tall, roof, unit: tall / top,
    x: (i) => left + slot * (i + 0.5) - bar / 2,
    y: (v) => roof + tall - Math.min(v, top * 1.04) * tall / top,
  };
}

const ease = (t) => (t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t));

function bars(state, f, pen, app) {
  const s = stage(state, f, pen, app.held()), { p, q, names, token } = state;
  const classical = state.rule === "classical", high = ceilings(state, f);
  const t = classical ? 0 : state.moved;
  const many = s.n > pen.choose(5, 3), digits = digitsFor(p, q);
  const [ps, qs] = [p, q].map((law) => rounded(law, digits)); // as printed: pieces add up to them
  const print = (x) => num(x, digits).replace(s.slot < 40 ? /^0(?=\.)/ : "", "");
  let back = "", out = "", front = "";
  back += pen.rect(s.left + s.slot * token, s.roof - 8, s.slot, s.tall + 76, { class: "fill-panel", rx: 6 });
  for (let k = 1; k <= 2; k++) {
    const v = s.top * k / 2, y = s.y(v);
    back += pen.line(`M${s.left} ${y}H${pen.width - s.right}`)
      + pen.text(s.left - 6, y + 4, String(Number(v.toFixed(2))), { anchor: "end", size: 12, tone: "ink2" });
  }
  const marks = shares(state);
  const label = (role, i, y0, y1, word, v) => {
    const x = s.x(i), mark = marks && Math.abs(s.y(marks[i]) - (y0 + y1) / 2) < 14;
    if (mark) return "";
    const high = Math.abs(y1 - y0), words = [`${word} ${num(v, digits)}`, num(v, digits)];
    const text = words.find((w) => w.length * 7.4 + 6 < s.bar);
    return high < 18 || !text ? "" : pen.text(x + s.bar / 2, (y0 + y1) / 2 + 4.5, text,
      { anchor: "middle", bold: true, halo: role });
  };
  for (let i = 0; i < s.n; i++) {
    const x = s.x(i), kept = classical ? Math.min(p[i], high[i]) : f.kept[i];
    out += pen.mass("accepted", x, s.y(kept), s.bar, s.base - s.y(kept), { key: `kept/${names[i]}` });
    out += label("acc", i, s.y(kept), s.base, "kept", classical ? kept : Math.min(ps[i], qs[i]));
    const over = high[i] - p[i], gap = p[i] - high[i];
    if (over > 1e-9) {
      const box = [x, s.y(high[i]), s.bar, s.y(p[i]) - s.y(high[i])];
      out += t > 0 && t < 1 ? pen.ghost("rejected", ...box)
        : pen.mass("rejected", ...box, { key: `cut/${names[i]}`, left: t === 1 })
          + label("rej", i, s.y(high[i]), s.y(p[i]), classical ? "lost" : "cut", classical ? over : qs[i] - ps[i]);
    }
    if (gap > 1e-9) {
      const box = [x, s.y(p[i]), s.bar, s.y(high[i]) - s.y(p[i])];
      if (classical) out += pen.rect(...box, { class: "missed", "data-key": `missed/${names[i]}` });
      else out += t === 1 ? pen.mass("residual", ...box, { key: `filled/${names[i]}` })
        + label("res", i, s.y(p[i]), s.y(high[i]), "filled", ps[i] - qs[i])
        : pen.ghost("residual", ...box);
    }
    front += pen.law("q", `M${x - 8} ${s.y(q[i])}h${s.bar + 16}`);
    if (classical && f.constant > 1 + 1e-9) front += pen.law("q2", `M${x - 8} ${s.y(high[i])}h${s.bar + 16}`);
    front += pen.law("p", `M${x} ${s.base}V${s.y(p[i])}h${s.bar}V${s.base}`);
    const mid = x + s.bar / 2, size = many ? 12 : 13;
    front += pen.text(mid, s.base + 20, names[i], { anchor: "middle", bold: true })
      + pen.text(mid, s.base + 39, print(qs[i]), { anchor: "middle", tone: "q", size })
      + pen.text(mid, s.base + 57, print(ps[i]), { anchor: "middle", tone: "p", size });
    if (i === token || !many) {
      front += pen.tag("circle", { cx: x - 8, cy: s.y(q[i]), r: 5, class: "knob-q" })
        + pen.tag("circle", { cx: x + s.bar, cy: s.y(p[i]), r: 5.5, class: "knob-p" });
    }
  }
  for (const end of [s.left - 10, pen.width - s.right + 4]) {
    const anchor = end < 100 ? "end" : "start";
    front += pen.text(end, s.base + 39, "$q$", { anchor, tone: "q" })
      + pen.text(end, s.base + 57, "$p$", { anchor, tone: "p" });
  }
  if (t > 0 && t < 1) front += moving(state, f, s, pen, t);
  front += seen(state, s, pen);
  front += pen.line(`M${s.left - 4} ${s.base}H${pen.width - s.right + 4}`, "axis");
  for (let i = 0; i < s.n; i++) {
    front += pen.rect(s.left + s.slot * i, s.roof - 8, s.slot, s.tall + 12,
      { fill: "transparent", "data-grab": i });
  }
  return { height: s.base + 68, body: back + strips(f, pen, s, classical) + out + front };
}

/* The cut-off and the filled-in mass as two bands: equal lengths. */
function strips(f, pen, s, classical) {
  const [, missing] = rounded([f.alpha, f.tv]);
  const lost = classical && f.constant ? f.constant - 1 : f.tv, said = classical ? lost : missing;
  const unit = pen.choose(440, 190) / Math.max(1, lost), x = s.left, words = pen.choose(12, 10);
  const band = (role, y, w, said, tone) => pen.mass(role, x, y, w * unit, 16, { key: `band/${role}` })
    + pen.text(x + w * unit + words, y + 13, said, { bold: true, tone });
  if (classical && !f.constant) {
    return pen.text(x, 24, pen.choose("no ceiling $C q$ reaches $p$: a token of $p$ is never drafted", "no $C q$ reaches $p$: a token is missed"), { bold: true });
  }
  return band("rejected", 6, lost, `${classical ? "lost" : "cut off"} ${num(said)}`, "rej")
    + (classical ? pen.text(x, 46, "nothing is filled in", { tone: "ink2" })
      : band("residual", 30, f.tv, `filled in ${num(said)}`, "res"));
}

/* Pieces on their way: they slide, never stretch. */
function moving(state, f, s, pen, t) {
  const list = pieces(state), lag = list.length > 1 ? Math.min(0.15, 0.5 / (list.length - 1)) : 0;
  return list.map(({ mass, from: [i, y0], to: [j, y1] }, k) => {
    const u = ease(clamp((t - k * lag) / (1 - lag * (list.length - 1)), 0, 1));
    const between = state.p.slice(Math.min(i, j) + 1, Math.max(i, j));
    const lift = Math.max(0, Math.max(0, ...between) - (y0 + y1) / 2);
    const y = y0 + (y1 - y0) * u + lift * Math.sin(Math.PI * u);
    const box = [s.x(i) + (s.x(j) - s.x(i)) * u, s.y(y + mass), s.bar, s.y(y) - s.y(y + mass)];
    const late = clamp((u - 0.5) / 0.35, 0, 1);
    return pen.mass("rejected", ...box)
      + pen.tag("g", { opacity: num(late) }, pen.mass("residual", ...box));
  }).join("");
}

/* A mark at each share, and the reach of chance around p. */
function seen(state, s, pen) {
  const found = shares(state), tally = tallyOf(state);
  if (!found) return "";
  const total = sum(tally.accepted) + sum(tally.filled);
  return found.map((share, i) => {
    const x = s.x(i) + s.bar / 2, y = s.y(share), p = state.p[i];
    const reach = 1.96 * Math.sqrt(p * (1 - p) / total);
    return pen.line(`M${x} ${s.y(Math.max(0, p - reach))}V${s.y(Math.min(1, p + reach))}`, "ink")
      + pen.path(`M${x} ${y - 7}l7 7l-7 7l-7 -7z`, { class: "seen", "data-key": `seen/${state.names[i]}` });
  }).join("");
}

function draw(state, f, pen, app) {
  const [kept, lost] = rounded([f.alpha, f.tv]);
  const picture = state.view === "board" ? boards(state, f, pen) : bars(state, f, pen, app);
  const digits = digitsFor(state.p, state.q);
  const list = (law) => rounded(law, digits).map((x, i) => `${state.names[i]} ${num(x, digits)}`).join(", ");
  const alt = state.rule === "classical"
    ? `Classical rejection. Draft q: ${list(state.q)}. Target p: ${list(state.p)}. `
      + (f.constant ? `The ceiling is ${num(f.constant)} times q; ${num(1 / f.constant)} of all drafts are kept, the rest is lost.` : "No ceiling exists.")
    : `Draft q: ${list(state.q)}. Target p: ${list(state.p)}. Kept: ${list(f.kept)}, together ${num(kept)}. `
      + `Cut off where q is larger: ${num(lost)}; filled in where p is larger: ${num(lost)}. Kept and filled in make p.`;
  return { ...picture, alt };
}

function read(state, f) {
  if (state.rule === "classical") {
    return f.constant
      ? [[num(1 / f.constant), "of all drafts kept"], [num(f.constant), "ceiling $C$ = largest $p/q$"],
        [num(f.alpha), "kept by the speculative rule"]]
      : [["none", "no finite ceiling $C$"]];
  }
  const [kept, lost] = rounded([f.alpha, f.tv]);
  return [[num(kept), "$α$: kept at once", "acc"], [num(lost), "cut off", "rej"],
    [num(lost), "filled in", "res"], correction(state, f)];
}

/* The law of the correction on one line: in hundredths where there are many tokens. */
function correction({ names }, { residual }) {
  const law = rounded(residual), label = "law of the correction";
  if (law.length <= 4) return [law.map((x) => num(x)).join(" · "), label];
  const cents = law.map((x) => String(Math.round(100 * x))).join(" · ");
  return [`${cents} %`, `${label}, ${names[0]} to ${names.at(-1)}`];
}

function table(state) {
  const tally = tallyOf(state);
  if (!tally.drafted) return "";
  const out = tally.accepted.map((x, i) => x + tally.filled[i]), total = sum(out);
  const both = state.rule !== "classical";
  const parts = total ? rounded(out.map((n) => n / total), 3).map((x) => num(x, 3)) : out.map(() => "–");
  const rows = state.names.map((name, i) => `<tr><th scope="row">${safe(name)}</th>`
    + [count(tally.accepted[i]), ...(both ? [count(tally.filled[i]), count(out[i])] : []), parts[i],
      num(state.p[i], 3)].map((cell) => `<td>${cell}</td>`).join("") + "</tr>");
  return `<table><caption>${count(tally.drafted)} drafts, ${count(total)} tokens out</caption>`
    + `<thead><tr><th>token</th><th>accepted</th>${both ? "<th>filled in</th><th>out</th>" : ""}<th>share</th>`
    + `<th><i class="m">p</i></th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function grab(state, f, pen, point, held) {
  return state.view === "board" ? grabBoard(state, f, pen, point, held)
    : grabShare(state, stage(state, f, pen, held), point, held);
}

export default alive({
  title: "Two laws over a few tokens",
  question: ({ rule, view }) => (rule === "classical" ? "How much does a ceiling over every bar throw away?"
    : `Drag the ${view === "bars" ? "bars" : "columns"}: can you make the cut-off mass differ from the mass that is missing?`),
  keys: ["names", "p", "q", "token", "view", "rule", "moved", "seed", "tally"],
  knobs: [
    { kind: "menu", key: "token", label: "token", options: (s) => s.names.map((name, i) => [i, name]) },
    { kind: "menu", key: "size", label: "how many tokens", get: (s) => s.p.length, set: resize,
      options: [2, 3, 4, 5, 6, 7, 8].map((n) => [n, String(n)]) },
    shareKnob("q", "draft"), shareKnob("p", "target"),
    { kind: "menu", key: "rule", label: "rule",
      options: [["speculative", "speculative"], ["classical", "classical rejection"]] },
    { kind: "menu", key: "view", label: "drawn as", options: [["bars", "bars"], ["board", "two boards"]] },
    { kind: "slider", key: "moved", label: "cut, slide, fill", min: 0, max: 1, step: 0.01,
      show: (x) => `${Math.round(x * 100)} %`, hidden: (s) => s.view === "board" || s.rule === "classical" },
    { kind: "button", key: "play", label: "Cut and fill",
      act: (app) => app.play(1600, (t) => app.set({ moved: t })), hidden: (s) => s.view === "board" || s.rule === "classical" },
    ...[1, 100, 10000].map((n) => ({
      kind: "button", key: `draw${n}`, label: `Draw ${count(n)}`, act: drawMore(n),
      off: (s) => s.rule === "classical" && facts(s).constant === null,
    })),
  ],
  facts, draw, read, more: table, grab,
});
