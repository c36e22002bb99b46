/* The buttons for Colab and Binder, in a book that was built without knowing its repository.
   As written they lead to the section about a copy of one's own. This script makes links of them:
   to the copy that the reader named there, else to the repository whose GitHub Pages serve this
   page. An address is checked wherever it comes from, and no host is asked for anything. */
(function () {
  "use strict";

  const KEY = "draftproof-copy";
  const BRANCH = document.currentScript.dataset.branch || "main";
  const TOP = new URL("..", document.currentScript.src);
  const HOSTS = {
    colab: (name, branch, path) =>
      `https://colab.research.google.com/github/${name}/blob/${branch}/${path}`,
    binder: (name, branch, path) =>
      `https://mybinder.org/v2/gh/${name}/${branch}?urlpath=lab/tree/${path}`,
  };
  const ADDRESS = new RegExp(
    "^https://github\\.com/([A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}?)" +
    "(?:\\.git)?(?:/|/tree/([^?#]+?)/?)?$");
  /* What git allows in no branch, and what no address can carry. */
  const NO_BRANCH =
    /[\u0000-\u0020\u007f~^:?*[\\]|\p{Surrogate}|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[-/.]|[/.]$|^@?$/u;

  const shortened = (text) => (text.length > 90 ? `${text.slice(0, 90)}…` : text);

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return "";
    }
  }

  /* {name, branch}, or {error, field}. A branch within the address wins. */
  function parse(address, branch) {
    const found = ADDRESS.exec(address);
    if (!found || /\/\.{1,2}$|\.git$/.test(found[1])) {
      const given = address ? `“${shortened(address)}” does not say` : "An empty field does not say";
      const error = `${given} where a repository on GitHub is. Write ` +
        "https://github.com/OWNER/NAME; .git, a slash or /tree/BRANCH may follow, nothing else.";
      return { error, field: "address" };
    }
    const chosen = found[2] === undefined ? branch : decoded(found[2]);
    if (NO_BRANCH.test(chosen)) {
      const error = `“${shortened(found[2] ?? chosen)}” is no name of a branch: letters, digits, ` +
        "slashes and most signs may stand in one, blanks and ~ ^ : ? * [ \\ .. may not.";
      return { error, field: found[2] === undefined ? "branch" : "address" };
    }
    return { name: found[1], branch: chosen };
  }

  const written = (copy) =>
    `https://github.com/${copy.name}/tree/${encodeURIComponent(copy.branch)}`;

  /* The repository whose GitHub Pages these are: OWNER.github.io/NAME/ or OWNER.github.io/. */
  function served() {
    const owner = /^([a-z0-9-]+)\.github\.io$/.exec(TOP.hostname);
    if (TOP.protocol !== "https:" || !owner) return null;
    const copy = parse(`https://github.com/${owner[1]}/${TOP.pathname.split("/")[1] || TOP.hostname}`, BRANCH);
    return copy.error ? null : copy;
  }

  let own = null; // what the reader named; a browser may refuse to remember it
  let noted = true;

  function recall() {
    try {
      const kept = localStorage.getItem(KEY);
      const copy = kept === null ? null : parse(kept, "");
      own = copy && !copy.error ? copy : null;
    } catch {
      noted = false;
    }
  }

  function remember(copy) {
    own = copy;
    try {
      if (copy) localStorage.setItem(KEY, written(copy));
      else localStorage.removeItem(KEY);
      noted = true;
    } catch {
      noted = false;
    }
  }

  function point() {
    const copy = own || served();
    for (const button of document.querySelectorAll("a[data-host]")) {
      button.dataset.before ??= button.getAttribute("href");
      const { host, path, before } = button.dataset;
      button.href = copy
        ? HOSTS[host](copy.name, encodeURIComponent(copy.branch), path)
        : before;
      button.classList.toggle("dp-unset", !copy);
    }
    return copy;
  }

  function connect(form) {
    const { address, branch, forget } = form.elements;
    const [error, state] = form.querySelectorAll("[role]");

    function complain(problem) {
      error.textContent = problem.error || "";
      if (problem.error) state.replaceChildren();
      for (const field of [address, branch]) {
        const wrong = field.name === problem.field;
        field.setAttribute("aria-invalid", wrong);
        if (wrong) field.focus();
      }
    }

    function report(copy) {
      forget.hidden = !own;
      state.replaceChildren();
      if (!copy) return;
      const line = document.createElement("code");
      line.textContent = `repository = "https://github.com/${copy.name}@${copy.branch}"`;
      state.append(
        own ? "The buttons" : "These are the GitHub Pages of a repository, and the buttons",
        ` for Colab and Binder lead to ${copy.name}, branch ${copy.branch}. `,
        own && !noted ? "This browser remembers nothing, so those of other pages do not. " : "",
        "The first cell of a notebook on Colab installs from there once it says ", line);
    }

    function fill(copy) {
      address.value = copy ? `https://github.com/${copy.name}` : "";
      branch.value = copy ? copy.branch : BRANCH;
      complain({});
      report(copy);
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const copy = parse(address.value.trim(), branch.value.trim());
      if (copy.error) return complain(copy);
      remember(copy);
      fill(point());
    });
    forget.addEventListener("click", () => {
      remember(null);
      fill(point());
      if (!own && !state.hasChildNodes()) state.textContent = "Forgotten. The buttons lead to this section again.";
      address.focus();
    });
    form.hidden = false;
    return fill;
  }

  function start() {
    const form = document.querySelector("form.dp-copy");
    const fill = form ? connect(form) : () => {};
    const again = () => {
      recall();
      fill(point());
    };
    again();
    // Named on another page: in another tab, or before this page came back out of the history.
    window.addEventListener("storage", (event) => {
      if (event.key === KEY || event.key === null) again();
    });
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) again();
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
