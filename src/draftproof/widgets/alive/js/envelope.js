/* The book's target, its two proposals, and how low an envelope of either can go. Pure functions. */

export const LOW = -3;
export const HIGH = 3;

export function target(x) {
  if (x < LOW || x > HIGH) return 0;
  const c = Math.cos(x), s = Math.sin(4 * x), t = Math.sin(6 + x);
  return Math.exp(-x * x / 2) * (t * t + 3 * c * c * s * s + 1);
}

export function density({ proposal, width }, x) {
  if (proposal === "flat") return x >= LOW && x <= HIGH ? 1 / (HIGH - LOW) : 0;
  const z = x / width;
  return Math.exp(-0.5 * z * z) / (width * Math.sqrt(2 * Math.PI));
}

/* Nodes and weights of Gauss and Legendre on [-1, 1]. */
function legendre(n) {
  const nodes = [];
  for (let i = 1; i <= n; i++) {
    let x = Math.cos(Math.PI * (i - 0.25) / (n + 0.5)), slope = 1;
    for (let step = 0; step < 8; step++) {
      let [a, b] = [1, x];
      for (let k = 2; k <= n; k++) [a, b] = [b, ((2 * k - 1) * x * b - (k - 1) * a) / k];
      slope = n * (x * b - a) / (x * x - 1);
      x -= b / slope;
    }
    nodes.push([x, 2 / ((1 - x * x) * slope * slope)]);
  }
  return nodes;
}
const NODES = legendre(16);

export function area(f, parts = 2000) {
  const half = (HIGH - LOW) / parts / 2;
  let total = 0;
  for (let k = 0; k < parts; k++) {
    const middle = LOW + (2 * k + 1) * half;
    for (const [x, weight] of NODES) total += weight * half * f(middle + half * x);
  }
  return total;
}
export const WHOLE = area(target, 400);

/* The largest f/g: best points of a grid, each refined by golden sections. */
function largestRatio(state) {
  const ratio = (x) => target(x) / density(state, x), parts = 6000, step = (HIGH - LOW) / parts;
  const heights = Array.from({ length: parts + 1 }, (_, i) => ratio(LOW + i * step));
  let best = Math.max(...heights);
  for (let i = 1; i < parts; i++) {
    if (heights[i] < best * 0.999 || heights[i] < heights[i - 1] || heights[i] < heights[i + 1]) continue;
    let a = LOW + (i - 1) * step, b = a + 2 * step;
    for (let k = 0; k < 40; k++) {
      const c = b - (b - a) * 0.6180339887498949, d = a + (b - a) * 0.6180339887498949;
      if (ratio(c) > ratio(d)) b = d; else a = c;
    }
    best = Math.max(best, ratio((a + b) / 2));
  }
  return best;
}

const known = new Map();
export function smallest(state) {
  const name = state.proposal === "flat" ? "flat" : `bell ${state.width}`;
  if (!known.has(name)) known.set(name, largestRatio(state));
  return known.get(name);
}
