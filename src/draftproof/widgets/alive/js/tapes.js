/* Both caches after a round, as tapes: what was read, where it is cut, and what is read next. */

import { alive, clamp } from "./kit.js";

const CONTEXT = 4, MOST = 8, WHO = ["target", "draft"];

/* ---- numbers: pure ---- */

const keptOf = ({ kept, gamma }) => Math.min(kept, gamma);
/* Drafts in a cache after its cut, with the one that it may be fed afterwards. */
const leftOf = (state, who) => clamp(keptOf(state) + state[who], 0, state.gamma);
/* The draft never read its own last guess. */
const heldOf = ({ gamma }, who) => (who === "target" ? gamma : gamma - 1);

export function facts(state) {
  const { text } = state, kept = keptOf(state);
  const both = (f) => Object.fromEntries(WHO.map((who) => [who, f(who)]));
  const wrong = both((who) => leftOf(state, who) - kept), drops = both((who) => heldOf(state, who) - leftOf(state, who));
  return {
    kept, right: both((who) => heldOf(state, who) - kept), drops, wrong,
    before: both((who) => text + heldOf(state, who)),
    after: both((who) => text + Math.min(leftOf(state, who), heldOf(state, who))),
    fed: both((who) => (drops[who] < 0 ? 2 : 1)),
    outcome: wrong.target ? "text" : wrong.draft ? "speed" : "right",
  };
}

/* ---- words ---- */

/* Drafts by their numbers, which begin at 0 as everywhere in the book. */
const named = (first, last) =>
  (first === last ? `draft ${first}` : `drafts ${first} ${last === first + 1 ? "and" : "to"} ${last}`);

const signed = (n) => String(n).replace("-", "−");
const kept = ({ gamma }, f) => `${f.kept} of ${gamma} ${gamma === 1 ? "draft" : "drafts"} kept`;
const dropped = (n) => (n < 0 ? "is fed one more" : `drops ${n}`);

/* What is wrong with a cache, or nothing. */
function fault(state, f, who) {
  const left = leftOf(state, who);
  if (f.wrong[who] > 0) return `The ${who}'s memory still holds ${named(f.kept, left - 1)}, rejected.`;
  if (f.wrong[who] < 0) return `The ${who}'s memory lacks ${named(left, f.kept - 1)}, which the text has.`;
  return "";
}

const LESSON = {
  right: "Both memories hold the text and nothing else: draft and target go on from the same place.",
  speed: "Its next guesses are made in another text, so fewer are kept. The test still uses the target's own law: the text stays exact, and only time is lost.",
  text: "The next laws are those of another text, and they are the laws that the test trusts. What comes out is wrong, and reads well.",
};

/* ---- picture ---- */

function plan(state, pen) {
  const left = pen.choose(146, 6), wide = Math.min(56, (pen.width - left - 6) / (CONTEXT + state.gamma + 1.8));
  const top = { text: pen.choose(34, 54), target: pen.choose(106, 144), draft: pen.choose(204, 256) };
  return { left, wide, high: 38, top, first: left + (0.6 + CONTEXT) * wide };
}

/* A cell with its number; `foot` shows the pattern of a fate at the foot only. */
function cell(pen, role, x, y, w, h, words, { key, left, foot } = {}) {
  const short = { accepted: "acc", rejected: "rej", residual: "res", bonus: "bon" }[role], low = foot ? 9 : 0;
  const body = foot
    ? pen.rect(x, y, w, h, { class: `fill-${short}`, "data-key": key }) + pen.mass(role, x, y + h - low, w, low) + pen.rect(x + 0.5, y + 0.5, w - 1, h - 1, { class: `edge edge-${short}` })
    : pen.mass(role, x, y, w, h, { key, left });
  return body + pen.text(x + w / 2, y + (h - low) / 2 + 4.5, words, { anchor: "middle", bold: true, halo: foot ? undefined : short });
}

function context(pen, p, y, high, look, fill) {
  const middle = p.first - CONTEXT * p.wide / 2;
  let out = pen.text(p.left + 0.3 * p.wide, y + high / 2 + 4, "…", { anchor: "middle", bold: true });
  for (let k = 0; k < CONTEXT; k++) {
    const x = p.first - (CONTEXT - k) * p.wide + 0.75;
    out += pen.rect(x, y, p.wide - 1.5, high, { class: fill }) + pen.rect(x + 0.5, y + 0.5, p.wide - 2.5, high - 1, { class: look });
  }
  return out + pen.rect(middle - 26, y + high / 2 - 8, 52, 16, { class: fill })
    + pen.text(middle, y + high / 2 + 4, "context", { anchor: "middle", size: 12 });
}

const newOf = (state, f) => (f.kept === state.gamma ? ["bonus", "bonus"] : ["residual", "corrected"]);

/* The text after the round: what both memories should follow. */
function line(state, f, pen, p) {
  const [role, word] = newOf(state, f), y = p.top.text, high = 30;
  let out = pen.text(4, 15, `${kept(state, f)}, then ${role === "bonus" ? "the bonus" : "a correction"}`, { bold: true, size: 15 })
    + pen.text(pen.choose(4, p.left), pen.choose(y + 19, y - 7), "the text", { bold: true }) + context(pen, p, y, high, "cell", "fill-bg");
  for (let k = 0; k < f.kept; k++) out += cell(pen, "accepted", p.first + k * p.wide + 0.75, y, p.wide - 1.5, high, String(k));
  const x = p.first + f.kept * p.wide;
  return out + cell(pen, role, x + 0.75, y, p.wide - 1.5, high, "+", { foot: true })
    + (x + p.wide + 72 < pen.width ? pen.text(x + p.wide + 6, y + 19, word, { bold: true, tone: role.slice(0, 3) }) : "");
}

/* The entry of draft `k`, by what became of it. */
function entry(state, f, pen, who, k, box) {
  const [x, y, w, h] = box, stays = k < leftOf(state, who), good = k < f.kept, name = String(k);
  if (k >= heldOf(state, who)) {
    return pen.rect(x + 0.5, y + 0.5, w - 1, h - 1, { class: "edge-next", "data-key": `${who}/unread` })
      + pen.text(x + w / 2, y + h / 2 + 4.5, name, { anchor: "middle", tone: "ink2" });
  }
  const fate = stays ? (good ? "kept" : "stale") : good ? "lost" : "dropped";
  if (fate !== "lost") return cell(pen, good ? "accepted" : "rejected", x, y, w, h, name, { key: `${who}/${fate}`, left: !stays });
  return pen.rect(x, y, w, h, { class: "fill-panel", "data-key": `${who}/lost` }) + pen.ghost("accepted", x, y, w, h)
    + pen.text(x + w / 2, y + h / 2 + 4.5, name, { anchor: "middle", bold: true, tone: "acc" });
}

function tape(state, f, pen, p, who) {
  const y = p.top[who], { wide, first, high } = p, tone = who === "target" ? "p" : "q", wrong = f.wrong[who] !== 0;
  const title = pen.text(pen.choose(4, p.left), y + pen.choose(16, -19), `${who}'s cache`, { bold: true, tone, halo: "bg" })
    + pen.text(pen.choose(4, p.left + 102), y + pen.choose(33, -19), `${dropped(f.drops[who])}${wrong ? ": wrong" : ""}`, { bold: true, tone: wrong && "rej", halo: "bg" });
  let out = title + context(pen, p, y, high, `edge edge-${tone}${tone === "q" ? " gone" : ""}`, `fill-${tone}`);
  for (let k = 0; k < state.gamma; k++) out += entry(state, f, pen, who, k, [first + k * wide + 0.75, y, wide - 1.5, high]);
  const cut = Math.min(leftOf(state, who), heldOf(state, who)), edge = first + cut * wide;
  return out + fed(state, f, pen, p, who, cut)
    + pen.line(`M${edge} ${y - 7}V${y + high + 5}`, "ink", { "data-key": `${who}/cut`, style: "stroke-width:3" })
    + pen.tag("circle", { cx: edge, cy: y - 7, r: 6, class: "seen" })
    + pen.rect(edge - 18, y - 16, 36, high + 24, { fill: "transparent", "data-edge": who });
}

/* What is read next goes where the cut is, right or wrong. */
function fed(state, f, pen, p, who, cut) {
  const y = p.top[who] + p.high + 7, high = 26, w = p.wide - 1.5, x = (k) => p.first + k * p.wide + 0.75;
  const own = f.drops[who] < 0 ? 1 : 0, end = x(cut + own + 1), room = pen.width - end - 5;
  let out = pen.text(x(cut) - 7, y + 17, "reads next", { anchor: "end", tone: "ink2" })
    + cell(pen, newOf(state, f)[0], x(cut + own), y, w, high, "+", { key: `${who}/new`, foot: true });
  if (own) out += cell(pen, state.gamma <= f.kept ? "accepted" : "rejected", x(cut), y, w, high, String(state.gamma - 1), { key: `${who}/fed` });
  if (!f.wrong[who] || room < 20) return out;
  const words = ["read in a wrong context", "wrong from here", "wrong"].find((one) => one.length * 6.6 < room - 8) || "";
  return out + pen.rect(end + 1, y + 0.5, room, high - 1, { class: "edge-next", "data-key": `${who}/spoilt` })
    + pen.text(end + room / 2 + 1, y + 17, words, { anchor: "middle", tone: "rej", bold: true });
}

function draw(state, f, pen) {
  const p = plan(state, pen), edge = p.first + f.kept * p.wide, foot = p.top.draft + p.high + 56;
  const goal = pen.line(`M${edge} ${p.top.text + 34}V${foot - 14}`, "leader", { style: "stroke:var(--dp-ink);stroke-dasharray:3 4" })
    + pen.text(clamp(edge, 70, pen.width - 70), foot, "right cut", { anchor: "middle", tone: "ink2" });
  const body = line(state, f, pen, p) + goal
    + WHO.map((who) => tape(state, f, pen, p, who)).join("");
  const alt = `${kept(state, f)}. `
    + WHO.map((who) => `The ${who}'s cache goes from ${f.before[who]} entries to ${f.after[who]}: it ${dropped(f.drops[who])}${f.wrong[who] ? `, and right is: it ${dropped(f.right[who])}` : ", which is right"}. `).join("")
    + lesson(state, f);
  return { height: foot + 8, body, alt };
}

const lesson = (state, f) => {
  const faults = WHO.map((who) => fault(state, f, who)).filter(Boolean);
  return [...faults, LESSON[f.outcome]].join(" ");
};

function read(state, f) {
  const { gamma } = state, a = f.kept, drop = (who, sum, tone) =>
    (f.wrong[who] ? [`${signed(f.drops[who])}, not ${signed(f.right[who])}`, `${who} drops`, "rej"] : [`${sum} = ${signed(f.right[who])}`, `${who} drops${f.right[who] < 0 ? ": fed one more" : ""}`, tone]);
  return [
    drop("target", `${gamma} − ${a}`, "p"), drop("draft", `${gamma} − 1 − ${a}`, "q"),
    [`${f.before.target} → ${f.after.target}`, "target's entries"], [`${f.before.draft} → ${f.after.draft}`, "draft's entries"],
    { right: ["exact", "what comes out", "acc"], speed: ["exact", "what comes out, but slower", "acc"], text: ["wrong", "what comes out", "rej"] }[f.outcome],
  ];
}

const more = (state, f) => `<p>${lesson(state, f)}</p>`;

/* A cut is dragged along its tape. */
function grab(state, f, pen, [x, y], held) {
  const p = plan(state, pen), who = held || WHO.find((one) => y > p.top[one] - 14 && y < p.top[one] + p.high + 34);
  if (!who || (!held && x < p.left)) return null;
  return { held: who, set: { [who]: clamp(Math.round((x - p.first) / p.wide), 0, state.gamma) - f.kept } };
}

const cutter = (who, role) => ({
  kind: "slider", key: who, label: `${who}'s cut`, role, min: 0, max: (s) => s.gamma, step: 1,
  get: (s) => leftOf(s, who), set: (s, x) => ({ [who]: x - keptOf(s) }),
  show: (x, s) => (x > heldOf(s, who) ? `${x - 1} fed` : x ? `after ${x - 1}` : "before 0"),
});

export default alive({
  title: "Two caches and their cuts",
  question: "How far is each memory rolled back?",
  keys: ["text", "gamma", "kept", "target", "draft"],
  knobs: [
    { kind: "slider", key: "gamma", label: "drafts $γ$", min: 1, max: MOST, step: 1, set: (s, gamma) => ({ gamma, kept: Math.min(s.kept, gamma) }) },
    { kind: "slider", key: "kept", label: "kept $a$", min: 0, max: (s) => s.gamma, step: 1, get: keptOf },
    cutter("target", "p"), cutter("draft", "q"),
    { kind: "button", key: "right", label: "Cut right", act: (app) => app.set({ target: 0, draft: 0 }),
      off: (s) => WHO.every((who) => leftOf(s, who) === keptOf(s)) },
  ],
  facts, draw, read, more, grab,
});
