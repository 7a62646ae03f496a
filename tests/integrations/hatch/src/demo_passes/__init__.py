"""Passes of an example."""
