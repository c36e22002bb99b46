"""The judges: exact laws by enumeration, audits by statistics, known faults, exercises."""

from draftproof.lab import broken, check, exact
from draftproof.lab.audit_calibration import Calibration, calibrate
from draftproof.lab.audit_detect import least_favourable
from draftproof.lab.audit_power import power, samples_needed
from draftproof.lab.audit_report import AuditReport, SequentialReport
from draftproof.lab.audits import audit, audit_sequential
from draftproof.lab.exact import (
    Law,
    accepted_law,
    distance,
    expected_accepted,
    output_array,
    output_law,
    sampler,
    target_array,
    target_law,
)

__all__ = [
    "AuditReport",
    "Calibration",
    "Law",
    "SequentialReport",
    "accepted_law",
    "audit",
    "audit_sequential",
    "broken",
    "calibrate",
    "check",
    "distance",
    "exact",
    "expected_accepted",
    "least_favourable",
    "output_array",
    "output_law",
    "power",
    "sampler",
    "samples_needed",
    "target_array",
    "target_law",
]
