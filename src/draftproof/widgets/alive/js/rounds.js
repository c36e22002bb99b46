/* The rounds of a recorded run: what they drafted, tested and emitted, how the text falls into
   lines, and what was counted and timed as bars. */

import { clamp, num, safe, sum } from "./kit.js";

/* ---- numbers: pure ---- */

export const runOf = (state) => state.runs[state.run];
export const roundsOf = (state) => runOf(state).rounds.length;

/* What one round drafted, tested and emitted. */
export const told = ([drafted, accepted, last]) => ({
  drafted: drafted.length, tested: Math.min(accepted + 1, drafted.length), accepted,
  emitted: accepted + 1, fate: accepted === drafted.length ? "bonus" : "corrected",
  text: drafted.slice(0, accepted) + last,
});

export const whole = (state) => runOf(state).rounds.map((round) => told(round).text).join("");

export function factsOf(state) {
  const run = runOf(state), rounds = run.rounds.slice(0, state.round).map(told), n = rounds.length;
  const total = (key) => sum(rounds.map((each) => each[key]));
  const [tested, accepted, emitted] = [total("tested"), total("accepted"), total("emitted")];
  const fates = rounds.flatMap((each) => [...Array(each.accepted).fill("accepted"), each.fate]);
  const bonus = fates.filter((fate) => fate === "bonus").length;
  const { text, ...last } = rounds[n - 1] || {}, price = run.drafts + run.check + run.rest;
  return {
    rounds: n, text: rounds.map((each) => each.text).join(""), fates, last: n ? last : null,
    drafted: total("drafted"), tested, accepted, corrected: n - bonus, bonus, emitted,
    rate: tested ? accepted / tested : 0, each: n ? emitted / n : 0, price,
    plain: emitted * run.step, speculative: n * price * run.step,
    speed: n ? emitted / (n * price) : null,
  };
}

/* Row and column of every character: lines end where the text ends them, or between words. */
export function places(text, columns) {
  const found = [];
  let row = 0, column = 0, word = 0, line = 0;
  [...text].forEach((character, i) => {
    if (column === columns) { // the word that is too long for the line goes to the next
      const from = word > line ? word : i;
      row += 1;
      for (let k = from; k < i; k++) found[k] = [row, k - from];
      [column, line] = [i - from, from];
    }
    found.push([row, column++]);
    if (character === " ") word = i + 1;
    if (character === "\n") { row += 1; column = 0; word = line = i + 1; }
  });
  return found;
}

/* ---- words ---- */

export const shown = (character) => ({ " ": "␣", "\n": "¶" }[character] || character);
export const marked = (text) => text.replaceAll("\n", "¶");
export const many = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
export const ratioOf = (part, all) => `${part} / ${all} = ${all ? num(part / all) : "–"}`;
export const seconds = (s) =>
  (s >= 1 ? `${s.toFixed(2)}\u00a0s` : `${num(1e3 * s, s >= 0.01 ? 0 : 1)}\u00a0ms`);

export const ROLE = { rejected: "rejected", corrected: "residual", bonus: "bonus" };
export const TONE = { accepted: "acc", rejected: "rej", corrected: "res", bonus: "bon" };
export const OWN = { corrected: "correction", bonus: "bonus" };

/* Words in a row, each in its colour. */
export const phrase = (pen, x, y, parts) => pen.tag("text", { x, y, class: "b" },
  parts.map(([words, tone]) => pen.tag("tspan", { class: tone && `tone-${tone}` }, safe(words)))
    .join(" "));

/* ---- bars: one unit of length is one character, and one plain target pass ---- */

const highOf = (pen) => pen.choose(22, 14);

const scale = (state, f, pen) =>
  (pen.width - 8) / Math.max(whole(state).length, roundsOf(state) * f.price);

/* The kept drafts twice: with the rejected one of a round they were tested, with the target's own
   character of every round they are the text. */
export function counters(state, f, pen, top) {
  const unit = scale(state, f, pen), high = highOf(pen), kept = ["accepted", f.accepted];
  const bars = [
    ["tested", [kept, ["rejected", f.tested - f.accepted]], "drafts tested", [f.accepted, f.tested]],
    ["emitted", [kept, ["corrected", f.corrected], ["bonus", f.bonus]], pen.choose("characters", ""),
      [f.emitted, f.rounds]],
  ];
  let out = "", y = top;
  for (const [name, parts, what, ratio] of bars) {
    const said = parts.map(([fate, n], i) => [i ? `+ ${n} ${fate}` : `${n} kept`, TONE[fate]]);
    out += phrase(pen, 4, y, [...said, [`= ${f[name]} ${what}`]]);
    if (f.rounds && !pen.phone) {
      out += pen.text(pen.width - 4, y, ratioOf(...ratio), { anchor: "end", bold: true, size: 15 });
    }
    let x = 4;
    for (const [fate, n] of parts) {
      out += pen.mass(ROLE[fate] || fate, x, y + 8, n * unit, high,
        { key: `${name}/${fate}`, bare: n * unit < 3 });
      x += n * unit;
    }
    y += high + 30;
  }
  const own = f.rounds * unit, x = 4 + f.accepted * unit;
  const words = `${f.corrected} + ${f.bonus} = ${f.rounds}: one a target pass`;
  const half = words.length * 3.3;
  if (own) {
    out += pen.line(`M${x + 0.6} ${y - 20}v5h${own - 1.2}v-5`, "axis")
      + pen.text(clamp(x + own / 2, half + 4, pen.width - half - 4), y, words,
        { anchor: "middle", bold: true, tone: "p" });
  }
  return { out, foot: y + 20 };
}

/* Boxes of plain decoding above, the rounds below. */
export function clocks(state, f, pen, top) {
  const unit = scale(state, f, pen), end = 4 + f.emitted * unit, high = highOf(pen), y = top + 8, low = y + high + 10;
  const title = (at, words, tone, time) => pen.text(4, at, words, { bold: true, tone })
    + pen.text(pen.width - 4, at, time, { anchor: "end", bold: true });
  const passes = pen.choose(`${f.emitted} pass${f.emitted === 1 ? "" : "es"}, `, "");
  let out = title(top, pen.choose("plain decoding: one pass a character", "plain decoding"), "p",
    passes + seconds(f.plain));
  let d = `M4 ${y}H${end}v${high}H4z`;
  // Boxes thinner than this would be lines alone.
  for (let k = 1; k < f.emitted && unit > 3; k++) d += `M${4 + k * unit} ${y}v${high}`;
  if (f.emitted) {
    out += pen.rect(4, y, f.emitted * unit, high, { class: "fill-p", "data-key": "plain" })
      + pen.path(d, { class: "edge edge-p" });
  }
  out += rounds(state, f, pen, low, unit) + saved(f, pen, 4 + f.rounds * f.price * unit, end, low);
  const parts = pen.choose(" of drafts, one pass and the tests", "");
  return {
    out: out + title(low + high + 18, `speculative: ${many(f.rounds, "round")}${parts}`, "q",
      seconds(f.speculative)),
    height: low + high + 28,
  };
}

function rounds(state, f, pen, y, unit) {
  const { drafts, check, rest } = runOf(state), high = highOf(pen);
  let out = "", d = "";
  const part = (look, x, w, key, inset) =>
    pen.rect(x, y + inset, w, high - 2 * inset, { class: look, "data-key": key });
  for (let k = 0; k < f.rounds; k++) {
    const x = 4 + k * f.price * unit, pass = x + drafts * unit, w = check * unit;
    out += part("tone-q", x, drafts * unit, "drafts", 4) + part("fill-p", pass, w, "pass", 0)
      + part("fill-axis", pass + w, rest * unit, "rest", 4);
    d += `M${pass} ${y}h${w}v${high}h${-w}z`;
  }
  return out + pen.path(d, { class: "edge edge-p" });
}

function saved(f, pen, stop, end, y) {
  const room = end - stop, words = `${seconds(f.plain - f.speculative)} saved`, middle = y + highOf(pen) / 2;
  if (room < 12) return "";
  return pen.line(`M${stop + 4} ${middle}H${end}M${end} ${middle - 6}v12`, "leader")
    + (room > words.length * 7 + 14
      ? pen.text((stop + end) / 2, middle + 4.5, words, { anchor: "middle", bold: true, tone: "ink2", halo: "bg" })
      : "");
}
