# This package is a driver under test; only its names look like those of tests.
collect_ignore_glob = ["*"]
