/* Two boards of equal scale: drafts as they fall, and tokens as they come out. Areas are masses, so
   an edge between two columns shares out a law, and a height sets how far one law covers the other. */

import { clamp, num, sum } from "./kit.js";
import { digitsFor, rounded, withShare } from "./laws.js";

const NEAR = 9; // px: so close to an edge the pointer means the edge
const ROOM = 7.4; // px: what a bold letter takes

function stand(state, f, pen) {
  const classical = state.rule === "classical";
  const gain = classical ? (f.constant ? 1 / f.constant : 0) : 1;
  const side = pen.choose(270, 146), top = pen.choose(40, 44);
  return {
    classical, gain, side, top, foot: top + side,
    boards: [
      { law: "q", other: "p", left: pen.choose(40, 4), tall: side },
      { law: "p", other: "q", left: pen.choose(426, 186), tall: side * gain },
    ],
  };
}

/* Left ends of a board's columns, and the right end of the last. */
const ends = (law, left, side) =>
  law.reduce((found, share) => [...found, found.at(-1) + share * side], [left]);

/* What is filled of column i of a board, as a share of its height. */
function part(state, f, s, k, i) {
  const { p, q } = state;
  if (s.classical) return k || !q[i] ? 1 : Math.min(1, s.gain * p[i] / q[i]);
  const share = k ? p[i] : q[i];
  return share > 0 ? f.kept[i] / share : 0;
}

/* ---- names: all of them, the first letters where a column is narrow ---- */

const shortest = (names, name) => {
  for (let n = 1; n < name.length; n++) {
    const start = name.slice(0, n);
    if (names.filter((other) => other.startsWith(start)).length === 1) return start;
  }
  return name;
};

/* Middles as near as can be to where they belong, and no two closer than they are wide. */
export function spread(middles, wide, low, high) {
  const at = [...middles], apart = (i) => (wide[i] + wide[i - 1]) / 2;
  for (let i = 0; i < at.length; i++) {
    at[i] = Math.max(at[i], i ? at[i - 1] + apart(i) : low + wide[0] / 2);
  }
  for (let i = at.length - 1; i >= 0; i--) {
    const last = i === at.length - 1;
    at[i] = Math.min(at[i], last ? high - wide[i] / 2 : at[i + 1] - apart(i + 1));
  }
  return at;
}

function labels(names, columns, s, pen) {
  const middles = names.map((_, i) => (columns[i] + columns[i + 1]) / 2);
  const words = names.map((name, i) =>
    (columns[i + 1] - columns[i] > name.length * ROOM ? name : shortest(names, name)));
  const low = columns[0] - 4, high = columns[0] + s.side + 4;
  const at = spread(middles, words.map((word) => word.length * ROOM + 2), low, high);
  return words.map((word, i) => pen.text(at[i], s.foot + 20, word, { anchor: "middle", bold: true })
    + (Math.abs(at[i] - middles[i]) > 3 ? pen.line(`M${middles[i]} ${s.foot + 1}L${at[i]} ${s.foot + 8}`, "axis") : "")).join("");
}

/* ---- pictures ---- */

function columnsOf(state, f, s, pen, k, columns) {
  const { names } = state, { tall } = s.boards[k], role = k ? "residual" : "rejected";
  const law = state[s.boards[k].law], digits = digitsFor(state.p, state.q);
  const [ps, qs] = [state.p, state.q].map((one) => rounded(one, digits)), shown = k ? ps : qs;
  return names.map((name, i) => {
    const x = columns[i], w = law[i] * s.side, share = part(state, f, s, k, i), h = share * tall;
    const said = (v, y, halo) => (w > 22 + 7 * digits
      ? pen.text(x + w / 2, y + 4, num(v, digits), { anchor: "middle", bold: true, halo }) : "");
    const area = w * tall / s.side / s.side;
    const kept = s.classical ? area * share : Math.min(ps[i], qs[i]);
    const rest = s.classical ? area - kept : shown[i] - kept;
    return pen.mass("accepted", x, s.foot - h, w, h, { key: `${k ? "out" : "kept"}/${name}` })
      + pen.mass(role, x, s.foot - tall, w, tall - h, { key: `${k ? "filled" : "cut"}/${name}`, left: !k })
      + (h > 20 ? said(kept, s.foot - h / 2, "acc") : "")
      + (tall - h > 20 ? said(rest, s.foot - tall + (tall - h) / 2, k ? "res" : "rej") : "");
  }).join("");
}

/* What can be taken hold of: columns, and the edges between them with a knob at the board's head. */
function handles(state, s, pen, k, columns) {
  const { law, tall } = s.boards[k], inner = columns.slice(1, -1);
  const area = (given, x, w) => pen.rect(x, s.foot - tall - 8, w, tall + 12, { fill: "transparent", ...given });
  return (s.classical ? "" : columns.slice(0, -1).map((x, i) =>
    area({ "data-grab": `${law}/${i}` }, x, columns[i + 1] - x)).join(""))
    + inner.map((x, i) => pen.tag("circle", { cx: x, cy: s.foot - tall, r: 5, class: `knob-${law}` })
      + area({ "data-edge": `${law}/${i}` }, x - NEAR, 2 * NEAR)).join("");
}

function titles(s, f, pen, k) {
  const { law, left } = s.boards[k], [kept, lost] = rounded(s.classical ? [s.gain, 1 - s.gain] : [f.alpha, f.tv]);
  const drafts = `drafts: ${s.classical ? "lost" : "cut off"} ${num(lost)}`, brief = `${s.classical ? "lost" : "cut"} ${num(lost)}`;
  const out = s.classical ? `out: ${num(kept)} of the drafts` : `tokens out: filled in ${num(lost)}`;
  const above = k ? pen.choose(out, s.classical ? `out: ${num(kept)}` : `filled ${num(lost)}`) : pen.choose(drafts, brief);
  const below = k ? pen.choose("columns as wide as $p$", "width $p$")
    : pen.choose("columns as wide as $q$, kept up to P(accept)", "width $q$");
  return pen.text(left, s.top - 16, above, { bold: true }) + pen.text(left, s.foot + 43, below, { tone: law });
}

export function boards(state, f, pen) {
  const s = stand(state, f, pen);
  let out = "";
  s.boards.forEach(({ law, left, tall }, k) => {
    const columns = ends(state[law], left, s.side);
    out += columnsOf(state, f, s, pen, k, columns) + labels(state.names, columns, s, pen)
      + pen.law(law, `M${left} ${s.foot - tall}h${s.side}v${tall}h${-s.side}z`)
      + titles(s, f, pen, k) + handles(state, s, pen, k, columns);
  });
  const from = s.boards[0].left + s.side + pen.choose(18, 8), to = s.boards[1].left - pen.choose(18, 8), y = s.top + s.side / 2;
  out += pen.line(`M${from} ${y}H${to - 8}`, "ink") + pen.path(`M${to} ${y}l-10 -5v10z`, { class: "fill-ink" });
  return { height: s.foot + 55, body: out };
}

/* ---- dragging ---- */

/* What lies under the pointer: an edge, or the column it is in. */
function found(state, s, [x, y]) {
  const k = s.boards.findIndex(({ left, tall }) =>
    x >= left - NEAR && x <= left + s.side + NEAR && y >= s.foot - tall - 12 && y <= s.foot + 6);
  if (k < 0) return null;
  const { law, left } = s.boards[k], columns = ends(state[law], left, s.side);
  let edge = 0, token = 0;
  for (let i = 1; i < columns.length - 1; i++) {
    if (x >= columns[i]) token = i;
    const gain = Math.abs(x - columns[i]) - (edge ? Math.abs(x - columns[edge]) : NEAR);
    if (gain < 0 || (gain === 0 && x >= columns[i])) edge = i; // of edges in one place the last
  }
  if (edge) return { board: k, edge, token: edge - 1 };
  return s.classical ? null : { board: k, token };
}

export function grabBoard(state, f, pen, point, held) {
  const s = stand(state, f, pen);
  if (!held) {
    const now = found(state, s, point);
    return now && { held: now, set: { token: now.token } };
  }
  const { law, other, left, tall } = s.boards[held.board], i = held.token;
  const hundredths = (v) => Math.round(v * 100) / 100;
  if (held.edge) {
    const shares = [...state[law]], both = shares[i] + shares[i + 1];
    const before = sum(shares.slice(0, i));
    shares[i] = clamp(hundredths((point[0] - left) / s.side - before), 0, both);
    shares[i + 1] = both - shares[i];
    return { held, set: { [law]: shares } };
  }
  const share = clamp((s.foot - point[1]) / tall, 0, 1);
  return { held, set: { [other]: withShare(state[other], i, hundredths(share * state[law][i])) } };
}
