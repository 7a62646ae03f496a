"""Stands where the package would be, as if that were not installed."""
