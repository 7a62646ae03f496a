// RUN: env FOO=7 passgen-opt %s | filecheck %s
// RUN: env -u FOO not passgen-opt %s --nix
// RUN: not env FOO=7 passgen-opt %s --nix
// RUN: timeout 60 passgen-opt %s | filecheck %s
// CHECK: func.func @f
func.func @f() {
  func.return
}
