"""A bar on standard error for a run of known length."""

from __future__ import annotations

import sys
import time

__all__ = ["Bar"]


class Bar:
    """One line: share done, what runs now, time left.

    On a terminal the line is written again and again; in a log there is one for each tenth.

    Parameters
    ----------
    total : int
        The steps of the whole run.
    done : int
        How many of them an earlier run has done.
    """

    def __init__(self, total: int, done: int = 0) -> None:
        self.total, self.done, self.first = total, done, done
        self.started, self._open = time.monotonic(), False

    def __call__(self, name: str = "", steps: int = 1) -> None:
        """Note that some more of the steps are done."""
        before, self.done = self.done, self.done + steps
        share, last = min(1.0, self.done / self.total), self.done >= self.total
        if not (self._live or last or 10 * before // self.total < int(10 * share)):
            return
        spent = time.monotonic() - self.started
        left = spent / (self.done - self.first) * max(0, self.total - self.done)
        bar = "#" * int(30 * share)
        line = f"[{bar:<30}] {share:4.0%} {name[:40]:<40} {left / 60:4.1f} min left"
        sys.stderr.write(f"\r{line}" if self._live else f"{line}\n")
        self._open = self._live
        if last:
            self.finish()
        sys.stderr.flush()

    @property
    def _live(self) -> bool:
        return sys.stderr.isatty()

    def finish(self) -> None:
        """End the line, also where less was to be done than was thought."""
        if self._open:
            sys.stderr.write("\n")
            self._open = False
