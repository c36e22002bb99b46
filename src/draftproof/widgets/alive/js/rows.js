/* Two laws after a context, as bars: what is kept, what is cut off and what is filled in. */

import { num } from "./kit.js";
import { rounded } from "./laws.js";

/* The draft's row after a context: w p + (1 - w) q0. */
export const draftRow = ({ weight, base }, row) => row.map((p, i) => weight * p + (1 - weight) * base[i]);

/* What a menu of contexts offers. */
export const contexts = ({ names }) =>
  [[names.length, "the start"], ...names.map((name, i) => [i, name === " " ? "space" : name])];

export const glyph = (name) => (name === " " ? "␣" : name);
export const spoken = (state, i) => (i === state.names.length ? "the start" : state.names[i] === " " ? "a space" : state.names[i]);

export function bars(state, f, pen) {
  const n = state.names.length, left = pen.choose(34, 24), right = pen.choose(24, 16);
  const slot = (pen.width - left - right) / n, wide = slot * 0.8;
  const top = Math.max(0.2, Math.ceil(Math.max(...f.p, ...f.q) * 10 - 1e-9) / 10);
  const roof = 66, tall = pen.choose(180, 160), base = roof + tall, y = (v) => base - v * tall / top;
  let out = "", front = "";
  const [kept, lost] = rounded([f.beta, f.tv]);
  const unit = pen.choose(420, 180), band = (role, at, words, tone) =>
    pen.mass(role, left, at, f.tv * unit, 14, { key: `band/${role}` })
    + pen.text(left + f.tv * unit + 10, at + 12, `${words} ${num(lost)}`, { bold: true, tone });
  out += band("rejected", 4, "cut off", "rej") + band("residual", 26, "filled in", "res");
  for (const v of [top / 2, top]) {
    out += pen.line(`M${left} ${y(v)}H${pen.width - right}`)
      + pen.text(left - 5, y(v) + 4, String(Number(v.toFixed(2))).replace(/^0/, ""), { anchor: "end", size: 12, tone: "ink2" });
  }
  for (let i = 0; i < n; i++) {
    const x = left + slot * i + (slot - wide) / 2, p = f.p[i], q = f.q[i], low = Math.min(p, q);
    out += pen.mass("accepted", x, y(low), wide, base - y(low), { key: `kept/${i}` })
      + (q > p ? pen.mass("rejected", x, y(q), wide, y(p) - y(q), { key: `cut/${i}` })
        : pen.mass("residual", x, y(p), wide, y(q) - y(p), { key: `filled/${i}` }));
    front += pen.law("q", `M${x - 2} ${y(q)}h${wide + 4}`) + pen.law("p", `M${x} ${y(p)}h${wide}`)
      + pen.text(x + wide / 2, base + 18, glyph(state.names[i]), { anchor: "middle", mono: true, size: pen.choose(14, 13) });
  }
  front += pen.line(`M${left} ${base}H${pen.width - right}`, "axis");
  const [one, two] = f.p[n - 1] > f.q[n - 1] ? ["p", "q"] : ["q", "p"];
  const level = (y(f.p[n - 1]) + y(f.q[n - 1])) / 2 + 3, apart = Math.max(8, Math.abs(y(f.p[n - 1]) - y(f.q[n - 1])) / 2);
  front += pen.text(pen.width - right + 4, level - apart, `$${one}$`, { tone: one })
    + pen.text(pen.width - right + 4, level + apart, `$${two}$`, { tone: two });
  const where = pen.choose([pen.width - right, 22], [pen.width - 4, 58]);
  front += pen.text(...where, `after ${spoken(state, state.context)}: $β$ = ${num(kept)}`, { anchor: "end", bold: true, size: pen.choose(18, 15), halo: "bg" });
  return { out: out + front, foot: base + 30 };
}
