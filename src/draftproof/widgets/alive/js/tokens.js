/* Two laws over a few tokens: what is kept, cut off and filled in, at every setting. */

import { alive, chance, clamp, count, num, safe, sum } from "./kit.js";
import {
  compare, pieces, resize, setting, shares, tallyOf, throwDrafts, withShare,
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

const STEPS = [0.4, 0.7, 1, 1.5, 2, 3, 4, 6, 8, 12, 20, 40];
const fit = (x) => STEPS.find((step) => x <= step + 1e-9) || x;

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
  const many = s.n > pen.choose(5, 3);
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
    const high = Math.abs(y1 - y0), words = [`${word} ${num(v)}`, num(v)];
    const text = words.find((w) => w.length * 7.4 + 6 < s.bar);
    return high < 18 || !text ? "" : pen.text(x + s.bar / 2, (y0 + y1) / 2 + 4.5, text,
      { anchor: "middle", bold: true, halo: role });
  };
  for (let i = 0; i < s.n; i++) {
    const x = s.x(i), kept = classical ? Math.min(p[i], high[i]) : f.kept[i];
    out += pen.mass("accepted", x, s.y(kept), s.bar, s.base - s.y(kept), { key: `kept/${names[i]}` });
    out += label("acc", i, s.y(kept), s.base, "kept", kept);
    const over = high[i] - p[i], gap = p[i] - high[i];
    if (over > 1e-9) {
      const box = [x, s.y(high[i]), s.bar, s.y(p[i]) - s.y(high[i])];
      out += t > 0 && t < 1 ? pen.ghost("rejected", ...box)
        : pen.mass("rejected", ...box, { key: `cut/${names[i]}`, left: t === 1 })
          + label("rej", i, s.y(high[i]), s.y(p[i]), classical ? "lost" : "cut", over);
    }
    if (gap > 1e-9) {
      const box = [x, s.y(p[i]), s.bar, s.y(high[i]) - s.y(p[i])];
      if (classical) out += pen.rect(...box, { class: "missed", "data-key": `missed/${names[i]}` });
      else out += t === 1 ? pen.mass("residual", ...box, { key: `filled/${names[i]}` })
        + label("res", i, s.y(p[i]), s.y(high[i]), "filled", gap)
        : pen.ghost("residual", ...box);
    }
    front += pen.law("q", `M${x - 8} ${s.y(q[i])}h${s.bar + 16}`);
    if (classical && f.constant > 1 + 1e-9) front += pen.law("q2", `M${x - 8} ${s.y(high[i])}h${s.bar + 16}`);
    front += pen.law("p", `M${x} ${s.base}V${s.y(p[i])}h${s.bar}V${s.base}`);
    const mid = x + s.bar / 2, size = many ? 12 : 13;
    front += pen.text(mid, s.base + 20, names[i], { anchor: "middle", bold: true })
      + pen.text(mid, s.base + 39, num(q[i]), { anchor: "middle", tone: "q", size })
      + pen.text(mid, s.base + 57, num(p[i]), { anchor: "middle", tone: "p", size });
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
  const lost = classical && f.constant ? f.constant - 1 : f.tv;
  const unit = pen.choose(440, 190) / Math.max(1, lost), x = s.left, words = pen.choose(12, 10);
  const band = (role, y, w, said, tone) => pen.mass(role, x, y, w * unit, 16, { key: `band/${role}` })
    + pen.text(x + w * unit + words, y + 13, said, { bold: true, tone });
  if (classical && !f.constant) {
    return pen.text(x, 24, pen.choose("no ceiling $C q$ reaches $p$: a token of $p$ is never drafted", "no $C q$ reaches $p$: a token is missed"), { bold: true });
  }
  return band("rejected", 6, lost, `${classical ? "lost" : "cut off"} ${num(lost)}`, "rej")
    + (classical ? pen.text(x, 46, "nothing is filled in", { tone: "ink2" })
      : band("residual", 30, f.tv, `filled in ${num(f.tv)}`, "res"));
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

/* Two boards of equal scale: drafts as they fall, and tokens as they come out. */
function board(state, f, pen) {
  const { p, q, names } = state, side = pen.choose(270, 146), y0 = pen.choose(40, 44);
  const classical = state.rule === "classical", gain = classical ? (f.constant ? 1 / f.constant : 0) : 1;
  const boards = [[q, pen.choose(40, 4)], [p, pen.choose(426, 186)]];
  let out = "";
  boards.forEach(([law, left], k) => {
    let x = left;
    const tall = k ? side * gain : side, foot = y0 + side;
    law.forEach((share, i) => {
      const w = share * side;
      const part = classical ? (k ? 1 : Math.min(1, gain * p[i] / (q[i] || 1))) : share > 0 ? f.kept[i] / share : 0;
      const h = part * tall, role = k ? "residual" : "rejected";
      out += pen.mass("accepted", x, foot - h, w, h, { key: `${k ? "out" : "kept"}/${names[i]}` })
        + pen.mass(role, x, foot - tall, w, tall - h, { key: `${k ? "filled" : "cut"}/${names[i]}`, left: !k });
      const said = (v, y, halo) => (w > 36 ? pen.text(x + w / 2, y, num(v), { anchor: "middle", bold: true, halo }) : "");
      if (h > 20) out += said(w * h / side / side, foot - h / 2 + 4, "acc");
      if (tall - h > 20) out += said(w * (tall - h) / side / side, foot - tall + (tall - h) / 2 + 4, k ? "res" : "rej");
      if (w > names[i].length * 7) out += pen.text(x + w / 2, foot + 18, names[i], { anchor: "middle", bold: true });
      x += w;
    });
    out += k ? pen.law("p", `M${left} ${foot - tall}h${side}v${tall}h${-side}z`)
      : pen.law("q", `M${left} ${y0}h${side}v${side}h${-side}z`);
    out += pen.text(left, foot + 40, k ? pen.choose("columns as wide as $p$", "width $p$")
      : pen.choose("columns as wide as $q$, kept up to P(accept)", "width $q$"), { tone: k ? "p" : "q" });
    out += pen.text(left, y0 - 12, k ? (classical ? `out: ${num(gain)} of the drafts` : pen.choose(`tokens out: filled in ${num(f.tv)}`, `filled ${num(f.tv)}`))
      : pen.choose(`drafts: ${classical ? "lost" : "cut off"} ${num(classical ? 1 - gain : f.tv)}`, `${classical ? "lost" : "cut"} ${num(classical ? 1 - gain : f.tv)}`), { bold: true });
  });
  const from = boards[0][1] + side + pen.choose(18, 8), to = boards[1][1] - pen.choose(18, 8), y = y0 + side / 2;
  out += pen.line(`M${from} ${y}H${to - 8}`, "ink") + pen.path(`M${to} ${y}l-10 -5v10z`, { class: "fill-ink" });
  return { height: y0 + side + 52, body: out };
}

function draw(state, f, pen, app) {
  const picture = state.view === "board" ? board(state, f, pen) : bars(state, f, pen, app);
  const list = (law) => state.names.map((name, i) => `${name} ${num(law[i])}`).join(", ");
  const alt = state.rule === "classical"
    ? `Classical rejection. Draft q: ${list(state.q)}. Target p: ${list(state.p)}. `
      + (f.constant ? `The ceiling is ${num(f.constant)} times q; ${num(1 / f.constant)} of all drafts are kept, the rest is lost.` : "No ceiling exists.")
    : `Draft q: ${list(state.q)}. Target p: ${list(state.p)}. Kept: ${list(f.kept)}, together ${num(f.alpha)}. `
      + `Cut off where q is larger: ${num(f.tv)}; filled in where p is larger: ${num(f.tv)}. Kept and filled in make p.`;
  return { ...picture, alt };
}

function read(state, f) {
  if (state.rule === "classical") {
    return f.constant
      ? [[num(1 / f.constant), "of all drafts kept"], [num(f.constant), "ceiling $C$ = largest $p/q$"],
        [num(f.alpha), "kept by the speculative rule"]]
      : [["none", "no finite ceiling $C$"]];
  }
  const facts_ = [[num(f.alpha), "$α$: kept at once", "acc"], [num(f.tv), "cut off", "rej"],
    [num(f.tv), "filled in", "res"]];
  if (state.p.length <= 4) {
    facts_.push([f.residual.map((x) => num(x)).join(" · "), "law of the correction"]);
  }
  return facts_;
}

function table(state) {
  const tally = tallyOf(state);
  if (!tally.drafted) return "";
  const out = tally.accepted.map((x, i) => x + tally.filled[i]), total = sum(out);
  const both = state.rule !== "classical";
  const share = (n) => (total ? num(n / total, 3) : "–");
  const rows = state.names.map((name, i) => `<tr><th scope="row">${safe(name)}</th>`
    + [count(tally.accepted[i]), ...(both ? [count(tally.filled[i]), count(out[i])] : []), share(out[i]),
      num(state.p[i], 3)].map((cell) => `<td>${cell}</td>`).join("") + "</tr>");
  return `<table><caption>${count(tally.drafted)} drafts, ${count(total)} tokens out</caption>`
    + `<thead><tr><th>token</th><th>accepted</th>${both ? "<th>filled in</th><th>out</th>" : ""}<th>share</th>`
    + `<th><i class="m">p</i></th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function grab(state, f, pen, [x, y], held) {
  if (state.view === "board") return null;
  const s = stage(state, f, pen, held);
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

const share = (law, words) => ({
  kind: "slider", key: law, role: law, min: 0, max: 1, step: 0.01, show: (x) => num(x),
  label: (s) => `${words} $${law}$(${s.names[s.token]})`,
  get: (s) => s[law][s.token],
  set: (s, x) => ({ [law]: withShare(s[law], s.token, x) }),
});

export default alive({
  title: "Two laws over a few tokens",
  question: ({ rule, view }) => (rule === "classical" ? "How much does a ceiling over every bar throw away?"
    : `${view === "bars" ? "Drag the bars: can" : "Can"} you make the cut-off mass differ from the mass that is missing?`),
  keys: ["names", "p", "q", "token", "view", "rule", "moved", "seed", "tally"],
  knobs: [
    { kind: "menu", key: "token", label: "token", options: (s) => s.names.map((name, i) => [i, name]) },
    { kind: "menu", key: "size", label: "how many tokens", get: (s) => s.p.length, set: resize,
      options: [2, 3, 4, 5, 6, 7, 8].map((n) => [n, String(n)]) },
    share("q", "draft"), share("p", "target"),
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
