"""The targets that `mlir-tblgen` has, equal to its output to the byte."""
