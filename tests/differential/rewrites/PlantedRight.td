// Rewrites that are right for all integers, flags and constants.

include "Planted.td"

// Flags and constants.
def CancelSum : Pat<(Arith_SubIOp (Arith_AddIOp $x, $y, $f), $y, $g),
    (replaceWithValue $x)>;
def AddTwiceWithoutFlags : Pat<
    (Arith_AddIOp:$sum (Arith_AddIOp $x, (ConstantLikeMatcher APIntAttr:$c), $f),
                       (ConstantLikeMatcher APIntAttr:$d), $g),
    (Arith_AddIOp $x, (Arith_ConstantOp (SumOf $sum, $c, $d)), None)>;
def AddTwiceUnsigned : Pat<
    (Arith_AddIOp:$sum (Arith_AddIOp $x, (ConstantLikeMatcher APIntAttr:$c), Nuw),
                       (ConstantLikeMatcher APIntAttr:$d), Nuw),
    (Arith_AddIOp $x, (Arith_ConstantOp (SumOf $sum, $c, $d)), Nuw)>;
def TimesMinusOne : Pat<
    (Arith_MulIOp $x, (ConstantLikeMatcher APIntAttr:$c), $f),
    (Arith_SubIOp (Arith_ConstantOp (ZeroOf $x)), $x, None), [(IsMinusOne $c)]>;
def DivideByOne : Pat<(Arith_DivUIOp $x, (ConstantLikeMatcher APIntAttr:$c), $e),
    (replaceWithValue $x), [(IsOne $c)]>;

// Shifts, whose flags say what they lose.
def ShiftUnsignedAndBack : Pat<(Arith_ShRUIOp (Arith_ShLIOp $x, $y, Nuw), $y, $e),
    (replaceWithValue $x)>;
def ShiftSignedAndBack : Pat<(Arith_ShRSIOp (Arith_ShLIOp $x, $y, Nsw), $y, $e),
    (replaceWithValue $x)>;
def ShiftExactThroughOr : Pat<(Arith_ShRUIOp (Arith_OrIOp $x, $y), $z, $e),
    (Arith_OrIOp (Arith_ShRUIOp $x, $z, $e), (Arith_ShRUIOp $y, $z, $e))>;

// Comparisons and choices.
def InvertComparison : Pat<
    (Arith_XOrIOp (Arith_CmpIOp $p, $x, $y), (ConstantLikeMatcher Yes)),
    (Arith_CmpIOp (Inverse $p), $x, $y)>;
def SwapComparison : Pat<(Arith_CmpIOp Slt, $x, $y), (Arith_CmpIOp Sgt, $y, $x)>;
def SelectByNot : Pat<
    (SelectOp (Arith_XOrIOp $c, (ConstantLikeMatcher Yes)), $x, $y),
    (SelectOp $c, $y, $x)>;
def SelectSmaller : Pat<(SelectOp (Arith_CmpIOp Sle, $x, $y), $x, $y),
    (Arith_MinSIOp $x, $y)>;
def AbsorbSmaller : Pat<(Arith_MaxSIOp $x, (Arith_MinSIOp $x, $y)),
    (replaceWithValue $x)>;

// Casts.
def ExtendUnsignedThenSigned : Pat<(Arith_ExtSIOp (Arith_ExtUIOp $x)),
    (Arith_ExtUIOp $x)>;
def TruncateTwice : Pat<(Arith_TruncIOp (Arith_TruncIOp $x, $f), $g),
    (Arith_TruncIOp $x, None)>;
def ExtendAndBack : Pat<(Arith_TruncIOp:$narrow (Arith_ExtSIOp $x), $f),
    (replaceWithValue $x), [(SameType $narrow, $x)]>;

// Several results.
def CarryIsLess : Pattern<(Arith_AddUIExtendedOp $x, $y),
    [(Arith_AddIOp:$sum $x, $y, None), (Arith_CmpIOp Ult, $sum, $x)]>;
def LowHalf : Pattern<(Arith_MulSIExtendedOp:$both $x, $y),
    [(Arith_MulIOp $x, $y, None), (replaceWithValue $x)], [(IsUnused $both__1)]>;

// Another dialect.
def AbsoluteOfNegated : Pat<
    (Math_AbsIOp (Arith_SubIOp (ConstantLikeMatcher APIntAttr:$c), $x, $f)),
    (Math_AbsIOp $x), [(IsZero $c)]>;
def CountOnesOfExtended : Pat<(Math_CtPopOp (Arith_ExtUIOp $x)),
    (Arith_ExtUIOp (Math_CtPopOp $x))>;
def LeadingZerosOfSmaller : Pat<(Math_CountLeadingZerosOp (Arith_MinUIOp $x, $y)),
    (Arith_MaxUIOp (Math_CountLeadingZerosOp $x), (Math_CountLeadingZerosOp $y))>;
