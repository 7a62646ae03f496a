// RUN: passgen-opt %s --arith-strength-reduction | filecheck %s

// Constants that are unused afterwards stay.
// CHECK-LABEL: @divisions
// CHECK-NEXT: %four = arith.constant 4 : i32
// CHECK-NEXT: %eight = arith.constant 8 : i64
// CHECK-NEXT: %0 = arith.constant 2 : i32
// CHECK-NEXT: %1 = arith.shrui %x, %0 : i32
// CHECK-NEXT: %2 = arith.constant 3 : i64
// CHECK-NEXT: %3 = arith.shrui %y, %2 : i64
func.func @divisions(%x: i32, %y: i64) -> (i32, i64) {
  %four = arith.constant 4 : i32
  %eight = arith.constant 8 : i64
  %0 = arith.divui %x, %four : i32
  %1 = arith.divui %y, %eight : i64
  func.return %0, %1 : i32, i64
}

// CHECK-LABEL: @no_powers_of_two
// CHECK: arith.muli %x, %six : i32
// CHECK-NEXT: arith.muli %y, %ten : i64
// CHECK-NEXT: arith.divui %x, %six : i32
func.func @no_powers_of_two(%x: i32, %y: i64) -> (i32, i64, i32) {
  %six = arith.constant 6 : i32
  %ten = arith.constant 10 : i64
  %0 = arith.muli %x, %six : i32
  %1 = arith.muli %y, %ten : i64
  %2 = arith.divui %x, %six : i32
  func.return %0, %1, %2 : i32, i64, i32
}
