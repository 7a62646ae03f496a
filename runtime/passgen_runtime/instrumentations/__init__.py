"""The standard instrumentations, which the core does not import."""
