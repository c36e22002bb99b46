"""What several processes need is made by one of them."""

import multiprocessing
import os
import time
from pathlib import Path

import pytest

pytest.importorskip("fcntl")


def ask(fetch, seen):
    def fill(folder):
        time.sleep(0.3)  # time enough for the others to come
        (folder / "by").write_text(str(os.getpid()))
        seen.put(os.getpid())

    assert (fetch("shared", fill) / "by").read_text()


def test_one_process_makes_it(once, tmp_path_factory):
    base = once("nothing", lambda folder: None).parent
    assert base == Path(tmp_path_factory.getbasetemp()) or "PYTEST_XDIST_WORKER" in os.environ
    context = multiprocessing.get_context("fork")
    seen = context.Queue()
    processes = [context.Process(target=ask, args=(once, seen)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
        assert process.exitcode == 0
    assert seen.get(timeout=5) in [process.pid for process in processes]
    assert seen.empty()


def test_after_a_failure_the_next_one_tries(once):
    def fail(folder):
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        once("tried", fail)
    assert (once("tried", lambda folder: (folder / "made").touch()) / "made").exists()
    assert (once("tried", fail) / "made").exists()
