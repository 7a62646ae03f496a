// Rewrites that no pattern by example can have.

include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::toy";
}
class Toy_Op<string name> : Op<Toy_Dialect, name>;
def Toy_ManyOp : Toy_Op<"many"> {
  let arguments = (ins Variadic<I32>:$values);
  let results = (outs I32:$sum);
}
def Toy_LoopOp : Toy_Op<"loop"> {
  let arguments = (ins I32:$count);
  let results = (outs I32:$sum);
  let regions = (region AnyRegion:$body);
}
def Toy_NamedOp : Toy_Op<"named"> {
  let arguments = (ins I32:$value, SymbolRefAttr:$symbol);
  let results = (outs I32:$result);
}
def Toy_MemoryOp : Toy_Op<"memory"> {
  let arguments = (ins AnyMemRef:$memory);
  let results = (outs I32:$result);
}
def Toy_AnyOp : Toy_Op<"any"> {
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
}

def MakeNumber : NativeCodeCall<"makeNumber($_builder, $0)">;
def MakeValue : NativeCodeCall<"makeValue($_builder, $_loc, $0)">;
def SumOf : NativeCodeCall<"addIntegerAttrs($_builder, $0, $1, $2)">;
def IsNice : Constraint<CPred<"isNice($0)">>;
def IsNumber : Constraint<CPred<"succeeded(getIntOrSplatIntValue($0))">>;
def IsOneOrNice : Constraint<Or<[
    CPred<"*getIntOrSplatIntValue($0) == 1">, CPred<"isNice($0)">]>>;

def EitherOrder : Pat<
    (Arith_MulIOp (either $x, (Arith_MulIOp $y, $z, $_)), $_), (replaceWithValue $x)>;
def VariadicOperands : Pat<(Toy_ManyOp (variadic $x, $y)), (replaceWithValue $x)>;
def Regions : Pat<(Toy_LoopOp $x), (replaceWithValue $x)>;
def Symbols : Pat<(Toy_NamedOp $x, $symbol), (replaceWithValue $x)>;
def Buffers : Pat<(Toy_MemoryOp $x), (Toy_MemoryOp $x)>;
def UnknownCondition : Pat<(Arith_AndIOp:$all $x, $y), (replaceWithValue $x),
    [(IsNice $all)]>;
def UnknownAlternative : Pat<
    (Arith_AndIOp $x, (ConstantLikeMatcher AnyAttr:$c)), (replaceWithValue $x),
    [(IsOneOrNice $c)]>;
def NumberOnly : Pat<
    (Arith_AndIOp $x, (ConstantLikeMatcher AnyAttr:$c)), (replaceWithValue $x),
    [(IsNumber $c)]>;
def UnknownAttribute : Pat<(Arith_AndIOp $x, (ConstantLikeMatcher AnyAttr:$c)),
    (Arith_ConstantOp (MakeNumber $c))>;
def UnknownValue : Pat<(Arith_AndIOp $x, $y), (MakeValue $x)>;
def CallInCall : Pat<
    (Arith_AndIOp:$all (ConstantLikeMatcher APIntAttr:$c),
                       (ConstantLikeMatcher APIntAttr:$d)),
    (Arith_ConstantOp (SumOf $all, $c, (SumOf $all, $c, $d)))>;
def DefaultFlags : Pat<
    (Arith_AddIOp $x, $y, ConstantEnumCase<Arith_IntegerOverflowAttr, "none">),
    (replaceWithValue $x)>;
def UnequalTypes : Pat<(Arith_ExtSIOp $x), (replaceWithValue $x)>;
def UnknownType : Pat<(Arith_AndIOp $x, $y), (Arith_AndIOp $x, (Toy_AnyOp (Toy_AnyOp $y)))>;
def GivenType : Pat<(Arith_AndIOp $x, $y),
    (Arith_AndIOp $x, $y, (returnType "$_builder.getI32Type()"))>;
def Supplement : Pat<(Arith_AndIOp $x, $y), (Arith_OrIOp:$or $x, $y), [],
    [(MakeValue $or)]>;
def FewMatched : Pat<(Arith_AddIOp $x, $y), (replaceWithValue $x)>;
def FewCreated : Pat<(Arith_AndIOp $x, $y), (Arith_AddIOp $x, $y)>;
def ByItself : Pat<(Arith_AndIOp:$all $x, $y), (replaceWithValue $all)>;
def UsesItself : Pat<(Arith_AndIOp:$all $x, $y), (Arith_OrIOp $all, $y)>;
