"""Small drawings as SVG: boxes, texts and arrows, on light and on dark pages.

A drawing brings its own background and both sets of colors: a browser takes those of
the page around the image, if that says whether it is dark, and else of the system.
It is as wide as a phone, so that its texts can be read there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Final, Literal, TypeAlias

WIDTH: Final = 420
"""Of every drawing: on a phone of 390 pixels, it is shown at 0.85 of its size."""

SMALLEST_FONT: Final = 11
"""The smallest text, which a phone shows at 9 pixels."""

Look: TypeAlias = Literal["frame", "name", "first", "second", "third", "faded"]
"""`frame` is around others; `name` is plain, and the rest differ in color."""

Align: TypeAlias = Literal["start", "middle", "end"]

_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_LETTER_WIDTH: Final = 0.605  # of a monospaced font, as a part of its size
_ROUND: Final = 5
_BOX: Final = 22
_HEADER: Final = 24
_BETWEEN: Final = 4
_INDENT: Final = 8
_STYLE: Final = """\
svg{font:12px ui-monospace,Menlo,Consolas,monospace}
text{fill:#1c2430}.note{font-family:system-ui,sans-serif;fill:#4b5763}
.card{fill:#fff}.frame{fill:#f4f6f8;stroke:#8d99a6}.name{fill:#fff;stroke:#8d99a6}
.first{fill:#dbe9f9;stroke:#3b73b9}.second{fill:#fbe5d6;stroke:#b8591b}
.third{fill:#dcf1e2;stroke:#2f8148}.faded{fill:none;stroke:#8d99a6;stroke-dasharray:4 3}
.line{fill:none;stroke:#66727e;stroke-width:1.5}.head{fill:#66727e}
@media(prefers-color-scheme:dark){
text{fill:#e6eaef}.note{fill:#b4bec9}
.card{fill:#16191d}.frame{fill:#1f242a;stroke:#5b6673}.name{fill:#16191d;stroke:#5b6673}
.first{fill:#1b3353;stroke:#6ea4e6}.second{fill:#4a2a14;stroke:#e0935a}
.third{fill:#173a24;stroke:#6cc287}.faded{stroke:#7d8996}
.line{stroke:#9aa6b2}.head{fill:#9aa6b2}
}"""


@dataclass(eq=False)
class Box:
    """A box with a label, around others or alone."""

    label: str
    look: Look = "frame"
    parts: list[Box] = field(default_factory=list)
    middle_y: float = 0
    """Of a box alone, where it was drawn."""

    @property
    def height(self) -> float:
        """The height that it is drawn in."""
        if not self.parts:
            return _BOX
        return _HEADER + sum(each.height + _BETWEEN for each in self.parts) + 2


class Drawing:
    """A drawing, which grows downwards; the first shapes are behind the later ones."""

    def __init__(self, title: str) -> None:
        """Begin with an empty background.

        Args:
            title: what the drawing shows, for those who do not see it.
        """
        self._title = title
        self._shapes: list[str] = []
        self._bottom = 0.0

    def box(
        self, x: float, y: float, width: float, height: float, look: Look = "name"
    ) -> None:
        """Add a rectangle.

        Raises:
            ValueError: it is wider than the drawing.
        """
        if x < 0 or x + width > WIDTH:
            message = f"a box from {x} to {x + width} is not within {WIDTH}"
            raise ValueError(message)
        self._bottom = max(self._bottom, y + height)
        self._shapes.append(
            f'<rect class="{look}" x="{x:g}" y="{y:g}" width="{width:g}" '
            f'height="{height:g}" rx="{_ROUND}"/>'
        )

    def text(  # noqa: PLR0913 - place and looks of a text
        self,
        x: float,
        y: float,
        text: str,
        align: Align = "start",
        *,
        room: float = WIDTH,
        is_note: bool = False,
    ) -> None:
        """Add a line of text, whose baseline is at `y`.

        Args:
            x: where it begins, is centered, or ends, as `align` says.
            y: the baseline.
            text: the text.
            align: how it stands at `x`.
            room: the greatest width; a text that is longer becomes smaller.
            is_note: whether it is prose beside the names.

        Raises:
            ValueError: it would be too small to read.
        """
        size = min(12.0, room / (_LETTER_WIDTH * len(text)))
        if size < SMALLEST_FONT:
            message = f"{text!r} needs more room than {room:g}"
            raise ValueError(message)
        self._bottom = max(self._bottom, y)
        note = ' class="note"' if is_note else ""
        small = f' font-size="{size:.1f}"' if size < 12.0 else ""  # noqa: PLR2004
        self._shapes.append(
            f'<text{note} x="{x:g}" y="{y:g}" text-anchor="{align}"{small}>'
            f"{escape(text)}</text>"
        )

    def labeled(  # noqa: PLR0913, PLR0917 - as above
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        text: str,
        look: Look = "name",
    ) -> None:
        """Add a box with `text` in its middle."""
        self.box(x, y, width, height, look)
        middle = x + width / 2, y + height / 2 + 4
        self.text(*middle, text, "middle", room=width - 8)

    def nested(self, box: Box, x: float, y: float, width: float) -> None:
        """Add `box` with those in it, one below the other."""
        if not box.parts:
            box.middle_y = y + _BOX / 2
            self.labeled(x, y, width, _BOX, box.label, box.look)
            return
        self.box(x, y, width, box.height, box.look)
        self.text(x + _INDENT, y + 16, box.label, room=width - 2 * _INDENT)
        y += _HEADER
        for part in box.parts:
            self.nested(part, x + _INDENT, y, width - 2 * _INDENT)
            y += part.height + _BETWEEN

    def line(self, *points: tuple[float, float]) -> None:
        """Add a line through `points`."""
        path = " L".join(f"{x:g} {y:g}" for x, y in points)
        self._shapes.append(f'<path class="line" d="M{path}"/>')

    def arrow(self, *points: tuple[float, float]) -> None:
        """Add a line through `points` with a head at its end, along the axes."""
        (from_x, from_y), (x, y) = points[-2:]
        right = (x > from_x) - (x < from_x)
        down = (y > from_y) - (y < from_y)
        self.line(*points)
        back_x, back_y = x - 7 * right, y - 7 * down
        self._shapes.append(
            f'<path class="head" d="M{x:g} {y:g} '
            f"L{back_x + 4 * down:g} {back_y + 4 * right:g} "
            f'L{back_x - 4 * down:g} {back_y - 4 * right:g} Z"/>'
        )

    def svg(self) -> str:
        """Return the drawing as a file."""
        height = self._bottom + 12
        size = f'width="{WIDTH}" height="{height:g}"'
        return "\n".join(
            (
                f'<svg xmlns="{_NAMESPACE}" viewBox="0 0 {WIDTH} {height:g}" {size}>',
                f"<title>{escape(self._title)}</title>",
                f"<style>\n{_STYLE}\n</style>",
                f'<rect class="card" {size} rx="8"/>',
                *self._shapes,
                "</svg>\n",
            )
        )
