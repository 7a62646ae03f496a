"""Passes over xDSL's affine dialect."""
