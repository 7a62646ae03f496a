// Negating a value twice is the value.
pdl.pattern @dropInFile : benefit(4) {
  %type = pdl.type
  %x = pdl.operand
  %inner = pdl.operation "arith.negf" (%x : !pdl.value) -> (%type : !pdl.type)
  %once = pdl.result 0 of %inner
  %root = pdl.operation "arith.negf" (%once : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}
