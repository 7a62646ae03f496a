"""A small compiler whose passes, bundles and pipelines come from a spec."""
