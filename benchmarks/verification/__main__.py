"""Time `rejection_sample` against public packages: ``python -m benchmarks.verification``.

The packages come from the environment that ``benchmarks.audit`` makes under ``_build``. Contestants
take turns in one thread, each with the form of laws that it takes (logits, probabilities or their
logarithms) made ready outside the timed part. The result, with the machine it was measured on, is
``verification.json`` among the package's recordings. Takes a minute or two.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.audit.__main__ import ROOT, environment
from draftproof import recorded

RESULT = recorded.FOLDER / "verification.json"


def main() -> int:
    """Run the worker in the environment of the audited packages."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verification", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT, help="where the JSON goes")
    parser.add_argument("--venv", type=Path, default=ROOT / "_build" / "audit-venv")
    parser.add_argument("--repeats", type=int, default=15, help="turns of each contestant")
    given = parser.parse_args()
    try:
        python = environment(given.venv)
    except subprocess.CalledProcessError:
        print("The public packages could not be installed: see pip's message.", file=sys.stderr)
        return 3
    worker = [python, "-m", "benchmarks.verification.worker", "--out", given.out.resolve()]
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    quiet = {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [*worker, "--repeats", str(given.repeats)],
        cwd=ROOT,
        env=os.environ | quiet | {"PYTHONPATH": paths},
    ).returncode


if __name__ == "__main__":
    raise SystemExit(main())
