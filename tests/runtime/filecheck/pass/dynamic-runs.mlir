// A pass runs a pipeline on its operation or inside it, and decides what a failure means.
// DEFINE: %{run} = passgen-test-opt %s -o /dev/null --mlir-print-op-on-diagnostic=false --pass-pipeline
// DEFINE: %{check} = filecheck %s --check-prefix

// RUN: %{run}='builtin.module(func.func(test-step{runs={func.func(test-step{name=Q},test-step{name=R})}}))' 2>&1 | %{check}=ITSELF
// RUN: %{run}='builtin.module(func.func(test-step{runs={func.func(test-step{name=Q},test-step{name=R})}}))' --verify-each=false 2>&1 | %{check}=ITSELF
// ITSELF: {{^}}P @a
// ITSELF-NEXT: {{^}}Q @a
// ITSELF-NEXT: {{^}}R @a
// ITSELF-NEXT: {{^}}P succeeded
// ITSELF-NEXT: {{^}}P @b
// ITSELF-NEXT: {{^}}Q @b
// ITSELF-NEXT: {{^}}R @b
// ITSELF-NEXT: {{^}}P succeeded
// ITSELF-NOT: {{.}}

// RUN: %{run}='builtin.module(test-step{runs=test-step{name=Q} runs-on=self.operation.body.block.last_op.body.block.first_op})' 2>&1 | %{check}=INSIDE
// INSIDE: {{^}}P builtin.module
// INSIDE-NEXT: {{^}}Q @c
// INSIDE-NEXT: {{^}}P succeeded
// INSIDE-NOT: {{.}}

// RUN: %{run}='builtin.module(test-step{runs={builtin.module(func.func(test-step{name=Q}),func.func(test-step{name=R}))}})' 2>&1 | %{check}=NESTS
// NESTS: {{^}}P builtin.module
// NESTS-NEXT: {{^}}Q @a
// NESTS-NEXT: {{^}}R @a
// NESTS-NEXT: {{^}}Q @b
// NESTS-NEXT: {{^}}R @b
// NESTS-NEXT: {{^}}P succeeded
// NESTS-NOT: {{.}}

// It runs neither around the operation nor beside it, and on nothing but its anchor.
// RUN: %{run}='builtin.module(builtin.module(test-step{runs=test-step{name=Q} runs-on=self.operation.parent_op()}))' 2>&1 | %{check}=OUTSIDE
// RUN: %{run}='builtin.module(builtin.module(test-step{runs={any(test-step{name=Q})} runs-on=self.operation.prev_op}))' 2>&1 | %{check}=OUTSIDE
// OUTSIDE: {{^}}P @inner
// OUTSIDE-NEXT: error: '{{builtin.module|func.func}}' op Trying to schedule a dynamic pipeline on an operation that isn't nested under the current operation the pass is processing
// OUTSIDE-NOT: Q
// OUTSIDE: {{^}}P failed
// OUTSIDE-NOT: {{.}}
// RUN: %{run}='builtin.module(builtin.module(test-step{runs={func.func(test-step{name=Q})}}))' 2>&1 | %{check}=ANCHOR
// ANCHOR: {{^}}P @inner
// ANCHOR-NEXT: dynamic-runs.mlir:[[# @LINE + 35]]:1: error: can't run 'func.func' pass manager on 'builtin.module' op
// ANCHOR: {{^}}P failed
// ANCHOR-NOT: {{.}}

// What fails inside fails the pass only if the pass says so, and a later failure is not
// blamed on it.
// RUN: %{run}='builtin.module(builtin.module(test-step{runs={any(test-step{name=Q fails-on=@inner},test-step{name=S})}}))' 2>&1 | %{check}=GOES-ON
// RUN: %{run}='builtin.module(builtin.module(test-step{runs={any(test-step{name=Q initialize={say("begins"); 1/0}})}}))' 2>&1 | %{check}=GOES-ON
// GOES-ON: {{^}}P @inner
// GOES-ON-NEXT: {{^(Q @inner|begins)$}}
// GOES-ON-NOT: S
// GOES-ON: {{^}}P failed
// GOES-ON-NOT: {{.}}
// RUN: not %{run}='builtin.module(test-step{runs={builtin.module(test-pass-failure)} do={succeeded or self.signal_pass_failure()}})' 2>&1 | %{check}=GIVES-UP
// RUN: not %{run}='builtin.module(test-step{runs={builtin.module(test-pass-failure)}},test-step{fails-on=builtin.module})' 2>&1 | %{check}=LATER
// GIVES-UP: error: pass 'test-pass-failure' failed on 'builtin.module' operation at {{.*}}:0:0
// GIVES-UP-NEXT: note: in the pipeline builtin.module(test-step{
// LATER: error: pass 'test-step' failed on 'builtin.module' operation
// RUN: not %{run}='builtin.module(func.func(test-step{runs={any(test-step{name=Q do={break_ir(self.operation)}})} do={succeeded or 1/0}}))' 2>&1 | %{check}=INVALID
// INVALID: {{^}}Q @a
// INVALID: error: 'func.return' op
// INVALID: {{^}}P failed
// INVALID: error: pass 'test-step' failed on 'func.func' operation: @a

// Passes are initialized once in each run, and dialects must be declared.
// RUN: %{run}='builtin.module(func.func(test-step{runs={any(test-step{name=Q initialize={say("begins")}})}}))' 2>&1 | %{check}=ONCE
// ONCE: begins
// ONCE-NEXT: {{^}}Q @a
// ONCE-NOT: begins
// ONCE: {{^}}Q @b
// RUN: not %{run}='builtin.module(test-step{runs={test-step{name=Q dialects=scf}}})' 2>&1 | %{check}=DIALECT
// DIALECT: error: pass 'test-step' runs '{{[a-z-]+}}' in a dynamic pipeline, which depends on dialect '{{[a-z]+}}', and no dialect can be loaded while a pipeline runs: declare it in the dependentDialects of 'test-step'

func.func @a() { return }
func.func @b() { return }
module @inner {
  func.func @c() { return }
}
