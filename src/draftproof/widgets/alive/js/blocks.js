/* All blocks over two tokens, judged by the token rule and as a whole, and where that gains. */

import { alive, clamp, num, prose, sum } from "./kit.js";
import {
  NAMES, PARTS, RULES, average, both, compare, gains, short, signed, spelt, sumWords, word,
} from "./blockwise.js";

export const facts = compare;

/* ---- picture ---- */

function sheet(gamma, pen) {
  const row = [46, 40, 32, 28][gamma - 1], x = pen.choose(84, 10), top = pen.choose(16, 36), head = gamma > 2 ? 44 : 26;
  const first = top + head + 34, second = first + gamma * row + 36, foot = second + gamma * row;
  return { x, wide: pen.width - x - pen.choose(12, 10), row, top, head, first, second, foot, low: foot + 60 };
}

/* Where each block's column begins, and how wide it is. */
function columns(f, s) {
  let at = s.x;
  return f.blocks.map((block, k) => {
    const box = { block, k, x: at, w: f.drafted[k] * s.wide };
    at += box.w;
    return box;
  });
}

function tile(pen, role, box, words, key) {
  const [x, y, w, h] = box, fits = words.slice(1).find((said) => said.length * 6.6 + 8 < w), halo = role.slice(0, 3);
  const put = (level, said, more) => pen.text(x + w / 2, level, said, { anchor: "middle", halo, ...more });
  let out = pen.mass(role, x, y, w, h, { key, bare: w < 5 });
  if (fits && h >= 36) out += put(y + h / 2 - 3, words[0], { bold: true }) + put(y + h / 2 + 14, fits, { size: 12 });
  else if (w > 13) out += put(y + h / 2 + 4.5, words[0], { bold: true });
  return out;
}

/* One rule's tiles: what is kept of each block and what is corrected, a row a draft. */
function tiles(f, s, pen, rule, y0) {
  const gamma = f.drafts.length;
  return columns(f, s).map(({ block, k, x, w }) => {
    const drafts = spelt(block, gamma), kept = f[rule].kept[k];
    let out = "";
    drafts.forEach((draft, t) => {
      const on = sum(kept.slice(t + 1)) * s.wide, end = kept[t] * s.wide, y = y0 + t * s.row, fix = f[rule].fixes[k][t];
      const words = fix === draft ? ["drawn anew", "anew"] : [`corrected ${NAMES[draft]} → ${NAMES[fix]}`, `${NAMES[draft]} → ${NAMES[fix]}`];
      out += tile(pen, "accepted", [x, y, on, s.row], [NAMES[draft], "kept"], `${rule}/kept/${t + 1}/${word(drafts)}`)
        + tile(pen, "residual", [x + on, y, end, s.row], [NAMES[fix], ...words], `${rule}/fixed/${t + 1}/${word(drafts)}`);
      if (w - on - end > 1) out += pen.rect(x + on + end, y, w - on - end, s.row, { class: "edge-next" });
    });
    return out;
  }).join("");
}

/* A block's name in its column; upright where it is too wide for that. */
function named(pen, s, x, w, choices) {
  const look = { anchor: "middle", bold: true, tone: "q" }, middle = x + w / 2, level = s.top + s.head / 2;
  const said = choices.find((one) => one.length * 7.6 + 6 < w);
  if (said) return pen.text(middle, level + 4.5, said, look);
  const turned = pen.text(middle, level + 4.5, choices.at(-1), { ...look, size: 12 });
  return w < 14 || s.head < 40 ? "" : pen.tag("g", { transform: `rotate(-90 ${middle} ${level})` }, turned);
}

/* On a narrow screen the chosen block's name and change stand over and under its column. */
function legend(f, pen, s, mine, name, changed) {
  const put = (y, words, tone) => pen.text(clamp(mine.x + mine.w / 2, words.length * 3.8 + 6, pen.width - words.length * 3.8 - 6), y,
    words, { anchor: "middle", bold: true, tone });
  return put(s.top - 9, `draft ${name} · ${short(f.drafted[mine.k])}`, "q") + put(s.foot + 20, `${name}: change ${changed}`);
}

function strips(state, f, pen, s) {
  const { gamma } = state, mine = columns(f, s).find(({ block }) => block === f.chosen);
  let out = pen.choose(pen.text(10, s.top + s.head / 2 + 4.5, "drafted", { bold: true, tone: "q" }), "");
  for (const { block, k, x, w } of columns(f, s)) {
    const name = word(spelt(block, gamma)), share = short(f.drafted[k]);
    const changed = signed(average(f.block.kept[k]) * f.drafted[k] - average(f.token.kept[k]) * f.drafted[k]);
    out += pen.rect(x, s.top, w, s.head, { class: "edge edge-q gone" })
      + named(pen, s, x, w, pen.choose([`draft ${name} · ${share}`, `${name} · ${share}`, name], [name]));
    if (pen.phone) out += k === mine.k ? legend(f, pen, s, mine, name, changed) : "";
    else if (changed.length * 7.6 + 8 < w) out += pen.text(x + w / 2, s.foot + 20, changed, { anchor: "middle", bold: true });
  }
  let front = pen.rect(mine.x, s.top, mine.w, s.head, { class: "mine" });
  for (const [rule, y] of [["token", s.first], ["block", s.second]]) {
    const verb = pen.choose("drafts kept:", "kept"), words = sumWords(f[rule].kept, f[rule].total, gamma)
      .find((said) => (said.length + verb.length + 1) * 7.2 < s.wide - 90);
    out += tiles(f, s, pen, rule, y);
    front += pen.rect(mine.x, y, mine.w, gamma * s.row, { class: "mine", "data-key": `chosen/${rule}` });
    out += pen.text(s.x, y - 8, `${rule} rule`, { bold: true, size: 14 })
      + pen.text(s.x + s.wide, y - 8, `${verb} ${words}`, { anchor: "end", bold: true, tone: "acc" });
    if (!pen.phone) for (let t = 0; t < gamma; t++) out += pen.text(10, y + t * s.row + s.row / 2 + 4.5, `draft ${t + 1}`, { tone: "ink2" });
  }
  if (!pen.phone) out += pen.text(10, s.foot + 20, "change", { tone: "ink2" });
  return out + front + pen.rect(s.x, s.top, s.wide, s.foot - s.top, { fill: "transparent", "data-pick": "block" });
}

/* The running products of one block: filled up to the weight, a heavy line at the token rule's. */
function ladder(f, pen, top) {
  const gamma = f.drafts.length, wide = pen.choose(410, 316), column = Math.min(pen.choose(130, 120), wide / gamma);
  const bar = Math.min(92, column * 0.8), tall = 118, base = top + 50 + tall, left = 10;
  let out = pen.text(left, top + 4, `block ${word(f.drafts)}: its running products`, { bold: true, size: 14 })
    + pen.text(left, top + 24, pen.choose("filled: weight $ω$ of the block rule; heavy line: the token rule's product",
      "filled: weight $ω$; heavy line: token rule"), { size: 12, tone: "ink2" });
  f.drafts.forEach((draft, t) => {
    const { weight, product, ratio, passes } = f.steps, x = left + column * t + (column - bar) / 2, middle = x + bar / 2;
    const w = weight[t], line = base - product[t] * tall, apart = w - product[t] > 1e-9;
    const put = (y, words, more) => pen.text(middle, y, words, { anchor: "middle", ...more });
    out += pen.mass("rejected", x, base - tall, bar, (1 - w) * tall, { key: `debt/${t + 1}` })
      + pen.mass("accepted", x, base - w * tall, bar, w * tall, { key: `weight/${t + 1}` });
    out += pen.line(`M${x - 5} ${line}H${x + bar + 5}`, "ink", { "data-key": `product/${t + 1}` });
    if (apart && product[t] * tall > 19) out += put(line + 16, `token ${short(product[t])}`, { bold: true, halo: "acc", size: 12 });
    const room = (apart ? w - product[t] : w) * tall;
    out += room > 19 ? put(base - w * tall + room / 2 + 4.5, `$ω$ = ${short(w)}`, { bold: true, halo: "acc" })
      : put(base - w * tall - 7, `$ω$ = ${short(w)}`, { bold: true, halo: "rej" });
    out += put(base + 19, word(f.drafts.slice(0, t + 1)), { bold: true })
      + put(base + 37, `$p/q$ = ${short(ratio[t])}`, { tone: "ink2" })
      + put(base + 55, `passes ${short(passes[t])}`, { bold: true, tone: "acc" });
  });
  out += pen.line(`M${left} ${base}H${left + column * gamma}`, "axis");
  return { out, foot: base + 62 };
}

/* Where the gain is: a square for each pair of shares, as large as the gain. */
const chart = (pen, s, low) => ({ x: pen.choose(512, 58), y: pen.choose(s.low, low + 30) + 40, cell: pen.choose(14.5, 15) });

function map(state, f, pen, m) {
  const most = Math.max(...f.gains.flat()), side = m.cell * (PARTS + 1), foot = m.y + side, right = m.x + side;
  const at = (draft, target) => [m.x + (draft + 0.5) * m.cell, foot - (target + 0.5) * m.cell];
  let out = pen.text(m.x - 12, m.y - 36, "where the gain is", { bold: true, size: 14 })
    + pen.text(m.x - 12, m.y - 16, most ? `largest square: ${num(most, 3)} drafts` : "one draft: none anywhere", { size: 12, tone: "ink2" });
  out += pen.rect(m.x, m.y, side, side, { class: "cell" }) + pen.line(`M${m.x} ${foot}L${right} ${m.y}`);
  f.gains.forEach((row, target) => row.forEach((gain, draft) => {
    const [x, y] = at(draft, target), w = most && gain > 1e-12 ? Math.sqrt(gain / most) * (m.cell - 2) : 0;
    if (w > 0.5) out += pen.rect(x - w / 2, y - w / 2, w, w, { class: "fill-acc edge-acc", "data-key": `gain/${draft}/${target}` });
  }));
  const [x, y] = at(state.draft_a, state.target_a);
  out += pen.tag("circle", { cx: x, cy: y, r: m.cell / 2 + 1, class: "ring", "data-key": "here" })
    + pen.text(m.x, foot + 18, "0") + pen.text(right, foot + 18, "1", { anchor: "end" })
    + pen.text(m.x + side / 2, foot + 18, "$q$(a)", { anchor: "middle", tone: "q" })
    + pen.text(m.x - 8, foot - 2, "0", { anchor: "end" }) + pen.text(m.x - 8, m.y + 11, "1", { anchor: "end" })
    + pen.text(m.x - 8, m.y + side / 2 + 4, "$p$(a)", { anchor: "end", tone: "p" })
    + pen.rect(m.x, m.y, side, side, { fill: "transparent", "data-pick": "laws", style: "touch-action: none" });
  return { out, foot: foot + 26 };
}

function draw(state, f, pen) {
  const s = sheet(state.gamma, pen), one = ladder(f, pen, s.low), two = map(state, f, pen, chart(pen, s, one.foot));
  const said = RULES.map((rule) => `the ${rule} rule keeps ${both(f[rule].total)}`).join(", ");
  const changes = f.blocks.map((block, k) => [word(spelt(block, state.gamma)),
    (average(f.block.kept[k]) - average(f.token.kept[k])) * f.drafted[k]]).filter(([, x]) => Math.abs(x) > 1e-9);
  const alt = `All blocks of ${state.gamma} drafts from q(a) = ${state.draft_a}/12, judged for p(a) = ${state.target_a}/12. Drafts of a block: ${said}. `
    + (changes.length ? `The block rule's change: ${changes.map(([name, x]) => `${name} ${signed(x)}`).join(", ")}. ` : "Both do the same. ")
    + `Along ${word(f.drafts)} the weights are ${f.steps.weight.map((x) => short(x)).join(", ")}, the token rule's products ${f.steps.product.map((x) => short(x)).join(", ")}.`;
  return { height: Math.max(one.foot, two.foot), body: strips(state, f, pen, s) + one.out + two.out, alt };
}

const value = ([n, d]) => n / d;

function read(state, f) {
  const [token, block] = RULES.map((rule) => value(f[rule].total)), gain = block - token;
  return [
    [both(f.token.total), "drafts kept by the token rule"], [both(f.block.total), "by the block rule", "acc"],
    [signed(gain), "the gain"], [`${num(100 * gain / (token + 1), 1)}\u00a0%`, "more tokens a pass"],
  ];
}

/* ---- why ---- */

function why(f) {
  const { coin, ratio, weight, passes } = f.steps, k = f.blocks.indexOf(f.chosen), names = f.drafts.map((x) => NAMES[x]);
  const coins = names.map((name, t) => `${name} with ${short(coin[t])}`).join(", ");
  const moves = names.map((name, t) => {
    const before = t ? weight[t - 1] : 1, now = weight[t];
    if (now < before - 1e-9) return `${name} takes the weight down to ${short(now)}`;
    if (now > before + 1e-9) return `${name} pays back, up to ${short(now)}`;
    return ratio[t] > 1 + 1e-9 && now > 0 ? `${name} finds no debt to pay and earns no credit` : `${name} leaves it at ${short(now)}`;
  }).join("; ");
  const asked = names.map((_, t) => t).reverse(), sure = asked.findIndex((t) => passes[t] > 1 - 1e-9);
  const prefixes = asked.slice(0, sure < 0 ? undefined : sure + 1)
    .map((t) => `${names.slice(0, t + 1).join("")} with ${short(passes[t])}`).join(", ");
  const [token, block] = RULES.map((rule) => average(f[rule].kept[k]));
  return `<p class="dpa-note"><b>Token rule.</b> A coin for each draft, in turn: ${coins}. It cuts at the first that fails, before it has seen the rest.</p>`
    + `<p class="dpa-note"><b>Block rule.</b> ${prose(moves[0] + moves.slice(1))}. A coin for each prefix, the longest first: ${prefixes}. It cuts behind the first that passes${sure < 0 ? ", and keeps nothing if none does" : ""}.</p>`
    + `<p class="dpa-note">Of ${word(f.drafts)} the token rule keeps ${short(token)} on average, the block rule ${short(block)}.</p>`;
}

/* ---- controls ---- */

const share = (key, role, label) => ({
  kind: "slider", key, role, label, min: 0, max: PARTS, step: 1, show: (x) => short(x / PARTS),
});

/* The shares with the largest gain; of two mirrored pairs, the one that drafts a too often. */
function best({ gamma }) {
  const all = gains(gamma), most = Math.max(...all.flat());
  for (let draft = PARTS; draft >= 0; draft--) {
    const target = all.findIndex((row) => row[draft] > most - 1e-12);
    if (target >= 0) return { draft_a: draft, target_a: target };
  }
}

function grab(state, f, pen, [x, y], held) {
  const s = sheet(state.gamma, pen), m = chart(pen, s, ladder(f, pen, s.low).foot), side = m.cell * (PARTS + 1);
  const inside = x >= m.x && x <= m.x + side && y >= m.y && y <= m.y + side;
  if (held === "laws" || (!held && inside)) {
    const step = (z) => Math.min(PARTS, Math.max(0, Math.floor(z / m.cell)));
    return { held: "laws", set: { draft_a: step(x - m.x), target_a: step(m.y + side - y) } };
  }
  const box = y >= s.top && y <= s.foot && columns(f, s).find((one) => x >= one.x && x < one.x + one.w);
  return box && held !== "laws" ? { held: "block", set: { block: box.block } } : null;
}

const place = (s, f = facts(s)) => f.blocks.indexOf(f.chosen);

export default alive({
  title: "Two rules on the same blocks",
  question: "Move the two laws: can you find a pair where the token rule keeps more?",
  keys: ["draft_a", "target_a", "gamma", "block"],
  knobs: [
    share("draft_a", "q", "draft $q$(a)"), share("target_a", "p", "target $p$(a)"),
    { kind: "slider", key: "gamma", label: "drafts $γ$", min: 1, max: 4, step: 1,
      set: (s, gamma) => ({ gamma, block: gamma > s.gamma ? s.block << (gamma - s.gamma) : s.block >> (s.gamma - gamma) }) },
    { kind: "slider", key: "block", label: "look at block", min: 0, max: (s) => facts(s).blocks.length - 1, step: 1,
      get: (s) => place(s), set: (s, k) => ({ block: facts(s).blocks[k] }),
      show: (x, s) => word(facts(s).drafts), off: (s) => facts(s).blocks.length < 2 },
    { kind: "button", key: "best", label: "Largest gain", act: (app) => app.set(best(app.state())), off: (s) => s.gamma < 2 },
  ],
  facts, draw, read, more: (state, f) => why(f), grab,
});
