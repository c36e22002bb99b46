"""The benchmark runs, its contestants do the same thing, and the package is much the fastest."""

import json
import statistics

import numpy as np
import pytest

from benchmarks import onetoken
from draftproof.examples import toy
from draftproof.noise import noise_band, tv_distance


def test_all_contestants_draw_from_the_target():
    n = 20_000
    law = toy()[0].law("t")
    top = noise_band(law, n, np.random.default_rng(1), levels=(0.9999,), runs=20_000)[0]
    for name, run in onetoken.toy_contestants(n).items():
        counts = run(5)
        shares = np.array(list(counts.values()) if isinstance(counts, dict) else counts) / n
        assert shares.sum() == pytest.approx(1), name
        assert tv_distance(shares, law) < 1.2 * top, name


def test_the_pair_s_contestants_agree():
    n = 40_000
    shares = []
    for run in onetoken.pair_contestants(n).values():
        shares.append(np.bincount(np.asarray(run(3)), minlength=50) / n)
    for other in shares[1:]:
        # Two exact runs of 50 tokens differ by about 0.02 at this size.
        assert tv_distance(other, shares[0]) < 0.04


def test_much_faster_than_the_plain_loop():
    # A generous gate on a busy machine: the measured ratio is over 100 (benchmarks/results).
    times = onetoken.take_turns(onetoken.toy_contestants(30_000), 5)
    ratio = statistics.median(times["plain loop"]) / statistics.median(times["draftproof"])
    assert ratio >= 30


def test_the_command_writes_its_result(tmp_path, capsys):
    out = tmp_path / "one" / "result.json"
    argv = ["--n", "2000", "--pair-n", "5000", "--repeats", "2", "--out", str(out)]
    assert onetoken.main(argv) == 0
    result = json.loads(out.read_text())
    assert set(result) == {"machine", "settings"}
    for setting in result["settings"].values():
        assert setting["repeats"] == 2
        assert setting["contestants"]["draftproof"]["times_draftproof"] == 1
    captured = capsys.readouterr()
    assert "plain loop" in captured.out and "#" in captured.err
