// RUN: split-file %s %t
// RUN: passgen-opt %t/a/one.mlir | filecheck %t/checks
// RUN: not passgen-opt %t/two.mlir
//--- a/one.mlir
func.func @f() {
  func.return
}
#--- two.mlir
nix
//--- checks
CHECK: func.func @f
