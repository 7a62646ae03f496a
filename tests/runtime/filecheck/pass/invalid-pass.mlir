// The verifier finds invalid IR after the pass, or when it verifies the parent.
// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-pass-create-invalid-ir,test-function-pass))' -mlir-print-ir-before-all 2>&1 | filecheck %s
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-pass-create-invalid-ir))' -verify-each=0 | filecheck %s --check-prefix=UNVERIFIED
// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-pass-create-invalid-ir{signal-pass-failure=true emit-invalid-ir=true}))' 2>&1 | filecheck %s --check-prefix=FAILED
// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-pass-invalid-parent))' 2>&1 | filecheck %s --check-prefix=PARENT
// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-pass-failure{gen-diagnostics}))' 2>&1 | filecheck %s --check-prefix=ILLEGAL

// CHECK: IR Dump Before TestInvalidIRPass
// CHECK: error: 'test.any_attr_of_i32_str' op requires attribute 'attr'
// CHECK: note: see current operation:
// CHECK-NOT: IR Dump Before TestFunctionPass

// UNVERIFIED: "builtin.module"() ({
// UNVERIFIED: "test.any_attr_of_i32_str"() : () -> ()

// After a pass that signals failure, nothing is verified.
// FAILED-NOT: requires attribute
// FAILED: error: pass 'test-pass-create-invalid-ir' failed on 'func.func' operation: @f at {{.*}}invalid-pass.mlir:{{[0-9]+}}:1
// FAILED-NOT: requires attribute

// PARENT: error: 'test.call' op 'some_unknown_func' does not reference a valid function
// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-step{do={self.operation.parent_op().properties["sym_name"]=builtin.UnitAttr()}}))' 2>&1 | filecheck %s --check-prefix=AROUND
// AROUND: error: the pipeline failed on 'builtin.module'

// ILLEGAL: invalid-pass.mlir:{{[0-9]+}}:1: error: illegal operation
// Nor after one that says that it preserved everything.
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-step{do={break_ir(self.operation); self.mark_all_analyses_preserved()}},test-step{name=Q do={self.operation.body.block.last_op.detach(); self.mark_all_analyses_preserved()}}))' 2>&1 | filecheck %s --check-prefix=PRESERVED
// PRESERVED: Q @f

func.func @f() {
  return
}
