// A part of the input that takes too long is ended, and the pass is named with its calls.
// DEFINE: %{run} = python -m tests.passgen_test_opt %s -o %t.out --timeout=0.5 --pass-pipeline
// DEFINE: %{check} = filecheck %s --check-prefix

// RUN: not %{run}='builtin.module(func.func(test-step{do={time.sleep(60)}}))' 2>&1 | %{check}=LIMIT
// RUN: not %{run}='builtin.module(func.func(test-step{do={re.match("(a|a)*$", 40 * "a" + "b")}}))' 2>&1 | %{check}=LIMIT
// RUN: not cat %t.out

// No pass switches the limit off.
// RUN: not %{run}='builtin.module(func.func(test-step{do={signal.alarm(0); time.sleep(60)}}))' 2>&1 | %{check}=LIMIT
// RUN: not %{run}='builtin.module(func.func(test-step{do={signal.setitimer(signal.ITIMER_REAL, 0); time.sleep(60)}}))' 2>&1 | %{check}=LIMIT
// RUN: not %{run}='builtin.module(func.func(test-step{do={signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]); time.sleep(60)}}))' 2>&1 | %{check}=LIMIT
// RUN: not %{run}='builtin.module(func.func(test-step{do={faulthandler.unregister(signal.SIGALRM); time.sleep(60)}}))' 2>&1 | %{check}=LIMIT
// RUN: not %{run}='builtin.module(func.func(test-step{do={os.kill(os.getpid(), signal.SIGSTOP); time.sleep(60)}}))' 2>&1 | %{check}=LIMIT
// LIMIT: {{^}}P @slow
// LIMIT: {{^}}error: the time limit of 0.5 s has passed while pass 'test-step' ran on 'func.func' operation: @slow at {{.*}}:[[# @LINE + 4]]:1
// LIMIT-NEXT: note: in the pipeline builtin.module(func.func(test-step{
// LIMIT-NEXT: note: {{at .*steps.py:[0-9]+, in run_on_operation|no Python stack}}

func.func @slow() { return }
