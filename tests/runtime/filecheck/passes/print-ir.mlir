// RUN: passgen-opt %s -o /dev/null --pass-pipeline='builtin.module(print-ir{label=here},func.func(print-ir))' 2>&1 | filecheck %s --match-full-lines

// CHECK:      // -----// IR Dump here //----- //
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   func.func @f() {
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: // -----// IR Dump //----- //
// CHECK-NEXT: func.func @f() {
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func @f() {
  return
}
