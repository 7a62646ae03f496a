// Flags are passes, in their order.
// DEFINE: %{run} = passgen-opt %s -o /dev/null
// DEFINE: %{check} = filecheck %s --check-prefix

// RUN: %{run} -canonicalize --cse --dump-pass-pipeline=line -canonicalize=top-down=0 2>&1 | %{check}=ORDER
// ORDER: builtin.module(canonicalize{max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},cse,canonicalize{max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=false})
// ORDER-NOT: {{.}}
// RUN: %{run} --affine-loop-unroll=unroll-factor=2 --dump-pass-pipeline=line 2>&1 | %{check}=NESTED
// NESTED: builtin.module(any(affine-loop-unroll{{[{].* unroll-factor=2 }}

// RUN: %{run} -p='builtin.module(func.func(cse),cse)' --dump-pass-pipeline=pretty 2>&1 | %{check}=PRETTY
// PRETTY: {{^}}builtin.module({{$}}
// PRETTY-NEXT: {{^}}  func.func({{$}}
// PRETTY-NEXT: {{^}}    cse{{$}}
// PRETTY-NEXT: {{^}}  ),{{$}}
// PRETTY-NEXT: {{^}}  cse{{$}}
// PRETTY-NEXT: {{^\)$}}

// RUN: not %{run} '--canonicalize=   max-iterations=x top-down' 2>&1 | %{check}=FLAG
// FLAG: {{^}}command-line:1:34: error: for the --max-iterations option: 'x' value invalid for long argument!
// FLAG-NEXT: {{^}}--canonicalize=   max-iterations=x top-down
// FLAG-NEXT: {{^ {33}\^$}}
// FLAG-NEXT: note: expected an integer of -9223372036854775808 to 9223372036854775807, decimal or prefixed 0x, 0b, 0o or 0
// FLAG-NEXT: note: failed to add `canonicalize` with options `max-iterations=x top-down`
// FLAG-NOT: {{.}}

// RUN: not %{run} -p 'builtin.module(cse,sccp)' 2>&1 | %{check}=MLIRS
// MLIRS: {{^}}pass-pipeline:1:20: error: 'sccp' does not refer to a registered pass or pass pipeline
// MLIRS-NEXT: {{^}}builtin.module(cse,sccp)
// MLIRS-NEXT: {{^ {19}\^~~~$}}
// MLIRS-NEXT: {{^}}note: 'sccp' is a pass of MLIR's: --ir=mlir runs it
// MLIRS-NOT: {{.}}
// RUN: not %{run} -p 'builtin.module(func.func(affine-loop-fusion))' 2>&1 | %{check}=DECLARED
// DECLARED: {{^}}note: 'affine-loop-fusion' is a pass of MLIR's: --ir=mlir runs it
// DECLARED-NOT: {{.}}

// A nested pipeline that matched nothing, and an anchor that is no operation.
// RUN: %{run} -p 'builtin.module(func.func(cse),gpu.module(cse))' 2>&1 | %{check}=UNMATCHED
// UNMATCHED: {{^}}pass-pipeline: warning: the nested pipeline gpu.module(cse) matched no operation
// UNMATCHED-NOT: {{.}}
// RUN: not %{run} -p 'builtin.module(func.fun(cse))' 2>&1 | %{check}=ANCHOR
// ANCHOR: pass-pipeline:1:16: error: 'func.fun' does not refer to a registered operation
// ANCHOR-NEXT: {{^}}builtin.module(func.fun(cse))
// ANCHOR-NEXT: {{^ {15}\^~{7}$}}
// ANCHOR-NEXT: note: did you mean 'func.func'?

func.func @f() { return }
