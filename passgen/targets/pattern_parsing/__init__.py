"""Patterns of specs, parsed by the libraries of their IR."""

from passgen.targets.pattern_parsing.parsing import (
    ParsedPattern,
    PatternProblem,
    parse_patterns,
)

__all__ = ["ParsedPattern", "PatternProblem", "parse_patterns"]
