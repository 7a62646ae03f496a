// RUN: passgen-test-opt %s -dump-pass-pipeline -pass-pipeline='builtin.module(func.func(test-options-pass{list=1,2,3,4 list=5 string="some" string-list=a,b,c,d}))' -o /dev/null 2>&1 | filecheck %s --check-prefix=REPEATED
// RUN: passgen-test-opt %s -dump-pass-pipeline -test-options-pass-pipeline='list=1 string-list=a enum=one' -o /dev/null 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: passgen-test-opt %s -dump-pass-pipeline -pass-pipeline='builtin.module(func.func(test-options-super-pass{list={{enum=zero list={1} string=foo},{enum=one list={2} string="bar"},{enum=two list={3} string={baz}}}}))' -o /dev/null 2>&1 | filecheck %s --check-prefix=SUPER
// RUN: passgen-test-opt %s -dump-pass-pipeline -test-options-super-set-ab-pipeline='foo=true bar=false' -o /dev/null 2>&1 | filecheck %s --check-prefix=SET
// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-options-pass{list=notaninteger}))' 2>&1 | filecheck %s --check-prefix=NUMBER
// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-options-pass{enum=three}))' 2>&1 | filecheck %s --check-prefix=ENUM

// REPEATED: test-options-pass{enum=zero list={1,2,3,4,5} string=some string-list={a,b,c,d}}
// PIPELINE: test-options-pass{enum=one list={1} string= string-list={a}}
// SUPER: test-options-super-pass{list={
// SUPER-SAME: enum=zero list={1} string=foo
// SUPER-SAME: enum=one list={2} string=bar
// SUPER-SAME: enum=two list={3} string=baz
// SET: Pass Manager with 2 passes:
// SET-NEXT: builtin.module(
// SET-NEXT:   func.func(
// SET-NEXT:     test-options-pass-a
// SET-NEXT:   ),
// SET-NEXT:   func.func(
// SET-NEXT:     test-options-pass-b
// SET-NEXT:   )
// SET-NEXT: )
// NUMBER: 'notaninteger' value invalid for integer argument!
// ENUM: Cannot find option named 'three'!

func.func @f() {
  return
}
