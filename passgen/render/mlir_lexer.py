"""A Pygments lexer of MLIR's textual form, which Pygments does not bring."""

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, include
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
)


class MLIRLexer(RegexLexer):
    """Operations, values, symbols, types and attributes, by their sigils."""

    name = "MLIR"
    aliases: ClassVar[list[str]] = ["mlir"]
    filenames: ClassVar[list[str]] = ["*.mlir"]

    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"//.*?$", Comment.Single),
            (r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"', String),
            (r"%[\w$.#-]+", Name.Variable),
            (r"@(?:[\w$.-]+|\"[^\"\n]*\")", Name.Function),
            (r"\^[\w$.-]+", Name.Label),
            (r"[!#][A-Za-z_][\w$.]*", Keyword.Type),
            include("types"),
            (r"-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*(?:[eE][-+]?\d+)?)?)", Number),
            (r"([a-z_]\w*)(\.)([a-z_][\w.]*)", bygroups(Keyword, Punctuation, Keyword)),
            (
                r"(?:true|false|unit|loc|dense|affine_map|affine_set)\b",
                Keyword.Constant,
            ),
            (r"[A-Za-z_][\w$]*", Name),
            (r"->|==|::|[=:+*/<>-]", Operator),
            (r"[(){}\[\],?]", Punctuation),
            (r".", Text),
        ],
        "types": [
            (
                r"(?:[su]?i\d+|b?f\d+|tf32|f8\w+|index|none)\b",
                Keyword.Type,
            ),
            (
                r"\b(tensor|memref|vector|complex|tuple)(<)((?:(?:\d+|\?|\[\d+\]|\*)x)*)",
                bygroups(Keyword.Type, Operator, Number),
            ),
        ],
    }
