// RUN: passgen-opt %s --allow-unregistered-dialect \
// RUN:   --pass-pipeline='builtin.module(topological-sort)' | filecheck %s

// The first round schedules d, f, h, i, the function and the module; the second one g, which
// was before its operand. Only the cycle remains, which its first operation, a, breaks.
// CHECK:      "test.d"
// CHECK-NEXT: "test.f"
// CHECK-NEXT: "test.h"
// CHECK-NEXT: "test.i"
// CHECK-NEXT: func.func @f
// CHECK:      builtin.module {
// CHECK-NEXT:   "test.y"
// CHECK-NEXT:   "test.x"
// CHECK-NEXT: }
// CHECK-NEXT: "test.g"
// CHECK:      "test.a"
// CHECK-NEXT: "test.c"
// CHECK-NEXT: "test.e"
// CHECK-NEXT: "test.b"
%a = "test.a"(%b) : (i32) -> i32
%b = "test.b"(%c) : (i32) -> i32
%c = "test.c"(%a) : (i32) -> i32
%d = "test.d"() : () -> i32
%e = "test.e"(%f, %a) : (i32, i32) -> i32
%f = "test.f"(%d) : (i32) -> i32
%g = "test.g"(%h) ({
  "test.inside"(%i) : (i32) -> ()
}) : (i32) -> i32
%h = "test.h"(%h) : (i32) -> i32
%i = "test.i"(%f) : (i32) -> i32
func.func @f() {
  return
}

builtin.module {
  %x = "test.x"(%y) : (i32) -> i32
  %y = "test.y"() : () -> i32
}
