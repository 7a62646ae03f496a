// RUN: passgen-opt %s --pass-pipeline='builtin.module(composite-fixed-point-pass{pipeline=func.func(cse,canonicalize)})' 2>&1 \
// RUN:   | filecheck %s
// RUN: passgen-opt %s --pass-pipeline='builtin.module(composite-fixed-point-pass{name=Twice max-iterations=1 pipeline=func.func(canonicalize)})' 2>&1 \
// RUN:   | filecheck %s --check-prefix WARNING
// RUN: not passgen-opt %s --pass-pipeline='builtin.module(composite-fixed-point-pass{max-iterations=0 pipeline=cse})' 2>&1 \
// RUN:   | filecheck %s --check-prefix INVALID
// RUN: not passgen-opt %s --pass-pipeline='builtin.module(composite-fixed-point-pass{pipeline=func.func(nix)})' 2>&1 \
// RUN:   | filecheck %s --check-prefix UNKNOWN
// RUN: passgen-opt %s --mlir-pass-statistics --pass-pipeline='builtin.module(composite-fixed-point-pass{name=Twice pipeline=cse})' 2>&1 \
// RUN:   | filecheck %s --check-prefix NAME
// RUN: not passgen-opt %s --pass-pipeline='builtin.module(composite-fixed-point-pass{pipeline=func.func(symbol-dce)})' 2>&1 \
// RUN:   | filecheck %s --check-prefix FAILED

// CHECK-NOT: warning
// CHECK:      func.func @f
// CHECK-NEXT:   func.return %a : i32
// WARNING: warning: Composite pass "Twice"+ didn't converge in 1 iterations
// WARNING: func.return %a : i32
// INVALID: Invalid maxIterations value: 0
// UNKNOWN: error: 'nix' does not refer to a registered pass or pass pipeline
// NAME: Pass statistics report
// NAME: Twice
// FAILED: error: 'func.func' op  was scheduled to run under SymbolDCE
func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %a, %zero : i32
  %1 = arith.addi %0, %zero : i32
  return %1 : i32
}
