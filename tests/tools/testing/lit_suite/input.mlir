// RUN: passgen-opt %S/Inputs/other.mlir | filecheck %s
// CHECK: @f
