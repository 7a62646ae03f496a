// Which pass runs on which operation, and in which order.
// DEFINE: %{run} = passgen-test-opt %s --allow-unregistered-dialect -o /dev/null --pass-pipeline
// DEFINE: %{check} = filecheck %s --match-full-lines --check-prefix

// RUN: %{run}='builtin.module(func.func(test-step,test-step{name=Q}))' 2>&1 | %{check}=ORDER
// RUN: %{run}='builtin.module(builtin.module(test-step,func.func(test-step{name=Q})),test-step{name=R})' 2>&1 | %{check}=NESTED
// RUN: %{run}='builtin.module(any(test-step))' 2>&1 | %{check}=ANY
// RUN: %{run}='builtin.module(any(test-step,test-step-on-interface{name=Q}))' 2>&1 | %{check}=FILTER
// RUN: %{run}='builtin.module(any(test-step,test-step-on-module{name=Q}))' 2>&1 | %{check}=ANCHOR

// All passes run on one operation before the next, and not on operations further inside.
// ORDER: P @a
// ORDER-NEXT: Q @a
// ORDER-NEXT: P @b
// ORDER-NEXT: Q @b
// ORDER-NOT: {{.}}

// Managers nest like the IR.
// NESTED: P @inner
// NESTED-NEXT: Q @c
// NESTED-NEXT: P @last
// NESTED-NEXT: R builtin.module
// NESTED-NOT: {{.}}

// `any` runs on what is registered and isolated.
// ANY: P @a
// ANY-NEXT: P @b
// ANY-NEXT: P @inner
// ANY-NEXT: P @last
// ANY-NOT: {{.}}

// The filter of one pass in `any`, or its anchor, constrains the others.
// FILTER: P @a
// FILTER-NEXT: Q @a
// FILTER-NEXT: P @b
// FILTER-NEXT: Q @b
// FILTER-NOT: {{.}}
// ANCHOR: P @inner
// ANCHOR-NEXT: Q @inner
// ANCHOR-NEXT: P @last
// ANCHOR-NEXT: Q @last
// ANCHOR-NOT: {{.}}

// Flags nest passes below their anchors.
// RUN: passgen-test-opt %s --allow-unregistered-dialect -o /dev/null --dump-pass-pipeline=line --test-step-on-function --test-step-on-function=name=Q --test-step=name=R 2>&1 | %{check}=IMPLICIT
// IMPLICIT: builtin.module(func.func(test-step-on-function{{.*}} name=P {{.*}}),func.func(test-step-on-function{{.*}} name=Q {{.*}}),test-step{{.*}} name=R {{.*}})
// IMPLICIT: P @a
// IMPLICIT-NEXT: Q @a
// IMPLICIT-NEXT: P @b
// IMPLICIT-NEXT: Q @b
// IMPLICIT-NEXT: R builtin.module
// IMPLICIT-NOT: {{.}}

// Adjacent managers of one anchor are one, and those of different anchors share a walk;
// a pass in between ends the merging.
// RUN: %{run}='builtin.module(func.func(test-step),func.func(test-step{name=Q}))' 2>&1 | %{check}=ORDER
// RUN: %{run}='builtin.module(func.func(test-step),builtin.module(test-step{name=Q}))' 2>&1 | %{check}=WALK
// RUN: %{run}='builtin.module(func.func(test-step),test-step{name=M},func.func(test-step{name=Q}))' 2>&1 | %{check}=BETWEEN
// WALK: P @a
// WALK-NEXT: P @b
// WALK-NEXT: Q @inner
// WALK-NEXT: Q @last
// WALK-NOT: {{.}}
// BETWEEN: P @a
// BETWEEN-NEXT: P @b
// BETWEEN-NEXT: M builtin.module
// BETWEEN-NEXT: Q @a
// BETWEEN-NEXT: Q @b
// BETWEEN-NOT: {{.}}

// `any` merges with what its passes cannot run on, and neither with what they can run on
// nor with `any`.
// RUN: %{run}='builtin.module(builtin.module(test-step),any(test-step-on-interface{name=Q}))' 2>&1 | %{check}=DISJOINT
// RUN: %{run}='builtin.module(func.func(test-step),any(test-step{name=Q}))' 2>&1 | %{check}=OVERLAP
// RUN: %{run}='builtin.module(any(test-step),any(test-step{name=Q}))' 2>&1 | %{check}=TWICE
// DISJOINT: Q @a
// DISJOINT-NEXT: Q @b
// DISJOINT-NEXT: P @inner
// DISJOINT-NEXT: P @last
// DISJOINT-NOT: {{.}}
// OVERLAP: P @a
// OVERLAP-NEXT: P @b
// OVERLAP-NEXT: Q @a
// OVERLAP-NEXT: Q @b
// OVERLAP-NEXT: Q @inner
// OVERLAP-NEXT: Q @last
// OVERLAP-NOT: {{.}}
// TWICE: P @a
// TWICE-NEXT: P @b
// TWICE-NEXT: P @inner
// TWICE-NEXT: P @last
// TWICE-NEXT: Q @a

func.func @a() { return }
func.func @b() { return }
module @inner {
  func.func @c() { return }
}
module @last {}
"x.y"() : () -> ()
