"""Textual pass pipelines made into pass managers, with every mistake at its place."""
