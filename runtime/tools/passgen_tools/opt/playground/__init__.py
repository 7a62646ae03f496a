"""The playground: a page on which the driver runs in a browser, and its folder."""

from passgen_tools.opt.playground.folder import PlaygroundError, write_playground
from passgen_tools.opt.playground.session import Session

__all__ = ["PlaygroundError", "Session", "write_playground"]
