"""Packages on the seams of the core: each is a concept of its own."""
