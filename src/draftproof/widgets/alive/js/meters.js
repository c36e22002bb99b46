/* What becomes of the drafts of a block, and the three ratios that programs call acceptance. */

import { alive, clamp, num, sum } from "./kit.js";

const LAST = 16;

/* ---- numbers: pure ---- */

/* Draft k + 1 is tested if the first k were kept. */
export function facts({ alpha, gamma }) {
  const met = Array.from({ length: gamma }, (_, k) => alpha ** k), kept = met.map((x) => x * alpha);
  const tested = sum(met), accepted = sum(kept), bonus = alpha ** gamma;
  return {
    met, kept, tested, accepted, bonus,
    rate: accepted / tested, share: accepted / gamma, tokens: accepted + 1,
  };
}

/* ---- picture: one unit of length is one draft, in the columns and in the bars ---- */

function plan(pen) {
  const left = pen.choose(12, 6), unit = (pen.width - 2 * left) / (LAST + 1), tall = pen.choose(150, 120), top = 30;
  return { left, unit, tall, top, base: top + tall };
}

function columns(state, f, pen, s) {
  let out = pen.text(s.left, 15, pen.choose("fate of the first, second, … draft of a block", "fate of draft 1, 2, … of a block"), { bold: true });
  for (let k = 0; k < LAST; k++) {
    const x = s.left + k * s.unit, column = (share, from) => [x, s.base - (from + share) * s.tall, s.unit, share * s.tall];
    if (k < state.gamma) {
      const { met: { [k]: met }, kept: { [k]: kept } } = f;
      if (met < 1) out += pen.rect(...column(1 - met, met), { class: "edge-next", "data-key": `untested/${k}` });
      out += pen.mass("accepted", ...column(kept, 0), { key: `kept/${k}` })
        + pen.mass("rejected", ...column(met - kept, kept), { key: `rejected/${k}` });
    }
    if (!pen.phone || k % 2 === 0) {
      out += pen.text(x + s.unit / 2, s.base + 17, String(k + 1), { anchor: "middle", size: 12, tone: "ink2", key: "draft" });
    }
  }
  const end = s.left + state.gamma * s.unit;
  return out + pen.line(`M${s.left} ${s.base}H${s.left + LAST * s.unit}`, "axis")
    + pen.line(`M${end} ${s.top - 6}V${s.base + 6}`, "ink", { "data-key": "end" })
    + pen.rect(s.left, s.top - 8, (LAST + 1) * s.unit, s.tall + 32, { fill: "transparent", "data-drag": "gamma" });
}

const FATE = {
  kept: ["accepted", "acc", "kept"], rejected: ["rejected", "rej", "rejected"], untested: [null, "ink2", "never tested"],
  corrected: ["residual", "res", "corrected"], bonus: ["bonus", "bon", "bonus"],
};

/* A ratio as a bar: what is kept, and what stands beside it; its parts in words above. */
function bar(pen, s, y, key, title, value, parts) {
  const there = parts.filter(([, size]) => size > 0.005), low = y + pen.choose(8, 26), high = 24;
  const words = there.map(([name, size]) => pen.tag("tspan", { class: `b tone-${FATE[name][1]}` }, `${num(size)} ${FATE[name][2]}`)).join(" + ");
  let out = pen.text(s.left, y, title, { bold: true }) + pen.text(pen.width - s.left, y, value, { anchor: "end", bold: true })
    + pen.tag("text", { x: s.left + pen.choose(164, 0), y: y + pen.choose(0, 18) }, words), x = s.left;
  for (const [name, size] of there) {
    const w = size * s.unit, [role, tone] = FATE[name], box = [x, low, w, high], said = num(size);
    out += role ? pen.mass(role, ...box, { key: `${key}/${name}` }) : pen.rect(...box, { class: "edge-next", "data-key": `${key}/${name}` });
    if (said.length * 7.4 + 8 < w) out += pen.text(x + w / 2, low + 16.5, said, { anchor: "middle", bold: true, halo: role ? tone : "panel" });
    x += w;
  }
  return out;
}

function draw(state, f, pen) {
  const { alpha, gamma } = state, s = plan(pen), y = s.base + 50, step = pen.choose(60, 76), kept = ["kept", f.accepted];
  const rejected = ["rejected", f.tested - f.accepted], untested = ["untested", gamma - f.tested];
  const e = num(f.accepted), body = columns(state, f, pen, s)
    + bar(pen, s, y, "tested", "kept of tested", `${e} / ${num(f.tested)} = ${num(f.rate)}`, [kept, rejected])
    + bar(pen, s, y + step, "drafted", "kept of drafted", `${e} / ${gamma} = ${num(f.share)}`, [kept, rejected, untested])
    + bar(pen, s, y + 2 * step, "pass", pen.choose("tokens a target pass", "tokens a pass"), `${e} + 1 = ${num(f.tokens)}`,
      [kept, ["corrected", 1 - f.bonus], ["bonus", f.bonus]]);
  const alt = `A block of ${gamma} ${gamma > 1 ? "drafts" : "draft"} at an acceptance of ${num(alpha)}: ${num(f.accepted)} kept, `
    + `${num(f.tested - f.accepted)} rejected, ${num(gamma - f.tested)} never tested. Kept of tested ${num(f.rate)}, kept of drafted `
    + `${num(f.share)}, ${num(f.tokens)} tokens a target pass.`;
  return { height: y + 3 * step - 18, body, alt };
}

const read = (state, f) => [
  [num(f.rate), "kept of tested: $α$", "acc"], [num(f.share), "kept of drafted"], [num(f.tokens), "tokens a target pass"],
];

function grab(state, f, pen, [x, y], held) {
  const s = plan(pen);
  if (!held && (y > s.base + 24 || y < s.top - 8)) return null;
  return { held: "gamma", set: { gamma: clamp(Math.round((x - s.left) / s.unit), 1, LAST) } };
}

export default alive({
  title: "Three meters of one block",
  question: "A longer block: which of the three meters rises, which falls, which stays?",
  keys: ["alpha", "gamma"],
  knobs: [
    { kind: "slider", key: "alpha", label: "acceptance $α$", min: 0, max: 1, step: 0.01, show: (x) => num(x) },
    { kind: "slider", key: "gamma", label: "drafts $γ$", min: 1, max: LAST, step: 1 },
  ],
  facts, draw, read, grab,
});
