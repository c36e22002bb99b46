/* What a pass over several positions costs a machine: bytes, operations, and the longer of both. */

import { alive, clamp, count, num, trail } from "./kit.js";

/* ---- numbers: pure ---- */

function work({ billions, bytes, batch, context, cache }, rows) {
  const parameters = billions * 1e9, kept = context * cache * 1e3;
  return { operations: 2 * parameters * rows * batch, moved: parameters * bytes + batch * kept };
}

function pass(state, rows) {
  const { bandwidth, peak } = state.machines[state.machine], { operations, moved } = work(state, rows);
  const compute = operations / peak, memory = moved / bandwidth;
  return { intensity: operations / moved, compute, memory, time: Math.max(compute, memory) };
}

export function facts(state) {
  const { bandwidth, peak } = state.machines[state.machine];
  const one = pass(state, 1), many = pass(state, state.rows);
  return { ridge: peak / bandwidth, one, many, price: many.time / one.time };
}

/* ---- picture ---- */

const seconds = (t) => (t >= 1 ? `${num(t)} s` : t >= 1e-3 ? `${num(t * 1e3)} ms` : `${num(t * 1e6, 1)} µs`);
/* The exponents at the ends of both axes: 0.1 to 10 000 operations a byte, four decades of share,
   and as many more as a pass needs. */
function decades({ ridge, one, many }) {
  const low = Math.min(-1, Math.floor(Math.log10(Math.min(one.intensity, ridge))));
  return {
    low, high: Math.max(4, Math.ceil(Math.log10(Math.max(many.intensity, ridge)) - 1e-9)),
    deep: Math.max(4, Math.ceil(Math.log10(ridge / one.intensity))),
  };
}

/* Operations a byte: a digit after the point, or two digits of what is smaller. */
const rate = (x) => (x < 0.1 ? String(Number(x.toPrecision(2))) : x < 1000 ? num(x, 1) : count(x));
const raised = (k) => String(k).replace("-", "⁻").replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);
const bound = (p) => (p.compute > p.memory ? "compute-bound" : "memory-bound");

function roof(state, f, pen) {
  const { bandwidth, peak } = state.machines[state.machine];
  const left = pen.choose(56, 50), right = pen.choose(24, 16), top = 44, tall = pen.choose(200, 170), floor = top + tall;
  const { low, high, deep } = decades(f);
  const x = (i) => left + (Math.log10(i) - low) / (high - low) * (pen.width - left - right);
  const y = (share) => top - Math.log10(share) / deep * tall;
  const share = (i) => Math.min(1, i * bandwidth / peak);
  let out = "";
  for (let k = 0; k < deep; k++) {
    const words = ["all", "1/10", "1/100", "1/1000"][k] || `10${raised(-k)}`;
    out += pen.line(`M${left} ${y(10 ** -k)}H${pen.width - right}`) + pen.text(left - 6, y(10 ** -k) + 4, words, { anchor: "end", size: 12, tone: "ink2", key: `share/${k}` });
  }
  const every = high - low > pen.choose(9, 6) ? 2 : 1; // on a narrow screen not all decades have room
  for (let k = low; k <= high; k++) {
    const words = k < -1 || k > 4 ? `10${raised(k)}` : String(10 ** k);
    out += pen.line(`M${x(10 ** k)} ${floor}v5`, "axis");
    const at = Math.min(x(10 ** k), pen.width - 4 * words.length); // the last one stays in the picture
    if ((high - k) % every === 0) out += pen.text(at, floor + 20, words, { anchor: "middle", size: 12, tone: "ink2", key: `decade/${k}` });
  }
  out += pen.text(4, 14, pen.choose("share of the machine's arithmetic in use (16-bit, whatever the weights are stored in)", "16-bit arithmetic in use"), { bold: true })
    + pen.text(pen.width - right, floor + 38, "operations a byte", { anchor: "end", bold: true });
  out += pen.line(trail([10 ** low, f.ridge, 10 ** high].map((i) => [x(i), y(share(i))])), "ink", { "data-key": "roof" });
  out += pen.line(`M${x(f.ridge)} ${floor}V${y(1)}`, "leader", { "data-key": "ridge" }) + pen.text(x(f.ridge) - 6, floor - 8, `ridge ${Math.round(f.ridge)}`, { anchor: "end", tone: "ink2", halo: "bg" });
  out += pen.line(`M${left} ${floor}H${pen.width - right}`, "axis");
  const spots = [[f.one, "p", "1 position"], [f.many, "q", `${state.rows} positions`]];
  spots.reverse().forEach(([p, role, words]) => {
    const cx = x(p.intensity), cy = y(share(p.intensity)), low = role === "p";
    out += pen.tag("circle", { cx, cy, r: 7, class: `knob-${role}`, "data-key": `spot/${role}` });
    const half = words.length * 3.6 + 2, middle = clamp(cx, left + half, pen.width - right - half);
    out += low ? pen.text(Math.min(cx + 12, pen.width - right - 2 * half), cy + 20, words, { bold: true, tone: role, halo: "bg" })
      : pen.text(middle, cy - 14, words, { anchor: "middle", bold: true, tone: role, halo: "bg" });
  });
  return { out, foot: floor + 52 };
}

/* The two passes as times: reading the memory and computing run together; the longer one counts. */
function times(state, f, pen, top) {
  const left = pen.choose(150, 8), longest = Math.max(f.one.time, f.many.time), unit = (pen.width - left - pen.choose(100, 72)) / longest;
  let out = "", y = top;
  for (const [p, role, name] of [[f.one, "p", "1 position"], [f.many, "q", `${state.rows} positions`]]) {
    if (pen.phone) { out += pen.text(8, y + 12, `${name}: ${seconds(p.time)}`, { bold: true, tone: role }); y += 20; }
    else out += pen.text(8, y + 18, name, { bold: true, tone: role }) + pen.text(8, y + 36, seconds(p.time), { tone: "ink2" });
    for (const [key, t, words] of [["memory", p.memory, "reading"], ["compute", p.compute, "computing"]]) {
      const w = Math.max(t * unit, 1.5);
      out += pen.rect(left, y, w, 18, { class: `box-${role}${t === p.time ? "" : " dim"}`, rx: 2, "data-key": `${key}/${role}` })
        + pen.text(left + w + 8, y + 14, words, { size: 12, tone: t === p.time ? undefined : "ink2", bold: t === p.time });
      y += 22;
    }
    y += pen.choose(10, 8);
  }
  return { out, height: y + 4 };
}

function draw(state, f, pen) {
  const one = roof(state, f, pen), two = times(state, f, pen, one.foot);
  const model = which(state), name = model < 0 ? `a model of ${Number(state.billions.toFixed(2))} billion weights` : state.models[model].name;
  const alt = `Roofline of ${state.machines[state.machine].name} with ${name}: the machine needs ${Math.round(f.ridge)} operations a byte to be busy. `
    + `A pass over one position has ${rate(f.one.intensity)} and is ${bound(f.one)}, over ${state.rows} positions ${rate(f.many.intensity)}, ${bound(f.many)}. `
    + `The second takes ${num(f.price)} times as long. The arithmetic is that of 16 bits, whatever the weights are stored in.`;
  return { height: two.height, body: one.out + two.out, alt };
}

function read(state, f) {
  return [
    [num(f.price), `price $v$ of ${state.rows} positions`],
    [rate(f.one.intensity), `operations a byte, 1 position: ${bound(f.one)}`, "p"],
    [rate(f.many.intensity), `with ${state.rows}: ${bound(f.many)}`, "q"],
  ];
}

const log = (key, label, low, high, digits) => ({
  kind: "slider", key, label, min: Math.log10(low), max: Math.log10(high), step: 0.02,
  get: (s) => Number(Math.log10(s[key]).toFixed(6)),
  set: (s, x) => ({ [key]: Number((10 ** x).toPrecision(2)) }),
  show: (x, s) => String(Number(s[key].toFixed(digits))),
});
const power = (key, label, most) => ({
  kind: "slider", key, label, min: 0, max: most, step: 1,
  get: (s) => Math.round(Math.log2(s[key])), set: (s, x) => ({ [key]: 2 ** x }), show: (x, s) => String(s[key]),
});

/* A model's name stands for its two numbers; moving either leaves the name. */
const which = (s) => s.models.findIndex(({ billions, cache }) => billions === s.billions && cache === s.cache);

export default alive({
  title: "The price of verification",
  question: "When does checking many positions cost no more than computing one?",
  keys: ["machines", "machine", "models", "billions", "bytes", "batch", "context", "cache", "rows"],
  knobs: [
    { kind: "menu", key: "machine", label: "machine", options: (s) => s.machines.map(({ name }, i) => [i, name]) },
    { kind: "menu", key: "model", label: "model", get: which,
      options: (s) => [...s.models.map(({ name }, i) => [i, name]), ...(which(s) < 0 ? [[-1, "as set below"]] : [])],
      set: (s, i) => ({ billions: s.models[i].billions, cache: s.models[i].cache }) },
    { kind: "menu", key: "bytes", label: "weights stored in", options: [[2, "16 bits"], [1, "8 bits"], [0.5, "4 bits"]] },
    log("billions", "billion weights", 0.1, 1000, 2),
    { kind: "slider", key: "rows", label: "positions checked", role: "q", min: 1, max: 64, step: 1 },
    power("batch", "sequences at once", 9),
    { kind: "slider", key: "context", label: "tokens of context", min: 0, max: 131072, step: 1024 },
    { kind: "slider", key: "cache", label: "cache, kB a token", min: 0, max: 600, step: 4, show: (x) => String(Math.round(x)) },
  ],
  facts, draw, read,
});
