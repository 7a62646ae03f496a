"""A fork server: programs that tests start are forked from a process that runs.

A program in Python takes half a second to start, and imports take most of it. The server
has imported everything and forks in some milliseconds. Tests notice nothing of it: in
front of `PATH` stands a folder with a client under the name of each program, so that
`["passgen", ...]` and `["python", "-c", ...]` are forked, in shells too, and
`[sys.executable, ...]` is started truly.

A client also starts its program truly for tests of starts, LLVM, MLIR, browsers, build systems
and executors; for a flag of the interpreter such as `-W`; with a variable `PYTHON...` or
a locale of its own; with ignored signals or closed streams. With `pytest
--no-fork-server`, all programs are.
"""
