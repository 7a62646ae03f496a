"""What runs on which packages with an IR library: `make versions`."""
