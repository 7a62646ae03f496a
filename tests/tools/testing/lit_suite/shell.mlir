// RUN: rm -rf %t; mkdir -p %t
// RUN: passgen-opt %s -o %t/a.mlir && cat %t/a.mlir | filecheck %s
// CHECK: func.func @f
func.func @f() {
  func.return
}
