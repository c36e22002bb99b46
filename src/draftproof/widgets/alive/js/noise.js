/* How many samples until a bias shows: an exact sampler, a biased one, and the band of chance. */

import { alive, chance, clamp, count, num, sum, trail } from "./kit.js";

/* ---- numbers: pure ---- */

/* The error function, to the last digits of a double. */
export function erf(x) {
  const z = Math.abs(x);
  if (z > 6) return Math.sign(x);
  let total = z, term = z;
  if (z < 2.5) {
    for (let k = 1; Math.abs(term) > 1e-17 * total; k++) {
      term *= 2 * z * z / (2 * k + 1);
      total += term;
    }
    total *= 2 / Math.sqrt(Math.PI) * Math.exp(-z * z);
  } else {
    let tail = 0;
    for (let k = 60; k >= 1; k--) tail = k / 2 / (z + tail);
    total = 1 - Math.exp(-z * z) / Math.sqrt(Math.PI) / (z + tail);
  }
  return Math.sign(x) * total;
}

/* The mean distance of n samples of `drawn` from `law`, each share taken as normal. */
export function meanDistance(law, drawn, n) {
  return sum(law.map((p, i) => {
    const gap = Math.abs(drawn[i] - p), sd = Math.sqrt(drawn[i] * (1 - drawn[i]) / n);
    if (sd === 0) return gap;
    const z = gap / sd / Math.SQRT2;
    return sd * Math.sqrt(2 / Math.PI) * Math.exp(-z * z) + gap * erf(z);
  })) / 2;
}

/* The biased law: on the way from the exact to the faulty one, at the wanted distance. */
export function biasedLaw({ law, fault, bias }) {
  const whole = sum(law.map((p, i) => Math.abs(p - fault[i]))) / 2, share = bias / whole;
  return law.map((p, i) => p + share * (fault[i] - p));
}

/* A value at n between sizes, straight on log-log paper. */
export function between(sizes, values, n) {
  let k = 1;
  while (k < sizes.length - 1 && sizes[k] < n) k += 1;
  const at = Math.log(n / sizes[k - 1]) / Math.log(sizes[k] / sizes[k - 1]);
  return Math.exp((1 - at) * Math.log(values[k - 1]) + at * Math.log(values[k]));
}

/* Where the biased sampler's mean distance leaves the band; null beyond the sizes. */
function crossing(state, drawn) {
  const { sizes, band, law } = state;
  const out = (n) => meanDistance(law, drawn, n) > between(sizes, band.at(-1), n);
  let low = Math.log(sizes[0]), high = Math.log(sizes[sizes.length - 1]);
  if (!out(Math.exp(high))) return null;
  for (let k = 0; k < 50; k++) {
    const middle = (low + high) / 2;
    if (out(Math.exp(middle))) high = middle; else low = middle;
  }
  return Math.exp(high);
}

export function facts(state) {
  const { law, sizes, band, step } = state, n = sizes[step], drawn = biasedLaw(state);
  return {
    n, low: band[0][step], high: band.at(-1)[step], biased: drawn,
    exactMean: meanDistance(law, law, n), biasedMean: meanDistance(law, drawn, n),
    crossing: crossing(state, drawn),
  };
}

/* Draw n tokens more into counts: a table of halves, one uniform a token. */
export function sampler(law) {
  const v = law.length, cut = law.map((p) => p * v), other = law.map((_, i) => i);
  const small = [], large = [];
  cut.forEach((c, i) => (c < 1 ? small : large).push(i));
  while (small.length && large.length) {
    const a = small.pop(), b = large[large.length - 1];
    other[a] = b;
    cut[b] -= 1 - cut[a];
    if (cut[b] < 1) small.push(large.pop());
  }
  for (const i of [...small, ...large]) cut[i] = 1;
  return (n, rand, counts) => {
    for (let k = 0; k < n; k++) {
      const u = rand() * v, i = Math.floor(u);
      counts[u - i < cut[i] ? i : other[i]] += 1;
    }
  };
}

/* ---- the run: real samples, drawn when the reader gets there ---- */

function streams(state, memo) {
  const key = JSON.stringify([state.bias, state.run]);
  if (!memo.key) memo.rand = chance(state.seed && state.seed + state.run);
  if (memo.key !== key) {
    memo.key = key;
    memo.lines = [state.law, biasedLaw(state)].map((law) =>
      ({ more: sampler(law), counts: state.law.map(() => 0), found: [] }));
  }
  for (const line of memo.lines) {
    for (let k = line.found.length; k <= state.step; k++) {
      line.more(state.sizes[k] - (k ? state.sizes[k - 1] : 0), memo.rand, line.counts);
      const gaps = state.law.map((p, i) => Math.abs(line.counts[i] / state.sizes[k] - p));
      line.found.push(sum(gaps) / 2);
    }
  }
  return memo.lines.map((line) => line.found.slice(0, state.step + 1));
}

const grow = (app) => {
  const last = app.state().sizes.length - 1, from = app.state().step < last ? app.state().step : 0;
  app.play(160 * (last - from), (t) => {
    const step = Math.round(from + (last - from) * t);
    if (step !== app.state().step) app.set({ step });
  });
};

/* ---- picture ---- */

const HIGH = 0.4;

function stage(state, pen) {
  const left = pen.choose(58, 48), right = pen.choose(24, 12), roof = 34, tall = pen.choose(310, 290);
  const ends = [state.sizes[0], state.sizes[state.sizes.length - 1]];
  const across = pen.width - left - right, low = Math.min(6e-4, 0.8 * state.band[0].at(-1));
  return {
    low, left, roof, tall, floor: roof + tall, across, ends,
    x: (n) => left + Math.log(n / ends[0]) / Math.log(ends[1] / ends[0]) * across,
    y: (d) => roof + tall * Math.log(HIGH / clamp(d, low, HIGH)) / Math.log(HIGH / low),
  };
}

const power = (k) => `10${"⁰¹²³⁴⁵⁶⁷"[k]}`;

export const rough = (n) => {
  const unit = 10 ** (Math.floor(Math.log10(n)) - 1);
  return count(Math.round(n / unit) * unit);
};

function draw(state, f, pen, app) {
  const held = `${Math.round(100 * state.share)}\u00a0%`;
  const s = stage(state, pen), { sizes, band, law } = state, at = (values) => (n, k) => [s.x(n), s.y(values[k])];
  let out = "";
  for (const d of [0.1, 0.01, 0.001, 0.0001].filter((tick) => tick > s.low)) {
    out += pen.line(`M${s.left} ${s.y(d)}H${s.left + s.across}`)
      + pen.text(s.left - 8, s.y(d) + 4, String(d), { anchor: "end", size: 12, tone: "ink2" });
  }
  const edges = [band[0], band.at(-1)].map((values) => sizes.map(at(values)));
  out += pen.path(`${trail([...edges[0], ...[...edges[1]].reverse()])}Z`, { class: "fill-p", "data-key": "band" });
  for (const edge of edges) out += pen.line(trail(edge), "band");
  out += pen.line(trail(sizes.map((n) => [s.x(n), s.y(meanDistance(law, f.biased, n))])), "dashed");
  const lines = streams(state, app.memo);
  lines[1].forEach((d, k) => { out += pen.path(`M${s.x(sizes[k])} ${s.y(d) - 5}l5 5l-5 5l-5 -5z`, { class: "seen", "data-key": `biased/${k}` }); });
  lines[0].forEach((d, k) => { out += pen.tag("circle", { cx: s.x(sizes[k]), cy: s.y(d), r: 4, class: "knob-p", "data-key": `exact/${k}` }); });
  for (let k = 2; k <= 6; k += 1) {
    const x = s.x(10 ** k);
    out += pen.line(`M${x} ${s.floor}v5`, "axis") + pen.text(x, s.floor + 20, power(k), { anchor: "middle", size: 12, tone: "ink2" });
  }
  out += pen.line(`M${s.left} ${s.floor}H${s.left + s.across}`, "axis");
  out += pen.text(4, 16, pen.choose("distance of the samples from $p$ (total variation)", "distance from $p$ (TV)"), { bold: true })
    + pen.text(s.left + s.across, s.floor + 38, "samples $n$", { anchor: "end", bold: true });
  const under = Math.sqrt(s.low * between(sizes, band[0], 8000)); // left of there the band is above it
  out += pen.text(s.x(130), s.y(under), pen.choose(`exact sampler: ${held} of runs in this band`, `exact: ${held} of runs`), { tone: "p", bold: true, halo: "bg" });
  const flat = s.y(state.bias) + 26;
  out += pen.text(s.left + s.across, flat, pen.choose(`biased sampler, stays at ${num(state.bias, 3)}`, `biased, at ${num(state.bias, 3)}`), { anchor: "end", bold: true, halo: "bg" });
  if (f.crossing) {
    const x = s.x(f.crossing), y = s.y(between(sizes, band.at(-1), f.crossing)), words = `$n$ ≈ ${rough(f.crossing)}`;
    const right = x < s.left + 130;
    out += pen.line(`M${x} ${s.floor}V${y + 10}`, "leader") + pen.tag("circle", { cx: x, cy: y, r: 9, class: "ring", "data-key": "crossing" })
      + pen.text(right ? x + 8 : x - 8, s.floor - 12, words, { anchor: right ? "start" : "end", bold: true, size: 18, halo: x > s.x(2e5) ? "wash" : "bg" });
  }
  const x = s.x(f.n);
  out += pen.path(`M${x} ${s.floor + 1}l6 8h-12z`, { class: "fill-ink" });
  out += pen.rect(s.left - 8, s.roof, s.across + 16, s.tall + 30, { fill: "transparent", "data-drag": "step" });
  const [exact, biased] = lines.map((line) => line[state.step]);
  const alt = `Distance from p against the number of samples, both on logarithmic scales. The band that holds ${held} of exact runs falls `
    + `as one over the root of n; the biased sampler stays at ${num(state.bias, 3)}. `
    + (f.crossing ? `Its mean distance leaves the band at about ${rough(f.crossing)} samples. ` : "It does not leave the band up to a million samples. ")
    + `In this run, after ${count(f.n)} samples, the exact sampler is ${num(exact, 4)} away and the biased one ${num(biased, 4)}.`;
  app.memo.now = [exact, biased];
  return { height: s.floor + 46, body: out, alt };
}

function read(state, f, app) {
  const [exact, biased] = app.memo.now, said = (d) => (d > f.high ? "above the band" : d < f.low ? "below the band" : "inside the band");
  return [
    [count(f.n), "samples"],
    [num(exact, 4), `exact: ${said(exact)}`, "p"], [num(biased, 4), `biased: ${said(biased)}`],
    [f.crossing ? `≈ ${rough(f.crossing)}` : "beyond a million", "samples until the bias shows"],
  ];
}

function grab(state, f, pen, [x, y], held) {
  const s = stage(state, pen);
  if (!held && (x < s.left - 8 || y < s.roof || y > s.floor + 30)) return null;
  const share = clamp((x - s.left) / s.across, 0, 1);
  return { held: "step", set: { step: Math.round(share * (state.sizes.length - 1)) } };
}

export default alive({
  title: "A bias and the noise around it",
  question: "How many samples does it take to see that a sampler is wrong?",
  keys: ["law", "fault", "sizes", "band", "share", "bias", "step", "run", "seed"],
  knobs: [
    { kind: "slider", key: "bias", label: "bias (TV from $p$)", min: 0.002, max: 0.08, step: 0.001, show: (x) => num(x, 3) },
    { kind: "slider", key: "step", label: "samples $n$", min: 0, max: (s) => s.sizes.length - 1, step: 1, show: (x, s) => count(s.sizes[x]) },
    { kind: "button", key: "grow", label: ({ app }) => (app.playing() ? "Stop" : "Let it run"),
      act: (app) => (app.playing() ? app.stop() : grow(app)) },
    { kind: "button", key: "again", label: "New samples", act: (app) => app.set({ run: app.state().run + 1 }) },
  ],
  facts, draw, read, grab,
});
