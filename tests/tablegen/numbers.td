// Numbers as defaults: limits of other types, signs, exponents.
include "mlir/Pass/PassBase.td"

def Limits : Pass<"limits"> {
  let summary = "Begin at ends of ranges";
  let options = [
    Option<"own", "own", "int32_t", "std::numeric_limits<int32_t>::max()", "Of its own type">,
    Option<"narrower", "narrower", "int64_t", "std::numeric_limits<int32_t>::max()", "Of a narrower one">,
    Option<"lowest", "lowest", "int64_t", "::std::numeric_limits<int>::lowest()", "Below zero">,
    Option<"wider", "wider", "unsigned", "std::numeric_limits<uint64_t>::max()", "Cut off by C++">,
    Option<"foreign", "foreign", "int64_t", "std::numeric_limits<Index>::max()", "Of an unknown one">
  ];
}

def Written : Pass<"written"> {
  let summary = "Write numbers in many ways";
  let options = [
    Option<"plus", "plus", "int64_t", "+1", "A sign that changes nothing">,
    Option<"minus", "minus", "double", "- 0.5", "A sign apart">,
    Option<"tolerance", "tolerance", "double", "1e-5", "A small one">,
    Option<"epsilon", "epsilon", "float", "1e-12f", "A small one of less precision">,
    Option<"bound", "bound", "float", "3.4028235e+38f", "The largest, by its shortest text">,
    Option<"excess", "excess", "float", "3.5e+38f", "Infinite in 32 bits">,
    Option<"huge", "huge", "double", "1e300", "A large one">,
    Option<"precise", "precise", "double", "2.5e-10", "With a point">
  ];
}
