// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(canonicalize))' | filecheck %s

// Neither the root nor its siblings change: the unused constant outside of the function
// stays.
// CHECK:      arith.constant 7 : i32
// CHECK-NEXT: func.func private @unused() {
// CHECK-NEXT:   func.return
%0 = arith.constant 7 : i32
func.func private @unused() {
  %1 = arith.constant 7 : i32
  return
}
