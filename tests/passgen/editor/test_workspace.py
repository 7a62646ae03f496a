"""What editors get at a mark in the text of a spec, which may be half typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from passgen.editor import Settings, Workspace

CURSOR = "¦"
SPECS = Path(__file__).parents[3] / "specs"

LOOPS = """\
summary: Passes over loops
forms:
  noLoops: {summary: No loops, absent: [scf]}
analyses:
  Schedule: {python: 'loops.analyses:Schedule', summary: Start times}
externalPasses: [canonicalize, {argument: cse, tags: [folding]}]
bundles:
  clean-up: {summary: Clean up, elements: [canonicalize, cse]}
passes:
  UnrollLoops:
    summary: Unroll loops
    anchor: func.func
    constructor: loops.unroll:UnrollLoops
    tags: [loops]
    options:
      - {name: unrollFactor, type: uint32, default: 4, description: The factor.}
      - {name: mode, type: enum, values: [full, {value: partial, description: Some.}]}
      - {name: after, type: pipeline}
  LowerLoops:
    summary: Lower loops
    gives: [noLoops]
pipelines:
  Lowering:
    summary: Lower everything
    anchor: func.func
    options:
      - {name: vectorize, type: bool}
      - {name: level, type: enum, values: [none, all]}
    elements: [unroll-loops]
"""


class Editor:
    """One document in a workspace, as an editor has it."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        self.folder = folder
        self.specs = Workspace(folder, settings or Settings())
        self.path = str(folder / "loops.yaml")

    def type(self, text: str) -> tuple[str, int, int]:
        """Put a text with a cursor, and return its place."""
        before, _, after = text.partition(CURSOR)
        self.specs.put(self.path, before + after)
        self.specs.problems(self.path)
        line = before.count("\n")
        return self.path, line, len(before.rpartition("\n")[2])

    def names(self, text: str) -> list[str]:
        return [name.name for name in self.specs.completions(*self.type(text))]

    def problems(self, text: str) -> list[str]:
        self.type(text)
        return [problem.message for problem in self.specs.problems(self.path)]


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    editor = Editor(tmp_path)
    editor.type(LOOPS)
    return editor


def typed(part: str, *, at: str = "    elements: [unroll-loops]\n") -> str:
    """Return the spec with `part` instead of the lines `at`."""
    assert at in LOOPS
    return LOOPS.replace(at, part)


PASSES = ["canonicalize", "cse", "unroll-loops", "lower-loops"]
COMPLETED = {
    "    elements: [¦": PASSES,
    "    elements: [cse, un¦roll": PASSES,
    "    elements:\n      - ¦": PASSES,
    "    elements:\n      - pass: ¦": PASSES,
    "    elements:\n      - {pass: lo¦}\n": PASSES,
    "    elements:\n      - bundle: ¦": ["clean-up"],
    "    elements:\n      - pipeline: ¦": ["lowering"],
    "    elements:\n      - nest: func.func\n        elements: [¦": PASSES,
    "    elements:\n      - pass: cse\n        when: ¦": ["vectorize", "level"],
    "    elements:\n      - {pass: cse, when: {option: ¦": ["vectorize", "level"],
    "    elements:\n      - {pass: cse, when: {option: level, is: ¦": ["none", "all"],
    "    elements:\n      - {pass: cse, when: {option: vectorize, isNot: ¦": [
        "true",
        "false",
    ],
    "    elements:\n      - pass: unroll-loops\n        options:\n          un¦": [
        "unroll-factor",
        "mode",
        "after",
    ],
    "    elements:\n      - {pass: unroll-loops, options: {mode: full, ¦": [
        "unroll-factor",
        "mode",
        "after",
    ],
    "    elements:\n      - {pass: unroll-loops, options: {mode: ¦": [
        "full",
        "partial",
    ],
    "    elements:\n      - {pass: unroll-loops, options: {mode: {option: ¦": [
        "vectorize",
        "level",
    ],
    "    elements:\n      - {pass: unroll-loops, options: {after: 'any(cse,¦": [
        *PASSES,
        "lowering",
    ],
    '    elements:\n      - {pass: unroll-loops, options: {after: "unroll-loops{¦': [
        "unroll-factor",
        "mode",
        "after",
    ],
    "    elements:\n      - {pipeline: lowering, options: {¦": ["vectorize", "level"],
    "    needs: [¦": ["noLoops"],
    "    needs:\n      - ¦": ["noLoops"],
    "    summary: can¦": [],
    "    # a comment ¦": [],
}


@pytest.mark.parametrize("part", COMPLETED)
def test_names_are_completed_where_they_are_meant(editor: Editor, part: str) -> None:
    assert editor.names(typed(part)) == COMPLETED[part]


OF_PASS = {
    "    keeps: [¦": ["noLoops"],
    "    after: [¦": PASSES,
    "    after: [{tag: ¦": ["folding", "loops"],
    "    tags: [¦": ["folding", "loops"],
    "    preserves: [¦": ["Schedule"],
    "    options: [{name: x, type: pipeline, default: 'cs¦": [*PASSES, "lowering"],
    "    options: [{name: x, type: string, default: 'cs¦": [],
}


@pytest.mark.parametrize("part", OF_PASS)
def test_names_are_completed_in_passes(editor: Editor, part: str) -> None:
    text = typed(part, at="    gives: [noLoops]\n")

    assert editor.names(text) == OF_PASS[part]


def test_rules_are_completed(editor: Editor) -> None:
    names = editor.names(typed("    ignore: [{rule: opt¦"))

    assert {"option-undocumented", "form-unused"} <= set(names)


def test_a_spec_that_is_half_typed_has_the_names_of_its_last_valid_text(
    editor: Editor,
) -> None:
    text = typed("    elements:\n      - {pass: ¦\n  Wrong: : :\n")

    assert editor.problems(text)
    assert editor.names(text) == PASSES


def test_passes_of_specs_in_the_folder_are_known(editor: Editor) -> None:
    other = "passes: {Sink: {summary: Sink operations}}\n"
    (editor.folder / "other.yaml").write_text(other)
    (editor.folder / "compose.yaml").write_text("services: {web: {image: x}}\n")

    assert "sink" in editor.names(typed("    elements: [¦"))
    assert not any(
        "sink" in problem
        for problem in editor.problems(typed("    elements: [sink]\n"))
    )


def test_settings_say_which_specs_belong_together(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far/a.yaml").write_text("passes: {Sink: {summary: Sink}}\n")
    editor = Editor(tmp_path, Settings(specs=("far/*.yaml",)))
    editor.type(LOOPS)

    assert "sink" in editor.names(typed("    elements: [¦"))


def test_a_driver_gives_names_to_pipelines_in_texts_alone(tmp_path: Path) -> None:
    editor = Editor(tmp_path, Settings(registered=("inline", "cse")))
    editor.type(LOOPS)
    text = "    elements:\n      - {pass: unroll-loops, options: {after: 'any(¦"

    assert editor.names(typed(text)) == [
        "inline",
        "cse",
        *PASSES[:1],
        *PASSES[2:],
        "lowering",
    ]
    assert "inline" not in editor.names(typed("    elements: [¦"))


SHOWN = {
    "    elements: [unroll¦-loops]\n": "pass `unroll-loops`: Unroll loops\n\nRuns on `func.func`.\n- `unroll-factor` (uint32, by default 4): The factor.",
    "    elements: [{bundle: clean¦-up}]\n": "bundle `clean-up`: Clean up\n\n`canonicalize`, `cse`",
    "    elements: [{pass: cse, when: vec¦torize}]\n": "option `vectorize`: bool",
    "    elements: [{pass: unroll-loops, options: {unroll-fac¦tor: 2}}]\n": "option `unroll-factor`: uint32, by default 4\n\nThe factor.",
    "    elements: [{pass: unroll-loops, options: {after: 'any(unr¦oll-loops)'}}]\n": "pass `unroll-loops`: Unroll loops",
    "    needs: [noL¦oops]\n    elements: [cse]\n": "form `noLoops`: No loops\n\nnone of `scf`",
    "    elements: [canon¦icalize]\n": "pass `canonicalize`\n\nDeclared elsewhere.",
}


@pytest.mark.parametrize("part", SHOWN)
def test_a_hover_shows_what_a_name_stands_for(editor: Editor, part: str) -> None:
    name = editor.specs.name_at(*editor.type(typed(part)))

    assert name is not None
    assert name.markdown.startswith(SHOWN[part])


def test_a_hover_shows_nothing_where_no_name_is_known(editor: Editor) -> None:
    for part in ("    elements: [unk¦nown]\n", "    elem¦ents: [cse]\n", "¦"):
        assert editor.specs.name_at(*editor.type(typed(part))) is None


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("    elements: [lower¦-loops]\n", "  LowerLoops:"),
        ("    elements: [{bundle: clean-¦up}]\n", "  clean-up: "),
        ("    elements: [{pass: cse, when: lev¦el}]\n", "      - {name: level"),
        ("    needs: [no¦Loops]\n    elements: [cse]\n", "  noLoops: "),
    ],
)
def test_a_definition_is_the_declaration_of_a_name(
    editor: Editor, part: str, line: str
) -> None:
    place = editor.specs.definition(*editor.type(typed(part)))

    assert place is not None
    assert place.source.line_text(place.line).startswith(line)


@pytest.mark.parametrize("file", ["src/loops/unroll.py", "loops/unroll/__init__.py"])
def test_a_definition_is_in_python(tmp_path: Path, file: str) -> None:
    python = tmp_path / file
    python.parent.mkdir(parents=True)
    python.write_text("import os\n\n\nclass UnrollLoops(Base):\n    pass\n")
    editor = Editor(tmp_path)
    text = LOOPS.replace("loops.unroll:", "loops.un¦roll:")

    place = editor.specs.definition(*editor.type(text))

    assert place is not None
    assert str(place) == f"{python}:4:7"


def test_a_definition_is_an_included_file(editor: Editor) -> None:
    (editor.folder / "common.yaml").write_text("sharedOptions: {}\n")

    place = editor.specs.definition(*editor.type(f"include: [comm¦on.yaml]\n{LOOPS}"))

    assert place is not None
    assert str(place) == f"{editor.folder / 'common.yaml'}:1:1"


def test_an_included_file_is_read_as_it_is_open(editor: Editor) -> None:
    common = str(editor.folder / "common.yaml")
    Path(common).write_text("sharedOptions: {a: &a [{name: x, type: bool}]}\n")
    text = "include: [common.yaml]\npasses: {A: {summary: A, options: *b}}\n"

    assert "alias '*b' without an anchor '&b'" in editor.problems(text)[0]

    editor.specs.put(common, "sharedOptions: {b: &b [{name: x, type: bool}]}\n")

    assert not any("alias" in problem for problem in editor.problems(text))


def test_problems_are_those_of_the_checker_and_of_lint(editor: Editor) -> None:
    problems = editor.problems(typed("    elements: [unrol-loops]\n"))

    assert problems == ["unknown pass 'unrol-loops' in pipeline 'Lowering'"]
    found = editor.problems(LOOPS)
    assert "pass 'lower-loops' has no description [description-missing]" in found


def test_another_server_can_report_what_the_schema_refuses(tmp_path: Path) -> None:
    editor = Editor(tmp_path, Settings(schema=False))

    assert editor.problems("passes: {A: {sumary: S}}\n") == []
    assert editor.problems("passes: {A: {summary: S}\n") == []
    assert editor.problems("include: [x.yaml]\npasses: {A: {summary: S}}\n") != []
    assert editor.problems("passes: {A: {summary: S}, a: *b}\n") != []


def test_other_yaml_and_shared_parts_have_no_problems(editor: Editor) -> None:
    assert editor.problems("services: {web: {image: x}}\n") == []
    assert editor.problems("sharedOptions: {a: &a [{name: x, type: bool}]}\n") == []


def test_a_wrong_spec_in_the_folder_leaves_pipelines_unchecked(editor: Editor) -> None:
    (editor.folder / "other.yaml").write_text("passes: {A: {sumary: S}}\n")

    problems = editor.problems(typed("    elements: [unrol-loops]\n"))

    assert not any("unrol-loops" in problem for problem in problems)


def test_pipelines_are_unchecked_where_two_specs_declare_a_pass(
    editor: Editor,
) -> None:
    again = "passes: {LowerLoops: {summary: Lower loops otherwise}}\n"
    (editor.folder / "other.yaml").write_text(again)

    problems = editor.problems(typed("    elements: [unrol-loops]\n"))

    assert not any("unrol-loops" in problem for problem in problems)


@pytest.mark.parametrize(
    "spec", sorted(SPECS.glob("*.yaml")), ids=lambda path: path.name
)
def test_the_specs_of_this_project_have_no_problems(spec: Path) -> None:
    workspace = Workspace(SPECS)
    workspace.put(str(spec), spec.read_text("utf-8"))

    assert workspace.problems(str(spec)) == ()
