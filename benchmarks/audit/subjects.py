"""The implementations under audit, each brought to one calling convention."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.audit.cases import Case
from benchmarks.audit.edges import edges
from benchmarks.audit.hugging_face import generate_cases, hf_cases
from benchmarks.audit.models import decoder_cases, sequential_cases
from benchmarks.audit.verifiers import dflash_cases, flash_cases

__all__ = ["edges", "every_case"]


def every_case() -> Iterator[Case]:
    """Yield every audit."""
    yield from hf_cases()
    yield from dflash_cases()
    yield from flash_cases()
    yield from sequential_cases()
    yield from decoder_cases()
    yield from generate_cases()
