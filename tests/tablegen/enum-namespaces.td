// Enums of one name in several namespaces.
include "mlir/Pass/PassBase.td"
class V<string t, string a> { string v = "llvm::cl::values(clEnumValN(" # t # "::A, \"" # a # "\", \"\"))"; }
def Foo : Pass<"foo"> {
 let options = [Option<"a","a","mlir::affine::Mode","mlir::affine::Mode::A","", V<"mlir::affine::Mode","a">.v>,
 Option<"b","b","mlir::linalg::Mode","","", V<"mlir::linalg::Mode","a">.v>,
 Option<"c","c","mlir::affine::Mode","","", V<"mlir::affine::Mode","c">.v>,
 Option<"d","d","::my::linalg::Mode","","", V<"my::linalg::Mode","a">.v>,
 Option<"e","e","int","","", V<"my::linalg::Mode","a">.v>,
 Option<"f","f","unsigned","","", V<"my::linalg::Mode","e">.v>];
}
def Bar : Pass<"bar"> {
 let summary = "Have enums whose name without namespaces comes last";
 let options = [Option<"a","a","a::Kind","","", V<"a::Kind","a">.v>,
 Option<"b","b","b::Kind","","", V<"b::Kind","b">.v>,
 Option<"c","c","Kind","","", V<"Kind","c">.v>,
 Option<"d","d","::mlir::a::Kind","","", V<"a::Kind","a">.v>];
}
