"""The contexts: what a pass manager needs of an IR library, one module a library."""
