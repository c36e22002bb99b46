"""Seconds by part, without waiting for a GPU at every border between parts."""

from __future__ import annotations

import time
from typing import Any

import torch

__all__ = ["PARTS", "Clock"]

PARTS = ("prefill", "draft", "target", "verify")


class Clock:
    """Laps of one run, added up by part.

    On a GPU a lap is an event in its queue, so that the run goes on; the queue is waited for once,
    when the seconds are asked for.

    Parameters
    ----------
    device : torch.device
    """

    def __init__(self, device: torch.device) -> None:
        self._cuda = device.type == "cuda"
        self._laps: list[tuple[str, Any]] = [("", self._now())]

    def lap(self, part: str) -> None:
        """Count the time since the last lap to a part.

        Parameters
        ----------
        part : str
            One of `PARTS`.
        """
        self._laps.append((part, self._now()))

    def seconds(self) -> dict[str, float]:
        """Return the seconds of every part.

        Returns
        -------
        dict of str to float
            One entry for each of `PARTS`, 0 where nothing was counted.
        """
        if self._cuda:
            torch.cuda.synchronize()
        total = dict.fromkeys(PARTS, 0.0)
        before = self._laps[0][1]
        for part, now in self._laps[1:]:
            total[part] += before.elapsed_time(now) / 1e3 if self._cuda else now - before
            before = now
        return total

    def _now(self) -> Any:
        if not self._cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event
