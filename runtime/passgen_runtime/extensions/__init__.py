"""What stands on the seams of the core: each package is a concept of its own."""
