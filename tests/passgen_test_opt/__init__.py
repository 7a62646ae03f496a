"""`passgen-test-opt`: `passgen-opt` with MLIR's test passes, as `mlir-opt` has them.

python -m tests.passgen_test_opt input.mlir --pass-pipeline='builtin.module(test-module-pass)'
"""
