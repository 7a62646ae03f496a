// What a pass does to a standard stream is undone. One that closes standard output leaves
// no place for the IR.
// DEFINE: %{opt} = python -m tests.passgen_test_opt %s
// DEFINE: %{check} = filecheck %s --check-prefix

// RUN: not %{opt} --test-step='do={sys.stdout.close()}' 2>&1 | %{check}=CLOSED
// RUN: not %{opt} --test-step='do={sys.stdout.detach()}' 2>&1 | %{check}=CLOSED
// RUN: not %{opt} --test-step='do={sys.__stdout__.close(); sys.stdout = 3}' --contain 2>&1 | %{check}=CLOSED
// CLOSED-NOT: func.func
// CLOSED: {{^}}error: cannot write standard output: it is closed
// CLOSED-NOT: {{error|func.func}}

// RUN: %{opt} --test-step='do={sys.stdout = None}' | %{check}=KEPT
// RUN: %{opt} --test-step='do={del sys.stdout}' --contain | %{check}=KEPT
// RUN: %{opt} --test-step='do={del sys.stderr}' | %{check}=KEPT
// RUN: %{opt} --test-step='do={sys.stderr.close(); del sys.stdout}' --contain | %{check}=KEPT
// RUN: %{opt} --test-step='do={sys.stdout = io.StringIO()}' | %{check}=KEPT
// KEPT: builtin.module {
// KEPT: func.func @f

// DEFINE: %{next} = --test-step='name=Q do={print("printed"); print("said", file=sys.stderr)}'

// A pass that raises to end the program has failed.
// RUN: not %{opt} --test-step='do={raise GeneratorExit}' %{next} -o=%t.out 2>&1 | %{check}=RAISED
// RUN: not %{opt} --test-step='do={raise BaseException("no")}' %{next} -o=%t.out 2>&1 | %{check}=RAISED
// RUN: not %{opt} --test-step='do={raise asyncio.CancelledError}' %{next} -o=%t.out 2>&1 | %{check}=RAISED
// RUN: not %{opt} --test-step='do={raise type("Mute", (BaseException,), {"__str__": lambda _: sys.exit(0)})}' %{next} -o=%t.out 2>&1 | %{check}=RAISED
// RUN: not %{opt} --test-step='do={sys.stdout.close(); del sys.stderr; sys.exit(0)}' %{next} -o=%t.out 2>&1 | %{check}=RAISED
// RAISED-NOT: {{^said}}
// RAISED: {{^}}error: pass 'test-step' failed on 'builtin.module' operation at {{.*}}streams.mlir:0:0
// RAISED-NEXT: {{^}}note: it raised {{(GeneratorExit|CancelledError): $|BaseException: no$|Mute: <exception str\(\) failed>$|SystemExit: 0$}}
// RAISED-NOT: {{^said|error:}}
// RUN: not cat %t.out

// Without standard error nothing for it appears elsewhere.
// DEFINE: %{copy} = python -m tests.passgen_test_opt f.mlir
// DEFINE: %{bad} = --test-step='do={os.write(2, b"native"); self.emit_remark("said"); raise ValueError}'
// RUN: mkdir %t.d && cp %s %t.d/f.mlir
// RUN: cd %t.d && not %{copy} %{bad} >> %t.out 2>&- && not %{copy} %{bad} >> %t.out 2>&- <&-
// RUN: cd %t.d && not %{copy} %{bad} --mlir-print-ir-after-all --mlir-timing >> %t.out 2>&- && not %{copy} %{bad} --mlir-print-ir-after-all --mlir-timing >> %t.out 2>&- <&-
// RUN: cd %t.d && not %{copy} %{bad} --mlir-pass-statistics --dump-pass-pipeline >> %t.out 2>&- && not %{copy} %{bad} --mlir-pass-statistics --dump-pass-pipeline >> %t.out 2>&- <&-
// RUN: cd %t.d && not %{copy} %{bad} --contain >> %t.out 2>&- && not %{copy} %{bad} --contain >> %t.out 2>&- <&-
// RUN: cd %t.d && not %{copy} --nonesuch >> %t.out 2>&- && not %{copy} --nonesuch >> %t.out 2>&- <&-
// RUN: ls %t.d > %t.files && test "$(cat %t.files)" = f.mlir && cmp %s %t.d/f.mlir
// RUN: test -e %t.out && not test -s %t.out

func.func @f() { return }
