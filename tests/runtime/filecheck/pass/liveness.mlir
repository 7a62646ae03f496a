// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-print-liveness))' -o /dev/null 2>&1 | filecheck %s

// CHECK: Testing : branch
// CHECK: Block: 0
// CHECK-NEXT: LiveIn:{{ *$}}
// CHECK-NEXT: LiveOut: arg1@0{{ *$}}
// CHECK: Block: 1
// CHECK-NEXT: LiveIn: arg1@0{{ *$}}
// CHECK-NEXT: LiveOut:{{ *$}}
// CHECK-NEXT: BeginLivenessIntervals
// CHECK-NEXT: val_3 :
// CHECK-NEXT: arith.addi
// CHECK-NEXT: func.return
// CHECK-NEXT: EndLivenessIntervals
func.func @branch(%x: i32, %y: i32) -> i32 {
  cf.br ^next(%x : i32)
^next(%z: i32):
  %sum = arith.addi %y, %z : i32
  return %sum : i32
}
