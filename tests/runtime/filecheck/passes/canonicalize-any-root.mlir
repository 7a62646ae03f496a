// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(canonicalize))' | filecheck %s

// The root is not touched, nor what is beside it: the constant outside of the function is
// unused and stays.
// CHECK:      arith.constant 7 : i32
// CHECK-NEXT: func.func private @unused() {
// CHECK-NEXT:   func.return
%0 = arith.constant 7 : i32
func.func private @unused() {
  %1 = arith.constant 7 : i32
  return
}
