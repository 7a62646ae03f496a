// RUN: not passgen-test-opt %s -mlir-disable-threading -pass-pipeline='any(cse,test-interface-pass)' 2>&1 | filecheck %s --check-prefix=INTERFACE
// RUN: passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(any(test-interface-pass))' -o /dev/null 2>&1 | filecheck %s
// RUN: passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(any(cse))' -mlir-print-ir-before=cse -o /dev/null 2>&1 | filecheck %s --check-prefix=ANY

// INTERFACE: error: 'builtin.module' op trying to schedule pass 'TestInterfacePass' on an unsupported operation

// CHECK: generic-pipeline.mlir:{{[0-9]+}}:3: remark: Executing interface pass on operation
// CHECK-NOT: remark

// ANY: IR Dump Before CSE (cse)
// ANY-NEXT: func.func @f
// ANY: IR Dump Before CSE (cse)
// ANY-NEXT: builtin.module @inner
module {
  func.func @f() {
    return
  }
  module @inner {
  }
}
