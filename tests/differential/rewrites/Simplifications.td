// Rewrites of integers: one for each thing that declarative rewrites can have.

include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"

def ZeroOf : NativeCodeCall<"$_builder.getZeroAttr($0.getType())">;
def SumOf : NativeCodeCall<"sumOf($_builder, $0, $1)">;
def DifferenceOf : NativeCodeCall<"bitwiseDifference($_builder, $0, $1)">;
def FlagsOfBoth : NativeCodeCall<"mergeOverflowFlags($0, $1)">;
def Inverse : NativeCodeCall<"invertPredicate($0)">;

def SameType : Constraint<CPred<"$0.getType() == $1.getType()">>;
def IsOne : Constraint<CPred<"*getIntOrSplatIntValue($0) == 1">>;
def IsZero : Constraint<CPred<"getIntOrSplatIntValue($0)->isZero()">>;
def IsStrict : Constraint<Or<[
    CPred<"$0.getValue() == arith::CmpIPredicate::slt">,
    CPred<"$0.getValue() == arith::CmpIPredicate::ult">]>>;
def IsOnlyUse : Constraint<CPred<"$_self.hasOneUse()">>;
def IsEvenShift : Constraint<CPred<"isEven($0)">>;

// One operand twice, and zero of its type.
def Cancel : Pat<(Arith_SubIOp $x, $x, $_), (Arith_ConstantOp (ZeroOf $x))>;

// Literals by conditions.
def AddZero : Pat<
    (Arith_AddIOp $x, (ConstantLikeMatcher AnyAttr:$zero), $_),
    (replaceWithValue $x), [(IsZero $zero)]>;
def MulOne : Pat<
    (Arith_MulIOp $x, (ConstantLikeMatcher APIntAttr:$one), $_),
    (replaceWithValue $x), [(IsOne $one)], [], (addBenefit 5)>;

// Nested operations, and types that are equal.
def Absorb : Pat<(Arith_OrIOp (Arith_AndIOp $x, $y), $x), (replaceWithValue $x)>;
def ExtendTwice : Pat<(Arith_ExtUIOp (Arith_ExtUIOp $x)), (Arith_ExtUIOp $x)>;
def TruncExtended : Pat<(Arith_TruncIOp:$narrow (Arith_ExtSIOp $x), $_),
    (replaceWithValue $x), [(SameType $narrow, $x)]>;

// Constants of enums, and lists of them.
def EqualToItself : Pat<
    (Arith_CmpIOp ConstantEnumCase<Arith_CmpIPredicateAttr, "eq">, $x, $x),
    (Arith_ConstantOp ConstantAttr<I1Attr, "1">)>;
def LessThanItself : Pat<(Arith_CmpIOp $predicate, $x, $x),
    (Arith_ConstantOp ConstantAttr<I1Attr, "0">), [(IsStrict $predicate)]>;
def Inverted : Pat<
    (Arith_XOrIOp (Arith_CmpIOp $predicate, $x, $y),
                  (ConstantLikeMatcher ConstantAttr<I1Attr, "1">)),
    (Arith_CmpIOp (Inverse $predicate), $x, $y)>;

// Attributes that functions make, flags, and a flag that is there or not.
def ShiftTwice : Pat<
    (Arith_ShLIOp (Arith_ShLIOp $x, (ConstantLikeMatcher APIntAttr:$c), $f),
                  (ConstantLikeMatcher APIntAttr:$d), $g),
    (Arith_ShLIOp $x, (Arith_ConstantOp (SumOf $c, $d)), (FlagsOfBoth $f, $g))>;
def MaskTwice : Pat<
    (Arith_XOrIOp (Arith_XOrIOp $x, (ConstantLikeMatcher APIntAttr:$c)),
                  (ConstantLikeMatcher APIntAttr:$d)),
    (Arith_XOrIOp $x, (Arith_ConstantOp (DifferenceOf $c, $d)))>;
def ShiftExtended : Pat<
    (Arith_ShRSIOp (Arith_ExtUIOp:$wide $x),
                   (ConstantLikeMatcher TypedAttrInterface:$c), $exact),
    (Arith_ShRUIOp $wide, (Arith_ConstantOp $c), $exact), [(IsEvenShift $c)]>;

// Constants of any type, and of integers.
def SelectEqual : Pat<
    (SelectOp $condition, (ConstantLikeMatcher AnyAttr:$c),
                          (ConstantLikeMatcher AnyAttr:$c)),
    (Arith_ConstantOp $c)>;
def SelectEqualInteger : Pat<
    (SelectOp $condition, (ConstantLikeMatcher APIntAttr:$c),
                          (ConstantLikeMatcher APIntAttr:$c)),
    (Arith_ConstantOp $c)>;

// Several results, one of which has no uses.
def LowHalf : Pattern<(Arith_MulUIExtendedOp:$both $x, $y),
    [(Arith_MulIOp $x, $y, ConstantEnumCase<Arith_IntegerOverflowAttr, "none">),
     (replaceWithValue $x)],
    [(HasNoUseOf $both__1)]>;

// A result with one use.
def DistributeOnce : Pat<
    (Arith_AndIOp (Arith_OrIOp:$either $x, $y), $x),
    (replaceWithValue $x), [(IsOnlyUse $either)]>;

// A name on several lines.
def "Or\nItself" : Pat<(Arith_OrIOp $x, $x), (replaceWithValue $x)>;
