"""Darts under an envelope: the slice that decides, and the law of the survivors."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from traitlets import Dict, Enum, Float, Int

from draftproof.envelope import Envelope, Proposal
from draftproof.envelope_runs import BELL, FLAT
from draftproof.examples import TARGET, bell_envelope

from .base import Alive

__all__ = ["Darts"]


class Darts(Alive):
    """The book's target under a bell or a flat envelope, with darts to throw.

    Attributes
    ----------
    proposal : str
        ``"bell"`` (a normal density of `width`) or ``"flat"`` (on [-3, 3]).
    width : float
    constant : float
        C; one that is too small is let through.
    x : float
        Where the slice is.
    seed : int
        Of the darts; 0 takes a new one each time.
    tally : dict or None
        What has been thrown: ``thrown``, ``kept`` and the survivors' ``bins`` (60 on [-3, 3]).
    """

    module = "darts"
    figure = "dart-slice"
    parts: ClassVar[tuple[str, ...]] = ("proposal", "width", "constant", "x", "seed", "tally")

    proposal = Enum([BELL, FLAT], BELL).tag(sync=True)
    width = Float(1.0, min=0.1, max=10).tag(sync=True)
    constant = Float(bell_envelope().constant, min=0.1, max=1000).tag(sync=True)
    x = Float(1.1, min=-3, max=3).tag(sync=True)
    seed = Int(0, min=0).tag(sync=True)
    tally = Dict(None, allow_none=True).tag(sync=True)

    @property
    def envelope(self) -> Envelope:
        """The envelope as the package holds it."""
        flat = self.proposal == FLAT
        proposal = Proposal.uniform(-3, 3) if flat else Proposal.normal(0, self.width)
        return Envelope(TARGET, proposal, self.constant, allow_broken=True)

    def facts(self) -> dict[str, Any]:
        """Return the slice, the bound and the acceptance, computed by `draftproof.envelope`.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        env, x = self.envelope, np.array([self.x])
        return {
            "target": float(TARGET(x)[0]),
            "ceiling": float(env.height(x)[0]),
            "chance": float(env.acceptance_at(x)[0]),
            "smallest": env.smallest_constant,
            "broken": bool(env.is_broken),
            "kept": env.acceptance * env.constant,
            "acceptance": env.acceptance,
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Darts:
        """Return a state within the reach of the controls.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Darts
        """
        return cls(
            proposal=str(rng.choice([BELL, FLAT])),
            width=float(np.round(rng.uniform(0.7, 2.5), 2)),
            constant=float(rng.uniform(2, 40)),
            x=float(rng.uniform(-3, 3)),
        )
