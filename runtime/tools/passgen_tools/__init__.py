"""Tools for people who write passes: the driver, records, reports, searches, tests.

They stand on `passgen_runtime`, which never imports them: a compiler ships without.
"""
