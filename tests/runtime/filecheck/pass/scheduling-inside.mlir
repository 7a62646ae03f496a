// Merged managers merge inside too; one that its next sibling does not merge into is
// left as it is inside: MLIR merges inside the last of adjacent managers only.
// DEFINE: %{run} = passgen-test-opt %s -o /dev/null --pass-pipeline
// DEFINE: %{check} = filecheck %s --match-full-lines --check-prefix

// RUN: %{run}='builtin.module(builtin.module(func.func(test-step)),builtin.module(func.func(test-step{name=Q})))' 2>&1 | %{check}=MERGED
// RUN: %{run}='builtin.module(builtin.module(func.func(test-step),func.func(test-step{name=Q})),any(test-step{name=R}))' 2>&1 | %{check}=ALONE

// MERGED: P @a
// MERGED-NEXT: Q @a
// MERGED-NEXT: P @b
// MERGED-NEXT: Q @b
// MERGED-NOT: {{.}}

// ALONE: P @a
// ALONE-NEXT: P @b
// ALONE-NEXT: Q @a
// ALONE-NEXT: Q @b
// ALONE-NEXT: R @m
// ALONE-NEXT: R @n
// ALONE-NOT: {{.}}

module @m {
  func.func @a() { return }
  func.func @b() { return }
}
module @n {}
