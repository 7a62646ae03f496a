"""PNG files of 256 colours, a third of the size of those that browsers write."""

from __future__ import annotations

import base64
import struct
import zlib
from collections import Counter
from typing import Final

from playwright.sync_api import Page

_PIXELS: Final = """async (file) => {
  const picture = new Image();
  picture.src = `data:image/png;base64,${file}`;
  await picture.decode();
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height).getContext("2d");
  canvas.drawImage(picture, 0, 0);
  const { data } = canvas.getImageData(0, 0, width, height);
  let text = "";
  for (let at = 0; at < data.length; at += 8192)
    text += String.fromCharCode(...data.subarray(at, at + 8192));
  return [width, btoa(text)];
}"""
_RGBA: Final = 4
_MAX_COLORS: Final = 256


def small_png(page: Page, file: bytes) -> bytes:
    """Return the PNG `file` with its 256 most frequent colours; others become like one.

    Args:
        page: a page of a browser, which decodes the file.
        file: a picture without transparency.
    """
    width, text = page.evaluate(_PIXELS, base64.b64encode(file).decode())
    data = base64.b64decode(text)
    pixels = [data[at : at + 3] for at in range(0, len(data), _RGBA)]
    counts = Counter(pixels)
    palette = [color for color, _ in counts.most_common(_MAX_COLORS)]
    numbers = {color: number for number, color in enumerate(palette)}
    for color in counts.keys() - numbers.keys():
        numbers[color] = numbers[_nearest(color, palette)]
    rows = [pixels[at : at + width] for at in range(0, len(pixels), width)]
    lines = (b"\0" + bytes(numbers[pixel] for pixel in row) for row in rows)
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(name, content)
        for name, content in (
            (b"IHDR", header),
            (b"PLTE", b"".join(palette)),
            (b"IDAT", zlib.compress(b"".join(lines), 9)),
            (b"IEND", b""),
        )
    )


def _nearest(color: bytes, palette: list[bytes]) -> bytes:
    def distance(other: bytes) -> int:
        return sum((a - b) ** 2 for a, b in zip(color, other, strict=True))

    return min(palette, key=distance)


def _chunk(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(name + content)
    return (
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
    )
