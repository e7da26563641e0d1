"""A second implementation of the verifier, written from docs/reference/audit.md alone."""

from .audit import verify_lines
from .countersignature import verify_countersignature
from .report import Problem, Report

__all__ = ["Problem", "Report", "verify_countersignature", "verify_lines"]
