// RUN: passgen-opt %s --pass-pipeline='builtin.module(strip-debuginfo)' | filecheck %s

// Locations are not printed; tests/runtime/passes/test_pass_contracts.py checks that they
// are unknown.
// CHECK:      func.func @f(%a: i32) -> i32 {
// CHECK-NEXT:   func.return %a : i32
func.func @f(%a: i32 loc("model.py":1:2)) -> i32 {
  return %a : i32 loc("model.py":3:4)
} loc("model.py":5:6)
