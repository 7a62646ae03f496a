# What lies here is a driver under test; its names only look like those of tests.
collect_ignore_glob = ["*"]
