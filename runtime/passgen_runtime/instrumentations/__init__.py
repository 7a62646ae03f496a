"""Standard instrumentations: the pass manager knows none of them by name."""
