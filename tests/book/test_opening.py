"""The buttons of every chapter: where they lead, with a known repository and without one."""

import functools
import json
import mimetypes
import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urldefrag, urljoin

import pytest
from bs4 import BeautifulSoup

notebooks = pytest.importorskip("draftproof.book.notebooks")
from draftproof.book import address, opening  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PAGES = notebooks.pages(ROOT)
HUB = ("https://github.com/someone/somebook", "main")


# ---- where the repository is ----

GOOD = [
    ("https://github.com/a/b", "a/b"),
    ("https://github.com/a/b.git", "a/b"),
    ("https://github.com/a/b/", "a/b"),
    ("https://github.com/a/b.git/", "a/b"),
    ("HTTPS://GitHub.com/Some-One/Some.Book_2", "Some-One/Some.Book_2"),
    ("https://user:secret@github.com/a/b", "a/b"),
    ("https://x-access-token:ghs_secret@github.com/a/b.git", "a/b"),
    ("git@github.com:a/b.git", "a/b"),
    ("git@github.com:a/b", "a/b"),
    ("git@github.com:/a/b.git", "a/b"),
    ("github.com:a/b.git", "a/b"),
    ("org-1234@GitHub.com:a/b.git", "a/b"),
    ("ssh://git@github.com/a/b.git", "a/b"),
    ("ssh://git@github.com:22/a/b", "a/b"),
    ("ssh://git@ssh.github.com:443/a/b.git", "a/b"),
    ("https://github.com/a/.github", "a/.github"),
]
BAD = [
    "",
    "origin",
    "/srv/git/github.com/a/b",
    "file:///srv/github.com/a/b",
    "../github.com/a/b",
    "C:\\github.com\\a\\b",
    "http://github.com/a/b",
    "git://github.com/a/b",
    "gh:a/b",
    "https://github.com/a",
    "https://github.com/a/b/c",
    "https://github.com/a/b/tree/main",
    "https://github.com//a/b",
    "https://github.com/a/..",
    "https://github.com/a/.",
    "https://github.com/a/.git",
    "https://github.com/a/...git",
    "https://github.com/a/b.git.git",
    "https://github.com/../b",
    "https://github.com/-a/b",
    f"https://github.com/{'a' * 40}/b",
    f"https://github.com/a/{'b' * 101}",
    "https://github.com/ä/b",
    "https://github.com/a/b\u00df",
    "https://github.com/a/b?x=1",
    "https://github.com/a/b#c",
    "https://github.com/a/b%2f..",
    "https://github.com/a/b c",
    "https://github.com/a/b\n",
    "https://github.com/a/b\nhttps://github.com/c/d",
    " https://github.com/a/b",
    'https://github.com/a/b"onclick="x',
    "https://github.com/a/<script>",
    "https://github.com.evil.example/a/b",
    "https://github.com@evil.example/a/b",
    "https://github.com:443@evil.example/a/b",
    "https://evil.example/@github.com/a/b",
    "https://evil.example?@github.com/a/b",
    "https://evil.example#@github.com/a/b",
    "https://evil.example\\@github.com/a/b",
    "https://evil.example/github.com/a/b",
    "https://notgithub.com/a/b",
    "https://git.hub.com/a/b",
    "https://githubXcom/a/b",
    "https://github.com:8443/a/b",
    "https://gitlab.com/a/b",
    "git@evil.example:github.com/a/b",
    "git@github.com.evil.example:a/b",
    "git@notgithub.com:a/b",
    "git@github.com:a/b:c/d",
    "evil@x@github.com:a/b",
    "ssh://git@evil.example/github.com/a/b",
    "ssh://git@github.com:2222/a/b",
    "ssh://github.com@evil.example/a/b",
    "ext::sh -c touch% github.com/a/b",
    "javascript:alert('https://github.com/a/b')",
]


@pytest.mark.parametrize("remote, name", GOOD)
def test_a_remote_on_github_is_found(remote, name):
    assert address.of_remote(remote) == f"https://github.com/{name}"
    assert address.github((f"https://github.com/{name}", "main")) == name


@pytest.mark.parametrize("remote", BAD)
def test_any_other_remote_is_none(remote):
    assert address.of_remote(remote) is None


@pytest.mark.parametrize("url", [*BAD, "git@github.com:a/b.git", "https://u:p@github.com/a/b"])
def test_a_stated_address_elsewhere_makes_no_links(url):
    assert address.github((url, "main")) is None


@pytest.mark.parametrize(
    "config, expected",
    [
        ("title: x", None),
        ("repository:", None),
        ("repository: {url: ''}", None),
        ("repository: {url: https://github.com/a/b/}", ("https://github.com/a/b", "main")),
        ("repository: {url: https://gh.org/a/b, branch: dev}", ("https://gh.org/a/b", "dev")),
    ],
)
def test_the_stated_repository(tmp_path, config, expected):
    (tmp_path / "_config.yml").write_text(config, encoding="utf-8")
    assert address.stated(tmp_path) == notebooks.repository(tmp_path) == expected
    assert address.known(tmp_path) == expected


def git(folder, *words):
    if shutil.which("git") is None:
        pytest.skip("no git")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", *words], cwd=folder, env=clean, check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path):
    """A checkout with a remote on GitHub, and a configuration without an address."""
    folder = tmp_path / "clone"
    git(folder, "init", "--quiet")
    git(folder, "remote", "add", "origin", "https://me:token@github.com/someone/somebook.git")
    (folder / "_config.yml").write_text("repository: {branch: trunk}", "utf-8")
    return folder


def test_the_remote_of_a_checkout(clone, monkeypatch):
    known = ("https://github.com/someone/somebook", "trunk")
    assert address.known(clone) == known
    monkeypatch.chdir(clone.parent)
    assert address.known(Path(clone.name)) == known
    (clone / "_config.yml").write_text("repository: {url: https://github.com/other/one}", "utf-8")
    assert address.known(clone) == ("https://github.com/other/one", "main")


def test_a_folder_inside_a_checkout_has_no_remote(clone):
    inside = clone / "vendor" / "book"
    (inside / ".git").mkdir(parents=True)
    assert address.origin(inside) is None


def test_what_git_cannot_tell_is_none(clone, tmp_path, monkeypatch):
    assert address.origin(tmp_path) is None  # no checkout
    alone = tmp_path / "alone"
    git(alone, "init", "--quiet")
    assert address.origin(alone) is None  # no remote
    git(alone, "remote", "add", "upstream", "https://github.com/a/b")
    assert address.origin(alone) is None  # another remote
    monkeypatch.setenv("GIT_DIR", str(clone / ".git"))
    assert address.origin(alone) is None  # a hook's variable
    assert address.origin(clone) == HUB[0]
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        assert address.origin(clone) is None  # no git

    def slow(*args, **options):
        raise subprocess.TimeoutExpired(args, 10)

    monkeypatch.setattr(subprocess, "run", slow)
    assert address.origin(clone) is None


# ---- the links ----


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_of_the_repository(page):
    path = f"notebooks/{page}.ipynb"
    downloads = [
        ("Download (.zip)", "../notebooks/draftproof-notebooks.zip"),
        ("Notebook (.ipynb)", f"../{path}"),
    ]
    assert opening.links(page, HUB) == [
        *downloads,
        ("Colab", f"https://colab.research.google.com/github/someone/somebook/blob/main/{path}"),
        ("Binder", f"https://mybinder.org/v2/gh/someone/somebook/main?urlpath=lab/tree/{path}"),
    ]
    section = "../chapters/a-open.html#your-copy"
    for unknown in (None, ("https://git.example.org/a/b", "main")):
        hosted = [("Colab", section), ("Binder", section)]
        assert opening.links(page, unknown) == [*downloads, *hosted]
    assert (ROOT / path).is_file()


BRANCHES = {
    "main": "main",
    "feature/two words?": "feature%2Ftwo%20words%3F",
    "a#b&c=d%e": "a%23b%26c%3Dd%25e",
    "über": "%C3%BCber",
    "it's(1)!": "it's(1)!",
}


@pytest.mark.parametrize("branch, written", BRANCHES.items())
def test_a_branch_is_one_part_of_the_path(branch, written):
    (_, colab), (_, binder) = opening.links("x", (HUB[0], branch))[2:]
    assert colab.split("/")[5:] == ["somebook", "blob", written, "notebooks", "x.ipynb"]
    assert binder.partition("?")[0].split("/")[6:] == ["somebook", written]


def test_binder_installs_what_the_notebooks_need():
    """Binder runs `pip install -r binder/requirements.txt` at the root of the clone."""
    lines = (ROOT / "binder" / "requirements.txt").read_text("utf-8").splitlines()
    assert lines == ["--extra-index-url https://download.pytorch.org/whl/cpu", lines[-1]]
    assert lines[-1].startswith(".[")
    assert (ROOT / "pyproject.toml").is_file()
    runtime = (ROOT / "binder" / "runtime.txt").read_text("utf-8").strip()
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    language, _, version = runtime.partition("-")
    assert language == "python"
    assert f'"Programming Language :: Python :: {version}"' in project


# ---- a book of one chapter, with the real page and the real theme ----

INDEX = "# Book\n\n```{toctree}\nchapters/01-envelopes\nchapters/a-open\n```\n"
SMALL = {
    "_toc.yml": "parts: [{numbered: true, chapters: [{file: chapters/01-envelopes}]}]",
    "chapters/01-envelopes.md": "---\njupytext: {text_representation: "
    "{extension: .md, format_name: myst}}\nkernelspec: {name: python3}\n---\n"
    "# Words\n\n```{code-cell} python\nimport draftproof\n```\n",
    "chapters/a-open.md": (ROOT / "chapters" / "a-open.md").read_text("utf-8"),
    "chapters/references.bib": "",
}
LOOKS = {
    "html_theme": "sphinx_book_theme",
    "html_static_path": [str(ROOT / "static")],
    "exclude_patterns": ["src"],
}


def small_book(folder, build_page, config="title: x"):
    """Build it; returns the built folder."""
    (folder / "source" / "chapters").mkdir(parents=True, exist_ok=True)
    if not (folder / "source" / "src").exists():
        (folder / "source" / "src").symlink_to(ROOT / "src")
    for name, text in {**SMALL, "_config.yml": config}.items():
        path = folder / "source" / name
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    assert build_page(folder, INDEX, **LOOKS)[1] == 0
    return folder / "out" / "html"


@pytest.fixture(scope="session")
def book(tmp_path_factory, build_page):
    """The small book in a folder that no git knows, without an address."""
    return small_book(tmp_path_factory.mktemp("book"), build_page)


def soup(path):
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def shown(built):
    """The buttons of the chapter's page and of the list, which are the same."""
    line = soup(built / "chapters/01-envelopes.html").select("p.dp-open a:not(.dp-how)")
    listed = soup(built / "chapters/a-open.html").select("ul.dp-open-list .dp-open a")
    assert [str(a) for a in line] == [str(a) for a in listed]
    return line


def check_book(built, source):
    """Buttons, form, script and offered notebook of a book that knows this repository."""
    buttons = shown(built)
    assert [(a.text, a["href"]) for a in buttons] == opening.links("01-envelopes", source)
    unset = [a.get("data-path") for a in buttons if a.get("data-host")]
    assert unset == ([] if source else ["notebooks/01-envelopes.ipynb"] * 2)
    page = soup(built / "chapters/a-open.html")
    assert bool(page.select_one("form.dp-copy")) is (source is None)
    section = page.find(id="your-copy").find_parent("section")
    for name in ("a-open", "01-envelopes"):
        scripts = soup(built / f"chapters/{name}.html").select("script[src*='hosted.js']")
        assert len(scripts) == (source is None)
    assert not soup(built / "index.html").select("script[src*='hosted.js']")
    cell = json.loads((built / "notebooks/01-envelopes.ipynb").read_text("utf-8"))["cells"][1]
    assert "".join(cell["source"]) == notebooks.install_cell(source)
    assert (built / "notebooks" / "draftproof-notebooks.zip").is_file()
    return " ".join(section.get_text().split())


def test_a_book_that_knows_no_repository(book):
    check_book(book, None)


def test_a_book_with_a_stated_repository(tmp_path, build_page):
    config = f"repository: {{url: '{HUB[0]}', branch: a/b}}"
    built = small_book(tmp_path, build_page, config)
    assert f'repository = "{HUB[0]}@a/b"' in check_book(built, (HUB[0], "a/b"))


def test_a_book_follows_the_remote_of_its_checkout(tmp_path, build_page):
    """Pages and downloads change with the remote; what is committed does not."""
    source, executed = tmp_path / "source", tmp_path / "out" / "jupyter_execute"
    check_book(small_book(tmp_path, build_page), None)
    committed = notebooks.notebooks(source, executed)
    git(source, "init", "--quiet")
    git(source, "remote", "add", "origin", "git@github.com:someone/somebook.git")
    built = small_book(tmp_path, build_page)
    assert "lead to someone/somebook, branch main" in check_book(built, HUB)
    assert notebooks.notebooks(source, executed) == committed
    git(source, "remote", "set-url", "origin", "https://gitlab.com/someone/somebook.git")
    check_book(small_book(tmp_path, build_page), None)


def test_a_notebook_offered_differs_from_a_committed_one_in_one_line():
    alone, hub = (notebooks.install_cell(s).splitlines() for s in (None, HUB))
    (place,) = [k for k, (one, two) in enumerate(zip(alone, hub, strict=True)) if one != two]
    assert place == 2  # the error message counts it
    assert hub[place] == 'repository = "https://github.com/someone/somebook@main"'


# ---- the script, in Chromium ----

OPEN, CHAPTER = "chapters/a-open.html", "chapters/01-envelopes.html"
HOME = "https://book.example/"
WITHOUT_STORAGE = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("refused", "SecurityError"); } });"""


class Reader:
    """A browser that finds the built book at an address, and nothing anywhere else."""

    def __init__(self, context, built, home):
        self.context, self.built, self.home = context, built, home
        self.asked, self.complaints = [], []
        context.set_default_timeout(20_000)
        context.route("**/*", self._answer)

    def _answer(self, route):
        url = urldefrag(route.request.url.partition("?")[0])[0]
        file = self.built / url.removeprefix(self.home)
        if url.startswith(self.home) and file.is_file():
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            route.fulfill(body=file.read_bytes(), content_type=kind)
        else:  # axe looks for imported style sheets in the wrong folder of the book
            self.asked += [] if url.startswith(self.home) else [url]
            route.fulfill(status=404)

    def open(self, name=OPEN):
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.home + name)
        return page


@pytest.fixture
def reader(new_context, book):
    """Return a function that opens a context: reader(home, **options) as Reader."""
    readers = []

    def opened(home=HOME, **options):
        readers.append(Reader(new_context(**options), book, home))
        return readers[-1]

    yield opened
    for one in readers:
        one.context.close()
        assert one.asked == one.complaints == []


def buttons(page):
    """Where Colab and Binder lead, as the browser reads it."""
    found = page.locator("a[data-host]").evaluate_all(
        "all => all.map(a => [a.textContent, a.href])"
    )
    assert [words for words, _ in found] == ["Colab", "Binder"]
    return [where for _, where in found]


def kept(page):
    return page.evaluate("localStorage.getItem('draftproof-copy')")


def hosted(name, branch="main"):
    return [where for _, where in opening.links("01-envelopes", (name, branch))[2:]]


def unset(home=HOME):
    return [home + "chapters/a-open.html#your-copy"] * 2


def name_copy(page, where, branch=None):
    page.get_by_label("Where is your copy?").fill(where)
    if branch is not None:
        page.get_by_label("Branch").fill(branch)
    page.get_by_role("button", name="Point the buttons there").click()


@pytest.mark.parametrize("scripts", [True, False])
def test_unset_buttons_lead_to_the_section(reader, scripts):
    visitor = reader(java_script_enabled=scripts)
    for name in (OPEN, CHAPTER):
        page = visitor.open(name)
        hrefs = [a.get_attribute("href") for a in page.locator("a[data-host]").all()]
        assert [urljoin(HOME + name, href) for href in hrefs] == unset()
    page.get_by_role("link", name="Colab: 01-envelopes.ipynb").click()
    page.wait_for_load_state()  # a click does not wait for the page that it leads to
    assert page.url == unset()[0]
    assert page.locator("section:has(> #your-copy) > h2").is_visible()
    assert page.locator("form.dp-copy").is_visible() is scripts
    assert page.get_by_text("https://mybinder.org/v2/gh/OWNER/NAME/main").is_visible()


def test_the_keyboard_names_a_copy_and_every_page_follows(reader):
    visitor = reader()
    page = visitor.open()
    page.get_by_label("Where is your copy?").focus()
    page.keyboard.type("https://github.com/someone/somebook")
    page.keyboard.press("Enter")
    assert buttons(page) == hosted(HUB[0])
    assert buttons(visitor.open(CHAPTER)) == hosted(HUB[0])
    state = visitor.open().get_by_role("status")
    assert "lead to someone/somebook, branch main" in state.inner_text()
    # The line that the state gives is one that the cell understands: pip's own form of it.
    assert state.locator("code").inner_text() == f'repository = "{HUB[0]}@main"'


@pytest.mark.parametrize(
    "where, branch, source",
    [
        ("https://github.com/a/b.git", None, ("a/b", "main")),
        (" https://github.com/a/b/ ", " dev ", ("a/b", "dev")),
        ("https://github.com/a/b.git/", None, ("a/b", "main")),
        ("https://github.com/a/b.js", "v1.0", ("a/b.js", "v1.0")),
        ("https://github.com/a/b/tree/x/y", "dev", ("a/b", "x/y")),
        ("https://github.com/a/b/tree/x%23y/", None, ("a/b", "x#y")),
        *(("https://github.com/a/b", branch, ("a/b", branch))
          for branch in BRANCHES if not set(branch) & set(" ?")),
    ],
)  # fmt: skip
def test_what_the_form_takes(reader, where, branch, source):
    """The script makes the links that Python makes, now and from what it remembers."""
    visitor = reader()
    page = visitor.open()
    name_copy(page, where, branch)
    name, chosen = source
    expected = hosted(f"https://github.com/{name}", chosen)
    assert [page.locator("a[data-host]").nth(k).get_attribute("href") for k in (0, 1)] == expected
    assert page.get_by_label("Where is your copy?").input_value() == f"https://github.com/{name}"
    assert page.get_by_label("Branch").input_value() == chosen
    again = visitor.open(CHAPTER).locator("a[data-host]")
    assert [again.nth(k).get_attribute("href") for k in (0, 1)] == expected


# What the form takes and git writes: the rest of the table of remotes is as bad here.
NOT_IN_A_FORM = [
    *(remote for remote in BAD if remote.strip() == remote and "\n" not in remote),
    *(remote for remote, _ in GOOD if not remote.startswith("https://github.com/")),
    "javascript:alert(1)//https://github.com/a/b",
    "https://github.com/a/b/blob/main/README.md",
    "https://github.com/a/b/tree/",
    "https://github.com/a/b?tab=readme",
    "//github.com/a/b",
    "github.com/a/b",
]
NOT_IN_A_FORM.remove("https://github.com/a/b/tree/main")
NO_BRANCHES = [
    "", "two words", "a..b", "a~1", "a^", "a:b", "a?", "a*", "[a", "a\\b", "-a", "/a", "a/", "a//b",
    ".a", "a/.b", "a.", "a.lock", "a.lock/b", "@", "a@{1}", "\x7f",
]  # fmt: skip


def refused(page, value, allowed, field):
    error = page.get_by_role("alert")
    text = error.inner_text()
    assert value[:90] in text, (value, text)
    assert allowed in text
    wrong = page.get_by_label(field)
    assert wrong.get_attribute("aria-invalid") == "true"
    assert wrong.get_attribute("aria-describedby") == error.get_attribute("id")
    assert wrong.evaluate("e => e === document.activeElement")
    assert buttons(page) == unset()
    assert kept(page) is None


def test_what_the_form_refuses(reader):
    page = reader().open()
    for value in NOT_IN_A_FORM:
        name_copy(page, value)
        refused(page, value, "https://github.com/OWNER/NAME", "Where is your copy?")
    for branch in NO_BRANCHES:
        name_copy(page, HUB[0], branch)
        refused(page, branch, "blanks and ~ ^ : ? * [ \\ .. may not", "Branch")
    for branch in ("%", "%E0%A4%A", "a%20b", "..", "%2e%2e", "a%0ab"):
        name_copy(page, f"{HUB[0]}/tree/{branch}", "main")
        refused(page, branch, "is no name of a branch", "Where is your copy?")
    name_copy(page, HUB[0], "main")
    assert page.get_by_role("alert").inner_text() == ""
    assert page.locator("[aria-invalid=true]").count() == 0


def test_what_is_remembered_is_checked_again(reader):
    """Another page of the same host may have written there."""
    visitor = reader()
    page = visitor.open()
    forms = ("javascript:alert(1)", '{"name": "a/b"}', "", HUB[0], f"{HUB[0]}/tree/..")
    for value in (*forms, "https://evil.example/a/b/tree/main"):
        page.evaluate("value => localStorage.setItem('draftproof-copy', value)", value)
        page.reload()
        assert buttons(page) == unset(), value
    page.evaluate("value => localStorage.setItem('draftproof-copy', value)", f"{HUB[0]}/tree/x%2Fy")
    page.reload()
    assert buttons(page) == hosted(HUB[0], "x/y")


def test_forgetting(reader):
    visitor = reader()
    page = visitor.open()
    forget = page.get_by_role("button", name="Forget it")
    assert forget.count() == 0
    name_copy(page, HUB[0])
    other = visitor.open(CHAPTER)
    assert buttons(other) == hosted(HUB[0])
    forget.click()
    assert buttons(page) == unset()
    assert page.get_by_role("status").inner_text().startswith("Forgotten.")
    assert page.get_by_label("Where is your copy?").input_value() == ""
    assert kept(page) is None
    # The other tab is told, and nothing comes back with the next page.
    other.wait_for_function("() => document.querySelector('a[data-host].dp-unset')", polling=50)
    assert buttons(other) == buttons(visitor.open(CHAPTER)) == unset()


def test_a_browser_that_remembers_nothing(reader):
    visitor = reader()
    visitor.context.add_init_script(WITHOUT_STORAGE)
    page = visitor.open()
    name_copy(page, HUB[0])
    assert buttons(page) == hosted(HUB[0])
    assert "This browser remembers nothing" in page.get_by_role("status").inner_text()
    assert buttons(visitor.open(CHAPTER)) == unset()
    page.get_by_role("button", name="Forget it").click()
    assert buttons(page) == unset()
    assert set(visitor.complaints) == {"refused"}  # the theme's own scripts
    visitor.complaints.clear()


@pytest.mark.parametrize(
    "home, name",
    [
        ("https://someone.github.io/somebook/", "someone/somebook"),
        ("https://some-one.github.io/some.book/draft/", "some-one/some.book"),
        ("https://someone.github.io/", "someone/someone.github.io"),
        ("http://someone.github.io/somebook/", None),
        ("https://someone.github.io.evil.example/somebook/", None),
        ("https://a.someone.github.io/somebook/", None),
        ("https://someone-github.io/somebook/", None),
        ("https://someone.github.io/some%20book/", None),
        ("https://github.io/somebook/", None),
    ],
)
def test_github_pages_name_their_repository(reader, home, name):
    visitor = reader(home)
    for page in (visitor.open(CHAPTER), visitor.open()):
        expected = hosted(f"https://github.com/{name}") if name else unset(home)
        assert buttons(page) == expected
    assert (f"lead to {name}, branch main" in page.get_by_role("status").inner_text()) is bool(name)
    # What the reader names wins, and forgetting it brings back what was.
    name_copy(page, "https://github.com/x/y", "z")
    assert buttons(page) == hosted("https://github.com/x/y", "z")
    page.get_by_role("button", name="Forget it").click()
    assert buttons(page) == expected


def test_the_branch_of_the_configuration_is_the_forms(new_context, tmp_path, build_page):
    built = small_book(tmp_path, build_page, "repository: {branch: trunk}")
    visitor = Reader(new_context(), built, HOME)
    page = visitor.open()
    assert page.get_by_label("Branch").input_value() == "trunk"
    name_copy(page, HUB[0])
    assert buttons(page) == hosted(HUB[0], "trunk")
    visitor.context.close()


@functools.cache
def axe():
    return pytest.importorskip("axe_playwright_python.sync_playwright").Axe()


LONG = "https://github.com/" + "o" * 39 + "/" + "n" * 100


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_every_state_is_readable(reader, theme, width):
    """Unset, refused and set: no sideways scrolling, and axe finds nothing."""
    look = SimpleNamespace(viewport={"width": width, "height": 800}, color_scheme=theme)
    visitor = reader(**vars(look))
    page = visitor.open()
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    steps = [lambda: None, lambda: name_copy(page, "x" * 300), lambda: name_copy(page, LONG)]
    for step in steps:
        step()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = axe().run(page, context="article").response["violations"]
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []
        boxes = [a.bounding_box() for a in page.locator(".dp-open a, .dp-copy button").all()]
        assert all(box is None or min(box["width"], box["height"]) >= 24 for box in boxes)
    page.emulate_media(media="print")
    assert not page.locator("form.dp-copy").is_visible()
