"""Runs inside the audited packages' environment; see ``__main__``."""

from __future__ import annotations

import os
import platform
import sys
import time
import warnings
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch

from benchmarks.audit import subjects
from benchmarks.audit.cases import Case
from benchmarks.files import write
from draftproof._progress import Bar
from draftproof.lab import audit, audit_sequential, calibrate, samples_needed

ALPHA = 1e-4  # about a hundred audits: one false alarm among them at most once in a hundred runs
SEED = 20_261_101
PACKAGES = (
    "transformers",
    "dflash",
    "flashspec",
    "sequential-speculative-decoding",
    "speculative-decoding",
)


def stream(case: Case) -> np.random.Generator:
    """Return the case's own stream: it does not depend on which other cases run."""
    name = f"{case.implementation} {case.function} {case.inputs}"
    return np.random.default_rng([SEED, crc32(name.encode())])


def run(case: Case, rng: np.random.Generator, draws: float) -> dict[str, Any]:
    """Audit one case and return its line of the result."""
    n = max(int(case.n * draws), 200)
    about = {
        "implementation": case.implementation,
        "function": case.function,
        "inputs": case.inputs,
        "claimed": case.claimed,
        "note": case.note,
        "n": n,
    }
    try:
        report = audit(case.sampler, case.law, n, rng, ALPHA)
    except Exception as error:  # what the audited code raises is a finding, not a crash
        return about | {"verdict": "error", "reason": f"{type(error).__name__}: {error}"[:300]}
    return about | {"verdict": "holds" if report.exact else "does not hold"} | report.as_dict()


def machine() -> dict[str, Any]:
    """Describe the machine, without a name."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def calibrations() -> tuple[dict[str, Any], dict[str, Any]]:
    """Audit exact samplers with both audits, and compare the draws they need on one bias."""
    rng = np.random.default_rng(SEED)
    both = []
    for runs, sequential in ((2000, False), (500, True)):
        found = calibrate(runs, rng, 0.01, sequential=sequential)
        both.append(
            {
                "exact_samplers": found.runs,
                "alpha": found.alpha,
                "false_alarms": found.false_alarms,
                "expected_at_most": found.runs * found.alpha,
                "chance_of_as_many": found.too_many(),
            }
        )
    law, wrong = [0.3, 0.4, 0.3], [0.35, 0.35, 0.3]
    stops = [
        audit_sequential(lambda n, g: g.choice(3, n, p=wrong), law, own, max_n=10**6).n
        for own in rng.spawn(300)
    ]
    both[1] |= {
        "law": law,
        "wrong_law": wrong,
        "draws_of_the_fixed_audit": samples_needed(law, wrong),
        "draws_of_the_sequential_audit": {
            f"{level:.0%} of runs": float(np.quantile(stops, level)) for level in (0.5, 0.99)
        },
    }
    return both[0], both[1]


def findings(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put the audits of each function together: what holds, and what does not on which inputs."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for line in lines:
        name = line["implementation"], line["function"]
        entry = found.setdefault(
            name,
            {
                "implementation": name[0],
                "function": name[1],
                "claimed": line["claimed"],
                "audits": 0,
                "holds": 0,
                "largest_detectable": 0.0,
                "fails": [],
            },
        )
        entry["audits"] += 1
        if line["verdict"] == "holds":
            entry["holds"] += 1
            if line["detectable"] < 1:  # 1: a law with one possible token
                entry["largest_detectable"] = max(entry["largest_detectable"], line["detectable"])
        else:
            kept = ("inputs", "verdict", "tv", "n", "p_value", "reason", "note")
            entry["fails"].append({name: line.get(name) for name in kept})
    return list(found.values())


def main(out: str, draws: str, only: str = "") -> int:
    """Run every case and write the JSON."""
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    cases = [case for case in subjects.every_case() if only in case.implementation]
    lines, bar = [], Bar(len(cases))
    for case in cases:
        began = time.time()
        lines.append(run(case, stream(case), float(draws)))
        lines[-1]["seconds"] = round(time.time() - began, 2)
        bar(f"{case.implementation}: {case.inputs}")
    found, early = calibrations()
    result = {
        "about": "Audits of public speculative samplers; written by python -m benchmarks.audit",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seed": SEED,
        "alpha": ALPHA,
        "machine": machine(),
        "versions": {name: version(name) for name in PACKAGES},
        "calibration": found,
        "sequential": early,
        "counts": {
            v: sum(line["verdict"] == v for line in lines)
            for v in ("holds", "does not hold", "error")
        },
        "findings": findings(lines),
        "cases": lines,
        "edges": subjects.edges(),
    }
    write(Path(out), result)
    print(f"{result['counts']} -> {out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
