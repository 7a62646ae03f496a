"""The targets that `mlir-tblgen` has, equal to its output to the byte.

Pipelines in C++, which `mlir-tblgen` has not, follow its text.
"""
