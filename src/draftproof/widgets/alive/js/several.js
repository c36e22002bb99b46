/* Several drafts for one place, in turn: what each finds missing, keeps and leaves missing. */

import { alive, num, sum } from "./kit.js";
import { compare, fit, grabShare, shareKnob } from "./laws.js";

/* ---- numbers: pure ---- */

const TINY = 1e-12;

/* A law given that the token is not x, or null if no other has mass. */
function without(law, x) {
  const rest = law.map((mass, i) => (i === x ? 0 : mass)), total = sum(rest);
  return total > 0 ? rest.map((mass) => mass / total) : null;
}

/* What the next turn begins with, after each way in which this one can reject. */
function rejections(path, { tv, cut, residual }, replacement) {
  if (replacement) return tv > TINY ? [{ ...path, weight: path.weight * tv, target: residual }] : [];
  return cut.flatMap((mass, x) => (mass > TINY ? [{
    weight: path.weight * mass, target: residual, draft: without(path.draft, x), rejected: [...path.rejected, x],
  }] : []));
}

/* One turn: every way in which the drafts before it were rejected is a path of its own. */
function turn(paths, last, replacement) {
  const kept = paths[0].target.map(() => 0), filled = [...kept], next = [], shown = [];
  for (const path of paths) {
    const { target, draft, weight } = path, f = compare({ p: target, q: draft });
    const ends = last || (!replacement && draft.filter((mass) => mass > 0).length === 1);
    f.kept.forEach((mass, i) => { kept[i] += weight * mass; });
    if (ends) f.gap.forEach((mass, i) => { filled[i] += weight * mass; });
    else next.push(...rejections(path, f, replacement));
    shown.push({ ...path, ends });
  }
  return { next, filled, turn: { reached: sum(paths.map(({ weight }) => weight)), kept, paths: shown } };
}

/* The probability that the drafts are all among the tokens. */
function within(law, tokens, drafts, replacement) {
  if (replacement) return sum(tokens.map((x) => law[x])) ** drafts;
  return drafts === 0 ? 1 : sum(tokens.filter((x) => law[x] > 0).map((x) => {
    const rest = without(law, x);
    return law[x] * (rest ? within(rest, tokens, drafts - 1, false) : 1);
  }));
}

/* The most that any exact rule keeps: the tightest set of tokens limits it. */
export function bound({ p, q, drafts, replacement }) {
  let most = 1;
  for (let set = 1; set < 2 ** p.length; set++) {
    const tokens = p.map((_, i) => i).filter((i) => (set >> i) & 1);
    most = Math.min(most, sum(tokens.map((x) => p[x])) + 1 - within(q, tokens, drafts, replacement));
  }
  return most;
}

export function facts(state) {
  const { p, q, drafts, replacement } = state, turns = [], filled = p.map(() => 0), after = [];
  let paths = [{ weight: 1, target: p, draft: q, rejected: [] }];
  while (paths.length && turns.length < drafts) {
    const one = turn(paths, turns.length + 1 === drafts, replacement);
    one.filled.forEach((mass, i) => { filled[i] += mass; });
    turns.push(one.turn);
    after.push((after[after.length - 1] || 0) + sum(one.turn.kept));
    paths = one.next;
  }
  return { turns, after, filled, bound: bound(state) };
}

/* ---- words ---- */

const ORDER = ["1st", "2nd", "3rd", "4th"];
const short = (x) => String(Number(num(x, 3)));
const listed = (names, masses) => names.map((name, i) => [name, masses[i]]).filter(([, mass]) => mass > 5e-4)
  .map(([name, mass]) => `${name} ${short(mass)}`).join(", ") || "nothing";

/* A turn's masses by token: wanted, drawn, kept. */
function masses({ paths, kept }) {
  const total = (law) => kept.map((_, i) => sum(paths.map((path) => path.weight * path[law][i])));
  return { target: total("target"), draft: total("draft"), kept };
}

/* ---- picture ---- */

/* Where the bars of turn k stand; a law's entry is as high as its mass, or as itself. */
function stage(state, f, pen, k, held) {
  const n = state.p.length, columns = Math.min(f.turns.length, pen.choose(4, 2)), own = state.scale === "own";
  const high = ({ reached, paths }) => (own ? 1 : reached) * Math.max(...paths.flatMap(({ target, draft }) => [...target, ...draft]));
  const reach = own ? high(f.turns[k]) : Math.max(...f.turns.map(high)), share = own ? 1 : f.turns[k].reached;
  const edge = pen.choose(8, 2), room = (pen.width - 2 * edge) / columns, tall = pen.choose(columns > 2 ? 190 : 230, 150);
  const slot = Math.min((room - pen.choose(34, 26)) / n, 112), bar = slot * 0.78;
  const roof = 50 + Math.floor(k / columns) * (tall + 122), left = edge + (k % columns) * room + pen.choose(22, 18);
  const top = held ? held.top : fit(reach), unit = tall / top, base = roof + tall;
  return {
    n, slot, bar, left, room, roof, tall, top, unit, base, share, x: (i) => left + slot * (i + 0.5) - bar / 2,
    y: (v) => base - Math.min(v * share, top * 1.04) * unit, foot: base + 72,
  };
}

/* One token's bar in one path: kept, cut, and missing or filled. */
function piece(pen, s, path, i, x, w, key) {
  const { target, draft, ends } = path, kept = Math.min(target[i], draft[i]), box = (low, high) => [x, s.y(high), w, s.y(low) - s.y(high)];
  const bare = w < 5, on = (v) => v * s.share * s.unit > 0.3;
  let out = "";
  if (on(kept)) out += pen.mass("accepted", ...box(0, kept), { key: `kept/${key}`, bare });
  if (on(draft[i] - kept)) out += pen.mass("rejected", ...box(kept, draft[i]), { key: `cut/${key}`, left: true, bare });
  if (on(target[i] - kept)) {
    const [, y, , h] = box(kept, target[i]);
    out += ends ? pen.mass("residual", x, y, w, h, { key: `filled/${key}`, bare })
      : pen.rect(x, y, w, h, { fill: "none", "data-key": `missing/${key}` })
        + (w > 12 && h > 10 ? pen.ghost("residual", x + 4, y + 4, w - 8, h - 8) : "");
  }
  return out;
}

/* The words inside a bar that no earlier rejection has split. */
function inside(pen, s, { target, draft, ends, weight }, i) {
  const kept = Math.min(target[i], draft[i]), middle = s.x(i) + s.bar / 2;
  return [[0, kept, "kept", "acc"], [kept, draft[i], "cut", "rej"], [kept, target[i], ends ? "filled" : "missing", ends ? "res" : "bg"]]
    .map(([low, high, verb, halo]) => {
      const mass = short((high - low) * weight), said = [`${verb} ${mass}`, mass].find((words) => words.length * 7 + 4 < s.bar);
      return said && s.y(low) - s.y(high) > 17
        ? pen.text(middle, (s.y(low) + s.y(high)) / 2 + 4.5, said, { anchor: "middle", bold: true, halo, size: 12 }) : "";
    }).join("");
}

function panel(state, f, pen, k, held) {
  const s = stage(state, f, pen, k, held), one = f.turns[k], { paths, reached } = one, total = masses(one), { names } = state;
  const remarks = [paths.length > 1 && "split by what was rejected", state.scale === "own" && k && `${num(1 / reached, 1)} times enlarged`]
    .filter(Boolean), remark = [remarks.join(" · "), ...remarks].find((words) => words.length * 6.2 < s.room);
  let out = pen.text(s.left - 4, s.roof - 29, `${ORDER[k]} draft keeps ${short(sum(one.kept))}`, { bold: true, size: 14 });
  if (remark) out += pen.text(s.left - 4, s.roof - 12, remark, { size: 12, tone: "ink2" });
  if (k === 0) out = pen.rect(s.left + s.slot * state.token, s.roof - 6, s.slot, s.tall + 74, { class: "fill-panel", rx: 6 }) + out;
  names.forEach((name, i) => {
    let x = s.x(i), wanted = "", drawn = "";
    for (const path of paths) {
      const w = s.bar * path.weight / reached;
      out += piece(pen, s, path, i, x, w, `${k + 1}/${name}`);
      wanted += `${wanted ? "L" : "M"}${x} ${s.y(path.target[i])}h${w}`;
      if (path.draft[i] > TINY) drawn += `M${x - 5} ${s.y(path.draft[i])}h${w + 10}`;
      x += w;
    }
    if (paths.length === 1) out += inside(pen, s, paths[0], i);
    if (drawn) out += pen.law("q", drawn);
    if (total.target[i] > TINY) out += pen.law("p", `M${s.x(i)} ${s.base}${wanted.replace("M", "L")}L${s.x(i) + s.bar} ${s.base}`);
    const put = (y, words, more) => pen.text(s.x(i) + s.bar / 2, y, words, { anchor: "middle", ...more });
    out += put(s.base + 19, name, { bold: true }) + put(s.base + 38, short(total.draft[i]), { tone: "q" })
      + put(s.base + 56, short(total.target[i]), { tone: "p" });
    if (k === 0) {
      out += pen.tag("circle", { cx: s.x(i) - 5, cy: s.y(state.q[i]), r: 5, class: "knob-q" })
        + pen.tag("circle", { cx: s.x(i) + s.bar, cy: s.y(state.p[i]), r: 5.5, class: "knob-p" })
        + pen.rect(s.left + s.slot * i, s.roof - 6, s.slot, s.tall + 10, { fill: "transparent", "data-grab": i });
    }
  });
  for (const [letter, y] of [["q", 38], ["p", 56]]) out += pen.text(s.left - 4, s.base + y, `$${letter}$`, { anchor: "end", tone: letter });
  return out + pen.line(`M${s.left - 4} ${s.base}h${s.slot * s.n + 8}`, "axis");
}

/* What each turn keeps, end to end; the rest of 1 is corrected. No exact rule gets beyond the mark. */
function shelf(f, pen, top) {
  const x = pen.choose(8, 4), wide = pen.width - 2 * x, y = top + 24, high = 30, last = f.after[f.after.length - 1], left = 1 - last;
  let out = pen.text(x, y - 9, `kept ${short(last)}`, { bold: true, tone: "acc" }), at = x;
  if (left > 5e-4) out += pen.text(x + wide, y - 9, `corrected ${short(left)}`, { anchor: "end", bold: true, tone: "res" });
  f.turns.forEach(({ kept }, k) => {
    const mass = sum(kept), w = mass * wide, said = [`${ORDER[k]} draft ${short(mass)}`, `${ORDER[k]} ${short(mass)}`, short(mass)]
      .find((words) => words.length * 7.2 + 6 < w);
    out += pen.mass("accepted", at, y, w, high, { key: `shelf/${k + 1}`, bare: w < 5 });
    if (said) out += pen.text(at + w / 2, y + 19.5, said, { anchor: "middle", bold: true, halo: "acc", size: 12 });
    at += w;
  });
  out += pen.mass("residual", at, y, x + wide - at, high, { key: "shelf/corrected", bare: left * wide < 5 });
  const mark = x + f.bound * wide;
  out += pen.line(`M${mark} ${y - 4}V${y + high + 8}`, "ink", { "data-key": "bound" })
    + pen.text(mark, y + high + 24, pen.choose(`no exact rule keeps more than ${short(f.bound)}`, `at most ${short(f.bound)}`),
      { anchor: f.bound > 0.6 ? "end" : "start", bold: true });
  return { out, foot: y + high + 34 };
}

function draw(state, f, pen, app) {
  const panels = f.turns.map((_, k) => panel(state, f, pen, k, k && state.scale === "own" ? null : app.held()));
  const rest = shelf(f, pen, stage(state, f, pen, f.turns.length - 1).foot), { names } = state;
  const said = f.turns.map((one, k) => {
    const { target, kept } = masses(one);
    return `${ORDER[k]} draft, reached with probability ${short(one.reached)}: kept ${listed(names, kept)}, missing ${listed(names, target.map((x, i) => x - kept[i]))}`;
  });
  const alt = `${state.drafts} draft${state.drafts > 1 ? "s" : ""} for one place, drawn ${how(state)}, from q: ${listed(names, state.q)}, for p: ${listed(names, state.p)}. `
    + `${said.join("; ")}. Some draft is kept with probability ${short(f.after[f.after.length - 1])}; no exact rule keeps more than ${short(f.bound)}. The rest is corrected: ${listed(names, f.filled)}.`;
  return { height: rest.foot, body: panels.join("") + rest.out, alt };
}

const how = ({ replacement }) => `${replacement ? "with" : "without"} replacement`;

function read(state, f) {
  const last = f.after[f.after.length - 1];
  return [
    [short(last), "some draft is kept", "acc"], [`+${short(last - f.after[0])}`, "beyond the first draft"],
    [short(1 - last), "left for a correction", "res"], [short(f.bound), "the most any exact rule keeps"],
  ];
}

function table(state, f) {
  const rows = f.turns.map(({ reached, kept }, k) => `<tr><th scope="row">${ORDER[k]}</th>`
    + [reached, sum(kept), f.after[k], 1 - f.after[k]].map((x) => `<td>${num(x, 3)}</td>`).join("") + "</tr>");
  return "<table><thead><tr><th>draft</th><th>finds missing</th><th>keeps</th><th>kept so far</th><th>still missing</th></tr></thead>"
    + `<tbody>${rows.join("")}</tbody></table>`
    + (f.turns.length < state.drafts ? `<p class="dpa-note">${sum(f.filled) > TINY ? "No token is left that could be drafted." : "Nothing is missing any more: no further draft is looked at."}</p>` : "");
}

function grab(state, f, pen, point, held) {
  return grabShare(state, stage(state, f, pen, 0, held), point, held);
}

/* ---- controls ---- */

const same = (a, b) => a.every((x, i) => Math.abs(x - b[i]) < 1e-9);
const which = (s) => s.pairs.findIndex(({ names, p, q }) => names.join() === s.names.join() && same(p, s.p) && same(q, s.q));

export default alive({
  title: "Several drafts for one place",
  question: "How much of what the first draft leaves missing can the others still find?",
  keys: ["pairs", "names", "p", "q", "token", "drafts", "replacement", "scale"],
  knobs: [
    { kind: "slider", key: "drafts", label: "drafts $k$", min: 1, max: 4, step: 1 },
    { kind: "menu", key: "replacement", label: "drawn", options: [[true, "with replacement"], [false, "without replacement"]] },
    { kind: "menu", key: "pair", label: "two laws", get: which,
      options: (s) => [...s.pairs.map(({ title }, i) => [i, title]), ...(which(s) < 0 ? [[-1, "as set below"]] : [])],
      set: (s, i) => ({ names: s.pairs[i].names, p: s.pairs[i].p, q: s.pairs[i].q }) },
    { kind: "menu", key: "token", label: "token", options: (s) => s.names.map((name, i) => [i, name]) },
    shareKnob("q", "draft"), shareKnob("p", "target"),
    { kind: "menu", key: "scale", label: "scale", options: [["one", "the same for all turns"], ["own", "each turn enlarged"]] },
  ],
  facts, draw, read, more: table, grab,
});
