"""Reduction: IR and pipelines made as small as they are still interesting."""

from passgen_runtime.extensions.reduce.reduction import NotInterestingError, reduce

__all__ = ["NotInterestingError", "reduce"]
