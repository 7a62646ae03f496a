"""Differences between specs and the Python that implements them."""

from passgen.findings.drift.differences import find_drift

__all__ = ["find_drift"]
