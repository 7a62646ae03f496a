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
