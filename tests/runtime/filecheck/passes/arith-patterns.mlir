// RUN: passgen-opt %s --arith-strength-reduction --mlir-pass-statistics 2>&1 | filecheck %s --check-prefix=REDUCED
// RUN: passgen-opt %s --arith-strength-reduction=disable-patterns=mulToAdd | filecheck %s --check-prefix=DISABLED
// RUN: passgen-opt %s --arith-identities | filecheck %s --check-prefix=IDENTITIES
// RUN: not passgen-opt %s --arith-identities=enable-patterns=addOne 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: passgen-opt %s --arith-strength-reduction --explain-pattern=mulToAdd@f -o - 2>&1 | filecheck %s --check-prefix=EXPLAINED
// RUN: not passgen-opt %s --arith-strength-reduction --explain-pattern=mulToAd 2>&1 | filecheck %s --check-prefix=MISSPELT
// RUN: passgen-opt --help-pass=arith-identities | filecheck %s --check-prefix=HELP
// RUN: passgen-opt --ir=xdsl --help-pass=arith-identities | filecheck %s --check-prefix=PDL

// Each operation is visited once, and each application is counted.
// REDUCED: ArithStrengthReduction
// REDUCED-NEXT: (S) 0 divToShift - An unsigned division by a power of two is a shift
// REDUCED-NEXT: (S) 1 mulToAdd   - A value times two is the value plus itself
// REDUCED-NEXT: (S) 1 mulToShift - A multiplication by a power of two is a shift
// REDUCED: Patterns that were never applied:
// REDUCED-NEXT: ArithStrengthReduction: divToShift

// REDUCED: %0 = arith.addi %x, %x : i32
// REDUCED-NEXT: %1 = arith.constant 3 : i64
// REDUCED-NEXT: %2 = arith.shli %y, %1 : i64

// Another pattern matches if the first one is disabled.
// DISABLED: %0 = arith.constant 1 : i32
// DISABLED-NEXT: %1 = arith.shli %x, %0 : i32

// IDENTITIES: func.return %0, %1, %z, %0

// UNKNOWN: option 'enable-patterns': there is no pattern 'addOne'
// UNKNOWN: did you mean 'addZero'?

// Why a pattern does not match: the line of it that fails first, and what was found.
// EXPLAINED: pattern 'mulToAdd' in @f: matches: 1, near misses: 1
// EXPLAINED-NEXT: remark: 'arith.muli': attribute 'value' is 8 : i64, expected 2 : i32
// EXPLAINED-NEXT: note: in 'arith.constant'
// EXPLAINED-NEXT: arith.yaml:20:18: note: it should match: %two = arith.constant 2 : i32

// MISSPELT: for the --explain-pattern option: no pass has a pattern 'mulToAd'
// MISSPELT-NEXT: did you mean 'mulToAdd'?

// HELP: disable-patterns=string,...
// HELP: statistics:
// HELP-NEXT: addZero - A value plus zero is the value
// HELP-NOT: pdl.pattern

// With an IR library, it shows the PDL of the patterns.
// PDL: patterns:
// PDL-NEXT: // addZero
// PDL-NEXT: pdl.pattern : benefit(1) {
// PDL-NEXT: %T_0 = pdl.type

func.func @f(%x: i32, %y: i64, %z: f32) -> (i32, i64, f32, i32) {
  %two = arith.constant 2 : i32
  %eight = arith.constant 8 : i64
  %0 = arith.muli %x, %two : i32
  %1 = arith.muli %y, %eight : i64
  %2 = arith.negf %z : f32
  %3 = arith.negf %2 : f32
  %zero = arith.constant 0 : i32
  %4 = arith.addi %0, %zero : i32
  func.return %0, %1, %3, %4 : i32, i64, f32, i32
}
