// RUN: passgen-opt %s --contain --timeout=60 --remarks-filter=.* | filecheck %s
// CHECK: func.func @f
func.func @f() {
  func.return
}
