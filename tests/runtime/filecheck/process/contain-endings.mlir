// A process that a pass ends is reported: how, while which pass ran on what, in which
// calls. The name of the step says what is expected.
// REQUIRES: system-linux
// DEFINE: %{run} = not python -m tests.passgen_test_opt %s -o %t --contain --pass-pipeline
// DEFINE: %{check} = filecheck %s --check-prefix
// DEFINE: %{ended} = tee %t.said | filecheck %s --check-prefix=ENDED && cat %t.said | filecheck %s --check-prefix

// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="with exit code 0" do={os._exit(0)}})))' 2>&1 | %{ended}=EXITS
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="with exit code 3" do={os._exit(3)}})))' 2>&1 | %{ended}=EXITS
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="by SIGTERM" do={signal.raise_signal(signal.SIGTERM)}})))' 2>&1 | %{ended}=UNCAUGHT
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="by signal 40" do={os.kill(os.getpid(), 40)}})))' 2>&1 | %{ended}=UNCAUGHT
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="by SIGKILL" do={signal.raise_signal(signal.SIGKILL)}})))' 2>&1 | %{ended}=KILLED
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="because its files were closed or written to" do={os.closerange(3, 20)}})))' 2>&1 | %{ended}=EXITS
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="because its files were closed or written to" do={write_to_all_files()}})))' 2>&1 | %{ended}=EXITS
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="by SIGABRT" do={os.abort()}})))' 2>&1 | %{ended}=CRASHED
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="by SIGSEGV" do={ctypes.memset(0, 1, 1)}})))' 2>&1 | %{ended}=CRASHED
// ENDED: {{^}}[[HOW:.+]] @b{{$}}
// ENDED-NEXT: contain-endings.mlir:[[# @LINE + 38]]:1: error: Failures have been detected while processing an MLIR pass pipeline
// ENDED-NEXT: {{^}}module {
// ENDED-NEXT: {{^\^$}}
// ENDED-NEXT: contain-endings.mlir:[[# @LINE + 35]]:1: note: Pipeline failed while executing [`Step` on 'func.func' operation: @b]
// ENDED-NEXT: {{^}}error: the process was ended [[HOW]] while pass 'test-step' ran on 'func.func' operation: @inner/@b at {{.*}}:[[# @LINE + 39]]:5
// ENDED-NEXT: {{^}}note: in the pipeline builtin.module(builtin.module(func.func(cse,test-step{
// ENDED-NEXT: {{^}}note: {{no Python stack: |at }}
// ENDED: {{^}}note: for a reproducer, add --mlir-pass-pipeline-crash-reproducer=reproducer.mlir
// ENDED-NOT: {{.}}
// EXITS: {{^}}note: no Python stack: a process that exits leaves none
// UNCAUGHT: error: the process was ended by [[SIGNAL:SIGTERM|signal 40]] while
// UNCAUGHT: {{^}}note: no Python stack: Python does not catch [[SIGNAL]]
// KILLED: {{^}}note: no Python stack: SIGKILL cannot be caught; the kernel sends it when memory runs out
// CRASHED: {{^}}note: at {{.*}}steps.py:{{[0-9]+}}, in run_on_operation

// The calls after that of the pass.
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="by SIGSEGV" do={overflow()}})))' 2>&1 | %{check}=CALLS
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="by SIGSEGV" do={allocate(in_native_code)}})))' 2>&1 | %{check}=CALLS
// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{name="MemoryError: " do={allocate(in_python)}})))' 2>&1 | %{check}=CALLS
// CALLS: {{^}}[[HOW:.+]] @b{{$}}
// CALLS: {{^error: the process was ended|^note: it raised}} [[HOW]]
// CALLS-NEXT: {{^}}note: in the pipeline builtin.module(
// CALLS-NEXT: {{^}}note: at {{.*}}steps.py:{{[0-9]+}}, in run_on_operation
// CALLS-NEXT: {{^}}note: at <string>:1, in <module>
// CALLS-NEXT: {{^}}note: at {{.*}}deeds.py:{{[0-9]+}}, in {{overflow|allocate}}
// CALLS: {{^}}note: for a reproducer, add --mlir-pass-pipeline-crash-reproducer=reproducer.mlir
// CALLS-NOT: {{.}}

// RUN: %{run}='builtin.module(test-step{initialize=os._exit(3)})' 2>&1 | %{check}=INITIALIZED
// INITIALIZED: note: Pipeline failed while executing [`Step` on its initialization]
// INITIALIZED-NEXT: error: the process was ended with exit code 3 while pass 'test-step' ran on its initialization

// RUN: %{run}='builtin.module(builtin.module(func.func(cse,test-step{do={sys.exit("enough")}})))' 2>&1 | %{check}=RAISED
// RAISED: {{^}}error: pass 'test-step' failed on 'func.func' operation: @b at
// RAISED-NEXT: {{^}}note: it raised SystemExit: enough

// What failed writes no output.
// RUN: not cat %t
module {
  func.func @a() {
    return
  }
  module @inner {
    func.func @b() { return }
  }
}
