/* Recorded rounds of a real pair, step by step: the text so far, the last round, what it adds up to. */

import { alive, clamp, num } from "./kit.js";
import {
  clocks, counters, factsOf, many, marked, OWN, phrase, places, ratioOf, ROLE, roundsOf, runOf,
  seconds, shown, told, TONE, whole,
} from "./rounds.js";

export const facts = factsOf;

/* ---- picture ---- */

const letter = (pen, character, x, y, size, tone) => pen.text(x, y + size * 0.36, shown(character),
  { anchor: "middle", size, tone, mono: character !== " " });

/* One character; a pattern never lies behind the letter, so it is shown at the foot. */
function cell(pen, fate, character, [x, y, w, h], size, key) {
  const short = TONE[fate], foot = h * 0.28;
  return pen.rect(x, y, w, h, { class: `fill-${short}`, "data-key": key })
    + (ROLE[fate] ? pen.mass(ROLE[fate], x, y + h - foot, w, foot) : "")
    + pen.rect(x + 0.5, y + 0.5, w - 1, h - 1,
      { class: `edge edge-${short}${fate === "rejected" ? " gone" : ""}` })
    + letter(pen, character, x + w / 2, y + (h - foot) / 2, size);
}

/* The rows of the text; a narrow screen shows those that end with the round. */
function sheet(state, f, pen) {
  const columns = pen.choose(44, 22), at = places(whole(state), columns);
  const rows = at[at.length - 1][0] + 1, seen = pen.choose(rows, Math.min(rows, 3));
  const last = f.emitted ? at[f.emitted - 1][0] : 0, first = clamp(last - seen + 1, 0, rows - seen);
  const wide = (pen.width - 8) / columns, top = 28, pitch = 30;
  return { at, wide, high: 26, pitch, top, first, seen, foot: top + seen * pitch };
}

function text(state, f, pen) {
  const s = sheet(state, f, pen), begun = f.emitted - (f.last ? f.last.emitted : 0), now = {};
  const prompt = marked(runOf(state).prompt), most = pen.choose(90, 40);
  const end = prompt.length > most ? `…${prompt.slice(1 - most).replace(/^\S*\s/, "")}` : prompt;
  let out = pen.text(4, 14, `after ${pen.choose("the prompt ", "")}${end}`, { size: 12, tone: "ink2" }), blank = "";
  s.at.forEach(([row, column], i) => {
    if (row < s.first || row >= s.first + s.seen) return;
    const x = 4 + column * s.wide, y = s.top + (row - s.first) * s.pitch;
    if (i >= f.emitted) { blank += `M${x + 2} ${y + s.high - 3}h${s.wide - 4}`; return; }
    out += cell(pen, f.fates[i], f.text[i], [x + 0.75, y, s.wide - 1.5, s.high], pen.choose(14, 13),
      `text/${f.fates[i]}`);
    if (i >= begun) (now[y] = now[y] || [x])[1] = x + s.wide;
  });
  for (const [y, [x, stop]] of Object.entries(now)) {
    out += pen.rect(x - 1, y - 2, stop - x + 2, s.high + 4, { class: "mine", rx: 2 });
  }
  const touch = { fill: "transparent", style: "cursor:pointer" };
  return { out: out + pen.line(blank) + pen.rect(0, s.top, pen.width, s.foot - s.top, touch), foot: s.foot };
}

/* The last round: drafts with their verdicts, the pass that judged them, what came out. */
function block(state, f, pen, top) {
  const high = pen.choose(36, 30), wide = pen.choose(62, 29), left = pen.choose(112, 62);
  const g = { high, wide, left, size: pen.choose(17, 15), y: top + 14, pass: top + high + 37, down: top + high + 66 };
  const foot = g.down + high + 22;
  const title = f.rounds ? `round ${f.rounds} of ${roundsOf(state)}` : "before the first round";
  let out = pen.text(4, top, title, { bold: true, size: 15 });
  if (!f.last) return { out, foot };
  const [drafted, accepted, last] = runOf(state).rounds[f.rounds - 1], { tested, emitted, fate } = f.last;
  const name = (y, words, tone) => pen.text(4, y + 4.5, words, { bold: true, tone });
  const box = (k) => [left + k * wide, g.down, wide - 3, high];
  out += name(g.y + high / 2, "drafts", "q") + name(g.pass + 11, "target", "p")
    + name(g.down + high / 2, pen.choose("into the text", "text")) + judged(pen, g, drafted, f.last);
  const n = drafted.length + 1, said = [`one pass over all of them, ${n} laws come out`, `one pass, ${n} laws`, "one pass", ""];
  out += pen.rect(left, g.pass, wide * n - 3, 22, { class: "box-p", rx: 3 })
    + pen.text(left + wide * n / 2 - 1, g.pass + 15.5, said.find((words) => words.length * 6.5 < wide * n),
      { anchor: "middle", size: 12 });
  [...drafted.slice(0, accepted)].forEach((character, k) => {
    out += cell(pen, "accepted", character, box(k), g.size, "out/accepted");
  });
  out += cell(pen, fate, last, box(accepted), g.size, `out/${fate}`);
  const sums = [[`${accepted} kept`, "acc"], [`+ 1 ${OWN[fate]}`, TONE[fate]], [`= ${emitted}${pen.choose(emitted === 1 ? " character" : " characters", "")}`]];
  if (n - 1 > tested) sums.push([`(${n - 1 - tested} never looked at)`, "ink2"]);
  return { out: out + phrase(pen, 4, foot - 4, sums), foot };
}

/* The drafts of a round; what no test looked at is struck out. */
function judged(pen, g, drafted, { tested, accepted }) {
  const words = { accepted: pen.choose("kept", "✓"), rejected: pen.choose("rejected", "✗"), unseen: "–" };
  const centre = g.y + g.high / 2, w = g.wide - 3;
  if (!drafted) return pen.text(g.left, centre + 4, "none proposed", { tone: "ink2" });
  return [...drafted].map((character, k) => {
    const x = g.left + k * g.wide, middle = x + w / 2;
    const fate = k >= tested ? "unseen" : k < accepted ? "accepted" : "rejected";
    const word = pen.text(middle, g.y + g.high + 15, words[fate],
      { anchor: "middle", size: 12, tone: TONE[fate] || "ink2" });
    if (fate !== "unseen") return word + cell(pen, fate, character, [x, g.y, w, g.high], g.size, `draft/${fate}`);
    return word + pen.rect(x + 0.5, g.y, w - 1, g.high, { class: "edge-next", "data-key": "draft/unseen" })
      + letter(pen, character, middle, centre, g.size, "ink2") + pen.line(`M${middle - 9} ${centre + 1}h18`, "axis");
  }).join("");
}

function draw(state, f, pen) {
  const one = text(state, f, pen), two = block(state, f, pen, one.foot + 24);
  const three = counters(state, f, pen, two.foot + 26), four = clocks(state, f, pen, three.foot + 12);
  return { height: four.height, body: one.out + two.out + three.out + four.out, alt: alt(state, f) };
}

function alt(state, f) {
  const drafts = (g) => `${many(g.drafted, "draft")}, ${g.tested} tested, ${g.accepted} kept`;
  const now = f.last ? `This round: ${drafts(f.last)}, then a ${OWN[f.last.fate]}. ` : "";
  return `${runOf(state).title}, round ${f.rounds} of ${roundsOf(state)}. `
    + `The text so far: ${marked(f.text) || "nothing"}. ${now}All rounds: ${drafts(f)}; with `
    + `${many(f.corrected, "correction")} and ${f.bonus} bonus that makes ${many(f.emitted, "character")} `
    + `in ${f.rounds} target pass${f.rounds === 1 ? "" : "es"}. `
    + `Plain decoding takes ${seconds(f.plain)}, speculative ${seconds(f.speculative)}.`;
}

/* ---- readout ---- */

function read(state, f) {
  if (!f.rounds) return [["0", "rounds so far"]];
  return [
    [ratioOf(f.accepted, f.tested), "accepted of tested: $α$", "acc"],
    [ratioOf(f.emitted, f.rounds), "characters a target pass"],
    [num(f.speed), "times as fast"],
  ];
}

function more(state, f) {
  const row = (cellOf) => `<tr>${["rounds", "drafted", "tested", "accepted", "emitted"].map(cellOf).join("")}</tr>`;
  return `<table><thead>${row((name) => `<th>${name}</th>`)}</thead>`
    + `<tbody>${row((name) => `<td>${f[name]}</td>`)}</tbody></table>`
    + '<p class="dpa-note">The character that a pass adds itself, correction or bonus, is emitted and is no accepted draft.</p>';
}

/* ---- controls ---- */

/* A touched character opens the round that wrote it. */
function grab(state, f, pen, [x, y]) {
  const s = sheet(state, f, pen), row = s.first + Math.floor((y - s.top) / s.pitch);
  const column = Math.floor((x - 4) / s.wide), i = s.at.findIndex(([r, c]) => r === row && c === column);
  if (i < 0 || y < s.top || y > s.foot) return null;
  let end = 0;
  const round = runOf(state).rounds.findIndex((each) => (end += told(each).emitted) > i);
  return { held: "text", set: { round: round + 1 } };
}

const PACE = 380; // ms a round
const atEnd = (s) => s.round >= roundsOf(s);

function play(app) {
  if (app.playing()) { app.stop(); return; }
  if (atEnd(app.state())) app.set({ round: 0 });
  const n = roundsOf(app.state()) - app.state().round;
  let done = 0;
  // In steps from where it is: the slider may be moved meanwhile.
  app.play(PACE * n, (t) => {
    const goal = Math.floor(n * t + 1e-9);
    if (goal === done) return;
    app.set({ round: Math.min(app.state().round + goal - done, roundsOf(app.state())) });
    done = goal;
  });
}

const go = (to) => (app) => {
  app.stop();
  app.set({ round: clamp(to(app.state()), 0, roundsOf(app.state())) });
};

export default alive({
  title: "A recorded text, round by round",
  question: "How many characters does one target pass bring?",
  keys: ["runs", "run", "round"],
  knobs: [
    { kind: "slider", key: "round", label: "round", min: 0, max: roundsOf, step: 1,
      show: (x, s) => `${x} of ${roundsOf(s)}` },
    { kind: "menu", key: "run", label: "recorded run", options: (s) => s.runs.map(({ title }, i) => [i, title]),
      set: (s, run) => ({ run, round: Math.min(s.round, roundsOf({ ...s, run })) }) },
    { kind: "button", key: "back", label: "Back", act: go((s) => s.round - 1), off: (s) => s.round <= 0 },
    { kind: "button", key: "next", label: "Step", act: go((s) => s.round + 1), off: atEnd },
    { kind: "button", key: "play", label: ({ app }) => (app.playing() ? "Pause" : "Play"), act: play },
    { kind: "button", key: "end", label: "End", act: go(roundsOf), off: atEnd },
  ],
  facts, draw, read, more, grab,
});
