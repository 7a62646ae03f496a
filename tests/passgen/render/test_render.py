from __future__ import annotations

from pathlib import Path

import pytest

from passgen.diagnostics import RenderError
from passgen.render import render


def rendered(tmp_path: Path, text: str, **values: object) -> str:
    folder = tmp_path / "python"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "made_up.j2").write_text(text)
    return render("python/made_up.j2", values, tmp_path)


def error(tmp_path: Path, text: str, **values: object) -> str:
    with pytest.raises(RenderError) as caught:
        rendered(tmp_path, text, **values)
    return str(caught.value)


def test_absent_parts_leave_no_gap(tmp_path: Path) -> None:
    text = "a\n{% if on %}\n\nb\n{% endif %}\n"
    text += "{% for c in cs %}\n{{ c }}\n{% endfor %}\nd\n"

    assert rendered(tmp_path, text, on=False, cs=()) == "a\nd\n"
    assert rendered(tmp_path, text, on=True, cs="xy") == "a\n\nb\nx\ny\nd\n"


def test_nothing_is_escaped_but_by_filters(tmp_path: Path) -> None:
    assert rendered(tmp_path, "{{ value }}", value="<a & 'b'>") == "<a & 'b'>"


def test_error_undefined_attribute_in_a_partial(tmp_path: Path) -> None:
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "_part.j2").write_text("\n\n{{ thing.nothing }}\n")
    message = error(tmp_path, '{% include "python/_part.j2" %}\n', thing=1)

    assert message == "python/_part.j2:3: 'int object' has no attribute 'nothing'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("first\n{{ nothing }}\n", "made_up.j2:2: 'nothing' is undefined"),
        ("{{ 1 | py_nothing }}", "made_up.j2:1: No filter named 'py_nothing'."),
        ('{% include "python/_x.j2" %}', "_x.j2: there is no such template"),
        (
            "\n\n{{ 'not a name' | py_name }}",
            "made_up.j2:3: 'not a name' cannot be a name in Python",
        ),
        ("{{ 1 / 0 }}", "made_up.j2:1: division by zero"),
    ],
)
def test_error_names_the_template_and_the_line(
    tmp_path: Path, text: str, message: str
) -> None:
    assert error(tmp_path, text) == f"python/{message}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{% if x %}", "Unexpected end of template."),
        ("{{ [][0].x }}", "list object has no element 0"),
        ('{% include "python/made_up.j2" %}', "maximum recursion depth exceeded"),
    ],
)
def test_error_whatever_a_template_does(tmp_path: Path, text: str, reason: str) -> None:
    assert error(tmp_path, text).startswith(f"python/made_up.j2:1: {reason}")


def test_error_missing_template(tmp_path: Path) -> None:
    with pytest.raises(RenderError) as caught:
        render("python/nothing.j2", {}, tmp_path)

    assert str(caught.value) == "python/nothing.j2: there is no such template"


def test_error_template_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "broken.j2").write_bytes(b"\xff")

    with pytest.raises(RenderError, match=r"broken\.j2: 'utf-8' codec can't decode"):
        render("broken.j2", {}, tmp_path)
