// Types that a group always spells in the same way, or only once.
include "mlir/Pass/PassBase.td"

def Sizes : Pass<"sizes"> {
  let summary = "Have sizes";
  let options = [
    Option<"first", "first", "uint32_t", "1", "The first">,
    Option<"second", "second", "uint32_t", "2", "The second">,
    Option<"total", "total", "size_t", "3", "All of them">
  ];
}

def Others : Pass<"others"> {
  let summary = "Have types that say nothing of others";
  let options = [
    Option<"before", "before", "OpPassManager", "", "What runs before">,
    Option<"behind", "behind", "OpPassManager", "", "What runs behind">,
    Option<"level", "level", "int", "0", "One of three", [{::llvm::cl::values(
      clEnumValN(0, "none", "Not at all"), clEnumValN(1, "some", "A bit"))}]>,
    Option<"depth", "depth", "int", "1", "One of two", [{::llvm::cl::values(
      clEnumValN(1, "flat", "Not deep"), clEnumValN(2, "deep", "Deeper"))}]>
  ];
}
