"""Calibrate the audit and check the gallery's numbers of draws: ``python -m benchmarks.faults``.

Two thousand exact samplers are audited, once with a fixed number of draws and once in sequence,
and every fault of the gallery that changes a law is audited again and again with the number of
draws at which it should be caught 99 times in 100. The result is
``src/draftproof/lab/results/faults.json``, which the package carries along for the figures of the
chapter on faults. Takes a few minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from draftproof.finite import draw
from draftproof.lab import Calibration, audit, calibrate
from draftproof.lab.broken import GALLERY, LawFault

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "draftproof"
RESULT = PACKAGE / "lab" / "results" / "faults.json"
ALPHA, RUNS, AUDITS, SEED = 0.01, 2000, 400, 20_260_701


def calibrated(found: Calibration) -> dict[str, Any]:
    """Return the p-values of exact samplers, sorted, with what follows from them."""
    return {
        "exact_samplers": found.runs,
        "alpha": found.alpha,
        "false_alarms": found.false_alarms,
        "chance_of_as_many": found.too_many(),
        "p_values": [float(f"{p:.4g}") for p in np.sort(found.p_values)],
    }


def sampler(fault: LawFault) -> Callable[[int, np.random.Generator], Any]:
    """Return the fault's own sampler; for pairs of tokens, where it is slow, draws of its law.

    That the slow samplers follow their laws is tested with the package.
    """
    if fault.length == 1:
        return fault.sample
    flat = np.asarray(fault.law, dtype=np.float64).reshape(-1)

    def sample(n: int, rng: np.random.Generator) -> Any:
        return np.stack(np.unravel_index(draw(flat, rng, n), fault.law.shape), axis=1)

    return sample


def caught(fault: LawFault, rng: np.random.Generator) -> dict[str, int]:
    """Audit a fault at its number of draws, and count how often it is rejected."""
    n, sample = fault.n_to_catch, sampler(fault)
    reports = (audit(sample, fault.wanted, n, rng, ALPHA) for _ in range(AUDITS))
    return {"n": n, "audits": AUDITS, "caught": sum(not report.exact for report in reports)}


def main() -> int:
    """Run everything and write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT, help="where the JSON goes")
    given = parser.parse_args()
    fixed, sequential, gallery = np.random.default_rng(SEED).spawn(3)
    result: dict[str, Any] = {
        "about": "Calibration of the audit; written by python -m benchmarks.faults",
        "seed": SEED,
        "audit": calibrated(calibrate(RUNS, fixed, ALPHA)),
        "sequential": calibrated(calibrate(RUNS, sequential, ALPHA, sequential=True)),
        "gallery": {},
    }
    faults = [fault for fault in GALLERY.values() if isinstance(fault, LawFault)]
    for fault, rng in zip(faults, gallery.spawn(len(faults)), strict=True):
        began = time.time()
        result["gallery"][fault.name] = line = caught(fault, rng)
        print(f"{fault.name}: {line}, {time.time() - began:.0f} s", file=sys.stderr)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, ensure_ascii=False)
    given.out.write_text(text.replace(', "', ',\n "') + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
