r"""The normal layout of a spec: the same YAML, indented by two, without extra blanks.

    layout("passes:\n    A:   # a comment\n") == "passes:\n  A:   # a comment\n"

Lines are moved by the locations of the scanner's tokens; comments, the spelling of
values and the order of keys stay. Lists are indented by two columns from their key, one
space follows a dash, and a comment on its own line moves with the entry that it is
aligned with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from passgen.diagnostics import InternalError
from passgen.source import SourceFile
from passgen.spec import loader
from passgen.spec.located import plain
from passgen.spec.yaml_lines import BlockIndent, Collection, YamlLines


def layout(source: SourceFile) -> str:
    """Return the text of `source` in the normal layout.

    Raises:
        SpecError: it is not the YAML of a spec.
        InternalError: the layout would change the data or the comments.
    """
    before = loader.load(source)
    yaml_lines = YamlLines(source.text.removeprefix("\ufeff").replace("\r\n", "\n"))
    text = "\n".join(_tidy(yaml_lines))
    after = loader.load(SourceFile(source.name, text))
    # As texts, because NaN is not equal to itself.
    is_same_data = repr(plain(after)) == repr(plain(before))
    if not is_same_data or YamlLines(text).comments() != yaml_lines.comments():
        message = f"{source.name}: the layout would change its content; it is unchanged"
        raise InternalError(message)
    return text


def _tidy(yaml_lines: YamlLines) -> Iterator[str]:
    """Yield the lines of the result.

    Outside texts, blank lines are merged, and dropped at the start and the end.
    """
    is_started = is_blank = False
    for number, line in enumerate(_move_lines(yaml_lines)):
        is_text = number in yaml_lines.texts
        if not is_text and not line.strip():
            is_blank = True
            continue
        if is_blank and is_started:
            yield ""
        is_blank = False
        is_started = True
        yield line if is_text else line.rstrip(" \t")
    if not yaml_lines.ends_in_block():
        yield ""


def _move_lines(yaml_lines: YamlLines) -> Iterator[str]:
    """Yield each line in its new column."""
    above = Collection(is_list=False, old=0, new=0)
    new_columns: dict[int, int] = {}
    """The new columns of the entries above, by their old ones."""

    for number, line in enumerate(yaml_lines.lines):
        bare = line.lstrip(" ")
        column = len(line) - len(bare)
        if number in yaml_lines.blocks:
            yield _move_block_line(line, yaml_lines.blocks[number])
        elif number in yaml_lines.entries:
            above = yaml_lines.entries[number]
            new_columns[above.old] = above.new
            num_marks = yaml_lines.marks[number]
            yield " " * above.new + _with_narrow_marks(bare, num_marks)
        elif yaml_lines.is_comment(number):
            below = yaml_lines.collection_below(number)
            yield " " * _comment_column(column, below, new_columns) + bare
        elif number in yaml_lines.document_ends:
            yield bare
        elif bare:  # it continues the entry above
            yield " " * max(column + above.new - above.old, 0) + bare
        else:
            yield ""


def _move_block_line(line: str, indent: BlockIndent) -> str:
    """Return a line of a block scalar in its new column."""
    text = line[indent.old :]
    is_indented = line.startswith(" " * indent.old)
    return " " * indent.new + text if is_indented else text


def _comment_column(
    column: int, below: Collection, new_columns: Mapping[int, int]
) -> int:
    """Return the new column of a comment, which may be aligned with an entry."""
    if column == below.old:
        return below.new
    return new_columns.get(column, below.new)


def _with_narrow_marks(line: str, num_marks: int) -> str:
    """Return `line` with one space after each of its first entry marks."""
    marks = re.match(rf"(?:[-?:] +(?=[^ #])){{0,{num_marks}}}", line)
    assert marks is not None
    return re.sub(" +", " ", marks[0]) + line[marks.end() :]
