// RUN: passgen-opt %s --arith-identities --mlir-pass-statistics 2>&1 | filecheck %s

// xDSL does not fold operations on vectors, so that the patterns apply to them.
// CHECK: (S) 2 addZero
// CHECK: (S) 2 mulByOne

// CHECK-LABEL: @vectors
// CHECK-NEXT: func.return %x, %x, %y, %y
func.func @vectors(%x: vector<4xi32>, %y: vector<2xi64>)
    -> (vector<4xi32>, vector<4xi32>, vector<2xi64>, vector<2xi64>) {
  %zero = arith.constant dense<0> : vector<4xi32>
  %one = arith.constant dense<1> : vector<4xi32>
  %zero2 = arith.constant dense<0> : vector<2xi64>
  %one2 = arith.constant dense<1> : vector<2xi64>
  %0 = arith.addi %x, %zero : vector<4xi32>
  %1 = arith.muli %x, %one : vector<4xi32>
  %2 = arith.addi %y, %zero2 : vector<2xi64>
  %3 = arith.muli %y, %one2 : vector<2xi64>
  func.return %0, %1, %2, %3
      : vector<4xi32>, vector<4xi32>, vector<2xi64>, vector<2xi64>
}

// CHECK-LABEL: @other_numbers
// CHECK: arith.addi
// CHECK: arith.muli
func.func @other_numbers(%x: vector<4xi32>) -> (vector<4xi32>, vector<4xi32>) {
  %one = arith.constant dense<1> : vector<4xi32>
  %two = arith.constant dense<2> : vector<4xi32>
  %0 = arith.addi %x, %one : vector<4xi32>
  %1 = arith.muli %x, %two : vector<4xi32>
  func.return %0, %1 : vector<4xi32>, vector<4xi32>
}
