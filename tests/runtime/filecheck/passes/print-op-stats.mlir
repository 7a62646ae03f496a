// RUN: passgen-opt %s -o /dev/null --allow-unregistered-dialect \
// RUN:   --pass-pipeline='builtin.module(print-op-stats)' 2>&1 \
// RUN:   | filecheck %s --strict-whitespace --check-prefix TABLE
// RUN: passgen-opt %s -o /dev/null --allow-unregistered-dialect \
// RUN:   --pass-pipeline='builtin.module(print-op-stats{json=true})' 2>&1 \
// RUN:   | filecheck %s --strict-whitespace --check-prefix JSON

//      TABLE:Operations encountered:
// TABLE-NEXT:-----------------------
// TABLE-NEXT:    arith.addi   , 2
// TABLE-NEXT:  builtin.module , 1
// TABLE-NEXT:     func.func   , 1
// TABLE-NEXT:     func.return , 1
// TABLE-NEXT:  unknown.op     , 1

//      JSON:{
// JSON-NEXT:  "arith.addi" : 2,
// JSON-NEXT:  "builtin.module" : 1,
// JSON-NEXT:  "func.func" : 1,
// JSON-NEXT:  "func.return" : 1,
// JSON-NEXT:  "unknown.op" : 1
// JSON-NEXT:}
func.func @f(%a: i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %0, %a : i32
  "unknown.op"() : () -> ()
  return
}
