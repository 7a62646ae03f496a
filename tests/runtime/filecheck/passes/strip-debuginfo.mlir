// RUN: passgen-opt %s --pass-pipeline='builtin.module(strip-debuginfo)' | filecheck %s

// What is printed holds no locations either way; that they are gone is tested in
// passes/test_strip_debuginfo.py.
// CHECK:      func.func @f(%a: i32) -> i32 {
// CHECK-NEXT:   func.return %a : i32
func.func @f(%a: i32 loc("model.py":1:2)) -> i32 {
  return %a : i32 loc("model.py":3:4)
} loc("model.py":5:6)
