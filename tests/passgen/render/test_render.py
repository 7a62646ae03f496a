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


def test_error_undefined_variable(tmp_path: Path) -> None:
    message = error(tmp_path, "first\n{{ nothing }}\n")

    assert message == "python/made_up.j2:2: 'nothing' is undefined"


def test_error_undefined_attribute_in_a_partial(tmp_path: Path) -> None:
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "_part.j2").write_text("\n\n{{ thing.nothing }}\n")
    message = error(tmp_path, '{% include "python/_part.j2" %}\n', thing=1)

    assert message == "python/_part.j2:3: 'int object' has no attribute 'nothing'"


def test_error_broken_template(tmp_path: Path) -> None:
    message = error(tmp_path, "fine\n{% if x %}\n")

    assert message.startswith("python/made_up.j2:2: Unexpected end of template.")


def test_error_unknown_filter(tmp_path: Path) -> None:
    message = error(tmp_path, "{{ 1 | py_nothing }}")

    assert message == "python/made_up.j2:1: No filter named 'py_nothing'."


def test_error_missing_template(tmp_path: Path) -> None:
    with pytest.raises(RenderError) as caught:
        render("python/nothing.j2", {}, tmp_path)

    assert str(caught.value) == "python/nothing.j2: there is no such template"


def test_error_missing_partial(tmp_path: Path) -> None:
    message = error(tmp_path, '{% include "python/_nothing.j2" %}')

    assert message == "python/_nothing.j2: there is no such template"


def test_error_a_filter_refuses_its_value(tmp_path: Path) -> None:
    message = error(tmp_path, "\n\n{{ 'not a name' | py_name }}")

    assert message == "python/made_up.j2:3: 'not a name' cannot be a name in Python"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ [][0].x }}", "list object has no element 0"),
        ('{% include "python/made_up.j2" %}', "maximum recursion depth exceeded"),
    ],
)
def test_error_whatever_a_template_does(tmp_path: Path, text: str, reason: str) -> None:
    assert error(tmp_path, text).startswith(f"python/made_up.j2:1: {reason}")


def test_error_template_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "broken.j2").write_bytes(b"\xff")

    with pytest.raises(RenderError, match=r"broken\.j2: 'utf-8' codec can't decode"):
        render("broken.j2", {}, tmp_path)
