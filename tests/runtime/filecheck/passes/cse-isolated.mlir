// RUN: passgen-opt %s --pass-pipeline='builtin.module(cse)' | filecheck %s

// A module is a graph: a use may come before the definition. In a function, no expression
// from outside is known.

// CHECK:      "test.op"(%[[ONE:.*]], %[[ONE]]) : (i32, i32) -> ()
// CHECK-NEXT: %[[ONE]] = arith.constant 1 : i32
// CHECK-NEXT: func.func @f() -> i32 {
// CHECK-NEXT:   arith.constant 1 : i32
"test.op"(%0, %1) : (i32, i32) -> ()
%0 = arith.constant 1 : i32
%1 = arith.constant 1 : i32
func.func @f() -> i32 {
  %2 = arith.constant 1 : i32
  return %2 : i32
}
