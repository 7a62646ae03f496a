// RUN: not passgen-opt %s 2>&1 | filecheck %s
// CHECK: error
nix
