"""A bar on stderr for a run of known length."""

from __future__ import annotations

import sys
import time


class Bar:
    """One line: share done, what runs now, time left."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.started = total, 0, time.monotonic()

    def __call__(self, name: str = "") -> None:
        """Note that one more of the steps is done."""
        self.done += 1
        share = min(1.0, self.done / self.total)
        left = (time.monotonic() - self.started) * (1 / share - 1)
        bar = "#" * int(30 * share)
        end = "\n" if self.done == self.total else ""
        line = f"\r[{bar:<30}] {share:4.0%} {name[:34]:<34} {left / 60:4.1f} min left{end}"
        print(line, end="", file=sys.stderr, flush=True)

    def finish(self) -> None:
        """End the line, also where less was to be done than was thought."""
        if self.done < self.total:
            print(file=sys.stderr)
