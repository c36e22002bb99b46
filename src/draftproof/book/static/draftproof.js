/* What a style sheet cannot do for readers who use the keyboard or a screen reader.
   Without this script the pages read the same. */
(function () {
  "use strict";

  const SCROLLERS = ".bd-article pre, .bd-article mjx-container, " +
    ".pst-scrollable-table-container, .bd-article .output.text_html";

  /* A box that scrolls sideways must take the focus, so that arrow keys can move it. */
  function markScrollers() {
    for (const box of document.querySelectorAll(SCROLLERS)) {
      const unseen = box.closest("[aria-hidden=true]") !== null;
      if (!unseen && box.scrollWidth > box.clientWidth) {
        box.tabIndex = 0;
        box.dataset.dpScrolls = "";
      } else if ("dpScrolls" in box.dataset) {
        box.removeAttribute("tabindex");
        delete box.dataset.dpScrolls;
      }
    }
  }

  /* A table head that is a formula alone gets the formula's letters as its name. */
  function nameHeads() {
    for (const item of window.MathJax.startup.document.math) {
      const formula = item.typesetRoot;
      const head = formula && formula.closest("th");
      if (!head) continue;
      const rest = head.cloneNode(true);
      rest.querySelectorAll("mjx-container").forEach((m) => m.remove());
      if (rest.textContent.trim() !== "") continue;
      const name = document.createElement("span");
      name.className = "dp-unseen";
      name.textContent = item.math.replace(/\\/g, "").trim();
      formula.setAttribute("aria-hidden", "true");
      formula.removeAttribute("tabindex");
      formula.after(name);
    }
  }

  function ready() {
    markScrollers();
    let waiting = 0;
    const again = () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(markScrollers);
    };
    window.addEventListener("resize", again);
    document.addEventListener("toggle", again, true);
    document.addEventListener("change", again, true);
    if (document.fonts) document.fonts.ready.then(again);
    if (window.MathJax && window.MathJax.startup && window.MathJax.startup.promise) {
      window.MathJax.startup.promise.then(() => {
        nameHeads();
        markScrollers();
      });
    }
  }

  if (document.readyState === "complete") ready();
  else window.addEventListener("load", ready);
})();
