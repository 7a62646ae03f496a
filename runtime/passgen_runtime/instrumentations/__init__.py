"""Standard instrumentations: ordinary ones, unknown to what runs the passes."""
