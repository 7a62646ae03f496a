// RUN: echo --allow-unregistered-dialect | tr -d '\n' > %t
// RUN: passgen-opt %s %{readfile:%t} | filecheck %s
// CHECK: func.func @f
func.func @f() {
  func.return
}
