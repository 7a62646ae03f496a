// What a pipeline cannot run on is refused: where it is parsed, or at the operation.
// DEFINE: %{run} = not passgen-test-opt %s --allow-unregistered-dialect --mlir-print-op-on-diagnostic=false -o /dev/null --pass-pipeline
// DEFINE: %{check} = filecheck %s --check-prefix

// RUN: %{run}='builtin.module(test-step-on-function)' 2>&1 | %{check}=ANCHOR
// RUN: %{run}='builtin.module(test-step-on-interface)' 2>&1 | %{check}=FILTER
// RUN: %{run}='func.func(test-step)' 2>&1 | %{check}=ROOT
// RUN: %{run}='any(test-step-on-interface)' 2>&1 | %{check}=FILTERED
// RUN: %{run}='builtin.module(func.func(func.return(test-step)))' 2>&1 | %{check}=ISOLATED
// RUN: %{run}='builtin.module(func.func(x.y(test-step)))' 2>&1 | %{check}=UNREGISTERED

// ANCHOR: Can't add pass 'FunctionStep' restricted to 'func.func' on a PassManager intended to run on 'builtin.module', did you intend to nest?
// FILTER: unable to schedule pass 'InterfaceStep' on a PassManager intended to run on 'builtin.module'!
// ROOT: refused.mlir:0:0: error: can't run 'func.func' pass manager on 'builtin.module' op
// ROOT-NEXT: note: 'builtin.module(func.func(...))' nests it
// FILTERED: refused.mlir:0:0: error: 'builtin.module' op trying to schedule pass 'InterfaceStep' on an unsupported operation
// ISOLATED: refused.mlir:[[# @LINE + 7]]:18: error: 'func.return' op trying to schedule a pass on an operation not marked as 'IsolatedFromAbove'
// UNREGISTERED: refused.mlir:[[# @LINE + 7]]:18: error: 'x.y' op trying to schedule a pass on an unregistered operation

// A pass on symbols refuses an operation without a name, though its type has one; those
// before it run, and so do all on the operations beside it.
// RUN: %{run}='builtin.module(builtin.module(test-step,test-step-on-symbol{name=Q},test-step{name=R}))' 2>&1 | %{check}=SYMBOL
// RUN: %{run}='builtin.module(any(test-step,test-step-on-symbol{name=Q},test-step-on-module{name=R}))' --verify-each=false 2>&1 | %{check}=SYMBOL
func.func @a() { return }
func.func @b() { "x.y"() : () -> () return }
module @named {}
module {}
module @last {}

// SYMBOL: P @named
// SYMBOL-NEXT: Q @named
// SYMBOL-NEXT: R @named
// SYMBOL-NEXT: P builtin.module
// SYMBOL-NEXT: refused.mlir:[[# @LINE - 7]]:1: error: 'builtin.module' op trying to schedule pass 'SymbolStep' on an unsupported operation
// SYMBOL: P @last
// SYMBOL-NEXT: Q @last
// SYMBOL-NEXT: R @last
// SYMBOL: pass 'test-step-on-symbol' failed on 'builtin.module' operation at {{.*}}refused.mlir:[[# @LINE - 11]]:1
// RUN: %{run}='builtin.module(any(test-step,test-step-on-symbol{name=Q},test-step-on-module{name=R}))' --verify-each=false --mlir-disable-threading=false 2>&1 | %{check}=SYMBOL

// A pass before it may give the name that it needs.
// RUN: passgen-test-opt %s --allow-unregistered-dialect -o /dev/null -p 'builtin.module(test-step{do={self.operation.properties["sym_name"]=builtin.StringAttr("now")}},test-step-on-symbol{name=Q})' 2>&1 | %{check}=NAMED
// NAMED: P builtin.module
// NAMED-NEXT: Q @now
