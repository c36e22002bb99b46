"""Audit the samplers of public packages: ``python -m benchmarks.audit``.

The packages are installed, at the versions of requirements.txt, into an environment under
``_build`` that nothing else uses; the result is ``audit.json`` in ``src/draftproof/lab/results``,
where a notebook of the chapter finds it. Takes a few minutes on two cores, most of them for the
first installation.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDED = Path(__file__).with_name("requirements.txt")
RESULT = ROOT / "src" / "draftproof" / "lab" / "results" / "audit.json"


def environment(folder: Path) -> Path:
    """Return the Python of an environment that has the audited packages, made when missing."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    mark = folder / "installed"
    wanted = hashlib.sha256(NEEDED.read_bytes()).hexdigest()
    if mark.exists() and mark.read_text() == wanted:
        return python
    print(f"installing the audited packages into {folder}", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # torch brings what its own build needs; the audited packages only what is listed, since
    # some of them ask for data sets and servers that no audit touches.
    torch = next(line for line in NEEDED.read_text().splitlines() if line.startswith("torch=="))
    subprocess.run([*command, torch], check=True)
    subprocess.run([*command, "--no-deps", "-r", NEEDED], check=True)
    mark.write_text(wanted)
    return python


def main() -> int:
    """Run the audits in the environment of the audited packages."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT, help="where the JSON goes")
    parser.add_argument("--venv", type=Path, default=ROOT / "_build" / "audit-venv")
    parser.add_argument("--draws", type=float, default=1.0, help="factor on every n (0.1: a try)")
    parser.add_argument(
        "--only", default="", help="audit the implementations with this in the name"
    )
    given = parser.parse_args()
    try:
        python = environment(given.venv)
    except subprocess.CalledProcessError:
        print("The audited packages could not be installed: see pip's message.", file=sys.stderr)
        return 3
    worker = [
        python,
        "-m",
        "benchmarks.audit.worker",
        given.out.resolve(),
        str(given.draws),
        given.only,
    ]
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    quiet = {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1"}
    return subprocess.run(
        worker, cwd=ROOT, env=os.environ | quiet | {"PYTHONPATH": paths}
    ).returncode


if __name__ == "__main__":
    raise SystemExit(main())
