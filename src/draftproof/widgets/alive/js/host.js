/* The static page's host: mounts a widget where the reader comes near it, with its state in memory.
   The widgets are the same files that a live kernel runs; there the kernel holds the state. */

function memory(state) {
  const values = { ...state }, heard = {};
  return {
    get: (key) => values[key],
    set(key, value) {
      if (values[key] === value) return;
      values[key] = value;
      for (const call of [...(heard[`change:${key}`] || [])]) call();
    },
    save_changes() {},
    on(name, call) { (heard[name] = heard[name] || []).push(call); },
    off(name, call) { heard[name] = (heard[name] || []).filter((one) => one !== call); },
  };
}

const bench = {};

/* The still's words can be false after a move: its caption gives way to the widget's own, or is
   said to be of the start. The style sheet brings it back on paper. */
function caption(place) {
  const figure = place.closest("figure");
  const text = figure && figure.querySelector("figcaption .caption-text");
  if (!text) return;
  const opening = text.querySelector("strong"), words = place.dataset.caption;
  const still = document.createElement("span"), live = document.createElement("span");
  const all = [...text.childNodes];
  still.append(...all.slice(all.indexOf(opening) + 1));
  still.className = words ? "dpa-still" : "";
  live.className = "dpa-live";
  live.innerHTML = bench.kit.prose(` ${words || "at the start,"}`);
  text.append(live, still);
}

function mount(place) {
  if (place.model || !bench[place.dataset.module]) return;
  place.model = memory(JSON.parse(place.dataset.state));
  place.hidden = false;
  place.parentElement.classList.add("dpa-on"); // the style sheet hides the still
  caption(place);
  bench[place.dataset.module].default.render({ model: place.model, el: place });
}

window.draftproofAlive = {
  bench,
  need: (name) => bench[name],
  define(name, make) { bench[name] = make(window.draftproofAlive.need); },
};

document.addEventListener("DOMContentLoaded", () => {
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (isIntersecting) { near.unobserve(target); mount(target.querySelector(".dpa-place")); }
    }
  }, { rootMargin: "600px 0px" });
  for (const place of document.querySelectorAll(".dpa-place")) near.observe(place.parentElement);
});
