"""Passes for any compiler that bufferizes: an example of a plugin."""
