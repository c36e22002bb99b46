"""The price of verification: a machine's memory and arithmetic against a pass's."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from traitlets import Dict, Float, Int, List

from draftproof.roofline import HARDWARE, MODELS, Hardware, intensity, verification_price

from .base import Alive

__all__ = ["Roofline"]

MACHINES = [
    {"name": one.name, "bandwidth": one.bandwidth, "peak": one.peak} for one in HARDWARE.values()
]
SHAPES: list[dict[str, Any]] = [
    {"name": one.name, "billions": one.parameters / 1e9, "cache": one.kv_bytes / 1e3}
    for one in MODELS.values()
]


class Roofline(Alive):
    """One position against several, on one of the package's machines.

    Attributes
    ----------
    machines : list of dict
        ``name``, ``bandwidth`` (bytes a second) and ``peak`` (operations a second).
    machine : int
        Which of them.
    models : list of dict
        ``name``, ``billions`` and ``cache`` of models to choose from; the two numbers can also be
        set by hand.
    billions : float
        Weights, in billions.
    bytes : float
        Bytes a weight is stored in. The arithmetic stays that of the machine's ``peak``, 16 bits.
    batch, rows : int
        Sequences, and positions of each.
    context : int
        Cached tokens of each sequence.
    cache : float
        Kilobytes of keys and values a cached token, at 16 bits.
    """

    module = "roofline"
    figure = "batch-curve"
    parts: ClassVar[tuple[str, ...]] = (
        "machines", "machine", "models", "billions", "bytes", "batch", "context", "cache", "rows",
    )  # fmt: skip

    machines = List(Dict(), MACHINES).tag(sync=True)
    machine = Int(0, min=0).tag(sync=True, of="machines")
    models = List(Dict(), SHAPES).tag(sync=True)
    billions = Float(SHAPES[0]["billions"], min=1e-6).tag(sync=True)
    bytes = Float(2.0, min=0.125).tag(sync=True)
    batch = Int(1, min=1).tag(sync=True)
    context = Int(4096, min=0).tag(sync=True)
    cache = Float(SHAPES[0]["cache"], min=0).tag(sync=True)
    rows = Int(5, min=1).tag(sync=True)

    def _pass(self, rows: int) -> dict[str, float]:
        """Return the intensity and the two times of a pass, from the package's intensity."""
        machine = self.machines[self.machine]
        size, rate = self.billions * 1e9, self._intensity(rows)
        compute = 2 * size * rows * self.batch / machine["peak"]
        memory = 2 * size * rows * self.batch / rate / machine["bandwidth"]
        return {
            "intensity": rate, "compute": compute, "memory": memory, "time": max(compute, memory),
        }  # fmt: skip

    def _load(self) -> dict[str, Any]:
        kept = self.context * self.cache * 1e3
        return {"batch": self.batch, "kv_bytes": kept, "bytes_per_parameter": self.bytes}

    def _intensity(self, rows: int) -> float:
        return intensity(self.billions * 1e9, rows, **self._load())

    def facts(self) -> dict[str, Any]:
        """Return ridge, intensities, times and the price, computed by `draftproof.cost`.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        machine = Hardware(**self.machines[self.machine])
        return {
            "ridge": machine.ridge,
            "one": self._pass(1),
            "many": self._pass(self.rows),
            "price": verification_price(machine, self.billions * 1e9, self.rows, **self._load()),
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Roofline:
        """Return a state within the reach of the controls.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Roofline
        """
        named = SHAPES[rng.integers(len(SHAPES))] if rng.random() < 0.3 else None
        return cls(
            machine=int(rng.integers(len(MACHINES))),
            billions=named["billions"] if named else float(10 ** rng.uniform(-1, 3)),
            bytes=float(rng.choice([2, 1, 0.5])),
            batch=int(2 ** rng.integers(10)),
            context=int(rng.integers(0, 131_073)),
            cache=named["cache"] if named else float(rng.integers(0, 601)),
            rows=int(rng.integers(1, 65)),
        )
