"""A chapter in JupyterLab with a kernel: sliders move by mouse and keyboard, Python reads them."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

pytest.importorskip("jupyterlab", reason="JupyterLab is not installed: see requirements.txt")
TOKEN = "draftproof-test"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Address of a JupyterLab of our own, in an empty folder, with settings of its own."""
    folder = tmp_path_factory.mktemp("lab")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    places = {
        name: str(folder / name.lower())
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR",
                     "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    }  # fmt: skip
    work = folder / "work"
    work.mkdir()
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
        "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={work}", "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command, stdout=log, stderr=log, start_new_session=True,
            env={**os.environ, **places, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/api/status?token={TOKEN}", timeout=2).close()
                break
            except OSError:
                assert server.poll() is None, (folder / "log").read_text()
                time.sleep(0.25)
        else:
            pytest.fail("JupyterLab did not start: " + (folder / "log").read_text()[-2000:])
        yield address, work
    finally:
        server.terminate()  # it ends its kernels first
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def first_widget(root):
    """The first chapter's notebook, up to its first widget, with a name for the widget."""
    from draftproof.book import notebooks

    (page, *_) = notebooks.pages(root)
    text = (root / "chapters" / f"{page}.md").read_text(encoding="utf-8")
    cells = re.findall(r"^```\{code-cell\}[^\n]*\n((?::[^\n]*\n)*)\n?(.*?)^```", text, re.M | re.S)
    chosen = []
    for _, source in cells:
        chosen.append(source.strip())
        if source.strip() == "alive.Darts()":
            break
    else:
        pytest.fail(f"{page} shows no alive.Darts()")
    chosen[-1] = "widget = alive.Darts()\nwidget"
    made = [notebooks.install_cell(notebooks.repository(root)), *chosen]
    return {
        "cells": [
            {"cell_type": "code", "id": f"c{k}", "metadata": {}, "source": source,
             "execution_count": None, "outputs": []}
            for k, source in enumerate(made)
        ],
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip


def until_a_kernel_waits(address):
    """Wait for the notebook's kernel: what is run before is asked about, or lost."""
    for _ in range(240):
        with urllib.request.urlopen(f"{address}/api/sessions?token={TOKEN}", timeout=10) as answer:
            sessions = json.load(answer)
        if sessions and all(one["kernel"]["execution_state"] == "idle" for one in sessions):
            return
        time.sleep(0.25)
    pytest.fail(f"no kernel waits: {sessions}")


def run_cell(page, source):
    """Type a cell below the chosen one and run it."""
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.keyboard.type(source)
    page.keyboard.press("Shift+Enter")


def test_a_chapter_in_jupyterlab(lab, new_context, root):
    address, work = lab
    content = first_widget(root)
    (work / "chapter.ipynb").write_text(json.dumps(content), encoding="utf-8")
    context = new_context(viewport={"width": 1400, "height": 1100}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{address}/lab/tree/chapter.ipynb?token={TOKEN}&reset")
    notebook = page.locator(".jp-Notebook")
    notebook.wait_for(timeout=60_000)
    until_a_kernel_waits(address)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    widget, question = page.locator(".dp-alive"), page.locator(".jp-Dialog button.jp-mod-accept")
    widget.or_(question).wait_for(timeout=120_000)
    if question.is_visible():  # JupyterLab may want the choice of the kernel confirmed
        question.click()
    widget.wait_for(timeout=120_000)
    widget.scroll_into_view_if_needed()
    before = widget.locator("svg").get_attribute("aria-label")

    # Keyboard: the arrow keys move the slider, and not JupyterLab's choice of a cell.
    slider = widget.locator('input[data-key="x"]')
    first = float(slider.input_value())
    step = float(slider.get_attribute("step"))
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert float(slider.input_value()) == pytest.approx(first + 5 * step)
    assert slider.evaluate("e => e === document.activeElement")
    page.wait_for_function(
        "(old) => document.querySelector('.dp-alive svg').getAttribute('aria-label') !== old",
        arg=before,
    )

    # Mouse: a press near the end of another slider's track.
    other = widget.locator('input[data-key="constant"]')
    box = other.bounding_box()
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2)
    chosen = float(other.input_value())
    assert chosen > 11

    # What Python holds is what was set, and the package's own answer for it.
    page.locator(".jp-Notebook .jp-Cell").last.locator(".cm-content").click()
    run_cell(page, "print('held', widget.x, widget.constant, widget.facts()['chance'])")
    said = page.locator(".jp-OutputArea-output", has_text=re.compile(r"^\s*held "))
    said.wait_for(timeout=60_000)
    x, constant, chance = (float(word) for word in said.inner_text().split()[1:])
    assert x == pytest.approx(first + 5 * step)
    assert constant == pytest.approx(chosen)
    reading = widget.locator(".dpa-fact b").first.inner_text()
    assert reading == f"{chance:.2f}"

    # And the other way: a value set in Python moves the slider.
    run_cell(page, "widget.x = -1.5")
    page.wait_for_function("() => document.querySelector('input[data-key=\"x\"]').value === '-1.5'")
    context.close()
