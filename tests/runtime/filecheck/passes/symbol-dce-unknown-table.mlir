// RUN: not passgen-opt %s --allow-unregistered-dialect \
// RUN:   --pass-pipeline='builtin.module(symbol-dce)' 2>&1 | filecheck %s

func.func private @f()
// CHECK: symbol-dce-unknown-table.mlir:[[# @LINE + 1]]:1: error: operation contains potentially unknown symbol table, meaning that we can't reliable compute symbol uses
"unknown.table"() ({
  "unknown.op"() {use = @f} : () -> ()
}) : () -> ()
