"""Tests of passes: `.mlir` files with RUN lines in pytest, and assertions in Python."""
