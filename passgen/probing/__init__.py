"""Questions to a process of its own, which runs code of authors and IR libraries."""

from passgen.probing.questions import ProbeError, ask

__all__ = ["ProbeError", "ask"]
