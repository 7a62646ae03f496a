// A diff shows how a pass has changed the IR, and nothing of passes that changed nothing.
// RUN: passgen-opt %s -o /dev/null -p 'builtin.module(func.func(cse,cse))' --mlir-print-ir-diff 2>&1 | filecheck %s --match-full-lines
// RUN: passgen-opt %s -o /dev/null -p 'builtin.module(func.func(canonicalize,cse))' --mlir-print-ir-diff --mlir-print-ir-after=cse 2>&1 | filecheck %s --match-full-lines
// RUN: passgen-opt %s -o /dev/null -p 'builtin.module(func.func(cse,canonicalize))' --mlir-print-ir-diff --mlir-print-ir-after=canonicalize 2>&1 | filecheck %s --check-prefix=NOTHING --allow-empty
// NOTHING-NOT: {{.}}

// CHECK: // -----// IR Diff After CSE (cse) //----- //
// CHECK-NEXT: @@ -1,6 +1,5 @@
// CHECK-NEXT:  func.func @f(%x: i32) -> i32 {
// CHECK-NEXT:    %a = arith.addi %x, %x : i32
// CHECK-NEXT: -  %b = arith.addi %x, %x : i32
// CHECK-NEXT: -  %c = arith.addi %a, %b : i32
// CHECK-NEXT: +  %c = arith.addi %a, %a : i32
// CHECK-NEXT:    func.return %c : i32
// CHECK-NEXT:  }
// CHECK-NOT: {{.}}
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
