// A pass that fails ends the pipeline on its operation, and the pipelines around that;
// its siblings run, and the first failure in the IR is reported.
// DEFINE: %{run} = not passgen-test-opt %s --mlir-print-op-on-diagnostic=false --pass-pipeline
// DEFINE: %{check} = filecheck %s --check-prefix

// RUN: %{run}='builtin.module(func.func(test-step{fails-on=@a},test-step{name=Q}),test-step{name=M})' 2>&1 | %{check}=ONE
// RUN: %{run}='builtin.module(func.func(test-step{fails-on=@a},test-step{name=Q}),test-step{name=M})' --verify-each=false 2>&1 | %{check}=ONE
// RUN: %{run}='builtin.module(func.func(test-step{name=Q},test-pass-failure))' 2>&1 | %{check}=BOTH
// RUN: %{run}='builtin.module(test-step{fails-on=builtin.module},test-step{name=Q})' 2>&1 | %{check}=ROOT

// ONE: {{^}}P @a
// ONE-NEXT: {{^}}{{.*}}failure.mlir:[[# @LINE + 18]]:1: error: no @a
// ONE: {{^}}P @b
// ONE-NEXT: {{^}}Q @b
// ONE-NOT: M builtin.module
// ONE: error: pass 'test-step' failed on 'func.func' operation: @a at {{.*}}failure.mlir:[[# @LINE + 14]]:1
// ONE-NEXT: note: in the pipeline builtin.module(func.func(test-step{{.*}} name=P {{.*}},test-step{{.*}} name=Q {{.*}}),test-step{{.*}} name=M {{.*}})

// BOTH: Q @a
// BOTH: Q @b
// BOTH: pass 'test-pass-failure' failed on 'func.func' operation: @a
// BOTH-NOT: @b

// ROOT: P builtin.module
// ROOT: no builtin.module
// ROOT-NOT: Q builtin.module
// ROOT: pass 'test-step' failed on 'builtin.module' operation at {{.*}}failure.mlir:0:0


func.func @a() { return }
func.func @b() { return }

// So it is where a pass raises, or would end the program: all siblings run before.
// RUN: %{run}='builtin.module(func.func(test-step{do={1/0}}))' 2>&1 | %{check}=RAISES
// RUN: %{run}='builtin.module(func.func(test-step{do={sys.exit(3)}}))' 2>&1 | %{check}=RAISES
// RUN: %{run}='builtin.module(func.func(test-step{name=O runs={any(test-step{do={sys.exit(3)}})}}))' 2>&1 | %{check}=RAISES
// RAISES: {{^}}P @a
// RAISES: {{^}}P @b
// RAISES: error: pass 'test-step' failed on 'func.func' operation: @a
// RAISES-NEXT: note: it raised {{ZeroDivisionError: division by zero|SystemExit: 3}}

// A pass that cannot be initialized ends the run before any pass.
// RUN: %{run}='builtin.module(test-step,func.func(test-step{initialize=1/0}))' 2>&1 | %{check}=INITIALIZED
// INITIALIZED-NOT: builtin.module
// INITIALIZED: error: pass 'test-step' failed on its initialization
// INITIALIZED-NEXT: note: it raised ZeroDivisionError: division by zero
// INITIALIZED-NEXT: note: in the pipeline builtin.module(test-step
